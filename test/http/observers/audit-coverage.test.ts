/** Actions outside FHIR are in the audit trail of the clinic that they are about, with the patients they show. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../../src/repository/record-kinds.ts'
import { EXCHANGES, exchangeOf } from '../../support/journal.ts'
import { request, type TestServer } from '../../support/server.ts'
import { logInAs, OTHER_CLINIC, PASSWORD, startTwoClinics, withToken } from '../../support/two-clinics.ts'

// biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
type Resource = any

let server: TestServer
const as: Record<string, TestServer> = {}

beforeAll(async () => {
  server = (await startTwoClinics()).server
  const users = {
    admin: { clinic: DEMO_CLINIC, role: 'admin' },
    'their-admin': { clinic: OTHER_CLINIC, role: 'admin' },
    operator: { clinic: SERVICE, role: 'operator' },
  } as const
  as.staff = server
  for (const [username, account] of Object.entries(users)) {
    as[username] = withToken(server, await logInAs(server, { username, ...account }))
  }
})
afterAll(() => server.close())

const user = (name: string): TestServer => as[name] ?? server

async function eventsOf(admin: string, query: string): Promise<readonly Resource[]> {
  const { body } = await user(admin).fhir('GET', `/AuditEvent?${query}&_sort=-date&_count=20`)
  return (body.entry ?? []).map(({ resource }: Resource) => resource)
}

const jobOf = (event: Resource) => event.entity?.find(({ role }: Resource) => role.code === '20')?.name
const patientOf = (event: Resource) => event.entity?.find(({ role }: Resource) => role.code === '1')?.what.reference

const SETTINGS = { name: 'Other', timeZone: 'Europe/Vienna', dialedNumbers: [], defaultRegion: 'US', policies: {} }
const made = { username: 'made', clinic: OTHER_CLINIC, role: 'staff', password: PASSWORD }

/** The user, the request, the name of the event, and the admin (or operator) who finds it. */
const DEEDS: readonly (readonly [string, string, string, unknown, string, string])[] = [
  ['operator', 'GET', `/clinics/${OTHER_CLINIC}/settings`, undefined, 'read settings', 'their-admin'],
  ['operator', 'PUT', `/clinics/${OTHER_CLINIC}/settings`, SETTINGS, 'change settings', 'their-admin'],
  ['staff', 'GET', `/clinics/${DEMO_CLINIC}/settings`, undefined, 'read settings', 'admin'],
  ['staff', 'PUT', `/clinics/${DEMO_CLINIC}/settings`, { name: '' }, 'change settings', 'admin'],
  ['operator', 'GET', `/clinics/${OTHER_CLINIC}/sandbox`, undefined, 'read sandbox switch', 'their-admin'],
  ['operator', 'PUT', `/clinics/${OTHER_CLINIC}/sandbox`, { enabled: true }, 'change sandbox switch', 'their-admin'],
  ['operator', 'GET', '/clinics', undefined, 'list clinics', 'operator'],
  ['operator', 'GET', '/accounts', undefined, 'list accounts', 'operator'],
  ['admin', 'GET', '/accounts', undefined, 'list accounts', 'admin'],
  ['staff', 'GET', '/accounts', undefined, 'list accounts', 'admin'],
  ['operator', 'POST', '/accounts', made, 'make account made', 'their-admin'],
  ['operator', 'GET', '/accounts/made', undefined, 'read account made', 'their-admin'],
  ['operator', 'PUT', '/accounts/made/name', { name: 'Made' }, 'rename account made', 'their-admin'],
  [
    'operator',
    'PUT',
    '/accounts/made/password',
    { password: PASSWORD },
    'change password of account made',
    'their-admin',
  ],
  ['operator', 'PUT', '/accounts/made/login', { enabled: false }, 'disable account made', 'their-admin'],
  ['operator', 'DELETE', '/accounts/made', undefined, 'remove account made', 'their-admin'],
  ['staff', 'GET', `/clinics/${DEMO_CLINIC}/outbox`, undefined, 'read outbox', 'admin'],
  ['staff', 'POST', `/clinics/${DEMO_CLINIC}/outbox/none/$resend`, undefined, 'resend message', 'admin'],
  ['staff', 'DELETE', `/clinics/${DEMO_CLINIC}/outbox/none`, undefined, 'dismiss message', 'admin'],
  ['staff', 'POST', `/clinics/${DEMO_CLINIC}/connectors/crm/$try`, undefined, 'try connector crm', 'admin'],
  ['staff', 'POST', '/abandonments', {}, 'abandonment', 'admin'],
]

