/** Pages by key: stable while data change, with totals of the same snapshot, and cursors that fit one search only. */
import { describe, expect, test } from '@jest/globals'
import { InvalidCursor } from '../../../src/search/cursor.ts'
import type { SearchPlan, SortKey } from '../../../src/search/plan.ts'
import { type Clinic, date, token } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

/** `count` slots, all free, four of each start. */
async function filled(clinic: Clinic, count: number): Promise<Clinic> {
  const changes = Array.from({ length: count }, (_, index) =>
    clinic.change(`Slot/${index}`, entries(Math.floor(index / 4))),
  )
  await clinic.write(...changes)
  return clinic
}
const entries = (start: number) => [token('status', 'free'), ...(start > 2 ? [date('start', start)] : [])]
const free: SearchPlan['where'] = [{ kind: 'token', param: 'status', code: 'free' }]

const SORTS: readonly (readonly [string, readonly SortKey[]])[] = [
  ['in the order of the engine', []],
  ['sorted, with ties and missing values', [{ by: 'date', param: 'start', descending: false }]],
  ['sorted descending', [{ by: 'date', param: 'start', descending: true }]],
  [
    'sorted by two keys',
    [
      { by: 'token', param: 'status', descending: false },
      { by: 'date', param: 'start', descending: true },
    ],
  ],
  ['sorted by id', [{ by: 'id', descending: false }]],
]

