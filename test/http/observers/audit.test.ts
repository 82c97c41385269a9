/** The audit trail: every access to a clinic's data is an AuditEvent that the admins of the clinic find. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { ROUTES } from '../../../src/fhir-api/interactions/routes.ts'
import { isRestful } from '../../../src/record/audit/event.ts'
import { SERVICE } from '../../../src/repository/record-kinds.ts'
import type { ResourceStore } from '../../../src/storage/port.ts'
import { StoreUnavailable } from '../../../src/storage/store-errors.ts'
import { eventsIn } from '../../support/audit.ts'
import { newLastingDatabaseUrl, openTestStore } from '../../support/database.ts'
import { describeOnSqlite } from '../../support/engine.ts'
import { newFolder } from '../../support/run.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/server-process.ts'
import {
  logInAs,
  OTHER_CLINIC,
  PASSWORD,
  startTwoClinics,
  type TwoClinics,
  withToken,
} from '../../support/two-clinics.ts'

let clinics: TwoClinics
let server: TestServer
/** FHIR requests by the admins of the two clinics. */
let admin: TestServer['fhir']
let otherAdmin: TestServer['fhir']

beforeAll(async () => {
  clinics = await startTwoClinics()
  server = clinics.server
  const adminOf = async (clinic: string, username: string) =>
    withToken(server, await logInAs(server, { username, clinic, role: 'admin' })).fhir
  admin = await adminOf(DEMO_CLINIC, 'our-admin')
  otherAdmin = await adminOf(OTHER_CLINIC, 'other-admin')
})
afterAll(() => server.close())

// biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
type Resource = any

/** The AuditEvents that the admin of the demo clinic finds. */
async function events(query: string, as = admin): Promise<readonly Resource[]> {
  const { status, body, text } = await as('GET', `/AuditEvent?${query}`)
  if (status !== 200) throw new Error(text)
  return (body.entry ?? []).map(({ resource }: Resource) => resource)
}

let patients = 0
async function newPatient(fhir = server.fhir): Promise<string> {
  patients += 1
  const { body } = await fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: `Audited${patients}` }] })
  return body.id
}

const subtypes = (found: readonly Resource[]) => found.map(({ subtype }) => subtype?.[0].code)
const entityOf = (event: Resource, role: string) => event.entity.find((one: Resource) => one.role.code === role)

