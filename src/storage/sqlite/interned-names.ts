/** Interned names: a tree of clinic > type > kind > parameter > system, each node one integer. */
import type { Database } from './connection.ts'

/** The parent of the clinics. */
const ROOT = 0
/** Most cached names and facts of parameters together; when there are more, all are dropped. */
const MAX_CACHED = 50_000
/** Milliseconds for which the number of a clinic is cached: looked up each time, it would take as long as a read. */
const LIFETIME = 100
/** A longer name (the system of a token may be any text) is not cached; characters. */
const LONGEST_CACHED = 1_000

type EntryKind =
  | 'string'
  | 'words'
  | 'token'
  | 'key'
  | 'reference'
  | 'uri'
  | 'date'
  | 'number'
  | 'quantity'
  | 'position'
  | 'composite'

/** Kinds of entries by which a search finds a resource. */
export type SearchedKind = Exclude<EntryKind, 'key'>

/** Facts about the entries of a parameter; they only ever grow. */
interface ParameterFacts {
  /** The widest range, high - low. */
  readonly span: number
  /** True when some resource has (or had) two entries. */
  readonly repeated: boolean
}

export class InternedNames {
  readonly #db: Database
  readonly #clinics = new Map<string, number>()
  #drops = 0
  /** Milliseconds since 1970 UTC. */
  #renewedUntil = 0
  /** parent -> text -> id. */
  readonly #ids = new Map<number, Map<string, number>>()
  readonly #texts = new Map<number, string>()
  readonly #facts = new Map<number, ParameterFacts>()
  #cached = 0

  constructor(db: Database) {
    this.#db = db
  }

  clinic(clinic: string): number | undefined {
    const known = this.#clinics.get(clinic) ?? this.#stored(ROOT, clinic)
    if (known !== undefined) this.#clinics.set(clinic, known)
    return known
  }

  /**
   * Forgets the clinics: one may have been dropped (drop.ts), and created again since. All other names are under the
   * number of their clinic, which none gets a second time. Called before each transaction.
   */
  forgetClinics(): void {
    this.#clinics.clear()
  }

  /**
   * The same before each read, where it may be needed: at once after a drop by this process, a moment after one by another.
   * @param drops the number of those by this process
   */
  renewClinics(drops: number): void {
    const now = Date.now()
    if (drops === this.#drops && now < this.#renewedUntil) return
    this.#drops = drops
    this.#renewedUntil = now + LIFETIME
    this.forgetClinics()
  }

  type(clinic: string, type: string): number | undefined {
    const parent = this.clinic(clinic)
    return parent === undefined ? undefined : this.find(parent, type)
  }

  param(type: number, kind: EntryKind | 'combined', code: string): number | undefined {
    const parent = this.find(type, kind)
    return parent === undefined ? undefined : this.find(parent, code)
  }

  find(parent: number, text: string): number | undefined {
    const known = this.#ids.get(parent)?.get(text)
    if (known !== undefined) return known
    const found = this.#stored(parent, text)
    if (found !== undefined) this.#remember(parent, text, found)
    return found
  }

  internType(clinic: string, type: string): { readonly clinic: number; readonly type: number } {
    const parent = this.clinic(clinic) ?? this.#insert(ROOT, clinic)
    return { clinic: parent, type: this.intern(parent, type) }
  }

  internParam(type: number, kind: EntryKind | 'combined', code: string): number {
    return this.intern(this.intern(type, kind), code)
  }

  /** The id of a name, which is inserted when there is none. */
  intern(parent: number, text: string): number {
    const known = this.find(parent, text)
    if (known !== undefined) return known
    const id = this.#insert(parent, text)
    this.#remember(parent, text, id)
    return id
  }

  clinics(): readonly number[] {
    return this.children(ROOT)
  }

  children(parent: number): readonly number[] {
    return this.#db.all<[number]>('SELECT id FROM name WHERE parent = ?', parent).map(([id]) => id)
  }

  textOf(id: number): string {
    const known = this.#texts.get(id)
    if (known !== undefined) return known
    const text = this.#db.get<[string]>('SELECT text FROM name WHERE id = ?', id)?.[0] ?? ''
    if (text.length <= LONGEST_CACHED) {
      this.#makeRoom()
      this.#texts.set(id, text)
    }
    return text
  }

  /** Read from the file each time, as another process may have written them. */
  factsOf(param: number): ParameterFacts {
    const found = this.#db.get<[number, number]>('SELECT span, repeated FROM name WHERE id = ?', param)
    return { span: found?.[0] ?? 0, repeated: found?.[1] === 1 }
  }

  learn(param: number, span: number, repeated: boolean): void {
    const known = this.#facts.get(param)
    if (known !== undefined && span <= known.span && (known.repeated || !repeated)) return
    const before = this.factsOf(param)
    const facts = { span: Math.max(span, before.span), repeated: repeated || before.repeated }
    if (facts.span > before.span || facts.repeated !== before.repeated) {
      this.#db.run('UPDATE name SET span = ?, repeated = ? WHERE id = ?', facts.span, facts.repeated ? 1 : 0, param)
    }
    this.#makeRoom()
    this.#facts.set(param, facts)
  }

  /**
   * Empties the cache. Called after a rollback: ids assigned in it are free again, and may be assigned to other names.
   */
  forget(): void {
    this.#clinics.clear()
    this.#ids.clear()
    this.#texts.clear()
    this.#facts.clear()
    this.#cached = 0
  }

  #stored(parent: number, text: string): number | undefined {
    return this.#db.get<[number]>('SELECT id FROM name WHERE parent = ? AND text = ?', parent, text)?.[0]
  }

  #insert(parent: number, text: string): number {
    return this.#db.run('INSERT INTO name (parent, text) VALUES (?, ?)', parent, text)
  }

  #remember(parent: number, text: string, id: number): void {
    if (text.length > LONGEST_CACHED) return
    this.#makeRoom()
    const siblings = this.#ids.get(parent) ?? new Map<string, number>()
    siblings.set(text, id)
    this.#ids.set(parent, siblings)
  }

  /** Makes room for one more cache entry. */
  #makeRoom(): void {
    if (this.#cached >= MAX_CACHED) this.forget()
    this.#cached += 1
  }
}