export function describePaging(newClinic: NewClinic): void {
  describe('pages', () => {
    test.each(SORTS)('%s hold every match once', async (_, sort) => {
      const clinic = await filled(newClinic(), 23)
      const whole = (await clinic.pages('Slot', { sort, where: free })).flat()
      expect(whole.toSorted()).toEqual(Array.from({ length: 23 }, (_, index) => String(index)).toSorted())
      for (const count of [1, 4, 22, 23, 24]) {
        const pages = await clinic.pages('Slot', { sort, where: free, count })
        expect(pages.flat()).toEqual(whole)
        expect(pages).toHaveLength(Math.ceil(23 / count))
      }
    })

    test.each(SORTS)('%s neither repeat nor lose a resource while others come, change and go', async (_, sort) => {
      const clinic = await filled(newClinic(), 24)
      const untouched = new Set(Array.from({ length: 24 }, (_, index) => String(index)))
      const pages = await clinic.pages('Slot', { sort, where: free, count: 5 }, async (page) => {
        const [first, second] = [String(page * 5), String(23 - page * 4)]
        await clinic.delete(`Slot/${first}`)
        untouched.delete(first)
        // Rewritten with the same values: it keeps its place.
        await clinic.put(`Slot/${second}`, entries(Math.floor(Number(second) / 4)))
        if ((await clinic.read(`Slot/${first}`))?.method !== 'DELETE') throw new Error('not deleted')
        await clinic.put(`Slot/new-${page}`, entries(page))
      })
      const found = pages.flat()
      expect(new Set(found).size).toBe(found.length)
      expect(found).toEqual(expect.arrayContaining([...untouched].filter((id) => !id.startsWith('new'))))
    })

    test('a total comes with the first page when it holds everything, or when it is asked for', async () => {
      const clinic = await filled(newClinic(), 10)
      const total = async (plan: Partial<SearchPlan>) => (await clinic.search('Slot', { where: free, ...plan })).total
      expect(await total({ count: 10 })).toBe(10)
      expect(await total({ count: 9 })).toBeUndefined()
      expect(await total({ count: 9, total: 'accurate' })).toBe(10)
      expect(await total({ count: 0 })).toBe(10)
      expect(await total({ where: [{ kind: 'id', ids: ['x'] }] })).toBe(0)
    })

    test('a total counts no further than it is told', async () => {
      const clinic = await filled(newClinic(), 10)
      await clinic.put('Schedule/1')
      const total = async (types: string | string[], countUpTo: number, plan: Partial<SearchPlan> = {}) =>
        (await clinic.search(types, { count: 0, countUpTo, ...plan })).total
      for (const countUpTo of [0, 1, 9, 10, 11]) {
        expect(await total('Slot', countUpTo, { where: free })).toBe(Math.min(10, countUpTo))
        expect(await total('Slot', countUpTo)).toBe(Math.min(10, countUpTo))
        expect(await total(['Schedule', 'Slot'], countUpTo)).toBe(Math.min(11, countUpTo))
      }
      const page = await clinic.search('Slot', { where: free, count: 4, total: 'accurate', countUpTo: 6 })
      expect([page.matches.length, page.total]).toEqual([4, 6])
    })

    test('an accurate total is that of every page', async () => {
      const clinic = await filled(newClinic(), 10)
      const first = await clinic.search('Slot', { where: free, count: 4, total: 'accurate' })
      const second = await clinic.search('Slot', { where: free, count: 4, total: 'accurate', after: first.next ?? '' })
      const third = await clinic.search('Slot', { where: free, count: 4, total: 'accurate', after: second.next ?? '' })
      expect([first.total, second.total, third.total]).toEqual([10, 10, 10])
      expect(first.matches.length + second.matches.length + third.matches.length).toBe(10)
      expect(third.next).toBeUndefined()
    })

    test('an estimate is at least near', async () => {
      const clinic = await filled(newClinic(), 10)
      const { total = 0 } = await clinic.search('Slot', { where: free, count: 4, total: 'estimate' })
      expect(total).toBeGreaterThanOrEqual(5)
      expect(total).toBeLessThanOrEqual(20)
    })

    test('a total and pages of several types', async () => {
      const clinic = await filled(newClinic(), 5)
      await clinic.put('Schedule/1')
      const page = await clinic.search(['Schedule', 'Slot'], { count: 4, total: 'accurate' })
      expect(page.total).toBe(6)
      const next = await clinic.search(['Schedule', 'Slot'], { count: 4, after: page.next ?? '' })
      expect([...page.matches, ...next.matches]).toHaveLength(6)
      expect(next.next).toBeUndefined()
    })

    const tampered: readonly (readonly [string, (cursor: string) => string])[] = [
      ['that is empty', () => ''],
      ['that is cut short', (cursor) => cursor.slice(0, -5)],
      ['with other values in it', (cursor) => changed(cursor)],
      ['that is not ours', () => Buffer.from('{"after":5}').toString('base64url')],
    ]
    test.each(tampered)('a cursor %s is refused', async (_, tamper) => {
      const clinic = await filled(newClinic(), 5)
      const { next = '' } = await clinic.search('Slot', { count: 2 })
      await expect(clinic.search('Slot', { count: 2, after: tamper(next) })).rejects.toBeInstanceOf(InvalidCursor)
    })

    const others: readonly (readonly [string, Partial<SearchPlan>])[] = [
      ['other conditions', { where: [{ kind: 'token', param: 'status', code: 'busy' }] }],
      ['another order', { sort: [{ by: 'id', descending: true }] }],
      ['another type', { types: ['Schedule'] }],
      ['another clinic', { clinic: 'clinic-that-is-not-there' }],
    ]
    test.each(others)('a cursor of a search with %s is refused', async (_, plan) => {
      const clinic = await filled(newClinic(), 5)
      const { next = '' } = await clinic.search('Slot', { where: free, count: 2 })
      await expect(clinic.search('Slot', { where: free, count: 2, after: next, ...plan })).rejects.toBeInstanceOf(
        InvalidCursor,
      )
    })

    test('a cursor fits a page of another size', async () => {
      const clinic = await filled(newClinic(), 5)
      const { next = '' } = await clinic.search('Slot', { where: free, count: 2 })
      expect((await clinic.search('Slot', { where: free, count: 9, after: next })).matches).toHaveLength(3)
    })
  })
}

/** Changes one digit in the middle of the decoded cursor. */
function changed(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString()
  return Buffer.from(text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10))).toString('base64url')
}
