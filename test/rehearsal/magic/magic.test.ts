/** Every row of the table of magic people and values, driven over HTTP by each door that it names. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Slot } from 'fhir/r4'
import { type MagicRow, magic } from '../../../src/rehearsal/magic/table.ts'
import type { TestServer } from '../../support/server.ts'
import { asks, identified, matched, offered, searched, verified } from './doors.ts'
import { startZoo } from './zoo.ts'

let zoo: TestServer
beforeAll(async () => {
  zoo = await startZoo()
})
afterAll(() => zoo.close())

/** The rows that have a member. */
const rowsWith = (rows: readonly MagicRow[], door: string) =>
  rows.filter(({ expect: { [door]: outcome } }) => outcome !== undefined).map((row) => [row.name, row] as const)

describe('a magic patient', () => {
  test.each(rowsWith(magic.patients, 'read'))(
    '%s: is read, or refused',
    async (_name, { resource, expect: outcome }) => {
      expect((await zoo.fhir('GET', `/${resource}`)).status).toBe(outcome.read)
    },
  )

  test.each(rowsWith(magic.patients, 'search'))('%s: is found by a search', async (_name, row) => {
    expect(await searched(zoo, row.with)).toBe(row.expect.search)
  })

  test.each(rowsWith(magic.patients, 'match'))('%s: is found by $match', async (_name, row) => {
    expect(await matched(zoo, row.with)).toMatchObject(row.expect.match as object)
  })

  test.each(rowsWith(magic.patients, 'identity'))('%s: is known to a call', async (name, row) => {
    expect(await identified(zoo, name, row.with)).toBe(row.expect.identity)
  })

  test.each(rowsWith(magic.patients, 'verified'))('%s: is verified in a call', async (name, row) => {
    expect(await verified(zoo, name, row.with)).toBe(row.expect.verified)
  })
})

describe('a magic practitioner', () => {
  const practitioners = magic.practitioners.map((row) => [row.name, row] as const)

  const freeOf = async (row: MagicRow): Promise<readonly Slot[]> => {
    const { body } = await zoo.fhir('GET', `/Slot?schedule=Schedule/${row.with.schedule}&status=free&_count=200`)
    return (body.entry ?? []).map(({ resource }: { readonly resource: Slot }) => resource)
  }

  test.each(practitioners)('%s: is found by name, with a Schedule', async (_name, row) => {
    const { body } = await zoo.fhir('GET', `/Practitioner?name=${row.with.family}`)
    expect(
      body.entry.map(({ resource }: { readonly resource: { id: string } }) => `Practitioner/${resource.id}`),
    ).toEqual([row.resource])
    expect((await zoo.fhir('GET', `/Schedule/${row.with.schedule}`)).body.actor[0].reference).toBe(row.resource)
  })

  test.each(practitioners)('%s: has free times, or none', async (_name, row) => {
    expect((await freeOf(row)).length > 0).toBe(row.expect.free ?? true)
  })

  test.each(practitioners)('%s: is offered in a call, or has nothing free', async (_name, row) => {
    const found = await offered(zoo, row)
    expect(found.every((label) => label.includes(row.who))).toBe(true)
    expect(found.length > 0).toBe(row.expect.free ?? true)
  })

  test.each(rowsWith(magic.practitioners, 'repeatedHour'))('%s: has one hour twice', async (_name, row) => {
    const clocks = (await freeOf(row)).map(({ start }) => start.slice(0, 16))
    expect(clocks.length - new Set(clocks).size).toBe(2)
  })
})

describe('a magic value', () => {
  // Asked at the same time, as two of them are answered late.
  let answers: ReadonlyMap<string, object>
  beforeAll(async () => {
    const asked = magic.values.map(async (row): Promise<[string, object]> => [row.name, await asks(zoo, row)])
    answers = new Map(await Promise.all(asked))
  }, 20_000)

  test.each(magic.values.map((row) => [row.name, row] as const))('%s: decides the answer', (name, row) => {
    const { afterMs: _late, ...answer } = row.expect
    expect(answers.get(name)).toEqual(answer)
  })
})
