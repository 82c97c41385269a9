/** submit_intake: spec 2.3, 2.4, 4.1 rule 8 and 7. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Communication } from 'fhir/r4'
import { Webhook } from 'standardwebhooks'
import { OUTBOX } from '../../../src/integrations/outbox/rows.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { ALL_FIELDS, attachedTo, Caller, INTAKE } from '../caller.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let server: TestServer
/** The CRM of the clinic: a server of its own that answers as a test says. */
let crm: Server
let crmStatus = 200
const received: { readonly body: string; readonly headers: Record<string, string> }[] = []

beforeAll(async () => {
  server = await startServer()
  crm = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    received.push({ body, headers: incoming.headers as Record<string, string> })
    response.writeHead(crmStatus).end()
  })
  await new Promise<void>((resolve) => crm.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await server.close()
  await new Promise((resolve) => crm.close(resolve))
})
afterEach(async () => {
  crmStatus = 200
  received.length = 0
  await configureCrm(undefined)
})

async function configureCrm(settings: { readonly enabled: boolean; readonly url?: string } | undefined): Promise<void> {
  const path = '/clinics/demo-clinic/settings'
  const { crm: _crm, ...others } = (await server.fhir('GET', path)).body
  const url = `http://127.0.0.1:${(crm.address() as AddressInfo).port}/contacts`
  const body = settings === undefined ? others : { ...others, crm: { url, secret: SECRET, ...settings } }
  const { status, text } = await request(server.url, 'PUT', path, body, {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/json',
  })
  if (status !== 200) throw new Error(text)
}

const outboxRows = () => server.app.repository.records(OUTBOX, { clinic: 'demo-clinic', limit: 100 })

const TOOL = 'submit_intake'
/** The intake, its values in normal form. */
const UNDERSTOOD = {
  values: {
    firstName: 'John',
    lastName: 'Roe',
    dateOfBirth: '1980-03-03',
    phone: '+12125550124',
    email: 'john.roe@example.com',
  },
  inWords: 'March 3rd, 1980',
}
const SUCCESS = {
  success: true,
  code: 'intake-submitted',
  say: 'Thank you, I have everything I need for your visit.',
  ...UNDERSTOOD,
}
const FAILURE = {
  success: false,
  code: 'crm-sync-failed',
  error: 'crm sync failed',
  say: 'Thank you, I have your details. Our staff will finish the rest.',
  ...UNDERSTOOD,
}
const PATIENT = {
  name: [{ given: ['John'], family: 'Roe' }],
  birthDate: '1980-03-03',
  telecom: [
    { system: 'phone', value: '+12125550124' },
    { system: 'email', value: 'john.roe@example.com' },
  ],
  address: [{ use: 'home', text: '12 Elm Street, Springfield' }],
  extension: [
    {
      url: 'https://sandbox-emr.example/fhir/StructureDefinition/reason-for-visit',
      valueString: 'a cough for two weeks',
    },
  ],
}

