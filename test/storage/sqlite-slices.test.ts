/** The embedded engine reads an index in slices: pages are the same wherever a slice ends, and whichever way is chosen. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Condition, IndexEntry, SortKey } from '../../src/search/plan.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { closeLater } from '../support/opened-stores.ts'
import { Clinic, date, ids, string, token } from './fixtures.ts'

/** More than three slices hold. */
const RESOURCES = 3_000

interface Row {
  readonly id: string
  readonly name: string
  readonly day: number | undefined
  readonly codes: readonly string[]
}

/** `often` is everywhere, `seldom` is once in 300, `late` is in the last rows alone; a few have no day, or two names. */
const rows: readonly Row[] = Array.from({ length: RESOURCES }, (_, n) => ({
  id: `r${String(n).padStart(5, '0')}`,
  name: `name ${(n * 7_919) % 500}`,
  day: n % 97 === 0 ? undefined : (n * 104_729) % 700,
  codes: [
    ...(n % 2 === 0 ? ['often'] : []),
    ...(n % 300 === 7 ? ['seldom'] : []),
    ...(n > RESOURCES - 40 ? ['late'] : []),
    ...(n % 8 === 3 ? ['some'] : []),
  ],
}))

function entriesOf(n: number): readonly IndexEntry[] {
  const { name = '', day, codes = [] } = rows[n] ?? {}
  return [
    string('name', name),
    ...(n % 50 === 0 ? [string('name', `zz ${n}`)] : []),
    ...(day === undefined ? [] : [date('day', day, day)]),
    ...codes.map((code) => token('code', code)),
  ]
}

/** Values of `fewCandidates`: candidates are never few, sometimes, and always. */
const STORES = [0, 400, 1_000_000]
let clinics: readonly Clinic[] = []

beforeAll(async () => {
  clinics = await Promise.all(
    STORES.map(async (fewCandidates) => {
      const store = closeLater(await openSqliteStore({ path: ':memory:', combined: [], fewCandidates }))
      const clinic = new Clinic(store, 'c')
      await clinic.fill(RESOURCES, (n) => clinic.change(`Basic/${rows[n]?.id}`, entriesOf(n)))
      return clinic
    }),
  )
})
afterAll(() => {
  clinics = []
})

const coded = (code: string): Condition => ({ kind: 'token', param: 'code', code })
const byDay = (descending: boolean): SortKey => ({ by: 'date', param: 'day', descending })
const byName = (descending: boolean): SortKey => ({ by: 'string', param: 'name', descending })

/** All pages; ties are in the order of creation, in the direction of the last key. */
async function pagesOf(clinic: Clinic, where: readonly Condition[], sort: readonly SortKey[], count: number) {
  return (await clinic.pages('Basic', { where, sort, count })).flat()
}

const matching = (codes: readonly string[]): readonly Row[] =>
  rows.filter((row) => codes.every((code) => row.codes.includes(code)))

function inOrderOfDays(found: readonly Row[], descending: boolean): readonly string[] {
  const sign = descending ? -1 : 1
  const position = (row: Row) => rows.indexOf(row)
  return found
    .toSorted((one, other) => {
      if (one.day === other.day) return sign * (position(one) - position(other))
      if (one.day === undefined || other.day === undefined) return one.day === undefined ? 1 : -1
      return sign * (one.day - other.day)
    })
    .map(({ id }) => id)
}

describe('a search finds all that there is, in order, on pages', () => {
  const CODES = [[], ['often'], ['seldom'], ['late'], ['some'], ['often', 'seldom'], ['some', 'late']]

  test.each(CODES)('of what is %s, %s, by creation', async (...codes) => {
    for (const clinic of clinics) {
      const found = await pagesOf(clinic, codes.map(coded), [], 45)
      expect(found).toEqual(matching(codes).map(({ id }) => id))
    }
  })

  test.each(CODES.flatMap((codes) => [false, true].map((descending) => [codes, descending] as const)))(
    'of what is %j, by a date that some have not (descending: %s)',
    async (codes, descending) => {
      for (const clinic of clinics) {
        const found = await pagesOf(clinic, codes.map(coded), [byDay(descending)], 45)
        expect(found).toEqual(inOrderOfDays(matching(codes), descending))
      }
    },
  )

  test('by any keys, in any store, the same', async () => {
    const [one, ...others] = clinics
    if (one === undefined) throw new Error('There are stores')
    const key = fc.tuple(fc.constantFrom(byDay, byName), fc.boolean()).map(([by, descending]) => by(descending))
    const searches = fc.record({
      sort: fc.uniqueArray(key, { minLength: 1, maxLength: 2, selector: ({ by }) => by }),
      codes: fc.constantFrom(...CODES.slice(1)),
      not: fc.constantFrom(undefined, 'often', 'some'),
      count: fc.constantFrom(7, 50, 400),
    })
    const property = fc.asyncProperty(searches, async ({ sort, codes, not, count }) => {
      const where: readonly Condition[] = [
        ...codes.map(coded),
        ...(not === undefined ? [] : [{ kind: 'not', of: coded(not) } as const]),
      ]
      const found = await pagesOf(one, where, sort, count)
      const expected = matching(codes).filter(({ codes: own }) => not === undefined || !own.includes(not))
      expect(found.toSorted()).toEqual(expected.map(({ id }) => id))
      for (const other of others) expect(await pagesOf(other, where, sort, count)).toEqual(found)
    })
    await fc.assert(property, { numRuns: 25 })
  })

  test('and one page of many stops where it is full', async () => {
    for (const clinic of clinics) {
      const page = await clinic.search('Basic', { where: [coded('some')], sort: [byDay(false)], count: 20 })
      expect(ids(page.matches)).toEqual(inOrderOfDays(matching(['some']), false).slice(0, 20))
      expect(page.next).toBeDefined()
    }
  })
})
