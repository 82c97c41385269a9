/** The calls of examples/, played as `npm run call` does against the real app. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PlayedCall } from '../../dashboard/api/call-script.ts'
import {
  naturalPace,
  type Pace,
  playCall,
  type Requests,
  type Result,
  secondsBefore,
} from '../../dashboard/api/play-call.ts'
import { startServer, type TestServer } from '../support/server.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILE = join(ROOT, 'examples/scheduling-call.json')
const call = JSON.parse(readFileSync(FILE, 'utf8')) as PlayedCall

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const run = promisify(execFile)
const play = (...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, 'scripts/call.ts'), ...args], { env: { ...process.env, NODE_OPTIONS: '' } })

test('the call goes through, and leaves what staff see', async () => {
  const { stdout } = await play(FILE, '--url', server.url)
  expect(stdout.match(/^caller: /gm)).toHaveLength(call.steps.filter((step) => 'caller' in step).length)
  expect(stdout.match(/^agent: /gm)).toHaveLength(call.steps.length)
  expect(stdout).toMatch(/^agent: Your appointment on .* with Dr\. Amara Okafor at Maple Street is cancelled\.$/m)
  expect(stdout).toMatch(/^call \S+ is registered$/m)
  expect(stdout).toMatch(/^ {2}verify_patient \{.*…? \(\d+ ms\)$/m)
  const [, callId] = /^call (\S+) has ended$/m.exec(stdout) ?? []
  const log = await server.fhir('GET', `/Communication?identifier=${callId}&_count=100`)
  expect(log.body.entry).toHaveLength(call.steps.length)
  const { body } = await server.fhir(
    'GET',
    '/Appointment?patient=abernathy-ruth&status=cancelled,waitlist&_sort=status',
  )
  expect(
    body.entry.map(({ resource }: { resource: { status: string; cancelationReason?: { text?: string } } }) => [
      resource.status,
      resource.cancelationReason?.text,
    ]),
  ).toEqual([
    ['cancelled', 'I am away'],
    ['waitlist', undefined],
  ])
})

test('a new patient with insurance trouble is registered, pays, and is before the billing staff', async () => {
  const { stdout } = await play(join(ROOT, 'examples/new-patient-call.json'), '--url', server.url)
  expect(stdout).toMatch(/^call \S+ has ended$/m)
  const { body } = await server.fhir('GET', '/Patient?family=Quillfeather')
  expect(body.entry).toHaveLength(1)
  const [{ resource: patient }] = body.entry
  expect([patient.active, patient.birthDate]).toEqual([true, '1980-03-03'])
  const tasks = await server.fhir('GET', `/Task?patient=${patient.id}&code=billing-escalation`)
  expect(tasks.body.entry).toHaveLength(1)
  const input = tasks.body.entry[0].resource.input as readonly {
    readonly type: { readonly coding: readonly { readonly code: string }[] }
    readonly [value: string]: unknown
  }[]
  const attached = (code: string) => input.find(({ type }) => type.coding[0]?.code === code)
  expect(attached('insurance-status')).toMatchObject({ valueCode: 'INACTIVE' })
  expect(attached('self-pay-price-cents')).toMatchObject({ valueInteger: 12900 })
})

describe('what is said is on the record of the person who said it, also when the call is played again', () => {
  test.each(['two-children', 'shared-number', 'two-calls-at-once', 'name-correction', 'default-call'])(
    'examples/identity-%s.json',
    async (name) => {
      const { stdout } = await play(join(ROOT, `examples/identity-${name}.json`), '--url', server.url)
      expect(stdout).toMatch(/^ {2}GET Patient\?/m)
    },
  )
})

test('a form that was left unfinished is completed, and a callback is arranged', async () => {
  const { stdout } = await play(join(ROOT, 'examples/recovery-call.json'), '--url', server.url)
  const [, id] = /^abandonment (\S+) is stored$/m.exec(stdout) ?? []
  expect(stdout).toMatch(/^agent: We will call you back on .* at 2 in the afternoon\.$/m)
  const recovery = await server.fhir('GET', `/Task/${id}`)
  expect(
    recovery.body.output.map(({ type }: { type: { coding: { code: string }[] } }) => type.coding[0]?.code),
  ).toEqual(['abandon-reason', 'contact-preference', 'call-outcome'])
  expect(recovery.body.status).toBe('completed')
  const callbacks = await server.fhir('GET', `/Task?code=callback&patient=${recovery.body.for.reference.slice(8)}`)
  expect(callbacks.body.entry).toHaveLength(1)
})

describe('a recorded call that is saved', () => {
  let folder: string
  let first: TestServer
  let fresh: TestServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'saved-call-'))
    first = await startServer()
    fresh = await startServer()
  })
  afterAll(async () => {
    await first.close()
    await fresh.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** How each tool call of a call ended, in order. */
  async function outcomesOf({ fhir }: TestServer, callId: string) {
    const { body } = await fhir('GET', `/Communication?identifier=${callId}&_sort=sent&_count=100`)
    return body.entry.map(({ resource }: { resource: { topic: object; payload: { contentString: string }[] } }) => {
      const { success, valid, verified, code, status } = JSON.parse(resource.payload[1]?.contentString ?? '')
      return { topic: resource.topic, success, valid, verified, code, status }
    })
  }
  const idIn = (stdout: string): string => /^call (\S+) has ended$/m.exec(stdout)?.[1] ?? ''

  test.each(['scheduling-call', 'new-patient-call'])(
    'of examples/%s.json plays against a fresh clinic with the same outcomes, without an id of the recorded one',
    async (name) => {
      const file = join(folder, `${name}.json`)
      const recorded = idIn((await play(join(ROOT, `examples/${name}.json`), '--url', first.url)).stdout)
      await play('--save', recorded, file, '--url', first.url)
      const played = idIn((await play(file, '--url', fresh.url)).stdout)
      const outcomes = await outcomesOf(first, recorded)
      expect(outcomes.length).toBeGreaterThan(8)
      expect(await outcomesOf(fresh, played)).toEqual(outcomes)
      const { register, end } = JSON.parse(readFileSync(file, 'utf8')) as PlayedCall
      expect(register).toMatchObject({ dialedNumber: '+12125550100' })
      expect(end).toEqual({ reason: 'customer-ended-call' })
    },
  )

  test('says so where the clinic has no log of it', async () => {
    await expect(play('--save', 'never-was', join(folder, 'x.json'), '--url', server.url)).rejects.toMatchObject({
      stderr: expect.stringContaining('demo-clinic has no log of a call never-was'),
    })
  })
})