describe('an access', () => {
  test('has an interaction of FHIR by every route', () => {
    expect(ROUTES.map(({ code }) => code).filter((code) => !isRestful(code))).toEqual([])
  })

  test('is an AuditEvent in the shape of IHE BALP: who read what of which patient, from where, and how it ended', async () => {
    const id = await newPatient()
    await server.fhir('GET', `/Patient/${id}`)
    const [event, ...others] = await events(`patient=Patient/${id}&subtype=read`)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      resourceType: 'AuditEvent',
      meta: { profile: ['https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.PatientRead'] },
      type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
      subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: 'read' }],
      action: 'R',
      outcome: '0',
      source: { type: [{ code: '4' }] },
    })
    const [client, machine, user] = event.agent
    expect(client).toMatchObject({
      type: { coding: [{ code: '110152' }] },
      network: { address: '127.0.0.1', type: '2' },
    })
    expect(machine).toMatchObject({ type: { coding: [{ code: '110153' }] }, network: { type: '5' } })
    expect(user).toMatchObject({ altId: 'ours', requestor: true, role: [{ coding: [{ code: 'staff' }] }] })
    expect(entityOf(event, '4').what).toEqual({ reference: `Patient/${id}` })
    expect(entityOf(event, '1').what).toEqual({ reference: `Patient/${id}` })
    const { issue } = (await admin('POST', '/AuditEvent/$validate', event)).body
    expect(issue.filter(({ severity }: Resource) => severity === 'error')).toEqual([])
  })

  test.each([
    ['count', { name: 'count', valueInteger: 1 }],
    ['onlySingleMatch', { name: 'onlySingleMatch', valueBoolean: true }],
    ['onlyCertainMatches', { name: 'onlyCertainMatches', valueBoolean: true }],
  ])(
    'is one to every patient whom $match names as a duplicate, also where %s leaves out the entry',
    async (only, parameter) => {
      const asked = {
        resourceType: 'Patient',
        name: [{ family: `Twofold${only}`, given: ['Nora'] }],
        birthDate: '1966-06-06',
      }
      const ids: string[] = []
      for (const _time of [1, 2]) ids.push((await server.fhir('POST', '/Patient', asked)).body.id)
      const parameters = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: asked }, parameter] }
      for (const headers of [{}, { accept: 'application/fhir+xml' }]) {
        const { status, text } = await server.fhir('POST', '/Patient/$match', parameters, headers)
        expect(status).toBe(200)
        for (const id of ids) expect(text).toContain(`Patient/${id}`)
      }
      for (const id of ids) expect(subtypes(await events(`patient=Patient/${id}&subtype=operation`))).toHaveLength(2)
    },
  )

  test('to a contained resource is one to the patient of the resource around it', async () => {
    const id = await newPatient()
    const request = {
      resourceType: 'MedicationRequest',
      status: 'active',
      intent: 'order',
      subject: { reference: `Patient/${id}` },
      contained: [{ resourceType: 'Medication', id: 'audited', code: { text: 'audited' } }],
      medicationReference: { reference: '#audited' },
    }
    expect((await server.fhir('POST', '/MedicationRequest', request)).status).toBe(201)
    const query = '/Medication?_id=audited&_contained=true&_containedType=contained'
    expect((await server.fhir('GET', query)).body.entry).toHaveLength(1)
    expect(subtypes(await events(`patient=Patient/${id}&subtype=search-type`))).toEqual(['search-type'])
  })

  test('is found by the patient, whatever was done with the data and wherever they are', async () => {
    const id = await newPatient()
    const observation = {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'x' },
      subject: { reference: `Patient/${id}` },
    }
    const created = await server.fhir('POST', '/Observation', observation)
    const path = `/Observation/${created.body.id}`
    await server.fhir('GET', path)
    await server.fhir('GET', `${path}/_history/1`)
    await server.fhir('GET', `${path}/_history`)
    await server.fhir('PUT', path, { ...observation, id: created.body.id })
    await server.fhir('PATCH', path, [{ op: 'replace', path: '/status', value: 'amended' }])
    await server.fhir('GET', `/Observation?code:text=x&subject=Patient/${id}&_elements=code`)
    await server.fhir('GET', `/Patient/${id}/Observation`)
    await server.fhir('GET', `/Patient/${id}/$everything`)
    await server.fhir('DELETE', path)
    const found = await events(`patient=Patient/${id}&_sort=date`)
    expect(subtypes(found)).toEqual([
      ...['create', 'create', 'read', 'vread', 'history-instance', 'update', 'patch'],
      ...['search-type', 'search', 'operation', 'delete'],
    ])
    expect(found.map(({ action }) => action).join('')).toBe('CCRRRUUEEED')
    expect(found.map(({ meta }) => meta.profile?.[0].replace(/.*BasicAudit\./, ''))).toEqual([
      ...['PatientCreate', 'PatientCreate', 'PatientRead', 'PatientRead', undefined, 'PatientUpdate', 'PatientUpdate'],
      ...['PatientQuery', 'PatientQuery', undefined, 'PatientDelete'],
    ])
    expect(entityOf(found[5], '4').what).toEqual({ reference: `Observation/${created.body.id}/_history/2` })
  })

  test('by a search keeps the query as it came, by GET and by POST', async () => {
    const family = `Query${await newPatient()}`
    await server.fhir('GET', `/Patient?family=${family}&_count=3`)
    await request(server.url, 'POST', '/Patient/_search?_count=4', `family=${family}`, {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/x-www-form-urlencoded',
    })
    const found = await events('subtype=search-type&altid=ours&_sort=-date&_count=2')
    const queries = found.map((event) => Buffer.from(entityOf(event, '24').query, 'base64').toString())
    expect(queries).toEqual([`/Patient/_search?_count=4&family=${family}`, `/Patient?family=${family}&_count=3`])
  })

  test('by a search has one AuditEvent for each patient that it found', async () => {
    const ids = [await newPatient(), await newPatient()]
    await server.fhir('GET', `/Patient?_id=${ids.join(',')}`)
    for (const id of ids) {
      const [event, ...others] = await events(`patient=Patient/${id}&subtype=search-type`)
      expect(others).toEqual([])
      expect(event.entity.filter(({ role }: Resource) => role.code === '1')).toHaveLength(1)
      expect((await admin('GET', `/AuditEvent/${event.id}`)).body).toEqual(event)
    }
  })

  test('that fails is one too, with its outcome', async () => {
    const id = await newPatient()
    await server.fhir('DELETE', `/Patient/${id}`)
    await server.fhir('GET', `/Patient/${id}`)
    await server.fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, gender: 'none' })
    const found = await events(`patient=Patient/${id}&outcome=4&_sort=date`)
    expect(subtypes(found)).toEqual(['read', 'update'])
    expect(found.map(({ outcomeDesc }) => outcomeDesc)).toEqual(['HTTP status 410', 'HTTP status 422'])
    expect(found.every(({ meta }) => meta.profile === undefined)).toBe(true)
  })
})

