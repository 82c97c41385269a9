/**
 * Whole calls, played through each door into a clinic of its own: what is told, and what is on the record at the end, is the
 * same whether the tools are called by plain requests, by MCP or in the envelope.
 */
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { PlayedCall, ToolStep } from '../../dashboard/api/call-script.ts'
import { playCall, type Requests, type Result } from '../../dashboard/api/play-call.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

const EXAMPLES = globSync('examples/{*-call,identity-*}.json', { cwd: join(import.meta.dirname, '../..') }).sort()

/** Calls in which little succeeds, beside the examples, in which nearly everything does. */
const OTHERS: readonly PlayedCall[] = [
  {
    description: 'A caller whom nobody knows is refused, and the agent names tools and values that there are not.',
    register: { dialedNumber: '+12125550100', callerNumber: '+12125550191' },
    end: { reason: 'customer-ended-call' },
    steps: [
      { tool: 'list_appointments', arguments: {}, expect: { success: false } },
      { tool: 'verify_patient', arguments: { statedName: 'Nobody Known' }, expect: { success: false } },
      { tool: 'book_appointment', arguments: { slotKey: 'nonsense' }, expect: { success: false } },
      { tool: 'find_available_slots', arguments: { appointmentType: 'brain surgery' }, expect: { success: false } },
      { tool: 'book_apointment', arguments: {}, expect: { code: 'unknown-tool' } },
    ],
  },
  {
    description: 'A caller of few words corrects an address, refuses to pay and wants to talk about a bill.',
    register: { dialedNumber: '+12125550100', callerNumber: '+12125550192' },
    end: { reason: 'assistant-forwarded-call' },
    steps: [
      {
        tool: 'validate_intake_field',
        family: 'patient-intake',
        arguments: { fieldName: 'email', value: 'nothing of the kind' },
        expect: { valid: false },
      },
      {
        tool: 'update_registration_field',
        family: 'patient-journey',
        arguments: { firstName: 'Ottoline', lastName: 'Wexford' },
      },
      { tool: 'record_self_pay_decision', family: 'patient-journey', arguments: { decision: 'decline' } },
      { tool: 'escalate_billing', family: 'patient-journey', arguments: { reason: 'a bill of last year' } },
      { tool: 'record_self_pay_decision', family: 'patient-journey', arguments: {}, expect: { success: false } },
    ],
  },
]

const CALLS = [
  ...EXAMPLES.map((file) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')) as PlayedCall),
  ...OTHERS,
]

type Headers = Readonly<Record<string, string>>

/** Calls a tool. @param headers of the request, with the id of the tool call */
type Door = (url: string, step: ToolStep, headers: Headers) => Promise<Result>

const addressOf = ({ family = 'emr-scheduling', tool }: ToolStep) => `/${family}/${tool}`
const JSON_BODY = { 'content-type': 'application/json' }

const DOORS: Readonly<Record<string, Door>> = {
  'the envelope': async (url, step, { 'x-tool-call-id': id, ...headers }) => {
    const body = { message: { toolCalls: [{ id, function: { arguments: step.arguments } }] } }
    const response = await request(url, 'POST', addressOf(step), body, { ...JSON_BODY, ...headers })
    return JSON.parse(response.body.results[0].result)
  },
  'plain requests': async (url, step, headers) =>
    (await request(url, 'POST', addressOf(step), step.arguments, { ...JSON_BODY, ...headers })).body,
  MCP: async (url, { family = 'emr-scheduling', tool, arguments: args }, headers) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`/mcp/${family}`, url), { requestInit: { headers } }),
    )
    await client.listTools()
    const { structuredContent } = await client.callTool({ name: tool, arguments: { ...args } })
    await client.close()
    return structuredContent as Result
  },
}

/** The results of the tools of a call. */
interface Told {
  readonly description: string
  readonly results: Result[]
}

interface Clinic {
  readonly told: readonly Told[]
  readonly record: readonly Stored[]
}

interface Stored {
  readonly resourceType: string
  readonly id: string
}

async function played(server: TestServer, door: Door): Promise<Clinic> {
  const told: Told[] = []
  for (const [number, call] of CALLS.entries()) {
    const results: Result[] = []
    told.push({ description: call.description, results })
    await playCall(call, `call-${number}`, requestsTo(server, door, call.headers, results), () => {})
  }
  return { told, record: await recordOf(server) }
}

