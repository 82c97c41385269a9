/** A search of one resource type, before any of its resources is read. */
import type { Condition, SortKey } from '../../search/plan.ts'
import { accessPath, countUpTo, isTest } from './access-path.ts'
import { compileAll } from './compile.ts'
import type { Reader } from './engine.ts'
import { EVERY_LIVE, NEVER, type Scope, type Source, type Term } from './term.ts'

/** A search of one type, ready to produce pages. */
export interface TypeSearch {
  readonly scope: Scope
  readonly terms: readonly Term[]
  readonly sort: readonly SortKey[]
}

/** The search of one type; undefined: no resource can match. */
export async function typeSearch(
  reader: Reader,
  scope: Scope,
  where: readonly Condition[],
  sort: readonly SortKey[],
): Promise<TypeSearch | undefined> {
  const terms = await compileAll(reader, scope, where)
  return terms.includes(NEVER) ? undefined : { scope, terms, sort }
}

/** The number of matches on all pages, counted up to `upTo`. */
export async function countRows(reader: Reader, { scope, terms }: TypeSearch, upTo: number): Promise<number> {
  const source = (await accessPath(reader, scope, terms))?.source ?? everyLive(terms)
  return await countUpTo(reader, scope, source, terms, upTo)
}

const everyLive = (terms: readonly Term[]): Source =>
  terms.some(({ filter }) => isTest(filter)) ? EVERY_LIVE : EVERY_BY_TIME

/** Every live resource, by an index that counts them without their documents. */
const EVERY_BY_TIME: Source = {
  index: 'by_time',
  filters: [{}],
  exact: true,
  inCreationOrder: false,
}