describe('a Bundle', () => {
  const bundle = (type: string, ...requests: readonly Resource[]) => ({
    resourceType: 'Bundle',
    type,
    entry: requests.map(({ resource, ...one }) => ({ request: one, ...(resource === undefined ? {} : { resource }) })),
  })

  test('is an AuditEvent, and so is each of its entries', async () => {
    const id = await newPatient()
    const create = { method: 'POST', url: 'Observation', resource: observationOf(id) }
    await server.fhir('POST', '/', bundle('transaction', create, { method: 'GET', url: `Patient/${id}` }))
    const batch = bundle(
      'batch',
      { method: 'GET', url: `Patient/${id}/_history/7` },
      { method: 'GET', url: `Patient?_id=${id}` },
    )
    await server.fhir('POST', '/', batch)
    const found = await events(`patient=Patient/${id}&_sort=date`)
    expect(subtypes(found)).toEqual(['create', 'create', 'read', 'vread', 'search-type'])
    expect(found.map(({ outcome }) => outcome)).toEqual(['0', '0', '0', '4', '0'])
    expect(Buffer.from(entityOf(found[4], '24').query, 'base64').toString()).toBe(`/Patient?_id=${id}`)
    expect(subtypes(await events('subtype=transaction,batch&_sort=-date&_count=2'))).toEqual(['batch', 'transaction'])
  })

  test('that is not carried out has no entries that were', async () => {
    const id = await newPatient()
    const create = { method: 'POST', url: 'Observation', resource: observationOf(id) }
    const refused = { method: 'PUT', url: `Patient/${id}`, resource: { resourceType: 'Patient', id, gender: 'none' } }
    expect((await server.fhir('POST', '/', bundle('transaction', create, refused))).status).toBe(422)
    expect(subtypes(await events(`patient=Patient/${id}`))).toEqual(['create'])
    const [event] = await events('subtype=transaction&_count=1')
    expect(event).toMatchObject({ outcome: '4', outcomeDesc: 'HTTP status 422' })
  })
})

const observationOf = (patient: string) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject: { reference: `Patient/${patient}` },
})

describe('a live call', () => {
  let interrupted: TestServer | undefined
  afterAll(() => interrupted?.close())

  test('is who acts in its tool calls, on the patient whom it has found', async () => {
    const headers = { 'x-call-id': 'audited-call', 'x-call-to': '+12125550100', 'x-call-from': '+12125550177' }
    const args = { statedName: 'Audited Caller' }
    expect(await server.tool('/patient-journey/resolve_patient_identity', args, headers)).toMatchObject({
      success: true,
    })
    const [event, ...others] = await events('altid=audited-call')
    expect(others).toEqual([])
    expect(event).toMatchObject({ type: { code: 'rest' }, subtype: [{ code: 'operation' }], outcome: '0' })
    expect(entityOf(event, '20').name).toBe('resolve_patient_identity')
    expect(entityOf(event, '1').what.reference).toMatch(/^Patient\/./)
  })

  test('is answered when its tool has written, also when the store is lost in that moment', async () => {
    const store = await openTestStore()
    let losesStore = false
    let isLost = false
    const losing: ResourceStore = {
      ...store,
      write: async (changes) => {
        await store.write(changes)
        isLost = losesStore
      },
      readRecord: async (...address) => {
        if (isLost) throw new StoreUnavailable('The store is lost')
        return await store.readRecord(...address)
      },
    }
    interrupted = await startServer({}, { store: losing })
    const headers = { 'x-call-id': 'interrupted-call', 'x-call-to': '+12125550100' }
    const validation = { field: 'firstName', value: 'Jane' }
    // From now on the session is stored, so the only write is the tool's.
    await interrupted.tool('/patient-intake/validate_intake_field', validation, headers)
    losesStore = true
    const args = { statedName: 'Audited Caller' }
    const answer = await interrupted.tool('/patient-journey/resolve_patient_identity', args, headers)
    losesStore = false
    isLost = false
    expect(answer).toMatchObject({ success: true })
    const asAdmin = withToken(interrupted, await interrupted.login('admin', 'admin'))
    const found = await asAdmin.fhir('GET', '/AuditEvent?altid=interrupted-call')
    const patients = found.body.entry.map(({ resource }: Resource) => entityOf(resource, '1')?.what.reference)
    expect(patients).toEqual([expect.stringMatching(/^Patient\/./), undefined])
  })

  test('that is registered is one with its patient', async () => {
    const patient = await newPatient()
    const registration = { callId: 'registered-call', dialedNumber: '+12125550100', patient }
    const headers = { 'x-voice-secret': 'demo-secret' }
    expect((await request(server.url, 'POST', '/calls', registration, headers)).status).toBe(201)
    const [event] = await events('altid=registered-call')
    expect(event).toMatchObject({ type: { code: '110100' }, action: 'C' })
    expect(entityOf(event, '1').what.reference).toBe(`Patient/${patient}`)
  })
})