function requestsTo(server: TestServer, door: Door, ofCall: Headers = {}, results: Result[]): Requests {
  const headersOf = (callId: string): Headers => ({
    ...ofCall,
    'x-voice-secret': 'demo-secret',
    ...(callId === '' ? {} : { 'x-call-id': callId }),
  })
  return {
    callTool: async (callId, step) => {
      const headers = { ...headersOf(callId), 'x-tool-call-id': `tool-${results.length}` }
      const result = await door(server.url, step, headers)
      results.push(result)
      return result
    },
    post: async (callId, path, body) => {
      const sent = await request(server.url, 'POST', `/${path}`, body, { ...JSON_BODY, ...headersOf(callId) })
      expect([path, sent.status < 300]).toEqual([path, true])
      return sent.body
    },
    search: async (query) => (await server.fhir('GET', `/${query}`)).body,
  }
}

/** All resources of the clinic, but for the times that are free. */
async function recordOf({ fhir }: TestServer): Promise<readonly Stored[]> {
  const { body } = await fhir('GET', '/metadata')
  const types: readonly string[] = body.rest[0].resource
    .filter(({ interaction = [] }: { interaction?: { code: string }[] }) =>
      interaction.some(({ code }) => code === 'search-type'),
    )
    .map(({ type }: { type: string }) => type)
  const found: Stored[] = []
  for (const type of types.filter((one) => one !== 'AuditEvent')) {
    let next = `/${type}?_count=200${type === 'Slot' ? '&status:not=free' : ''}`
    while (next !== '') {
      const page = (await fhir('GET', next)).body
      found.push(...(page.entry ?? []).map(({ resource }: { resource: Stored }) => resource))
      const url = page.link.find(({ relation }: { relation: string }) => relation === 'next')?.url ?? ''
      next = url.slice(url.indexOf('/', 'https://'.length))
    }
  }
  return found
}

/** The same for what is the same but for ids, keys of the call, and the moment at which it was written. */
function comparable({ told, record }: Clinic) {
  const keys = [...new Set(JSON.stringify(told).match(/(?<="\w+Key":")[^"]+/g) ?? [])]
  const names = new Map(keys.map((key, index) => [key, `key ${index}`]))
  const text = (value: unknown, labels: ReadonlyMap<string, string>) =>
    JSON.stringify(value)
      .replace(INSTANT, (instant) => (Date.parse(instant) % MINUTE === 0 ? instant : 'now'))
      .replace(TOKEN, (token) => labels.get(token) ?? names.get(token) ?? token)
      .replace(ID, 'an id')
  // A resource is told from others by what it says, and by what those say that it refers to.
  let labels = new Map(record.map(({ id, resourceType }) => [id, resourceType]))
  for (let round = 0; round < 3; round++)
    labels = new Map(record.map((one) => [one.id, `${one.resourceType} ${hash('md5', text(one, labels)).slice(0, 8)}`]))
  return {
    told: told.map(({ description, results }) => [description, ...results.map((one) => text(one, labels))]),
    record: record.map((one) => text(one, labels)).sort(),
  }
}

const MINUTE = 60_000
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g
const TOKEN = /[A-Za-z0-9][A-Za-z0-9.-]*/g
/** The ids of records that are no resources. */
const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\b[a-z]+-[\da-f]{32}\b/g

const clinics = new Map<string, ReturnType<typeof comparable>>()

beforeAll(async () => {
  // All clinics live through the same minute, so that the same times are free.
  const minute = Date.now() - (Date.now() % MINUTE)
  for (const [name, door] of Object.entries(DOORS)) {
    let now = minute + 1000
    const server = await startServer({ BASE_URL: 'http://clinic.example' }, { clock: () => now++ })
    try {
      clinics.set(name, comparable(await played(server, door)))
    } finally {
      await server.close()
    }
  }
})

const clinicOf = (door: string) => clinics.get(door) ?? { told: [], record: [] }

test('ten calls at least are played, and leave what they are about', () => {
  const { told, record } = clinicOf('the envelope')
  expect(told.length).toBeGreaterThanOrEqual(10)
  for (const type of ['Appointment', 'Communication', 'Coverage', 'Encounter', 'Patient', 'Provenance', 'Task'])
    expect(record.filter((one) => one.startsWith(`{"resourceType":"${type}"`)).length).toBeGreaterThan(5)
})

describe.each(Object.keys(DOORS).slice(1))('the calls by %s', (door) => {
  test('are told the same as in the envelope', () => {
    expect(clinicOf(door).told).toEqual(clinicOf('the envelope').told)
  })

  test('leave the same record', () => {
    expect(clinicOf(door).record).toEqual(clinicOf('the envelope').record)
  })
})
