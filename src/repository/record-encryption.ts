/**
 * Encryption of records that hold secrets, before they reach the store: AES-256-GCM (NIST SP 800-38D) under keys that
 * HKDF-SHA256 (RFC 5869) derives from SECRETS_KEY and SECRETS_KEY_PREVIOUS.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { isObject } from '../fhir/resource.ts'
import type { RecordChange, StoredRecord } from '../storage/port.ts'
import { secretKinds } from './record-kinds.ts'

/** The value of an encrypted record in the store. */
interface EncryptedValue {
  readonly encrypted: {
    /** A fingerprint of the key. */
    readonly key: string
    /** Base64url of the nonce, the encrypted JSON of the value, and the tag. */
    readonly value: string
  }
}

interface Key {
  readonly fingerprint: string
  readonly secret: Buffer
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

type Address = Pick<StoredRecord, 'clinic' | 'kind' | 'key'>

export class RecordEncryption {
  /** The current key first. */
  readonly #keys: readonly Key[]
  /** By the stored record, so that one that is read with every request is decrypted once. */
  readonly #decrypted = new WeakMap<StoredRecord, StoredRecord>()

  /** @param keys texts chosen by the operator, the current one first; none: values are stored in clear */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map(keyOf)
  }

  /** The change as it is stored. */
  encrypt(change: RecordChange): RecordChange {
    const [current] = this.#keys
    if (current === undefined || change.value === undefined || !holdsSecrets(change.kind)) return change
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, current.secret, nonce).setAAD(addressBytes(change))
    const text = cipher.update(JSON.stringify(change.value), 'utf8')
    const parts = [nonce, text, cipher.final(), cipher.getAuthTag()]
    const value: EncryptedValue = {
      encrypted: { key: current.fingerprint, value: Buffer.concat(parts).toString('base64url') },
    }
    return { ...change, value }
  }

  /** @throws Error when it was encrypted with an unknown key, or was altered */
  decrypt(stored: StoredRecord): StoredRecord
  decrypt(stored: StoredRecord | undefined): StoredRecord | undefined
  decrypt(stored: StoredRecord | undefined): StoredRecord | undefined {
    if (stored === undefined || !isEncrypted(stored)) return stored
    const known = this.#decrypted.get(stored)
    if (known !== undefined) return known
    const decrypted = { ...stored, value: this.#valueOf(stored) }
    this.#decrypted.set(stored, decrypted)
    return decrypted
  }

  /** True when the record is stored as a change would store it now; always true without a key. */
  isCurrent(stored: StoredRecord): boolean {
    const [current] = this.#keys
    if (current === undefined || !holdsSecrets(stored.kind)) return true
    return isEncrypted(stored) && stored.value.encrypted.key === current.fingerprint
  }

  #valueOf(stored: StoredRecord & { readonly value: EncryptedValue }): unknown {
    const { key, value } = stored.value.encrypted
    const secret = this.#keys.find(({ fingerprint }) => fingerprint === key)?.secret
    if (secret === undefined) {
      throw new Error(
        `The ${stored.kind} of clinic '${stored.clinic}' are encrypted with another key; ` +
          'set SECRETS_KEY, or SECRETS_KEY_PREVIOUS, to the key that they were stored with',
      )
    }
    try {
      return JSON.parse(decryptedText(Buffer.from(value, 'base64url'), secret, stored))
    } catch (cause) {
      throw new Error(`The ${stored.kind} of clinic '${stored.clinic}' were altered in the store`, { cause })
    }
  }
}

/** @throws Error when the bytes, or the address, are not those that were encrypted */
function decryptedText(bytes: Buffer, secret: Buffer, address: Address): string {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(addressBytes(address)).setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}

function keyOf(text: string): Key {
  const secret = Buffer.from(hkdfSync('sha256', text, '', 'records that hold secrets', 32))
  return { fingerprint: hash('sha256', secret).slice(0, 16), secret }
}

/**
 * The additional authenticated data, which binds a value to its record: a value copied to another record cannot be
 * decrypted.
 */
const addressBytes = ({ clinic, kind, key }: Address): Buffer => Buffer.from(JSON.stringify([clinic, kind, key]))

const SECRET_KINDS: ReadonlySet<string> = new Set(secretKinds)

const holdsSecrets = (kind: string): boolean => SECRET_KINDS.has(kind)

const isEncrypted = (stored: StoredRecord): stored is StoredRecord & { readonly value: EncryptedValue } =>
  holdsSecrets(stored.kind) &&
  isObject(stored.value) &&
  isObject(stored.value.encrypted) &&
  typeof stored.value.encrypted.value === 'string'
