/** What hashing a password costs in tests: next to nothing, as theirs protect nothing. */
import type { PasswordCost } from '../../src/clinics/passwords.ts'

export const CHEAP_PASSWORDS: PasswordCost = { N: 2, r: 1, p: 1 }