describe('who logs in', () => {
  const login = (username: string, password: string) =>
    request(server.url, 'POST', '/session', { username, password }, { 'content-type': 'application/json' })

  test('is recorded, and so is one who fails to, in the clinic of the account', async () => {
    await login('other', PASSWORD)
    await login('Other', 'a wrong password')
    const found = await events('type=110114&altid=other&_sort=-date&_count=2', otherAdmin)
    expect(found.map(({ outcome }) => outcome)).toEqual(['4', '0'])
    expect(found[0].outcomeDesc).toBe('HTTP status 401')
    expect(await events('type=110114&altid=other')).toEqual([])
  })
})

describe('what belongs to no clinic', () => {
  let DATABASE_URL: string
  let lasting: TestServer
  beforeAll(async () => {
    DATABASE_URL = await newLastingDatabaseUrl()
    lasting = await startServer({ DATABASE_URL })
  })
  afterAll(() => lasting.close())

  /** The events of the service, once there are so many. */
  async function eventsOfService(count: number): Promise<readonly Resource[]> {
    let found: readonly object[] = []
    await until(async () => {
      found = await eventsIn(DATABASE_URL)
      return found.length >= count
    })
    return found
  }

  test('is recorded apart: wrong secrets, wrong tokens, and logins under a name that nobody has', async () => {
    const json = { 'content-type': 'application/json' }
    const secret = 'typed-in-the-wrong-field'
    await request(lasting.url, 'POST', '/session', { username: secret, password: 'x' }, json)
    await request(lasting.url, 'POST', '/patient-journey/resolve_patient_identity', {}, { 'x-voice-secret': 'wrong' })
    await request(lasting.url, 'GET', '/Patient/1', undefined, { authorization: 'Bearer x.y.z' })
    const found = await eventsOfService(3)
    expect(found).toMatchObject([
      { type: { code: '110114' }, subtype: [{ code: '110122' }], outcome: '4' },
      { type: { code: '110113' }, subtype: [{ code: '110126' }], outcome: '4' },
      { type: { code: '110113' }, subtype: [{ code: '110126' }], outcome: '4' },
    ])
    expect(found.map(({ entity }) => entity?.[0].name)).toEqual([
      undefined,
      'POST /patient-journey/resolve_patient_identity',
      'GET /Patient/1',
    ])
    // A user may type a password in place of the name.
    expect(JSON.stringify(found)).not.toContain(secret)
  })

  test('is found by operators, who find nothing of a clinic, and by nobody else', async () => {
    const operator = await logInAs(lasting, { username: 'operator', clinic: SERVICE, role: 'operator' })
    await lasting.fhir('GET', '/Patient')
    await request(lasting.url, 'GET', '/Patient', undefined, { authorization: 'Bearer x.y.z' })
    const asOperator = (path: string) => withToken(lasting, operator).fhir('GET', path)
    const { status, body } = await asOperator('/AuditEvent?type=110113&_sort=-date&_count=1')
    expect([status, body.entry[0].resource.entity[0].name]).toEqual([200, 'GET /Patient'])
    expect((await asOperator(`/AuditEvent/${body.entry[0].resource.id}`)).body).toEqual(body.entry[0].resource)
    expect((await asOperator('/AuditEvent?altid=demo')).body.total).toBe(0)
    expect((await asOperator('/Patient')).status).toBe(403)
    expect((await asOperator('/AuditEvent/_history')).status).toBe(403)
    const admin = { authorization: `Bearer ${await lasting.login('admin', 'admin')}` }
    const path = `/AuditEvent/${body.entry[0].resource.id}`
    expect((await request(lasting.url, 'GET', path, undefined, admin)).status).toBe(404)
    expect((await request(lasting.url, 'GET', '/AuditEvent?type=110113', undefined, admin)).body.total).toBe(0)
  })

  test('is not recorded without end: of 600 a minute and more, their number is', async () => {
    const wrong = () => request(lasting.url, 'GET', '/Patient/1', undefined, { authorization: 'Bearer x.y.z' })
    for (let n = 0; n < 14; n += 1) await Promise.all(Array.from({ length: 50 }, wrong))
    const found = await eventsOfService(601)
    const gap = found.find(({ outcome }) => outcome === '8')
    expect(gap?.outcomeDesc).toMatch(
      /^\d+ events? (is|are) missing from .*: more than 600 requests of strangers in a minute$/,
    )
  })
})

