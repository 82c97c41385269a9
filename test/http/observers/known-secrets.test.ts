/** Secrets that the server knows by value reach neither journal nor trail nor log nor the settings' answer, in whatever form they come. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { toolFamilies } from '../../../src/calls/families.ts'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { ROUTES } from '../../../src/fhir-api/interactions/routes.ts'
import { openAuditStore, openJournalStore } from '../../../src/main/open-store.ts'
import { SERVICE } from '../../../src/repository/record-kinds.ts'
import { SILENT } from '../../support/audit.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { describeOnSqlite } from '../../support/engine.ts'
import { sampled } from '../../support/random-runs.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { SECRET_FORMS } from '../../support/secret-forms.ts'
import { request, type TestServer } from '../../support/server.ts'
import { logInAs, OTHER_CLINIC, PASSWORD, startTwoClinics, withToken } from '../../support/two-clinics.ts'

const VOICE_SECRET = 'voice/secret+with&odd="signs"%41'
const CLINIC_SECRET = 'clinic-secret-with-40-characters-in-it'
const INSURANCE_TOKEN = 'insurance/token+of&the=clinic'

const json = (text: string) => JSON.stringify(text).slice(1, -1)

/** None of what is sent here is left out of the journal. */
const EVERYTHING = { rate: 1e9, burst: 1e9 }

let server: TestServer
/** The insurance system of the clinic. */
let insurance: Receiver
const logged: string[] = []
let databaseUrl = ''
const secrets: Record<string, string> = {}

beforeAll(async () => {
  databaseUrl = await newLastingDatabaseUrl()
  const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) })
  const env = { DATABASE_URL: databaseUrl, WEBHOOK_SECRET: VOICE_SECRET }
  const { server: started } = await startTwoClinics(env, { logger, journalAllowance: EVERYTHING })
  const token = await logInAs(started, { username: 'secretive', clinic: DEMO_CLINIC, role: 'staff' })
  server = withToken(started, token)
  const settings = (await server.fhir('GET', `/clinics/${DEMO_CLINIC}/settings`)).body
  const callSecurity = { method: 'header', secrets: [CLINIC_SECRET] }
  insurance = await startReceiver()
  const connector = { enabled: true, url: insurance.url, token: INSURANCE_TOKEN }
  await server.fhir('PUT', `/clinics/${DEMO_CLINIC}/settings`, { ...settings, callSecurity, insurance: connector })
  Object.assign(secrets, { token, voice: VOICE_SECRET, clinic: CLINIC_SECRET, connector: INSURANCE_TOKEN })
})
afterAll(async () => {
  await server.close()
  await insurance.close()
})

type Send = (text: string) => Promise<unknown>

