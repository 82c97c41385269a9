/** Running the tool calls of a request: deadline and faults. The rest is tested by the routes in test/rest/tools.test.ts. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { toolFamilies } from '../../src/calls/families.ts'
import { ToolRunner } from '../../src/calls/tool-runner.ts'
import type { OperationHandler } from '../../src/core/operation.ts'
import type { Provider } from '../../src/core/provider.ts'
import { insuranceSimulator } from '../../src/integrations/insurance-simulator.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { StoreUnavailable } from '../../src/repository/repository.ts'
import { failureOf } from '../../src/rest/server/fault.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const providers = new Map(specialProviders.map((provider) => [provider.type, provider]))
const SESSION = { clinic: 'a', callId: 'call' }
const TO = { family: 'patient-journey', toolName: 'escalate_billing' }

let store: TestRepository
let logged: unknown[]
beforeEach(async () => {
  store = await openTestRepository()
  logged = []
})

/** A runner whose escalate_billing is `handler`. */
function runnerWith(handler: OperationHandler, deadline: number): ToolRunner {
  const patient = providers.get('Patient') as Provider
  const operations = patient.operations.map((operation) =>
    operation.code === 'escalate-billing' ? { ...operation, handler } : operation,
  )
  const logger = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) })
  const integrations = { insurance: insuranceSimulator, crm: { deliver: async () => ({ delivered: true }) as const } }
  return new ToolRunner(toolFamilies(new Map([['Patient', { ...patient, operations }]])), {
    repository: store.repository,
    access: store.access,
    integrations,
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
})

test('a tool without an operation stops the start with a sentence that names both', () => {
  expect(() => toolFamilies(new Map())).toThrow(
    'Tool resolve_patient_identity: the Patient provider has no operation resolve-patient-identity',
  )
})