describe('writes the intake through to the Patient record (4.1 rule 8, 2.4)', () => {
  test('name, birth date, phone, e-mail, address and reason for the visit', async () => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, INTAKE)).toEqual(SUCCESS)
    expect(await caller.patient()).toMatchObject(PATIENT)
    expect((await caller.encounter())?.reasonCode).toEqual([{ text: 'a cough for two weeks' }])
  })

  test('spoken values are stored in their normal form, and given back in it, the birth date in words too', async () => {
    const caller = new Caller(server)
    const spoken = {
      ...INTAKE,
      dateOfBirth: 'March third nineteen eighty',
      phone: 'two one two, five five five, oh one two four',
      email: 'john dot roe at example dot com',
    }
    expect(await caller.use(TOOL, spoken)).toEqual(SUCCESS)
    expect(await caller.patient()).toMatchObject(PATIENT)
  })

  test('an intake that is on file already writes no new version and no Provenance', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, INTAKE)
    const versions = async () => [
      (await caller.patient())?.meta?.versionId,
      (await caller.encounter())?.meta?.versionId,
    ]
    const before = await versions()
    const provenances = (await caller.provenances()).length
    expect(await caller.use(TOOL, { ...INTAKE, email: 'john dot roe at example dot com' })).toEqual(SUCCESS)
    expect(await versions()).toEqual(before)
    expect(await caller.provenances()).toHaveLength(provenances)
  })

  test('the reason for the visit is on the Encounter of a call that said nothing else that is new', async () => {
    const [first, second] = [new Caller(server, '+12125550191'), new Caller(server, '+12125550191')]
    await first.use(TOOL, INTAKE)
    await first.end()
    await second.use(TOOL, INTAKE)
    expect(await second.patientId()).toBe(await first.patientId())
    expect((await second.encounter())?.reasonCode).toEqual([{ text: 'a cough for two weeks' }])
    expect(await second.provenances()).toEqual([])
  })

  test('a placeholder whose registration is not complete stays a placeholder (2.4)', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, INTAKE)
    expect(await caller.patient()).toMatchObject({ active: false, meta: { tag: [{ code: 'placeholder' }] } })
  })

  test('an intake that brings the last missing field makes the placeholder a real record (2.4)', async () => {
    const caller = new Caller(server)
    const { phone: _phone, ...others } = ALL_FIELDS
    await caller.use('update_registration_field', others)
    await caller.use(TOOL, { ...INTAKE, firstName: 'Jane', lastName: 'Doe' })
    const patient = await caller.patient()
    expect(patient?.active).toBe(true)
    expect(patient?.meta?.tag).toBeUndefined()
  })

  test('a patient who is on file is updated, and keeps what was not said', async () => {
    const caller = new Caller(server, '+15185550114')
    const before = (await server.fhir('GET', '/Patient/brooks-denise')).body
    const dateOfBirth = before.birthDate
    await caller.use(TOOL, { ...INTAKE, firstName: 'Denise', lastName: 'Brooks', dateOfBirth, phone: '+15185550114' })
    const after = (await server.fhir('GET', '/Patient/brooks-denise')).body
    expect(after.identifier).toEqual(before.identifier)
    expect(after.gender).toBe(before.gender)
    expect(after.active).toBe(true)
    expect(after.birthDate).toBe(before.birthDate)
    expect(after.telecom).toContainEqual(expect.objectContaining({ value: INTAKE.email }))
    expect(after.telecom).toContainEqual(expect.objectContaining({ value: 'denise.brooks@example.net', use: 'old' }))
    expect(after.address).toMatchObject([{ text: INTAKE.address }, { line: ['9 Morris Street'], use: 'old' }])
  })
})

describe('bad and missing values: all reported together, and nothing is written', () => {
  test('four bad values are four reports', async () => {
    const caller = new Caller(server)
    const bad = { ...INTAKE, dateOfBirth: '2999-01-01', phone: '123', email: 'john', firstName: 'x'.repeat(101) }
    const result = await caller.use(TOOL, bad)
    expect(result).toMatchObject({ success: false, code: 'invalid-argument', say: expect.any(String) })
    for (const name of ['dateOfBirth: ', 'phone: ', 'email: ', 'firstName: ']) expect(result.error).toContain(name)
    expect(await caller.encounter()).toBeUndefined()
  })

  test.each(Object.keys(INTAKE))('%s is required', async (name) => {
    const caller = new Caller(server)
    for (const value of [undefined, null, ' ']) {
      expect(await caller.use(TOOL, { ...INTAKE, [name]: value })).toMatchObject({
        success: false,
        code: 'missing-argument',
        error: expect.stringContaining(name),
      })
    }
    expect(await caller.encounter()).toBeUndefined()
  })

  test('missing and bad values are named in one result, and code says that something is missing', async () => {
    const caller = new Caller(server)
    const { address: _address, ...bad } = { ...INTAKE, phone: '123', email: 7, lastName: ' ' }
    const result = await caller.use(TOOL, bad)
    expect(result).toMatchObject({ success: false, code: 'missing-argument' })
    expect(result.error).toMatch(
      /^lastName: The value is missing; address: The value is missing; phone: .*; email: The value must be a string$/,
    )
    expect(await caller.encounter()).toBeUndefined()
  })

  test('without any argument all seven are named', async () => {
    const { error } = await new Caller(server).use(TOOL, {})
    for (const name of Object.keys(INTAKE)) expect(error).toContain(name)
  })

  test('a value that is not text is a wrong type', async () => {
    const result = await new Caller(server).use(TOOL, { ...INTAKE, address: { line: 'x' } })
    expect(result).toMatchObject({
      success: false,
      code: 'invalid-argument',
      error: expect.stringContaining('address'),
    })
  })
})

