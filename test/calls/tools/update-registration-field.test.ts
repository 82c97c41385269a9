/** update_registration_field: spec 2.3, 2.4, 3 and 4.1 rule 4. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Consent, Patient } from 'fhir/r4'
import { startServer, type TestServer } from '../../support/server.ts'
import { ALL_FIELDS, Caller } from '../caller.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const TOOL = 'update_registration_field'
const NAMES = Object.keys(ALL_FIELDS) as (keyof typeof ALL_FIELDS)[]
const PLACEHOLDER = 'https://sandbox-emr.example/fhir/CodeSystem/record-status|placeholder'

const withPhone = (number: string) => new Caller(server).find<Patient>(`Patient?phone=${encodeURIComponent(number)}`)

const extension = (patient: Patient | undefined, id: string) =>
  patient?.extension?.find(({ url }) => url === `https://sandbox-emr.example/fhir/StructureDefinition/${id}`)

describe('registrationStatus ACTION_REQUIRED (spec 3)', () => {
  test('the first field makes a placeholder record, and the result names the missing fields in order', async () => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, { firstName: 'Jane' })).toEqual({
      success: true,
      registrationStatus: 'ACTION_REQUIRED',
      missingFields: NAMES.slice(1),
      code: 'action-required',
      say: 'Thank you. I still need your last name, phone number, email address, preferred location, Medicare status, health plan, referral source, and consent to be contacted.',
      values: { firstName: 'Jane' },
    })
    const patient = await caller.patient()
    expect(patient).toMatchObject({ active: false, name: [{ given: ['Jane'] }] })
    expect(await caller.find<Patient>(`Patient?_tag=${PLACEHOLDER}&_id=${patient?.id}`)).toHaveLength(1)
  })

  test('fields are saved call by call, and a later value replaces an earlier one (4.1 rule 4)', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { firstName: 'Jane', email: 'old@example.com' })
    await caller.use(TOOL, { lastName: 'Doe' })
    const result = await caller.use(TOOL, { email: 'new@example.com' })
    expect(result.missingFields).toEqual(NAMES.filter((name) => !['firstName', 'lastName', 'email'].includes(name)))
    expect(await caller.patient()).toMatchObject({
      name: [{ given: ['Jane'], family: 'Doe' }],
      telecom: [{ system: 'email', value: 'new@example.com' }],
    })
  })

  test.each(NAMES)('with every field but %s the record stays a placeholder and only that is missing', async (name) => {
    const caller = new Caller(server)
    const { [name]: _left, ...others } = ALL_FIELDS
    expect(await caller.use(TOOL, others)).toMatchObject({
      success: true,
      registrationStatus: 'ACTION_REQUIRED',
      missingFields: [name],
    })
    expect((await caller.patient())?.active).toBe(false)
  })

  test('without any field it tells what is missing', async () => {
    expect(await new Caller(server).use(TOOL, {})).toMatchObject({ success: true, missingFields: NAMES })
  })

  test('"none" counts as not given, except where it is an answer in the words of the caller', async () => {
    const caller = new Caller(server)
    const said = {
      firstName: 'Jane',
      phone: 'N/A',
      email: 'none',
      commsConsent: 'not applicable',
      healthPlanName: 'none',
    }
    const { success, missingFields } = await caller.use(TOOL, said)
    expect(success).toBe(true)
    expect(missingFields).toEqual(NAMES.filter((name) => !['firstName', 'healthPlanName'].includes(name)))
    expect(extension(await caller.patient(), 'health-plan-name')?.valueString).toBe('none')
  })

  test('null and blank values count as not given and delete nothing', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { firstName: 'Jane' })
    const result = await caller.use(TOOL, { firstName: '  ', email: '', phone: null })
    expect(result.success).toBe(true)
    expect((await caller.patient())?.name).toEqual([{ given: ['Jane'] }])
  })
})

describe('registrationStatus COMPLETE (spec 3, 2.4)', () => {
  test('the last field turns the placeholder into a real record of the Patients list in the same version', async () => {
    const caller = new Caller(server)
    const { commsConsent, ...others } = ALL_FIELDS
    await caller.use(TOOL, others)
    expect(await caller.use(TOOL, { commsConsent })).toEqual({
      success: true,
      registrationStatus: 'COMPLETE',
      missingFields: [],
      code: 'complete',
      say: 'Thank you, your registration is complete.',
      values: { commsConsent: true },
    })
    const patient = await caller.patient()
    expect(patient).toMatchObject({
      active: true,
      meta: { versionId: '2' },
      name: [{ given: ['Jane'], family: 'Doe' }],
      telecom: [
        { system: 'phone', value: '+12125550123' },
        { system: 'email', value: 'jane@example.com' },
      ],
    })
    expect(patient?.meta?.tag).toBeUndefined()
    expect(extension(patient, 'preferred-location')?.valueString).toBe('Downtown')
    expect(extension(patient, 'medicare-status')?.valueString).toBe('not enrolled')
    expect(extension(patient, 'health-plan-name')?.valueString).toBe('Blue Harbor Gold')
    expect(extension(patient, 'referral-source')?.valueString).toBe('a friend')
    expect(extension(patient, 'communication-consent')?.valueBoolean).toBe(true)
    expect(await caller.find(`Patient?active=true&_id=${patient?.id}`)).toHaveLength(1)
    expect(await caller.find(`Patient?_tag=${PLACEHOLDER}&_id=${patient?.id}`)).toHaveLength(0)
  })

  test('the Patients list without placeholders has it from then on, by the tag and by active', async () => {
    const caller = new Caller(server)
    const { commsConsent, ...others } = ALL_FIELDS
    await caller.use(TOOL, others)
    const id = await caller.patientId()
    const lists = [`_tag:not=${PLACEHOLDER}`, 'active=true']
    const listed = () => Promise.all(lists.map(async (list) => (await caller.find(`Patient?${list}&_id=${id}`)).length))
    expect(await listed()).toEqual([0, 0])
    await caller.use(TOOL, { commsConsent })
    expect(await listed()).toEqual([1, 1])
    for (const list of lists) expect(await caller.find(`Patient?${list}&_id=abernathy-ruth`)).toHaveLength(1)
  })

  test('over several calls of a number it is completed once, in the version that has the last field', async () => {
    const number = '+12125550161'
    const { firstName, lastName, ...others } = ALL_FIELDS
    const said = Object.entries({ ...others, phone: number })
    const results = []
    for (const [name, value] of said) {
      const caller = new Caller(server, number)
      results.push(await caller.use(TOOL, { firstName, lastName, [name]: value }))
      await caller.end()
    }
    expect(results.map(({ registrationStatus }) => registrationStatus)).toEqual([
      ...said.slice(1).map(() => 'ACTION_REQUIRED'),
      'COMPLETE',
    ])
    expect(results.map(({ missingFields }) => missingFields)).toEqual(said.map((_, at) => NAMES.slice(at + 3)))
    const later = new Caller(server, number)
    expect(await later.use(TOOL, { email: '', phone: null })).toMatchObject({ registrationStatus: 'COMPLETE' })
    expect(await withPhone(number)).toMatchObject([{ active: true, name: [{ given: ['Jane'], family: 'Doe' }] }])
  })

  test('completed by requests at the same time, it becomes a real record exactly once', async () => {
    const caller = new Caller(server)
    const said = Object.entries(ALL_FIELDS)
    await Promise.all([...said, ...said].map(([name, value]) => caller.use(TOOL, { [name]: value })))
    const { body } = await server.fhir('GET', `/Patient/${await caller.patientId()}/_history`)
    const active = body.entry.map(({ resource }: { resource: Patient }) => resource.active).toReversed()
    expect(active).toEqual([...active.slice(0, -1).map(() => false), true])
  })

  test('a complete registration stays complete, and its fields can still be changed', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, ALL_FIELDS)
    expect(await caller.use(TOOL, { preferredLocation: 'Uptown' })).toMatchObject({ registrationStatus: 'COMPLETE' })
    expect(extension(await caller.patient(), 'preferred-location')?.valueString).toBe('Uptown')
  })

  test('what was said is found by matching a moment later (spec 1)', async () => {
    await new Caller(server).use(TOOL, {
      ...ALL_FIELDS,
      firstName: 'Wilhelmina',
      lastName: 'Quackenbush',
      phone: '+12125550177',
    })
    const asked = { resourceType: 'Patient', name: [{ family: 'Quackenbush', given: ['Wilhelmina'] }] }
    const { body } = await server.fhir('POST', '/Patient/$match', asked)
    expect(body.entry[0].resource.name).toEqual([{ given: ['Wilhelmina'], family: 'Quackenbush' }])
  })

  test('saying again what is on file writes no new version', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, ALL_FIELDS)
    await caller.use(TOOL, ALL_FIELDS)
    expect((await caller.patient())?.meta?.versionId).toBe('1')
  })
})

describe('spoken values are stored in their normal form', () => {
  test('an e-mail address and a phone number as callers say them', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, {
      email: 'jane dot doe at example dot com',
      phone: 'two one two, five five five, oh one double two',
    })
    await caller.use(TOOL, { phone: '(212) 555-0199' })
    expect((await caller.patient())?.telecom).toEqual([
      { system: 'phone', value: '+12125550199' },
      { system: 'email', value: 'jane.doe@example.com' },
    ])
  })
})

test('a number or a boolean is kept as text in the words of the caller', async () => {
  const caller = new Caller(server)
  const said = { medicareStatus: false, healthPlanName: 360, referralSource: true, preferredLocation: 2 }
  expect(await caller.use(TOOL, said)).toMatchObject({ success: true })
  const patient = await caller.patient()
  const stored = ['medicare-status', 'health-plan-name', 'referral-source', 'preferred-location'].map(
    (id) => extension(patient, id)?.valueString,
  )
  expect(stored).toEqual(['false', '360', 'true', '2'])
})

describe('what was understood is given back in normal form', () => {
  test('of all that has one, also where other fields are bad; what is kept as it was said is left out', async () => {
    const said = {
      firstName: 'my name is Jane',
      lastName: 'S M I T H',
      phone: 'two one two, five five five, oh one double two',
      email: 'jane dot doe at example dot com',
      referralSource: 'a friend',
      commsConsent: 'yeah sure',
    }
    const values = {
      firstName: 'Jane',
      lastName: 'Smith',
      phone: '+12125550122',
      email: 'jane.doe@example.com',
      commsConsent: true,
    }
    expect((await new Caller(server).use(TOOL, said)).values).toEqual(values)
    const { email: _email, ...others } = values
    expect((await new Caller(server).use(TOOL, { ...said, email: 'jane at' })).values).toEqual(others)
  })

  test('and nothing is where nothing was understood', async () => {
    const caller = new Caller(server)
    for (const args of [{}, { email: 'jane at' }, { referralSource: 'a friend' }])
      expect(await caller.use(TOOL, args)).not.toHaveProperty('values')
  })

  test('over FHIR each value is a parameter with two parts', async () => {
    const { body } = await server.fhir('POST', '/Patient/adeyemi-tunde/$update-registration-field', {
      resourceType: 'Parameters',
      parameter: [{ name: 'email', valueString: 'tunde dot a at example dot com' }],
    })
    expect(body.parameter).toContainEqual({
      name: 'values',
      part: [
        { name: 'name', valueString: 'email' },
        { name: 'value', valueString: 'tunde.a@example.com' },
      ],
    })
  })
})

describe('arguments that are no fields', () => {
  test('are named beside those that are saved', async () => {
    const caller = new Caller(server)
    const result = await caller.use(TOOL, { first_name: 'Jane', lastName: 'Doe' })
    expect(result).toMatchObject({ success: true, ignored: [{ name: 'first_name', nearest: 'firstName' }] })
    expect(result.missingFields).toContain('firstName')
    expect((await caller.patient())?.name).toEqual([{ family: 'Doe' }])
  })

  test('alone are a failure, and nothing is written', async () => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, { first_name: 'Jane', 'Last Name': 'Doe', mood: 'good', email: ' ' })).toMatchObject({
      success: false,
      code: 'unknown-arguments',
      error: expect.stringContaining(
        'first_name (nearest: firstName), Last Name (nearest: lastName), mood; the fields are',
      ),
      say: expect.any(String),
      ignored: [
        { name: 'first_name', nearest: 'firstName' },
        { name: 'Last Name', nearest: 'lastName' },
        { name: 'mood' },
      ],
    })
    expect(await caller.encounter()).toBeUndefined()
  })

  test('that are blank count as not given', async () => {
    const result = await new Caller(server).use(TOOL, { first_name: '', mood: null })
    expect(result).toMatchObject({ success: true, missingFields: NAMES })
    expect(result).not.toHaveProperty('ignored')
  })
})

describe('bad fields', () => {
  test('the good fields are saved, the bad ones are reported, and the status is given all the same', async () => {
    const caller = new Caller(server)
    const result = await caller.use(TOOL, { firstName: 'Jane', email: 'jane at', phone: '123', commsConsent: 'maybe' })
    expect(result).toMatchObject({
      success: false,
      code: 'invalid-fields',
      registrationStatus: 'ACTION_REQUIRED',
      missingFields: NAMES.slice(1),
      say: 'Sorry, I could not take down your phone number, email address, and consent to be contacted. Could you say that again?',
    })
    expect(result.invalidFields).toEqual([
      { field: 'phone', error: expect.stringContaining('7') },
      { field: 'email', error: expect.any(String) },
      { field: 'commsConsent', error: expect.stringContaining('yes or no') },
    ])
    expect(result.error).toContain('phone: ')
    const patient = await caller.patient()
    expect(patient?.name).toEqual([{ given: ['Jane'] }])
    expect(patient?.telecom).toBeUndefined()
  })

  test.each([
    ['a number', 5],
    ['a list', ['Jane']],
    ['an object', { text: 'Jane' }],
  ])('%s as a name is reported as a wrong type', async (_what, firstName) => {
    const result = await new Caller(server).use(TOOL, { firstName, lastName: 'Doe' })
    expect(result.invalidFields).toEqual([{ field: 'firstName', error: 'The value must be a string' }])
    expect(result.missingFields).not.toContain('lastName')
  })

  test('a name of more than 100 characters is reported with its limit', async () => {
    const result = await new Caller(server).use(TOOL, { firstName: 'x'.repeat(101) })
    expect(result.invalidFields).toEqual([
      { field: 'firstName', error: 'The value has 101 characters; it may have 100' },
    ])
  })

  test('a bad value does not replace a good one that is on file', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { email: 'jane@example.com' })
    const result = await caller.use(TOOL, { email: 'nonsense' })
    expect(result.missingFields).not.toContain('email')
    expect((await caller.patient())?.telecom).toEqual([{ system: 'email', value: 'jane@example.com' }])
  })
})

describe('communication consent is a Consent too', () => {
  const consents = async (caller: Caller) => caller.find<Consent>(`Consent?patient=${await caller.patientId()}`)

  test.each([
    [true, 'active', 'permit', 'OPTIN'],
    [false, 'inactive', 'deny', 'OPTOUT'],
    [1, 'active', 'permit', 'OPTIN'],
    [0, 'inactive', 'deny', 'OPTOUT'],
    ['agreed', 'active', 'permit', 'OPTIN'],
    ['opt out', 'inactive', 'deny', 'OPTOUT'],
  ] as const)('%s is on file as %s', async (commsConsent, status, provision, policy) => {
    const caller = new Caller(server)
    expect((await caller.use(TOOL, { commsConsent })).missingFields).not.toContain('commsConsent')
    expect(await consents(caller)).toMatchObject([
      { status, provision: { type: provision }, policyRule: { coding: [{ code: policy }] } },
    ])
  })

  test('a change of mind updates the one Consent and never adds another', async () => {
    const caller = new Caller(server)
    for (const commsConsent of [true, true, false]) await caller.use(TOOL, { commsConsent })
    expect(await consents(caller)).toMatchObject([{ status: 'inactive', meta: { versionId: '2' } }])
    expect(extension(await caller.patient(), 'communication-consent')?.valueBoolean).toBe(false)
  })
})

describe('a call whose caller is on file', () => {
  test('updates the real patient and keeps everything that was not said', async () => {
    const caller = new Caller(server, '+15185550113')
    const before = (await server.fhir('GET', '/Patient/bianchi-paolo')).body
    const result = await caller.use(TOOL, { referralSource: 'an advert' })
    expect(result.missingFields).toEqual(['preferredLocation', 'medicareStatus', 'healthPlanName', 'commsConsent'])
    const after = (await server.fhir('GET', '/Patient/bianchi-paolo')).body
    const { meta: _before, extension: extensions = [], ...rest } = before
    expect(after).toMatchObject(rest)
    expect(after.extension).toHaveLength(extensions.length + 1)
    expect(after.active).toBe(true)
  })
})

describe('the call is on record', () => {
  test('one Encounter of class VR for the call, and a Provenance for each write', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { firstName: 'Jane' })
    await caller.use(TOOL, { lastName: 'Doe', commsConsent: true })
    const id = await caller.patientId()
    expect(await caller.encounter()).toMatchObject({ class: { code: 'VR' }, subject: { reference: `Patient/${id}` } })
    const targets = (await caller.provenances()).map(({ target }) => target.map(({ reference }) => reference))
    expect(targets).toEqual([
      [`Patient/${id}/_history/1`],
      [`Patient/${id}/_history/2`, expect.stringMatching(/^Consent\/.+\/_history\/1$/)],
    ])
  })
})

describe('simultaneous tool calls of one call', () => {
  test('each saves its field, on one patient', async () => {
    const caller = new Caller(server)
    await Promise.all(Object.entries(ALL_FIELDS).map(([name, value]) => caller.use(TOOL, { [name]: value })))
    expect(await caller.use(TOOL, {})).toMatchObject({ registrationStatus: 'COMPLETE' })
    expect((await caller.patient())?.active).toBe(true)
    expect(await caller.find(`Consent?patient=${await caller.patientId()}`)).toHaveLength(1)
  })
})

describe('over FHIR, for staff', () => {
  const parameters = { resourceType: 'Parameters', parameter: [{ name: 'referralSource', valueString: 'a neighbour' }] }

  test('it works on the patient in the path, without a call on record', async () => {
    const { status, body } = await server.fhir('POST', '/Patient/adeyemi-tunde/$update-registration-field', parameters)
    expect(status).toBe(200)
    expect(body.parameter).toContainEqual({ name: 'registrationStatus', valueCode: 'ACTION_REQUIRED' })
    expect(body.parameter).toContainEqual({ name: 'missingFields', valueString: 'commsConsent' })
    const { body: patient } = await server.fhir('GET', '/Patient/adeyemi-tunde')
    expect(extension(patient, 'referral-source')?.valueString).toBe('a neighbour')
    expect((await server.fhir('GET', '/Encounter?patient=adeyemi-tunde&class=VR')).body.total).toBe(0)
  })

  test('without a patient in the path it is refused with a sentence that says what to do', async () => {
    const { status, body } = await server.fhir('POST', '/Patient/$update-registration-field', parameters)
    expect(status).toBe(400)
    expect(body.issue[0].diagnostics).toContain('POST /Patient/{id}/$')
  })

  test('a patient who is not there is 404', async () => {
    expect((await server.fhir('POST', '/Patient/nobody/$update-registration-field', parameters)).status).toBe(404)
  })
})
