/** An extension whose operations hold a thread in the ways in which a request can: it is loaded in work threads too. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { defineOperation } from '../../src/core/operation.ts'
import { defineExtension } from '../../src/extensions/extension.ts'
import { requireWorkThread, spend } from '../../src/isolation/budget.ts'
import type { Scenario } from '../../src/rehearsal/scenarios/scenario.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'

const operation = (code: string, run: () => unknown) =>
  defineOperation(
    {
      ...{ resourceType: 'OperationDefinition', id: `test-${code}`, url: `https://test.example/${code}` },
      ...{ name: 'Test', status: 'active', kind: 'operation', code, affectsState: false },
      ...{ system: true, type: false, instance: false },
      parameter: [{ name: 'onEventLoop', use: 'out', min: 1, max: '1', type: 'boolean' }],
    },
    async () => {
      await run()
      return { onEventLoop: isMainThread }
    },
  )

const inThread = (code: string, run: () => unknown) =>
  operation(code, () => {
    requireWorkThread('the test')
    return run()
  })

function fillMemory(): void {
  const kept: number[][] = []
  for (;;) kept.push(new Array(50_000).fill(kept.length))
}

/** The first requests are long, so many, and those that follow would be short. */
function dearFor(requests: number): () => void {
  let begun = 0
  return () => {
    if (!isMainThread) return
    begun += 1
    if (begun <= requests) requireWorkThread('the test')
  }
}

/** A scenario whose database is away while it is loaded in a thread. */
const unavailable: Scenario = {
  ...{ name: 'unavailable', title: 'Unavailable', version: '1.0.0', count: 1 },
  description: 'Never loaded',
  // biome-ignore lint/correctness/useYield: nothing of it is there
  resources: function* () {
    throw isMainThread ? new Error('not in a thread') : new StoreUnavailable('The database is away')
  },
  people: [],
}

export const extension = defineExtension({
  scenarios: [unavailable],
  name: 'long-work',
  operations: [
    operation('short', () => spend(100, 'the test')),
    operation('dear-once', dearFor(1)),
    operation('dear-thrice', dearFor(3)),
    operation('long', () => spend(1_000_000, 'the test')),
    operation('dearest', () => spend(10_000_000, 'the test')),
    inThread('endless', () => {
      for (;;);
    }),
    inThread('exit', () => process.exit()),
    inThread('fill-memory', fillMemory),
    inThread('until-left', async () => {
      for (;;) {
        spend(1, 'the test')
        await sleep(5)
      }
    }),
  ],
})