describe('an access beside FHIR', () => {
  test.each(DEEDS)('%s: %s %s is audited', async (...[name, method, path, body, job, finder]) => {
    const { status } = await user(name).fhir(method, path, body)
    const [event] = (await eventsOf(finder, 'subtype=operation')).filter((one) => jobOf(one) === job)
    expect(event?.outcome).toBe(status < 400 ? '0' : '4')
    const agent = name === 'staff' ? 'ours' : name
    expect(event.agent.some(({ altId }: Resource) => altId === agent)).toBe(true)
    for (const other of ['admin', 'their-admin', 'operator'].filter((one) => one !== finder)) {
      expect((await eventsOf(other, 'subtype=operation')).map(({ id }) => id)).not.toContain(event.id)
    }
  })

  test('by the end of a session is audited as a logout', async () => {
    const token = await server.login('their-admin', PASSWORD)
    await withToken(server, token).fhir('DELETE', '/session')
    const [event] = await eventsOf('their-admin', 'subtype=110123')
    expect(event).toMatchObject({ type: { code: '110114' }, outcome: '0' })
  })
})

describe('an access that does not name its patient has it all the same', () => {
  let patient = ''
  beforeAll(async () => {
    const name = [{ family: 'Oakley', given: ['Wilhelmina'] }]
    patient = (await server.fhir('POST', '/Patient', { resourceType: 'Patient', name, birthDate: '1961-04-05' })).body
      .id
  })

  const found = async (query: string) =>
    (await eventsOf('admin', `patient=Patient/${patient}&${query}`)).map((event) => [jobOf(event), patientOf(event)])

  test('when an exchange about it is looked at in the journal', async () => {
    await exchangeOf(server, await server.fhir('GET', `/Patient?_id=${patient}`))
    expect(await found('subtype=operation')).toContainEqual(['journal', `Patient/${patient}`])
    await server.fhir('GET', `/Patient/${patient}`)
    const before = (await found('subtype=operation')).length
    await server.fhir('GET', `${EXCHANGES}?type=Patient&count=5`)
    expect((await found('subtype=operation')).length).toBeGreaterThan(before)
  })

  test('when the Binary of one of its documents is read, by its address or in a batch', async () => {
    const file = { resourceType: 'Binary', contentType: 'text/plain', data: Buffer.from('text').toString('base64') }
    const { id } = (await server.fhir('POST', '/Binary', file)).body
    await server.fhir('POST', '/DocumentReference', {
      resourceType: 'DocumentReference',
      status: 'current',
      subject: { reference: `Patient/${patient}` },
      content: [{ attachment: { contentType: 'text/plain', url: `Binary/${id}` } }],
    })
    const entry = [{ request: { method: 'GET', url: `Binary/${id}` } }]
    await server.fhir('GET', `/Binary/${id}`)
    await server.fhir('GET', `/Binary/${id}/_history/1`)
    await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(await found(`entity=Binary/${id}`)).toHaveLength(3)
  })

  test('when staff verify who somebody is', async () => {
    const parameter = [
      { name: 'statedName', valueString: 'Wilhelmina Oakley' },
      { name: 'statedDateOfBirth', valueString: '1961-04-05' },
    ]
    const answer = await server.fhir('POST', '/Patient/$verify-patient', { resourceType: 'Parameters', parameter })
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.stringContaining('true')])
    expect(await found('subtype=operation')).toContainEqual(['$verify-patient', `Patient/${patient}`])
  })

  test('when an abandonment is entered by the secret of the platform', async () => {
    const contact = { phone: '+12125550123' }
    const body = { kind: 'form', stepReached: 'contact', consent: true, contact, fields: {} }
    const headers = { 'x-voice-secret': 'demo-secret', 'x-call-to': '+12125550100' }
    const { status, text } = await request(server.url, 'POST', '/abandonments', body, headers)
    expect([status, text]).toEqual([201, expect.any(String)])
    const [event] = (await eventsOf('admin', 'subtype=operation')).filter((one) => jobOf(one) === 'abandonment')
    expect(patientOf(event)).toMatch(/^Patient\/./)
  })
})

describe('an id of the audit trail', () => {
  test.each([['trail-x'], ['trail-'], ['trail-0000000000000000000-1']])(
    'is not written by PUT AuditEvent/%s',
    async (id) => {
      const event = {
        resourceType: 'AuditEvent',
        id,
        type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
        recorded: '2026-01-01T00:00:00Z',
        agent: [{ requestor: true }],
        source: { observer: { display: 'x' } },
      }
      const { status } = await server.fhir('PUT', `/AuditEvent/${id}`, event)
      expect(status).toBe(405)
      const entry = [{ resource: event, request: { method: 'PUT', url: `AuditEvent/${id}` } }]
      const bundle = { resourceType: 'Bundle', type: 'transaction', entry }
      expect((await server.fhir('POST', '/', bundle)).status).toBe(405)
    },
  )
})
