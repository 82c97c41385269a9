/** The cost of hashing a password in tests: minimal, as these passwords protect nothing. */
import type { PasswordCost } from '../../src/clinics/passwords.ts'

export const CHEAP_PASSWORDS: PasswordCost = { N: 2, r: 1, p: 1 }