const requests = (result: Result, bundle: Result = {}): Requests => ({
  callTool: async () => result,
  post: async () => ({}),
  search: async () => bundle,
})
const playing = (steps: PlayedCall['steps'], to: Requests) => playCall({ steps }, 'call', to, () => {})

test('a result that is not as expected ends it with a sentence that names the step', async () => {
  const steps = [{ tool: 'find_available_slots', arguments: {}, expect: { success: false } }]
  await expect(playing(steps, requests({ success: true, say: '' }))).rejects.toThrow(
    'step 1, find_available_slots: success is true, and false is expected',
  )
})

test('so does a reference to a result that there is not', async () => {
  const steps = [{ tool: 'book_appointment', arguments: { slotKey: '{{found.slots.0.slotKey}}' } }]
  await expect(playing(steps, requests({}))).rejects.toThrow(
    'step 1, book_appointment: nothing before has the result found.slots.0.slotKey',
  )
})

test.each([
  ['another value than it must', { total: 1, entry: [{ resource: { active: true } }] }],
  ['more entries than it must', { total: 1, entry: [{ resource: { active: false } }, {}] }],
  ['no entry', { total: 1 }],
])('so does a search that finds %s', async (_what, bundle) => {
  const expected = { entry: [{ resource: { active: false } }] }
  const steps = [{ search: 'Patient', query: { family: 'Doe' }, expect: expected }]
  await expect(playing(steps, requests({}, bundle))).rejects.toThrow(
    /^step 1, search of Patient: entry is .*, and must hold /,
  )
  await playing(steps, requests({}, { total: 1, entry: [{ resource: { active: false, id: 'x' } }] }))
})

describe('the manner of playing', () => {
  const step = (more: object = {}) => ({ tool: 'get_clinic_info', arguments: {}, ...more })
  const failing = step({ as: 'known', expect: { success: false } })

  test('a play that goes on tells each step that failed, and counts them; later steps have its result', async () => {
    const lines: string[] = []
    const steps = [failing, step({ arguments: { topic: '{{known.topic}}' } })]
    const to = requests({ success: true, topic: 'parking', say: 'Free' })
    const failures = await playCall({ steps }, 'call', to, (line) => lines.push(line), { goesOn: true })
    expect(failures).toBe(1)
    expect(lines).toContain('  failed: step 1, get_clinic_info: success is true, and false is expected')
    expect(lines.at(-2)).toMatch(/"topic":"parking"/)
  })

  test('each step waits for its pace, which hears what the agent said before', async () => {
    const heard: string[] = []
    const pace: Pace = async (_step, said) => void heard.push(said)
    await playCall({ steps: [step(), step()] }, 'call', requests({ say: 'Hello' }), () => {}, { pace })
    expect(heard).toEqual(['', 'Hello'])
  })

  test.each([
    ['as it was recorded', { after: 1.5 }, 'Which one would you like?', 1.5],
    ['20 seconds where more was recorded', { after: 600 }, '', 20],
    ['none where the recording has none', { after: 0 }, 'Which one would you like?', 0],
    [
      'for as long as both speak, where nothing was recorded',
      { caller: 'The first one, please.' },
      'Which one is it?',
      3.2,
    ],
  ])('a natural pause is %s', (_what, more, said, seconds) => {
    expect(secondsBefore(step(more), said)).toBe(seconds)
  })

  test('a play that is stopped sends nothing more, also in the middle of a pause', async () => {
    const stop = new AbortController()
    const lines: string[] = []
    const steps = [step(), step({ after: 3600 })]
    const tell = (line: string) => {
      lines.push(line)
      if (line.startsWith('agent')) stop.abort(new Error('stopped'))
    }
    const manner = { pace: naturalPace(stop.signal), signal: stop.signal, goesOn: true }
    const end = { reason: 'over' }
    await expect(playCall({ steps, end }, 'call', requests({ say: '' }), tell, manner)).rejects.toThrow('stopped')
    expect(lines.filter((line) => line.startsWith('agent'))).toHaveLength(1)
    expect(lines.join()).not.toContain('has ended')
  })
})

test('without a file it says how it is used', async () => {
  await expect(play()).rejects.toMatchObject({ stderr: expect.stringMatching(/^npm run call -- FILE/) })
})
