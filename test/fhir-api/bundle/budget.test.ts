/**
 * Bundles and the budget of their request: which ones leave the event loop, and the response of an entry when it is
 * spent.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { isExpensiveBundle } from '../../../src/fhir-api/bundle/bundle.ts'
import { Budget } from '../../../src/isolation/budget.ts'
import { startServerPaying, type TestServer } from '../../support/server.ts'

/** Steps of a whole request. */
const WHOLE = 8_000_000

let server: TestServer
let budget = new Budget({ canMove: false })

beforeAll(async () => {
  server = await startServerPaying(() => budget)
})
afterAll(() => server.close())

async function send(given: Budget, type: 'batch' | 'transaction', entry: readonly object[]) {
  budget = given
  return await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
}

/** A budget with so many steps left. */
function budgetOf(steps: number): Budget {
  const made = new Budget({ canMove: false })
  made.spend(WHOLE - steps, 'what came before')
  return made
}

const creating = (ifNoneExist?: string) => ({
  request: { method: 'POST', url: 'Basic', ...(ifNoneExist === undefined ? {} : { ifNoneExist }) },
  resource: { resourceType: 'Basic', code: { text: 'x' } },
})
const reading = (url: string) => ({ request: { method: 'GET', url } })
const times = <Value>(count: number, value: Value): Value[] => Array<Value>(count).fill(value)

describe('a Bundle may hold the event loop for long', () => {
  test.each<[string, 'batch' | 'transaction', readonly object[], boolean]>([
    ['a transaction of ten creates', 'transaction', times(10, creating()), false],
    ['a transaction of 21 creates', 'transaction', times(21, creating()), true],
    ['a transaction of three conditional creates', 'transaction', times(3, creating('identifier=x')), false],
    ['a transaction of four conditional creates', 'transaction', times(4, creating('identifier=x')), true],
    ['a create and a search of what was created', 'transaction', [creating(), reading('Basic?code=x')], true],
    ['a create and a read', 'transaction', [creating(), reading('Basic/1')], false],
    ['an operation', 'batch', [reading('Patient/1/$everything')], true],
    ['a batch of twenty reads', 'batch', times(20, reading('Patient/1/_history/2')), false],
    ['a batch of four searches', 'batch', times(4, reading('Patient?name=x')), true],
    ['a batch of one create', 'batch', [creating()], false],
    ['a batch of two creates, which commit one by one', 'batch', times(2, creating()), true],
  ])('%s: %s %#', (_name, type, entry, expected) => {
    expect(isExpensiveBundle({ resourceType: 'Bundle', type, entry })).toBe(expected)
  })

  test.each([undefined, null, 'x', {}, { entry: 1 }, { entry: [null, 1, { request: null }] }])('%j: no', (bundle) => {
    expect(isExpensiveBundle(bundle)).toBe(false)
  })
})

describe('the budget of a batch', () => {
  test('is shared by its entries, and the rest is answered 422 too-costly each', async () => {
    const { status, body } = await send(budgetOf(4_500), 'batch', times(120, creating()))
    expect(status).toBe(200)
    const statuses = body.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3))
    expect(statuses).toHaveLength(120)
    expect(statuses[0]).toBe('201')
    expect(statuses.at(-1)).toBe('422')
    expect(new Set(statuses)).toEqual(new Set(['201', '422']))
    const { outcome } = body.entry.at(-1).response
    expect(outcome.issue[0]).toMatchObject({
      code: 'too-costly',
      diagnostics: expect.stringMatching(/not carried out/),
    })
  })

  test('leaves nothing of a transaction', async () => {
    budget = new Budget({ canMove: false })
    const before = await server.fhir('GET', '/Basic?_summary=count')
    const { status, body } = await send(budgetOf(4_500), 'transaction', times(120, creating()))
    expect([status, body.issue[0].code]).toEqual([422, 'too-costly'])
    budget = new Budget({ canMove: false })
    const after = await server.fhir('GET', '/Basic?_summary=count')
    expect(after.body.total).toBe(before.body.total)
  })
})

describe('on the event loop', () => {
  const canMoveAfter = async (method: string, path: string, body?: unknown): Promise<boolean> => {
    budget = new Budget({ canMove: true })
    const { status } = await server.fhir(method, path, body)
    expect(status).toBeLessThan(300)
    return budget.canMove
  }

  test('a read may still begin again elsewhere, a write may not', async () => {
    budget = new Budget({ canMove: false })
    await server.fhir('PUT', '/Basic/read', { ...creating().resource, id: 'read' })
    expect(await canMoveAfter('GET', '/Basic/read')).toBe(true)
    expect(await canMoveAfter('POST', '/Basic', creating().resource)).toBe(false)
  })

  test('ten creates in a transaction stay well within the allowance', async () => {
    const given = new Budget({ canMove: true })
    given.spend(5_000, 'what came before')
    expect((await send(given, 'transaction', times(10, creating()))).status).toBe(200)
  })

  test('a batch of writes begins again elsewhere before its first commit', async () => {
    const given = new Budget({ canMove: true })
    const { status } = await send(given, 'batch', times(2, creating()))
    // This server has no workers, so a request that must move fails; nothing was written.
    expect([status, given.canMove]).toEqual([500, true])
  })
})
