/** Passwords: their rules, and their scrypt hashes (https://www.rfc-editor.org/rfc/rfc7914). */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { badRequest } from '../fhir/outcome.ts'

/** The parameters of scrypt (https://www.rfc-editor.org/rfc/rfc7914#section-2): a hash takes 128 * N * r bytes. */
export interface PasswordCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** One hash takes 32 MiB and about 80 ms. The parameters are stored with the hash, so they can grow later. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16
const MAX_MEMORY_BYTES = 256 * 1024 * 1024

const MIN_LENGTH = 10
const MAX_LENGTH = 1024

/** @throws FhirError 400 when the password is too short, too long, or the user name */
export function checkPassword(password: string, username: string): void {
  const length = [...password].length
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw badRequest(`The password has ${length} characters; it must have ${MIN_LENGTH} to ${MAX_LENGTH}`)
  }
  if (foldedName(password) === foldedName(username)) {
    throw badRequest('The password is the user name; choose another one')
  }
}

/** The form in which user names are compared. */
export const foldedName = (username: string): string => username.normalize('NFKC').trim().toLowerCase()

/** `scrypt$N$r$p$salt$key`, the last two in base64. */
export async function hashPassword(password: string, cost: PasswordCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, KEY_BYTES, cost)
  return encode(cost, salt, key)
}

/**
 * Whether the password is that of the hash; without a hash it never is, after the same work.
 * @param cost of that work
 * @throws Error when the hash has another scheme than ours
 */
export async function matchesHash(password: string, hash: string | undefined, cost: PasswordCost): Promise<boolean> {
  const [scheme, N, r, p, salt = '', key = ''] = (hash ?? unmatchable(cost)).split('$')
  if (scheme !== 'scrypt') throw new Error(`A stored password hash has the unknown scheme '${scheme}'`)
  const expected = Buffer.from(key, 'base64')
  const stored = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, stored)
  return timingSafeEqual(actual, expected) && hash !== undefined
}

function derive(password: string, salt: Buffer, bytes: number, cost: PasswordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, bytes, { ...cost, maxmem: MAX_MEMORY_BYTES }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

const encode = ({ N, r, p }: PasswordCost, salt: Buffer, key: Buffer): string =>
  ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')

/** The hash of no password at all: what a login with an unknown user name is compared with. */
const unmatchable = (cost: PasswordCost): string => encode(cost, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES))