const XML_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** As the value of an attribute; XML has no zeros. */
const xml = (text: string) => text.replaceAll('\0', '').replace(/[&<>"]/g, (one) => XML_ESCAPES[one] ?? one)
const CALL = { 'x-voice-secret': VOICE_SECRET, 'x-call-to': '+12125550100' }
const part = (name: string, valueString: string) => ({ name, valueString })
const bundle = (type: string, ...requests: readonly object[]) =>
  server.fhir('POST', '/', { resourceType: 'Bundle', type, entry: requests.map((one) => ({ request: one })) })
const putSettings = (settings: object) => server.fhir('PUT', `/clinics/${DEMO_CLINIC}/settings`, settings)

/** Where texts may stand in an address or a header: what is written is percent-encoded. */
const ADDRESSES: Readonly<Record<string, Send>> = {
  'the query of a search': (text) => server.fhir('GET', `/Patient?family=${text}`),
  'the name of a parameter': (text) => server.fhir('GET', `/Patient?${text}=1`),
  'a path that is refused': (text) => server.fhir('GET', `/clinics/${text}/settings`),
  'an account': (text) => server.fhir('GET', `/accounts/${text}`),
  'a header': (text) => server.fhir('GET', '/Patient?_count=1', undefined, { 'x-anything': text }),
  'the id of a call': (text) =>
    request(server.url, 'POST', '/patient-journey/unknown', {}, { ...CALL, 'x-call-id': text.slice(0, 200) }),
  'a tool that there is not': (text) => request(server.url, 'POST', `/patient-journey/${text}`, {}, CALL),
  'an entry of a batch': (text) => bundle('batch', { method: 'GET', url: `Patient?family=${text}` }),
  'the condition of an entry': (text) =>
    bundle('transaction', { method: 'POST', url: 'Patient', ifNoneExist: `family=${text}` }),
  ...Object.fromEntries(
    ROUTES.map(({ method, path }) => [
      `the route ${method} ${path}`,
      (text: string) =>
        server.fhir(
          method,
          `${pathOf(path, text)}?x=${text}`,
          method === 'GET' || method === 'DELETE' ? undefined : {},
        ),
    ]),
  ),
}

/** A path of a type, with the text as its last segment that varies. */
const pathOf = (template: string, text: string) => {
  const path = template.replace(':type', 'Patient').replace('$:operation', '$match')
  const last = path.lastIndexOf(':')
  if (last < 0) return path
  return path.slice(0, last).replaceAll(/:\w+/g, 'none') + path.slice(last).replace(/:\w+/, text)
}

/** Where they may stand in a body. */
const BODIES: Readonly<Record<string, Send>> = {
  'a text of a resource': (text) => server.fhir('POST', '/Basic', { resourceType: 'Basic', code: { text } }),
  'a name in JSON': (text) => server.fhir('POST', '/Patient', { resourceType: 'Patient', [text]: 1 }),
  'a form': (text) =>
    server.fhir('POST', '/Patient/_search', new URLSearchParams({ family: text }).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    }),
  XML: (text) =>
    server.fhir('POST', '/Basic', `<Basic xmlns="http://hl7.org/fhir"><language value="${xml(text)}"/></Basic>`, {
      'content-type': 'application/fhir+xml',
    }),
  'a patch': (text) => server.fhir('PATCH', '/Patient/patient-1', [{ op: 'add', path: '/language', value: text }]),
  'a Binary': (text) => server.fhir('POST', '/Binary', text, { 'content-type': 'text/plain' }),
  'what is no JSON': (text) => server.fhir('POST', '/Patient', `{${text}`),
  'the response of a system of the clinic': async (text) => {
    insurance.answer(401, { 'www-authenticate': `Bearer realm="${encodeURIComponent(text).slice(0, 4_000)}"` }, text)
    // Once a second for each connector.
    await sleep(1_000)
    await server.fhir('POST', `/clinics/${DEMO_CLINIC}/connectors/insurance/$try`)
  },
  'the settings': (text) => putSettings({ name: text, crm: text }),
  'an account that is made': (text) => server.fhir('POST', '/accounts', { username: text, password: text }),
  'a login': (text) => request(server.url, 'POST', '/session', { username: text, password: text }),
  'the end of a call': (text) => request(server.url, 'POST', '/calls/none/end', { reason: text }, CALL),
  'an abandonment': (text) => request(server.url, 'POST', '/abandonments', { kind: 'form', stepReached: text }, CALL),
  ...Object.fromEntries(
    ['match', 'validate', 'book', 'meta-add'].map((operation) => [
      `the Parameters of $${operation}`,
      (text: string) =>
        server.fhir('POST', `/${operation === 'book' ? 'Appointment' : 'Patient'}/$${operation}`, {
          resourceType: 'Parameters',
          parameter: [part('anything', text), part('resource', text), part('meta', text)],
        }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(toolFamilies).flatMap(([family, tools]) =>
      Object.keys(tools).map((tool) => [
        `the tool ${tool}`,
        (text: string) => {
          const toolCalls = [
            { id: `id-${tool}`, function: { arguments: { firstName: text, reason: text, [text]: 1 } } },
          ]
          const body = { message: { toolCalls } }
          return request(server.url, 'POST', `/${family}/${tool}`, body, { ...CALL, 'x-call-id': `secrets-${tool}` })
        },
      ]),
    ),
  ),
}

/** Places that are answered before the clinic is known: their exchanges belong to no clinic, and no clinic's secrets are searched for. */
const OF_NO_CLINIC: ReadonlySet<string> = new Set([
  'the id of a call',
  'a tool that there is not',
  'the route GET /metadata',
])

const formsAt = (place: string): readonly Form[] =>
  sampled(forms()).filter(({ name }) => !OF_NO_CLINIC.has(place) || !/^(?:clinic|connector)/.test(name))

const forms = (): readonly Form[] =>
  Object.entries(secrets).flatMap(([secret, value]) =>
    [...SECRET_FORMS]
      // A token is long: two encodings of it are longer than what is kept of a body.
      .filter(([name]) => secret !== 'token' || !name.includes(', then '))
      .map(([name, write]) => ({ name: `${secret}: ${name}`, text: write(value) })),
  )

interface Form {
  readonly name: string
  readonly text: string
}

/** As many as fit in a request. */
function batches(texts: readonly string[], most: number): readonly string[] {
  const found: string[] = []
  for (const text of texts) {
    const last = found.at(-1)
    if (last === undefined || last.length + text.length > most) found.push(text)
    else found[found.length - 1] = `${last} ; ${text}`
  }
  return found
}

/** The last entry that was checked, by clinic. */
const seen = new Map<string, number>()
let seenUntil = 0

/** All that journal, trail and log hold since it was last looked at, as it is stored. */
async function recorded(): Promise<string> {
  const journal = await openJournalStore(databaseUrl, SILENT)
  const trail = await openAuditStore(databaseUrl, { days: 90 }, SILENT)
  const parts: string[] = logged.splice(0)
  const from = seenUntil
  seenUntil = Date.now()
  for (const clinic of [DEMO_CLINIC, OTHER_CLINIC, SERVICE]) {
    const after = seen.get(clinic) ?? 0
    const { entries } = await journal.scan({ clinic, order: 'oldest first', after, filter: {}, limit: 10_000 })
    for (const { number, summary } of entries) {
      seen.set(clinic, number)
      const { id } = JSON.parse(summary)
      parts.push(summary, (id === undefined ? undefined : (await journal.read(clinic, [id]))[0])?.detail ?? '')
    }
    const scan = {
      clinic,
      order: 'oldest first',
      from: Math.max(0, from - 5_000),
      to: Date.now() + 1,
      limit: 10_000,
    } as const
    for (const { events } of (await trail.scan(scan)).blocks) parts.push(events)
  }
  await journal.close()
  await trail.close()
  return parts.join('\n')
}

/** Characters by which a form is looked for first. */
const BEGINNING = 12

/** The names of the forms that stand in it, with what stands around. In an address they are percent-encoded, and what is stored is JSON. */
function formsIn(text: string, all: readonly Form[]): readonly string[] {
  const written = all.flatMap(({ name, text: form }) =>
    [...new Set([form, encodeURIComponent(form), json(form), json(json(form))])].map((one) => ({ name, one })),
  )
  const byBeginning = Map.groupBy(written, ({ one }) => one.slice(0, BEGINNING))
  const found = new Map<string, string>()
  for (let at = 0; at <= text.length - BEGINNING; at += 1) {
    for (const { name, one } of byBeginning.get(text.slice(at, at + BEGINNING)) ?? []) {
      if (text.startsWith(one, at)) found.set(name, text.slice(Math.max(0, at - 100), at + 100))
    }
  }
  return [...found].map(([name, around]) => `${name}: ${around}`)
}

async function send(place: Send, texts: readonly string[]): Promise<string> {
  for (const text of texts) await place(text).catch(() => undefined)
  await server.fhir('GET', `/clinics/${DEMO_CLINIC}/exchanges?count=1`)
  await server.fhir('GET', '/AuditEvent?_count=1')
  const text = await recorded()
  expect(text).toContain('"interaction":')
  expect(text).not.toContain('{"gap":')
  return text
}

/** Most characters of an address or a header, and of a body. */
const MOST = { address: 10_000, body: 40_000 }

describe('a secret that the server knows', () => {
  test('has 200 forms', () => {
    expect(
      new Set(
        forms()
          .filter(({ name }) => name.startsWith('clinic'))
          .map(({ text }) => text),
      ).size,
    ).toBeGreaterThan(200)
  })

  test.each(Object.keys(BODIES))('is kept nowhere that comes, in any of its forms, in %s', async (place) => {
    const all = formsAt(place)
    const texts = batches(
      all.map(({ text }) => text),
      MOST.body,
    )
    expect(formsIn(await send(BODIES[place] as Send, texts), all)).toEqual([])
  })

  test.each(Object.keys(ADDRESSES))('is kept nowhere that comes, in any of its forms, in %s', async (place) => {
    const all = formsAt(place)
    const texts = batches(
      all.map(({ text }) => encodeURIComponent(text)),
      MOST.address,
    )
    expect(formsIn(await send(ADDRESSES[place] as Send, texts), all)).toEqual([])
  })
})

describeOnSqlite('the files of the store', () => {
  test('hold no form of the secrets that a server was given and has used, with SECRETS_KEY', async () => {
    const url = await newLastingDatabaseUrl()
    const keys = { SECRETS_KEY: 'k'.repeat(32), WEBHOOK_SECRET: VOICE_SECRET }
    const { server: started } = await startTwoClinics({ DATABASE_URL: url, ...keys })
    const token = await logInAs(started, { username: 'admin-here', clinic: DEMO_CLINIC, role: 'admin' })
    const { fhir, close } = withToken(started, token)
    const path = `/clinics/${DEMO_CLINIC}`
    insurance.answer(401, {}, INSURANCE_TOKEN)
    const connector = { enabled: true, url: insurance.url, token: INSURANCE_TOKEN }
    const callSecurity = { method: 'header', secrets: [CLINIC_SECRET] }
    const settings = (await fhir('GET', `${path}/settings`)).body
    const changed = await fhir('PUT', `${path}/settings`, { ...settings, callSecurity, insurance: connector })
    expect(changed.status).toBe(200)
    expect((await fhir('POST', `${path}/connectors/insurance/$try`)).body.outcome).toBe('credentials-refused')
    const headers = { ...CALL, 'x-clinic-secret': CLINIC_SECRET, 'x-call-id': 'of-the-files' }
    const call = { message: { toolCalls: [{ id: 'one', function: { arguments: { reason: 'a bill' } } }] } }
    const { body } = await request(started.url, 'POST', '/patient-journey/escalate_billing', call, headers)
    expect(JSON.parse(body.results[0].result)).toMatchObject({ success: true })
    expect((await fhir('GET', `${path}/exchanges`)).body.exchanges.length).toBeGreaterThan(2)
    await close()
    const used = { token, voice: VOICE_SECRET, clinic: CLINIC_SECRET, connector: INSURANCE_TOKEN, password: PASSWORD }
    const written = Object.entries(used).flatMap(([secret, value]) =>
      [...SECRET_FORMS].map(([name, write]) => ({ name: `${secret}: ${name}`, text: write(value) })),
    )
    const folder = dirname(url.slice('sqlite:'.length))
    const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(2)
    for (const { parentPath, name } of files)
      expect([name, ...formsIn(readFileSync(join(parentPath, name), 'latin1'), written)]).toEqual([name])
  })
})
