/**
 * The cost of conditions in a transaction: conditional references to its own entries, and criteria that entries share.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { criteriaPlan, guardedSearch } from '../../../src/core/search-request.ts'
import { Budget } from '../../../src/isolation/budget.ts'
import { openTestRepository } from '../../support/repository.ts'
import { startServerPaying, type TestServer } from '../../support/server.ts'

class CountingBudget extends Budget {
  readonly steps = new Map<string, number>()

  override spend(steps: number, what: string): void {
    this.steps.set(what, (this.steps.get(what) ?? 0) + steps)
  }
}

let server: TestServer
let budget = new CountingBudget({ canMove: false })
beforeAll(async () => {
  server = await startServerPaying(() => budget)
})
afterAll(() => server.close())

/** `count` Patients, each found by the conditional reference of an Observation. */
const referring = (count: number, run: string) => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: Array.from({ length: count }, (_, index) => index).flatMap((index) => [
    {
      request: { method: 'POST', url: 'Patient' },
      resource: {
        resourceType: 'Patient',
        identifier: [{ system: 'http://example.org/cost', value: `${run}-${index}` }],
      },
    },
    {
      request: { method: 'POST', url: 'Observation' },
      resource: {
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        subject: { reference: `Patient?identifier=http://example.org/cost|${run}-${index}` },
      },
    },
  ]),
})

describe('conditional references to entries of the same transaction', () => {
  const costOf = async (count: number): Promise<number> => {
    budget = new CountingBudget({ canMove: false })
    const { status } = await server.fhir('POST', '/', referring(count, String(count)))
    expect(status).toBe(200)
    return budget.steps.get('its conditional references') ?? 0
  }

  test('are looked up, not compared with every entry', async () => {
    // Compared with each other, 400 would be 160,000 comparisons.
    expect(await costOf(400)).toBeLessThan(2_000)
  })
})

describe('criteria that entries of one change share', () => {
  test('are searched for once, and guarded once', async () => {
    const { access } = await openTestRepository()
    await access('clinic').change(async (ctx) => {
      const plan = () => criteriaPlan(ctx, 'Patient', 'identifier=http://example.org/cost|1')
      const first = guardedSearch(ctx, await plan())
      expect(guardedSearch(ctx, await plan())).toBe(first)
      const other = guardedSearch(ctx, await criteriaPlan(ctx, 'Patient', 'identifier=http://example.org/cost|2'))
      expect(other).not.toBe(first)
      await Promise.all([first, other])
    })
  })
})