describe('syncs to the clinic’s CRM when it has one enabled (4.1 rule 8)', () => {
  test('the contact arrives signed, with the values in their normal form, and the outbox is empty after', async () => {
    await configureCrm({ enabled: true })
    const caller = new Caller(server)
    expect(await caller.use(TOOL, { ...INTAKE, email: 'john dot roe at example dot com' })).toEqual(SUCCESS)
    const [delivery, ...more] = received
    expect(more).toEqual([])
    expect(new Webhook(SECRET).verify(delivery?.body ?? '', delivery?.headers ?? {})).toMatchObject({
      type: 'intake.submitted',
      data: { ...INTAKE, clinic: 'demo-clinic', patient: await caller.patientId() },
    })
    expect(await outboxRows()).toEqual([])
    expect(await caller.tasks()).toEqual([])
  })

  test('leaves the log of the call with the person whose intake it is, where another one spoke before', async () => {
    await configureCrm({ enabled: true })
    const caller = new Caller(server)
    await caller.use(TOOL, INTAKE)
    const first = await caller.patientId()
    await caller.use(TOOL, { ...INTAKE, firstName: 'Theodora', dateOfBirth: '2015-05-06' })
    const second = await caller.patientId()
    const logged = await caller.find<Communication>(`Communication?identifier=${caller.id}&_sort=sent`)
    expect(logged.map(({ subject }) => subject?.reference)).toEqual([`Patient/${first}`, `Patient/${second}`])
    expect(second).not.toBe(first)
  })

  test('a CRM that is not enabled gets nothing', async () => {
    await configureCrm({ enabled: false })
    expect(await new Caller(server).use(TOOL, INTAKE)).toEqual(SUCCESS)
    expect(received).toEqual([])
    expect(await outboxRows()).toEqual([])
  })

  test('a bad value reaches no CRM', async () => {
    await configureCrm({ enabled: true })
    await new Caller(server).use(TOOL, { ...INTAKE, phone: '1' })
    expect(received).toEqual([])
  })
})

describe('CRM sync fails (spec 7)', () => {
  test.each([
    ['answers 503', 503],
    ['refuses the contact with 400', 400],
  ])('the CRM %s: success false, error "crm sync failed", Patient saved, flagged for staff', async (_how, status) => {
    await configureCrm({ enabled: true })
    crmStatus = status
    const caller = new Caller(server)
    expect(await caller.use(TOOL, INTAKE)).toEqual(FAILURE)
    expect(await caller.patient()).toMatchObject(PATIENT)
    const [task, ...more] = await caller.tasks()
    expect(more).toEqual([])
    expect(task).toMatchObject({ status: 'requested', code: { coding: [{ code: 'crm-sync-failed' }] } })
    expect(attachedTo(task)['call-id']).toEqual([caller.id])
    const rows = await outboxRows()
    expect(rows.map(({ value }) => (value as { contact: { patient: string } }).contact.patient)).toContain(
      await caller.patientId(),
    )
  })

  test('a CRM that cannot be reached is a failed sync too', async () => {
    await configureCrm({ enabled: true, url: 'http://127.0.0.1:9/contacts' })
    const caller = new Caller(server)
    expect(await caller.use(TOOL, INTAKE)).toEqual(FAILURE)
    expect(await caller.patient()).toMatchObject(PATIENT)
  })
})

test('over FHIR bad values are 400 with an issue for each', async () => {
  const values = { ...INTAKE, phone: '123', email: 'john' }
  const { status, body } = await server.fhir('POST', '/Patient/abernathy-ruth/$submit-intake', {
    resourceType: 'Parameters',
    parameter: Object.entries(values).map(([name, valueString]) => ({ name, valueString })),
  })
  expect(status).toBe(400)
  expect(body.issue.map(({ expression }: { expression: string[] }) => expression)).toEqual([['phone'], ['email']])
})
