/** The records that a unit of work has read and staged; reads see the staged changes. */
import type { Recent, RecordChange, RecordQuery, ResourceStore, StoredRecord } from '../storage/port.ts'
import type { RecordEncryption } from './record-encryption.ts'
import { clinicOf, type RecordKind } from './record-kinds.ts'

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

export class UnitRecords {
  readonly #store: ResourceStore
  readonly #clinic: string
  readonly #encryption: RecordEncryption
  /** Records as first read, so that two reads in one unit agree; a change since then is a conflict at the commit. */
  readonly #read = new Map<string, StoredRecord | undefined>()
  readonly #recent = new Map<string, StoredRecord | undefined>()
  readonly #staged = new Map<string, RecordChange>()

  constructor(store: ResourceStore, clinic: string, encryption: RecordEncryption) {
    this.#store = store
    this.#clinic = clinic
    this.#encryption = encryption
  }

  async read<Value>(kind: RecordKind<Value>, key: string): Promise<KindRecord<Value> | undefined> {
    const address = this.#addressOf(kind, key)
    if (!this.#staged.has(address) && !this.#read.has(address)) {
      const stored = await this.#store.readRecord(clinicOf(kind, this.#clinic), kind.name, key)
      this.#read.set(address, this.#encryption.decrypt(stored))
    }
    return this.known(kind, key)
  }

  /** The stored records of this clinic by key, those behind `after`; without the changes staged in this unit. */
  async list<Value>(
    kind: RecordKind<Value>,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly KindRecord<Value>[]> {
    const query = { kind: kind.name, clinic: clinicOf(kind, this.#clinic), ...page }
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
    const query = { kind: kind.name, clinic: clinicOf(kind, this.#clinic), dueBefore: before, limit }
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
    const found = this.#store.readRecent(clinicOf(kind, this.#clinic), kind.name, key)
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
      clinic: clinicOf(kind, this.#clinic),
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
    return `${kind.name}\n${clinicOf(kind, this.#clinic)}\n${key}`
  }
}
