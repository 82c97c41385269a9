/** The records that a unit of work has read and staged, and the encryption of those that hold secrets. */

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { isObject } from '../fhir/resource.ts'
import type { Recent, RecordChange, RecordQuery, ResourceStore, StoredRecord } from '../storage/port.ts'
import { type Place, placeOf, type RecordKind, secretKinds } from './record-kinds.ts'

/** A record with the value type of its kind. */
export interface KindRecord<Value> extends StoredRecord {
  readonly value: Value
}

interface RecordOptions {
  /** Milliseconds since 1970 UTC; its meaning is declared with the kind (record-kinds.ts). */
  readonly due?: number | null
  /** The version that must be current; absent: the version that this unit has read, or none where it has read none. */
  readonly expect?: RecordChange['expect']
}

/** Reads see the staged changes. */
export class UnitRecords {
  readonly #store: ResourceStore
  readonly #place: Place
  readonly #encryption: RecordEncryption
  /** Records as first read, so that two reads in one unit agree; a change since then is a conflict at the commit. */
  readonly #read = new Map<string, StoredRecord | undefined>()
  readonly #recent = new Map<string, StoredRecord | undefined>()
  readonly #staged = new Map<string, RecordChange>()

  constructor(store: ResourceStore, place: Place, encryption: RecordEncryption) {
    this.#store = store
    this.#place = place
    this.#encryption = encryption
  }

  async read<Value>(kind: RecordKind<Value>, key: string): Promise<KindRecord<Value> | undefined> {
    const address = this.#addressOf(kind, key)
    if (!this.#staged.has(address) && !this.#read.has(address)) {
      const stored = await this.#store.readRecord(placeOf(kind, this.#place), kind.name, key)
      this.#read.set(address, this.#encryption.decrypt(stored))
    }
    return this.known(kind, key)
  }

  /** The stored records of this clinic by key, those behind `after`; without the changes staged in this unit. */
  async list<Value>(
    kind: RecordKind<Value>,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly KindRecord<Value>[]> {
    const query = { kind: kind.name, clinic: placeOf(kind, this.#place), ...page }
    return this.#listed(query)
  }

  /**
   * The stored records of this clinic that are due at `before` (ms), the longest overdue first; without the changes
   * staged in this unit.
   */
  async due<Value>(
    kind: RecordKind<Value>,
    { before, limit }: { readonly before: number; readonly limit: number },
  ): Promise<readonly KindRecord<Value>[]> {
    const query = { kind: kind.name, clinic: placeOf(kind, this.#place), dueBefore: before, limit }
    return this.#listed(query)
  }

  async #listed<Value>(query: RecordQuery): Promise<readonly KindRecord<Value>[]> {
    const stored = await this.#store.records(query)
    return stored.map((record) => this.#encryption.decrypt(record)) as readonly KindRecord<Value>[]
  }

  /**
   * The record as this unit has staged or read it, without a read from the store; undefined where it has done neither.
   */
  known<Value>(kind: RecordKind<Value>, key: string): KindRecord<Value> | undefined {
    const address = this.#addressOf(kind, key)
    const staged = this.#staged.get(address)
    if (staged !== undefined) return this.#asStored<Value>(address, staged)
    return this.#read.get(address) as KindRecord<Value> | undefined
  }

  /** Reads perhaps from memory: a write by another process shows a moment later (ResourceStore.readRecent). */
  readRecent<Value>(kind: RecordKind<Value>, key: string): Recent<KindRecord<Value>> {
    const address = this.#addressOf(kind, key)
    if (this.#staged.has(address) || this.#read.has(address)) return this.known(kind, key)
    const known = this.#recent.get(address)
    if (known !== undefined || this.#recent.has(address)) return known as KindRecord<Value> | undefined
    const found = this.#store.readRecent(placeOf(kind, this.#place), kind.name, key)
    const keep = (stored: StoredRecord | undefined): KindRecord<Value> | undefined => {
      const record = this.#encryption.decrypt(stored)
      this.#recent.set(address, record)
      return record as KindRecord<Value> | undefined
    }
    return found instanceof Promise ? found.then(keep) : keep(found)
  }

  /** The version that the record will have once this unit has changed it. */
  nextVersion(kind: RecordKind<unknown>, key: string): number {
    const address = this.#addressOf(kind, key)
    const staged = this.#staged.get(address)?.expect
    return (typeof staged === 'number' ? staged : (this.#read.get(address)?.version ?? 0)) + 1
  }

  put<Value>(kind: RecordKind<Value>, key: string, value: Value, options: RecordOptions = {}): void {
    this.#stage(kind, key, value, options)
  }

  /**
   * Stages a record of another generation as it is there, its version included.
   * @param due in place of its own
   */
  copy({ kind, key, value, version }: StoredRecord, due: number | null): void {
    const clinic = this.#place.partition
    this.#staged.set(`${kind}\n${clinic}\n${key}`, { clinic, kind, key, expect: 'any', value, due, version })
  }

  delete(kind: RecordKind<unknown>, key: string, options: Pick<RecordOptions, 'expect'> = {}): void {
    this.#stage(kind, key, undefined, options)
  }

  /** The staged changes as they are stored. */
  get changes(): readonly RecordChange[] {
    return Array.from(this.#staged.values(), (change) => this.#encryption.encrypt(change))
  }

  #stage(kind: RecordKind<unknown>, key: string, value: unknown, { due, expect }: RecordOptions): void {
    const address = this.#addressOf(kind, key)
    this.#staged.set(address, {
      clinic: placeOf(kind, this.#place),
      kind: kind.name,
      key,
      // Several changes of one record become one, which expects the version that the first of them was based on.
      expect: this.#staged.get(address)?.expect ?? expect ?? this.#read.get(address)?.version ?? 0,
      value,
      ...(due === undefined ? {} : { due }),
    })
  }

  /** The record as it will be stored; undefined for a deletion. */
  #asStored<Value>(address: string, { clinic, kind, key, expect, value, due = null }: RecordChange) {
    if (value === undefined) return undefined
    const before = expect === 'any' ? (this.#read.get(address)?.version ?? 0) : expect
    return { clinic, kind, key, version: before + 1, value: value as Value, due }
  }

  #addressOf(kind: RecordKind<unknown>, key: string): string {
    return `${kind.name}\n${placeOf(kind, this.#place)}\n${key}`
  }
}

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

/**
 * Encrypts records that hold secrets, before they reach the store: AES-256-GCM (NIST SP 800-38D) under keys that
 * HKDF-SHA256 (RFC 5869) derives from SECRETS_KEY and SECRETS_KEY_PREVIOUS.
 */
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