describe('the audit trail', () => {
  test('of a clinic is read by its admins only: not by its staff, and not by the admins of another clinic', async () => {
    const id = await newPatient()
    const [event] = await events(`patient=Patient/${id}`)
    expect(event).toBeDefined()
    for (const other of [server.fhir, otherAdmin, clinics.theirs]) {
      expect(await events(`patient=Patient/${id}`, other)).toEqual([])
      expect((await other('GET', `/AuditEvent/${event.id}`)).status).toBe(404)
      expect((await other('GET', `/AuditEvent/${event.id}/_history/1`)).status).toBe(404)
      expect((await other('GET', `/Patient/${id}/AuditEvent`)).body.entry ?? []).toEqual([])
    }
    const theirs = await newPatient(clinics.theirs)
    expect(await events(`patient=Patient/${theirs}`)).toEqual([])
    expect(await events(`patient=Patient/${theirs}`, otherAdmin)).toHaveLength(1)
  })

  test('is read by id and version like a resource, and in the compartment of a patient', async () => {
    const id = await newPatient()
    const [event] = await events(`patient=Patient/${id}`)
    const read = await admin('GET', `/AuditEvent/${event.id}`)
    expect([read.status, read.headers.get('etag'), read.body]).toEqual([200, 'W/"1"', event])
    expect((await admin('GET', `/AuditEvent/${event.id}/_history/1`)).body).toEqual(event)
    expect((await admin('GET', `/AuditEvent/${event.id}/_history/2`)).status).toBe(404)
    expect((await admin('GET', `/AuditEvent/${event.id}/_history`)).body).toMatchObject({ total: 1 })
    expect((await admin('GET', `/Patient/${id}/AuditEvent`)).body.entry[0].resource).toEqual(event)
    expect(await events(`_id=${event.id},other`)).toEqual([event])
    expect(await events(`_id=${event.id}&action=D`)).toEqual([])
  })

  test('is changed by nobody: its ids belong to it', async () => {
    const id = await newPatient()
    const [event] = await events(`patient=Patient/${id}`)
    const path = `/AuditEvent/${event.id}`
    const patch = [{ op: 'replace', path: '/action', value: 'D' }]
    for (const fhir of [admin, server.fhir]) {
      expect((await fhir('PUT', path, event)).status).toBe(405)
      expect((await fhir('DELETE', path)).status).toBe(405)
      expect((await fhir('PATCH', path, patch)).status).toBeGreaterThanOrEqual(404)
    }
    expect((await admin('GET', path)).body).toEqual(event)
  })

  test('has the chains and includes of AuditEvent', async () => {
    const id = await newPatient()
    const family = `Audited${patients}`
    const { body } = await admin('GET', `/AuditEvent?patient.family=${family}&_include=AuditEvent:patient`)
    expect(body.entry.map(({ search, resource }: Resource) => [search.mode, resource.resourceType])).toEqual([
      ['match', 'AuditEvent'],
      ['include', 'Patient'],
    ])
    expect(body.entry[1].resource.id).toBe(id)
    expect(body.total).toBe(1)
  })

  test('cannot be sorted but by time', async () => {
    const { status, text } = await admin('GET', '/AuditEvent?_sort=agent-name')
    expect([status, text]).toEqual([400, expect.stringContaining('sorted by time only')])
  })

  test('cannot be continued by a cursor of another search, by one that is cut, or by one of another kind', async () => {
    const id = await newPatient()
    await server.fhir('GET', `/Patient/${id}`)
    const first = `/AuditEvent?patient=Patient/${id}&_count=1`
    const { body } = await admin('GET', first)
    const next = body.link.find(({ relation }: Resource) => relation === 'next').url
    const cursor = new URL(next).searchParams.get('_cursor') ?? ''
    expect((await admin('GET', `${first}&_cursor=${cursor}`)).status).toBe(200)
    for (const path of [
      `/AuditEvent?_cursor=${cursor}`,
      `${first}&_cursor=${cursor.slice(0, -8)}`,
      `${first}&_cursor=x`,
    ]) {
      const { status, text } = await admin('GET', path)
      expect([status, text]).toEqual([400, expect.stringContaining('The page cursor does not belong to this list')])
    }
  })
})

