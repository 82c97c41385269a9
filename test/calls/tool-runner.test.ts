/** Running the tool calls of a request: deadline and faults. The rest is tested by the routes in test/voice-api/tools.test.ts. */
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import { defineTool, registerTools } from '../../src/calls/tool.ts'
import { ToolRunner } from '../../src/calls/tool-runner.ts'
import { escalateBilling } from '../../src/calls/tools/billing.ts'
import type { OperationHandler } from '../../src/core/operation.ts'
import { defineProvider, standard } from '../../src/core/provider.ts'
import { failureOf } from '../../src/http/errors.ts'
import { insuranceSimulator } from '../../src/integrations/simulators/insurance.ts'
import { Budget, OffloadRequired, spend, withBudget } from '../../src/isolation/budget.ts'
import { StoreUnavailable } from '../../src/repository/repository.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const SESSION = { clinic: 'a', callId: 'call' }
const TO = { family: 'patient-journey', toolName: 'escalate_billing' }

let store: TestRepository
let logged: unknown[]
beforeEach(async () => {
  store = await openTestRepository()
  logged = []
})

/** A runner whose escalate_billing is `handler`. */
function runnerWith(handler: OperationHandler, deadline: number, affectsState = true): ToolRunner {
  const operation = { ...escalateBilling, definition: { ...escalateBilling.definition, affectsState }, handler }
  const patient = defineProvider('Patient', { interactions: standard, operations: [operation] })
  const families = { [TO.family]: { [TO.toolName]: defineTool(operation) } }
  const logger = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) })
  const system = { deliver: async () => ({ delivered: true }) as const }
  const integrations = { insurance: insuranceSimulator, crm: system, messages: system }
  return new ToolRunner(registerTools(families, new Map([['Patient', patient]]), new Set()), {
    repository: store.repository,
    access: store.access,
    integrations,
    callIdle: 3_600_000,
    failureOf: (error, route) => failureOf(error, logger, { method: 'POST', route }),
    deadline,
  })
}

const run = async (runner: ToolRunner, ids: readonly string[]) => {
  const envelope = { calls: ids.map((id) => ({ id, arguments: {} })) }
  const results = await runner.run(TO, envelope, async () => SESSION)
  return results.map(({ result }) => JSON.parse(result))
}

describe('the deadline of a request', () => {
  test('ends a slow call with a result that says to repeat it; later calls are not begun; the repeat has its answer', async () => {
    const finished = Promise.withResolvers<void>()
    let begun = 0
    const slow: OperationHandler = async ({ access }) => {
      begun++
      await finished.promise
      return await access.change(async () => ({ success: true }))
    }
    const runner = runnerWith(slow, 1_000)
    expect(await run(runner, ['1', '2'])).toEqual(
      [1, 2].map(() => expect.objectContaining({ success: false, code: 'timeout' })),
    )
    finished.resolve()
    expect(await run(runner, ['1'])).toEqual([{ success: true }])
    expect(begun).toBe(1)
  })
})

describe('a tool that changes nothing', () => {
  test('is run once for a call and its repeats: one meanwhile, and one after that', async () => {
    const finished = Promise.withResolvers<void>()
    let runs = 0
    const slow: OperationHandler = async () => {
      await finished.promise
      return { success: true, run: ++runs }
    }
    const runner = runnerWith(slow, 5_000, false)
    const meanwhile = [run(runner, ['1']), run(runner, ['1'])]
    finished.resolve()
    expect(await Promise.all(meanwhile)).toEqual([[{ success: true, run: 1 }], [{ success: true, run: 1 }]])
    expect(await run(runner, ['1', '2'])).toEqual([
      { success: true, run: 1 },
      { success: true, run: 2 },
    ])
  })
})

describe('an unexpected fault', () => {
  test('is logged without its message, which may quote patient data', async () => {
    const runner = runnerWith(() => Promise.reject(new Error('John Doe')), 1000)
    expect(await run(runner, ['1'])).toEqual([expect.objectContaining({ success: false, code: 'internal' })])
    expect(logged).toEqual([expect.objectContaining({ msg: 'unexpected fault', route: 'escalate_billing' })])
    expect(JSON.stringify(logged)).not.toContain('John')
  })
})

describe('a store that', () => {
  test.each([
    ['is away', new StoreUnavailable('gone'), 'transient', 'Let me try again'],
    ['is full', new StoreUnavailable('full', { reason: 'full' }), 'no-store', 'I cannot do that at the moment'],
  ])('%s is no unexpected fault: the result says so, and what to say', async (_what, error, code, said) => {
    const runner = runnerWith(() => Promise.reject(error), 1000)
    const say = expect.stringContaining(said)
    expect(await run(runner, ['1'])).toEqual([expect.objectContaining({ success: false, code, say })])
    expect(logged).toEqual([expect.objectContaining({ msg: 'the store cannot serve', reason: error.message })])
  })

  test('goes away before a tool call has begun is told in its result, too', async () => {
    const runner = runnerWith(() => Promise.reject(new Error('It is not run')), 1000)
    const now = jest.spyOn(store.repository, 'now').mockRejectedValue(new StoreUnavailable('gone'))
    expect(await run(runner, ['1', '2'])).toEqual(
      [1, 2].map(() => expect.objectContaining({ success: false, code: 'transient' })),
    )
    now.mockRestore()
  })
})

describe('a request that begins on the event loop', () => {
  const call = (id: string) => ({ id, arguments: {} })
  const identify = async () => SESSION
  const done = { success: true, code: 'done', say: 'Done.' }

  test('begins again elsewhere where a tool needs a thread, and the tool then runs once', async () => {
    let runs = 0
    const runner = runnerWith(async ({ access }) => {
      runs++
      spend(20_000, 'the work of the tool')
      return await access.change(async () => done)
    }, 1_000)
    const run = () => runner.run(TO, { calls: [call('1')] }, identify)
    await expect(withBudget(new Budget({ canMove: true }), run)).rejects.toThrow(OffloadRequired)
    const [result] = await withBudget(new Budget({ canMove: false }), run)
    expect([JSON.parse(result?.result ?? ''), runs]).toEqual([done, 2])
  })

  test('stays there once a tool has committed', async () => {
    const budget = new Budget({ canMove: true })
    const runner = runnerWith(({ access }) => access.change(async () => done), 1_000)
    await withBudget(budget, () => runner.run(TO, { calls: [call('1')] }, identify))
    expect(budget.canMove).toBe(false)
  })

  test('with more than three calls begins elsewhere', async () => {
    const runner = runnerWith(async () => done, 1_000)
    const calls = ['1', '2', '3', '4'].map(call)
    const run = () => runner.run(TO, { calls }, identify)
    await expect(withBudget(new Budget({ canMove: true }), run)).rejects.toThrow(OffloadRequired)
  })

  test('is not ended by the budget of another one that runs the same call', async () => {
    let goOn = () => {}
    const started = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let runs = 0
    const runner = runnerWith(async ({ access }) => {
      runs++
      await started
      spend(20_000, 'the work of the tool')
      return await access.change(async () => done)
    }, 1_000)
    const run = () => runner.run(TO, { calls: [call('1')] }, identify)
    const first = withBudget(new Budget({ canMove: true }), run)
    const second = withBudget(new Budget({ canMove: false }), run)
    const ended = expect(first).rejects.toThrow(OffloadRequired)
    await new Promise((resolve) => setTimeout(resolve, 5))
    goOn()
    await ended
    const [result] = await second
    expect([JSON.parse(result?.result ?? ''), runs]).toEqual([done, 2])
  })
})
