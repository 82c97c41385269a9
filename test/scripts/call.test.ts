/** examples/scheduling-call.json: a whole call, played as `npm run call` does, against the real app. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type PlayedCall, playCall } from '../../scripts/call.ts'
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
  expect(stdout.match(/^caller: /gm)).toHaveLength(call.steps.filter(({ caller }) => caller !== undefined).length)
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

test('a result that is not as expected ends it with a sentence that names the step', async () => {
  const steps = [{ tool: 'find_available_slots', arguments: {}, expect: { success: false } }]
  const send = async () => ({ success: true, say: '' })
  await expect(playCall({ steps }, send, () => {})).rejects.toThrow(
    'step 1, find_available_slots: success is true, and false is expected',
  )
})

test('so does a reference to a result that there is not', async () => {
  const steps = [{ tool: 'book_appointment', arguments: { slotKey: '{{found.slots.0.slotKey}}' } }]
  await expect(
    playCall(
      { steps },
      async () => ({}),
      () => {},
    ),
  ).rejects.toThrow('step 1, book_appointment: no step before has the result found.slots.0.slotKey')
})

test('without a file it says how it is used', async () => {
  await expect(play()).rejects.toMatchObject({ stderr: expect.stringMatching(/^npm run call -- FILE/) })
})