describe("a clinic's own AuditEvents", () => {
  const own = (recorded: string, id: string) => ({
    resourceType: 'AuditEvent',
    type: { system: 'urn:own', code: 'own' },
    recorded,
    agent: [{ requestor: true, altId: 'own' }],
    source: { observer: { display: 'own' } },
    entity: [{ what: { reference: `Patient/${id}` } }],
  })

  test('are resources like any other, and stand beside the events of the trail, page by page, in the order of time', async () => {
    const id = await newPatient()
    const past = new Date(Date.now() - 60_000).toISOString()
    const future = new Date(Date.now() + 60_000).toISOString()
    const created = await server.fhir('POST', '/AuditEvent', own(past, id))
    expect(created.status).toBe(201)
    await server.fhir('POST', '/AuditEvent', own(future, id))
    expect(await events(`patient=Patient/${id}`, server.fhir)).toHaveLength(2)
    for (const sort of ['date', '-date']) {
      const whole = await events(`patient=Patient/${id}&_sort=${sort}`)
      const times = whole.map(({ recorded }) => recorded)
      expect(times).toEqual(sort === 'date' ? times.toSorted() : times.toSorted().reverse())
      expect(times.filter((time) => [past, future].includes(time))).toHaveLength(2)
      expect(await pages(`/AuditEvent?patient=Patient/${id}&_sort=${sort}&_count=2`)).toEqual(whole)
    }
    const { total } = (await admin('GET', `/AuditEvent?patient=Patient/${id}&_summary=count`)).body
    expect(total).toBe((await events(`patient=Patient/${id}`)).length)
    expect((await server.fhir('DELETE', `/AuditEvent/${created.body.id}`)).status).toBe(204)
  })

  async function pages(first: string): Promise<readonly Resource[]> {
    const found: Resource[] = []
    for (let path: string | undefined = first; path !== undefined; ) {
      const { body } = await admin('GET', path)
      found.push(...(body.entry ?? []).map(({ resource }: Resource) => resource))
      const next = body.link.find(({ relation }: Resource) => relation === 'next')?.url
      path = next?.slice(server.url.length)
    }
    return found
  }
})

describeOnSqlite('where the audit trail cannot be written', () => {
  test('the service goes on, /health/ready says so, and what waits is written when it can be', async () => {
    const file = join(newFolder(), 'emr.db')
    const obstacle = file.replace('emr.db', 'emr.audit.db')
    mkdirSync(obstacle)
    const lasting = await startServer({ DATABASE_URL: `sqlite:${file}` })
    try {
      const audit = async () => {
        const { status, body } = await request(lasting.url, 'GET', '/health/ready')
        return { status, ...body.parts.find(({ name }: Resource) => name === 'audit trail') }
      }
      expect((await lasting.fhir('POST', '/Patient', { resourceType: 'Patient' })).status).toBe(201)
      await until(async () => (await audit()).state === 'degraded')
      expect((await lasting.fhir('GET', '/Patient')).status).toBe(200)
      expect(await audit()).toMatchObject({ status: 200, state: 'degraded' })
      rmdirSync(obstacle)
      await until(async () => (await audit()).waiting === 0)
      expect(await audit()).toMatchObject({ status: 200, state: 'ok' })
      const authorization = `Bearer ${await lasting.login('admin', 'admin')}`
      const { body } = await request(lasting.url, 'GET', '/AuditEvent?subtype=create', undefined, { authorization })
      expect(body.total).toBe(1)
    } finally {
      await lasting.close()
    }
  })
})

test('with AUDIT=off nothing is recorded, and AuditEvent is a resource like any other', async () => {
  const off = await startServer({ AUDIT: 'off' })
  try {
    await off.fhir('GET', '/Patient')
    const authorization = `Bearer ${await off.login('admin', 'admin')}`
    const { body } = await request(off.url, 'GET', '/AuditEvent', undefined, { authorization })
    expect(body.total).toBe(0)
  } finally {
    await off.close()
  }
})
