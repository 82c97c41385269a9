/** Small resources and ways of indexing them, for stores whose servers search by other values than the one before. */
import { writeSync } from 'node:fs'
import type { Pace } from '../../src/isolation/background-loop.ts'
import type { CombinedIndex, IndexEntry } from '../../src/search/plan.ts'
import type { IndexingSettings } from '../../src/storage/index/indexing.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { Extraction, ResourceStore } from '../../src/storage/port.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { Clinic, date, inner, key, reference, string, token } from './fixtures.ts'

export interface Person {
  readonly resourceType: string
  readonly id: string
  readonly family: string
  readonly colour: string
  /** The id of another one. */
  readonly boss?: string
}

/** A resource of type Patient, unless `more` says otherwise. */
export const person = (id: string, family: string, colour: string, more: Partial<Person> = {}): Person => ({
  resourceType: 'Patient',
  id,
  family,
  colour,
  ...more,
})

type Parameters = Readonly<
  Record<string, { readonly version: string; readonly entries: (one: Person) => IndexEntry[] }>
>

const family = { version: 'a', entries: (one: Person) => [string('family', one.family)] }

/** The search parameters of servers of several versions. */
export const BY_FAMILY: Parameters = { family }
export const BY_COLOUR: Parameters = {
  family,
  colour: { version: 'a', entries: (one) => [token('colour', one.colour)] },
  boss: { version: 'a', entries: ({ boss }) => (boss === undefined ? [] : [reference('boss', `Patient/${boss}`)]) },
  since: { version: 'a', entries: () => [date('since', 7)] },
}
export const BY_LAST_LETTER: Parameters = {
  family: { version: 'b', entries: (one) => [string('family', one.family.slice(-1))] },
}

/** Kept as tokens, and by a later server as keys, which are longer. */
export const BY_MATCH_TOKEN: Parameters = {
  match: { version: '1', entries: ({ family, colour }) => [token('match', family), token('match', colour)] },
}
export const BY_MATCH_KEY: Parameters = {
  match: { version: '2', entries: ({ family, colour }) => [key('match', `${family}|${colour}|`)] },
}
/** The parameters of the version after that. */
export const BY_OTHER_KEY: Parameters = {
  match: { version: '3', entries: ({ family, colour }) => [key('match', `${colour}|${family}|`)] },
}

/** Each contains a keeper of the same colour; a later server extracts only the keepers of blue ones. */
export const BY_KEEPER: Parameters = { family, keeper: { version: 'a', entries: keeperOf } }
export const BY_BLUE_KEEPER: Parameters = {
  family,
  keeper: { version: 'b', entries: (one) => (one.colour === 'blue' ? keeperOf(one) : []) },
}

function keeperOf({ id, colour }: Person): IndexEntry[] {
  const keeper = { type: '#Practitioner', id: `Patient/${id}#k` }
  return [
    { kind: 'reference', param: 'keeper', ...keeper },
    ...inner('_contained', keeper.type, keeper.id, [token('colour', colour)]),
  ]
}

/** @param onEntries called with every resource whose entries are extracted */
export function extracting(version: number, parameters: Parameters, onEntries = (_id: string): void => {}): Extraction {
  return {
    version,
    types: ['Patient', 'Practitioner'],
    parametersOf: () => new Map(Object.entries(parameters).map(([code, { version: text }]) => [code, text])),
    entriesOf: (_clinic, { id, text }) => {
      onEntries(id)
      const one = JSON.parse(text) as Person
      if (one.family === 'unreadable') throw new Error('It cannot be read')
      return Object.values(parameters).flatMap(({ entries }) => entries(one))
    },
  }
}

const BY_BOSS: CombinedIndex = { type: 'Patient', equal: ['boss', 'colour'], range: 'since' }
export const COMBINED_BY_BOSS: readonly CombinedIndex[] = [BY_BOSS]

/** The shortest pauses, so that tests do not wait. */
export const FAST: Pace = { batch: 4, pause: 0, look: 20, lease: 300 }

/** sqlite:<file> or mongodb://… */
export const openAs = (url: string, settings: Partial<IndexingSettings>): Promise<ResourceStore> => {
  const options = { combined: [], pace: FAST, ...settings }
  return url.startsWith('mongodb')
    ? openMongoStore({ url, ...options })
    : openSqliteStore({ path: url.slice('sqlite:'.length), ...options })
}

/** A server with its own way of indexing. */
export class Server {
  readonly store: ResourceStore
  readonly #extraction: Extraction

  constructor(store: ResourceStore, extraction: Extraction) {
    this.store = store
    this.#extraction = extraction
  }

  clinic(name = 'north'): Clinic {
    return new Clinic(this.store, name)
  }

  async write(one: Person, clinic = 'north'): Promise<void> {
    const text = JSON.stringify(one)
    const { resourceType: type, id } = one
    const entries = this.#extraction.entriesOf(clinic, {
      ...{ type, id, text, version: 1, lastUpdated: 0, method: 'PUT' },
    })
    await this.clinic(clinic).put(`${type}/${id}`, entries, { text })
  }
}

export async function serve(
  url: string,
  extraction: Extraction,
  settings: Partial<IndexingSettings> = {},
): Promise<Server> {
  return new Server(await openAs(url, { extraction, ...settings }), extraction)
}

/** Writes a line for the parent process. */
export const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}
