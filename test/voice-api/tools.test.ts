/** The live-call routes (spec.md 2.1, 2.2, 4.1, 5 and 7) on the real app. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, Patient, Task } from 'fhir/r4'
import { MAX_CALLS } from '../../src/calls/envelope.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import type { InsuranceResult } from '../../src/core/ports.ts'
import { standard } from '../../src/core/provider.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const SECRET = { 'x-voice-secret': 'demo-secret' }
const DEMO = '+12125550100'
const OTHER = '+12125550200'

type Result = Record<string, unknown>

/** The decoded results, by their place. */
const decode = ({ body }: FhirResponse): Result[] =>
  body.results.map(({ result }: { result: string }) => JSON.parse(result))

const call = (id: unknown, args: unknown) => ({ id, function: { arguments: args } })
const batch = (...toolCalls: unknown[]) => ({ message: { toolCalls } })

const UPDATE = '/patient-journey/update_registration_field'
const VALIDATE = '/patient-intake/validate_intake_field'
const ESCALATE = '/patient-journey/escalate_billing'
const INSURANCE = '/patient-journey/submit_insurance_info'

const VICTIM_NUMBER = '+12125550167'

let server: TestServer
/** The number of requests to the insurance system, and its delay in milliseconds. */
let asked = 0
let insuranceDelay = 0

const post = (path: string, body: unknown, headers: Record<string, string> = {}, at = server) =>
  request(at.url, 'POST', path, body, { ...SECRET, 'content-type': 'application/json', ...headers })

const run = async (path: string, args: unknown, headers: Record<string, string> = {}, body: object = {}) => {
  const message = { ...body, toolCalls: [call(crypto.randomUUID(), args)] }
  return decode(await post(path, { ...body, message }, headers))[0] ?? {}
}

async function addClinic(at: TestServer): Promise<void> {
  await createClinic(at.app.repository, 'other', {
    name: 'Other',
    timeZone: 'UTC',
    defaultRegion: 'US',
    dialedNumbers: [OTHER],
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
}

const patientsOf = async (clinic: string) =>
  (await (await server.app.access(clinic, { kind: 'server' }).reader()).search<Patient>('Patient', '_count=1000')).map(
    ({ resource }) => resource,
  )
const tasksOf = async (clinic: string) =>
  (await (await server.app.access(clinic, { kind: 'server' }).reader()).search<Task>('Task', '_count=1000')).map(
    ({ resource }) => resource,
  )
/** The data of a clinic, to see that a request changed nothing. */
const contentsOf = async (clinic: string) => JSON.stringify([await patientsOf(clinic), await tasksOf(clinic)])

/** How often Tasks were written: a further escalation of a call is another version of its Task. */
const writesOf = async (clinic: string) =>
  (await tasksOf(clinic)).reduce((sum, { meta }) => sum + Number(meta?.versionId), 0)

beforeAll(async () => {
  const insurance = {
    verify: async (): Promise<InsuranceResult> => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, insuranceDelay))
      return { status: 'VERIFIED', copayCents: 100 * asked }
    },
  }
  const started = await startServer({}, { integrations: { insurance } })
  await addClinic(started)
  server = withToken(started, await logInAs(started, { username: 'staff', clinic: 'demo-clinic', role: 'staff' }))
})
afterAll(() => server.close())

describe('the shared secret (spec 5)', () => {
  test.each([
    ['is missing', {}],
    ['is wrong', { 'x-voice-secret': 'wrong' }],
    ['is empty', { 'x-voice-secret': '' }],
    ['is the beginning of the right one', { 'x-voice-secret': 'demo-secre' }],
    ['is the right one in other case', { 'x-voice-secret': 'Demo-Secret' }],
  ])('a request whose x-voice-secret %s is 401, whatever its body', async (_what, headers) => {
    for (const path of [VALIDATE, UPDATE, '/calls', '/patient-intake/unknown']) {
      const response = await request(server.url, 'POST', path, '{ not JSON', {
        'content-type': 'application/json',
        ...headers,
      })
      expect([response.status, Object.keys(response.body)]).toEqual([401, ['error']])
    }
  })

  test('a dashboard token is no substitute', async () => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    expect((await request(server.url, 'POST', VALIDATE, batch(), headers)).status).toBe(401)
  })

  test('a tool needs no token', async () => {
    expect((await post(VALIDATE, batch(call('1', { fieldName: 'x', value: 'y' })))).status).toBe(200)
  })
})

describe('the body', () => {
  test.each(['{', '', 'text', '{"message":'])('that is not JSON is 400: %s', async (body) => {
    const response = await post(VALIDATE, body)
    expect([response.status, Object.keys(response.body)]).toEqual([400, ['error']])
  })

  test('that is larger than the limit is 413', async () => {
    const small = await startServer({ MAX_BODY_BYTES: '2000' })
    try {
      const response = await post(VALIDATE, batch(call('1', { value: 'x'.repeat(3000) })), {}, small)
      expect([response.status, Object.keys(response.body)]).toEqual([413, ['error']])
    } finally {
      await small.close()
    }
  })

  test.each([[[]], [5], [{ message: {} }], [{ message: { toolCalls: 'x' } }], [batch()]])(
    'that is JSON without calls (%j) is 200 with empty results that say why',
    async (body) => {
      const response = await post(VALIDATE, body)
      expect(response.status).toBe(200)
      expect(response.body).toEqual({ results: [], error: expect.stringContaining('message') })
    },
  )

  test('other methods are 405', async () => {
    const response = await request(server.url, 'PUT', VALIDATE, undefined, SECRET)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, HEAD, GET'])
  })
})

describe('the results (spec 2.2)', () => {
  test('are in the order of the calls, ids echoed exactly, duplicates and other types too, each result one line', async () => {
    const ids = ['b', 'a', 'a', 7, null, 'ü\n']
    const response = await post(
      VALIDATE,
      batch(...ids.map((id) => call(id, { fieldName: 'note', value: 'line\nline' }))),
    )
    expect(response.body.results.map(({ toolCallId }: { toolCallId: unknown }) => toolCallId)).toEqual(ids)
    for (const { result } of response.body.results) expect(result).not.toContain('\n')
    expect(decode(response)).toEqual(ids.map(() => expect.objectContaining({ valid: true })))
  })

  test('a call that fails does not stop the others', async () => {
    const response = await post(
      VALIDATE,
      batch(
        'no object',
        call('1', '{broken'),
        call('2', { value: 'x' }),
        call('3', { fieldName: 5, value: 'x' }),
        { id: '4', function: { name: 'submit_intake', arguments: {} } },
        call('5', { fieldName: 'email', value: 'john dot doe at example dot com' }),
      ),
    )
    expect(response.status).toBe(200)
    expect(decode(response).map(({ valid, code }) => [valid, code])).toEqual([
      [false, 'invalid-call'],
      [false, 'invalid-arguments'],
      [false, 'missing-argument'],
      [false, 'invalid-argument'],
      [false, 'wrong-tool'],
      [true, 'valid'],
    ])
  })

  test('a failure carries success false, a code, an error for the developer and a sentence to speak', async () => {
    const headers = { 'x-call-id': 'failing', 'x-call-to': DEMO }
    expect(await run('/patient-journey/record_self_pay_decision', {}, headers)).toEqual({
      success: false,
      code: 'missing-argument',
      error: expect.stringContaining('decision'),
      say: expect.any(String),
    })
  })

  test('a call without an id is no repeat of another one, though the arguments are the same', async () => {
    const headers = { 'x-call-id': 'without-id', 'x-call-to': OTHER }
    const raised = async (id: unknown) => {
      const before = await writesOf('other')
      await post(ESCALATE, batch(call(id, { reason: 'twice' }), call(id, { reason: 'twice' })), headers)
      return (await writesOf('other')) - before
    }
    expect([await raised(null), await raised('same')]).toEqual([2, 1])
  })

  test('a call that changes nothing has the stored result with the same id, though the settings have changed since', async () => {
    const settings = '/clinics/demo-clinic/settings'
    const { body: before } = await server.fhir('GET', settings)
    const heard = async (id: string) => {
      const headers = { 'x-call-id': 'validating', 'x-call-to': DEMO }
      const calls = batch(call(id, { fieldName: 'phone', value: '020 7946 0958' }))
      return decode(await post(VALIDATE, calls, headers))[0]?.value
    }
    expect(await heard('same')).toBe('02079460958')
    try {
      expect((await server.fhir('PUT', settings, { ...before, defaultRegion: 'GB' })).status).toBe(200)
      expect(await heard('same')).toBe('02079460958')
      expect(await heard('another')).toBe('+442079460958')
    } finally {
      await server.fhir('PUT', settings, before)
    }
  })

  test('a failure names the arguments that were ignored, each with the nearest that the tool has', async () => {
    const headers = { 'x-call-id': 'misspelling', 'x-call-to': DEMO }
    const given = { Decision: 'self_pay_continue', self_pay_price_cents: 5 }
    expect(await run('/patient-journey/record_self_pay_decision', given, headers)).toMatchObject({
      code: 'missing-argument',
      ignored: [
        { name: 'Decision', nearest: 'decision' },
        { name: 'self_pay_price_cents', nearest: 'selfPayPriceCents' },
      ],
    })
  })

  test('a repeat names them too', async () => {
    const headers = { 'x-call-id': 'misspelling-twice', 'x-call-to': OTHER }
    const calls = batch(call('same', { Reason: 'twice' }), call('same', { Reason: 'twice' }))
    const ignored = [{ name: 'Reason', nearest: 'reason' }]
    expect(decode(await post(ESCALATE, calls, headers))).toMatchObject([{ ignored }, { ignored }])
  })

  test('an argument that the tool does not know is ignored, and named unless it is blank', async () => {
    const given = { fieldName: 'email', value: 'a@example.com', mood: 'good', blank: ' ', nothing: null }
    expect(await run(VALIDATE, given)).toMatchObject({ valid: true, ignored: [{ name: 'mood' }] })
  })

  test('null arguments count as not given', async () => {
    expect(await run(INSURANCE, { payerName: 'Acme', memberId: null })).toMatchObject({ code: 'missing-argument' })
  })

  test(`a request may batch ${MAX_CALLS} calls; each one more is refused in its result`, async () => {
    const calls = Array.from({ length: MAX_CALLS + 1 }, (_value, id) => call(id, { fieldName: 'x', value: 'y' }))
    const results = decode(await post(VALIDATE, batch(...calls)))
    expect(results.map(({ valid }) => valid)).toEqual(calls.map(({ id }) => (id as number) < MAX_CALLS))
    expect(results.at(-1)).toMatchObject({ code: 'too-many-calls' })
  })

  test.each([
    ['/patient-journey/unknown', 'resolve_patient_identity'],
    ['/patient-intake/escalate_billing', 'validate_intake_field, submit_intake'],
  ])('the unknown tool %s is a failure that names those of the family', async (path, names) => {
    const response = await post(path, batch(call('1', {}), call('2', {})))
    expect(response.status).toBe(200)
    expect(decode(response)).toEqual(
      [1, 2].map(() =>
        expect.objectContaining({ success: false, code: 'unknown-tool', error: expect.stringContaining(names) }),
      ),
    )
  })

  test.each([
    ['toolCallList', { toolCallList: [call('1', { fieldName: 'x', value: 'y' })] }],
    [
      'toolWithToolCallList',
      { toolWithToolCallList: [{ toolCall: { id: '1', function: { parameters: '{"fieldName":"x","value":"y"}' } } }] },
    ],
    ['arguments beside function', { toolCalls: [{ id: '1', arguments: { fieldName: 'x', value: 'y' } }] }],
  ])('the dialect %s is understood', async (_name, message) => {
    expect(decode(await post(VALIDATE, { message }))).toEqual([expect.objectContaining({ valid: true })])
  })
})

describe('a handler that breaks', () => {
  test('says nothing of the fault, and the other calls still run', async () => {
    let runs = 0
    const faulty = { ...standard, update: () => Promise.reject(new Error(`secret of John Doe ${++runs}`)) }
    const { specialProviders } = await import('../../src/providers/index.ts')
    const broken = await startServer(
      {},
      { providers: specialProviders.map((one) => (one.type === 'Task' ? { ...one, interactions: faulty } : one)) },
    )
    try {
      const response = await post(ESCALATE, batch(call('1', {}), call('2', {})), {}, broken)
      expect(response.status).toBe(200)
      expect(decode(response)).toEqual([1, 2].map(() => expect.objectContaining({ success: false, code: 'internal' })))
      expect(response.text).not.toContain('John')
      expect(runs).toBe(2)
      const patients = await request(broken.url, 'GET', '/Patient?_tag=placeholder&_summary=count', undefined, {
        authorization: `Bearer ${broken.token}`,
      })
      expect((patients.body as Bundle).total).toBe(0)
    } finally {
      await broken.close()
    }
  })
})

describe('which call (spec 4.1 rule 9)', () => {
  test('without call metadata in demo mode it is the default call of the demo clinic', async () => {
    expect(await run(UPDATE, { firstName: 'Default' })).toMatchObject({ success: true })
    await run(UPDATE, { lastName: 'Caller' })
    const patients = (await patientsOf('demo-clinic')).filter(({ name }) => name?.[0]?.family === 'Caller')
    expect(patients).toMatchObject([{ active: false, name: [{ given: ['Default'], family: 'Caller' }] }])
  })

  test('x-call-to decides the clinic of a new call', async () => {
    const before = await contentsOf('demo-clinic')
    await run(UPDATE, { firstName: 'Inbound' }, { 'x-call-id': 'in-1', 'x-call-to': OTHER })
    expect((await patientsOf('other')).map(({ name }) => name?.[0]?.given?.[0])).toContain('Inbound')
    expect(await contentsOf('demo-clinic')).toBe(before)
  })

  test('x-call-id alone goes on with a call that is known', async () => {
    await run(UPDATE, { lastName: 'Goeson' }, { 'x-call-id': 'in-1' })
    expect((await patientsOf('other')).map(({ name }) => name?.[0])).toContainEqual({
      given: ['Inbound'],
      family: 'Goeson',
    })
  })

  test('a later header that disagrees is refused inside the results', async () => {
    const before = await contentsOf('other')
    const response = await post(UPDATE, batch(call('1', { firstName: 'Evil' })), {
      'x-call-id': 'in-1',
      'x-call-to': DEMO,
    })
    expect(response.status).toBe(200)
    expect(decode(response)).toEqual([expect.objectContaining({ success: false, code: 'call-mismatch' })])
    expect(await contentsOf('other')).toBe(before)
  })

  test('the patient is the single one with the number of the caller', async () => {
    const { body } = await server.fhir('POST', '/Patient', {
      resourceType: 'Patient',
      name: [{ family: 'Known' }],
      telecom: [{ system: 'phone', value: '(212) 555-0177' }],
    })
    await run(UPDATE, { firstName: 'Well' }, { 'x-call-id': 'in-2', 'x-call-to': DEMO, 'x-call-from': '+12125550177' })
    expect((await server.fhir('GET', `/Patient/${body.id}`)).body.name).toMatchObject([
      { given: ['Well'], family: 'Known' },
    ])
  })

  test('two calls of one batch and two first requests at once write to one placeholder', async () => {
    const headers = { 'x-call-id': 'in-3', 'x-call-to': OTHER }
    const before = (await patientsOf('other')).length
    await Promise.all([
      post(UPDATE, batch(call('1', { firstName: 'One' }), call('2', { lastName: 'Placeholder' })), headers),
      post(UPDATE, batch(call('3', { email: 'one@example.com' })), headers),
      post(UPDATE, batch(call('4', { referralSource: 'friend' })), headers),
    ])
    const patients = await patientsOf('other')
    expect(patients).toHaveLength(before + 1)
    expect(patients).toContainEqual(
      expect.objectContaining({
        name: [expect.objectContaining({ given: ['One'], family: 'Placeholder' })],
        telecom: [expect.objectContaining({ value: 'one@example.com' })],
      }),
    )
  })
})

describe('the body never selects (spec 4.1 rule 9)', () => {
  test('patientId, clinicId, phone numbers and message.call in the body change nothing', async () => {
    const victim = await server.fhir('POST', '/Patient', {
      resourceType: 'Patient',
      name: [{ family: 'Victim' }],
      telecom: [{ system: 'phone', value: '+12125550188' }],
    })
    const selectors = {
      patientId: victim.body.id,
      patient: `Patient/${victim.body.id}`,
      id: victim.body.id,
      clinicId: 'demo-clinic',
      clinic: 'demo-clinic',
      callId: 'in-2',
      call: { id: 'in-2', phoneNumber: { number: DEMO }, customer: { number: '+12125550188' } },
      phoneNumber: { number: DEMO },
      customer: { number: '+12125550188' },
      dialedNumber: DEMO,
      callerNumber: '+12125550188',
    }
    const before = await contentsOf('demo-clinic')
    const headers = { 'x-call-id': 'selecting', 'x-call-to': OTHER }
    const said: [string, Result][] = [
      [UPDATE, { firstName: 'Mallory' }],
      [ESCALATE, { reason: 'x' }],
      [INSURANCE, { payerName: 'Acme', memberId: 'ABC1234' }],
      ['/patient-journey/record_self_pay_decision', { decision: 'billing_escalation' }],
      ['/patient-journey/resolve_patient_identity', { statedPhone: '+12125550188' }],
    ]
    for (const [path, args] of said) {
      expect(await run(path, { ...args, ...selectors }, headers, selectors)).toMatchObject({ success: true })
    }
    expect(await contentsOf('demo-clinic')).toBe(before)
    const written = (await patientsOf('other')).filter(({ name }) => name?.[0]?.given?.[0] === 'Mallory')
    expect(written).toHaveLength(1)
    const tasks = (await tasksOf('other')).filter((task) => task.focus?.reference === `Patient/${written[0]?.id}`)
    expect(tasks.length).toBeGreaterThanOrEqual(2)
  })

  /** Each beside the arguments, in the function, in the call, in the message and in the body itself. */
  const WAYS: readonly object[] = [
    ...['patientId', 'patient_id', 'patient', 'Patient', 'id', 'subject', 'for', 'resourceId', 'reference'].map(
      (name) => ({
        [name]: 'Patient/victim',
      }),
    ),
    ...['clinicId', 'clinic_id', 'clinic', 'tenant', 'tenantId', 'organization', 'assistantId'].map((name) => ({
      [name]: 'demo-clinic',
    })),
    ...['callId', 'call_id', 'x-call-id', 'sessionId', 'conversation_id'].map((name) => ({ [name]: 'of-the-victim' })),
    ...['callerNumber', 'from', 'from_number', 'x-call-from', 'caller', 'ani'].map((name) => ({
      [name]: VICTIM_NUMBER,
    })),
    ...['dialedNumber', 'to', 'to_number', 'x-call-to', 'phoneNumberId'].map((name) => ({ [name]: DEMO })),
    { call: { id: 'of-the-victim', phoneNumber: { number: DEMO }, customer: { number: VICTIM_NUMBER } } },
    { customer: { number: VICTIM_NUMBER } },
    { phoneNumber: { number: DEMO } },
    { metadata: { patientId: 'victim', clinicId: 'demo-clinic', callId: 'of-the-victim' } },
    { headers: { 'x-call-id': 'of-the-victim', 'x-call-to': DEMO, 'x-call-from': VICTIM_NUMBER } },
    { patient: { reference: 'Patient/victim' } },
    { identifier: [{ system: 'urn:mrn', value: 'victim' }] },
    { __proto__: { patientId: 'victim' }, constructor: { patientId: 'victim' } },
  ]

  test.each(WAYS.map((way) => [JSON.stringify(way), way] as const))('%s selects nobody', async (_name, way) => {
    await server.fhir('PUT', '/Patient/victim', {
      resourceType: 'Patient',
      id: 'victim',
      active: true,
      identifier: [{ system: 'urn:mrn', value: 'victim' }],
      telecom: [{ system: 'phone', value: VICTIM_NUMBER }],
    })
    await post('/calls', {
      callId: 'of-the-victim',
      dialedNumber: DEMO,
      callerNumber: VICTIM_NUMBER,
      patient: 'victim',
    })
    const before = await contentsOf('demo-clinic')
    const args = { firstName: 'Mallory', ...way }
    const toolCall = { id: crypto.randomUUID(), ...way, function: { ...way, arguments: args } }
    const headers = { 'x-call-id': `selects-${WAYS.indexOf(way)}`, 'x-call-to': OTHER }
    const { status } = await post(UPDATE, { ...way, message: { ...way, toolCalls: [toolCall] } }, headers)
    expect(status).toBe(200)
    expect(await contentsOf('demo-clinic')).toBe(before)
  })

  test('a phone number that the caller states is saved and does not change whose record it is', async () => {
    const headers = { 'x-call-id': 'stating', 'x-call-to': DEMO }
    await run(UPDATE, { firstName: 'Stater' }, headers)
    await run(UPDATE, { phone: '+12125550188' }, headers)
    await run(UPDATE, { lastName: 'Person' }, headers)
    const holders = (await patientsOf('demo-clinic')).filter(({ telecom }) =>
      telecom?.some(({ value }) => value === '+12125550188'),
    )
    expect(holders.map(({ name }) => name?.[0]?.family).sort()).toEqual(['Person', 'Victim'])
  })

  test('with TRUST_BODY_CALL_METADATA the metadata of the platform in the body is used, headers still winning', async () => {
    const trusting = await startServer({
      TRUST_BODY_CALL_METADATA: 'on',
      DEMO: 'off',
      JWT_SECRET: 'x'.repeat(40),
      WEBHOOK_SECRET: 'a-secret-of-16-characters',
    })
    try {
      await addClinic(trusting)
      const metadata = { call: { id: 'body-1' }, phoneNumber: { number: OTHER }, customer: { number: '+12125550188' } }
      const message = { ...metadata, toolCalls: [call('1', { fieldName: 'x', value: 'y' })] }
      const secret = { 'x-voice-secret': 'a-secret-of-16-characters' }
      expect(decode(await post(VALIDATE, { message }, secret, trusting))).toMatchObject([{ valid: true }])
      const headers = { ...secret, 'x-call-id': 'body-1', 'x-call-to': DEMO }
      expect(decode(await post(VALIDATE, { message }, headers, trusting))).toMatchObject([{ code: 'call-mismatch' }])
    } finally {
      await trusting.close()
    }
  })

  test('with TRUST_BODY_CALL_METADATA the caller is the one of x-call-from, not the customer of the body', async () => {
    const trusting = await startServer({ TRUST_BODY_CALL_METADATA: 'on' })
    try {
      const [inHeader, inBody] = ['+12125550161', '+12125550162']
      const registered = async (family: string, value: string): Promise<string> => {
        const telecom = [{ system: 'phone', value }]
        const { body } = await trusting.fhir('POST', '/Patient', {
          resourceType: 'Patient',
          name: [{ family }],
          telecom,
        })
        return body.id
      }
      const ids = [await registered('Header', inHeader), await registered('Body', inBody)]
      const say = async (firstName: string, headers: Record<string, string>) => {
        const message = { customer: { number: inBody }, toolCalls: [call('1', { firstName })] }
        expect(decode(await post(UPDATE, { message }, headers, trusting))).toMatchObject([{ success: true }])
      }
      const given = () =>
        Promise.all(ids.map(async (id) => (await trusting.fhir('GET', `/Patient/${id}`)).body.name[0].given))
      await say('Hedda', { 'x-call-id': 'from-header', 'x-call-to': DEMO, 'x-call-from': inHeader })
      expect(await given()).toEqual([['Hedda'], undefined])
      await say('Bodo', { 'x-call-id': 'from-body', 'x-call-to': DEMO })
      expect(await given()).toEqual([['Hedda'], ['Bodo']])
    } finally {
      await trusting.close()
    }
  })
})

describe('outside demo mode', () => {
  let production: TestServer
  const secret = { 'x-voice-secret': 'a-secret-of-16-characters' }
  beforeAll(async () => {
    production = await startServer({
      DEMO: 'off',
      JWT_SECRET: 'x'.repeat(40),
      WEBHOOK_SECRET: 'a-secret-of-16-characters',
    })
    await addClinic(production)
  })
  afterAll(() => production.close())

  test.each<[string, Record<string, string>, string]>([
    ['no call metadata', {}, 'x-call-id'],
    ['an unknown x-call-id without x-call-to', { 'x-call-id': 'of-no-call' }, 'x-call-to'],
    ['a dialled number of no clinic', { 'x-call-id': 'of-no-call', 'x-call-to': '+12125550999' }, 'x-call-to'],
  ])('%s: the result says "call not identified" and names the header', async (_what, headers, name) => {
    const response = await post(
      VALIDATE,
      batch(call('1', { fieldName: 'x', value: 'y' })),
      { ...secret, ...headers },
      production,
    )
    expect(response.status).toBe(200)
    const [result] = decode(response)
    expect(result).toMatchObject({ valid: false, code: 'call-not-identified' })
    expect(result?.error).toMatch(new RegExp(`^call not identified.*${name}`))
  })

  test('metadata in the body do not identify a call', async () => {
    const metadata = { call: { id: 'body-1' }, phoneNumber: { number: OTHER } }
    const message = { ...metadata, toolCalls: [call('1', { fieldName: 'x', value: 'y' })] }
    expect(decode(await post(VALIDATE, { message }, secret, production))).toMatchObject([
      { code: 'call-not-identified' },
    ])
  })

  test('the demo secret is wrong', async () => {
    expect((await post(VALIDATE, batch(), {}, production)).status).toBe(401)
  })
})

describe('POST /calls', () => {
  const register = (body: unknown) => post('/calls', body)

  test('registers an inbound call: 201, then 200 for the same again', async () => {
    const body = { callId: 'reg-1', dialedNumber: OTHER, callerNumber: '+12125550166' }
    expect(await register(body)).toMatchObject({ status: 201, body: { ...body, clinic: 'other' } })
    expect(await register(body)).toMatchObject({ status: 200, body: { ...body, clinic: 'other' } })
  })

  test('refuses other values for a registered call with 409', async () => {
    expect(await register({ callId: 'reg-1', dialedNumber: DEMO })).toMatchObject({
      status: 409,
      body: { code: 'call-mismatch' },
    })
  })

  test('registers an outbound call with its patient, to whom all of the call is written', async () => {
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: 'Called' }] })
    await register({ callId: 'reg-2', dialedNumber: DEMO, callerNumber: '+12125550155', patient: `Patient/${body.id}` })
    await run(UPDATE, { firstName: 'Being' }, { 'x-call-id': 'reg-2' })
    expect((await server.fhir('GET', `/Patient/${body.id}`)).body.name).toMatchObject([
      { given: ['Being'], family: 'Called' },
    ])
  })

  test('refuses a patient of another clinic with 422', async () => {
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient' })
    const refused = await register({ callId: 'reg-3', dialedNumber: OTHER, patient: body.id })
    expect(refused).toMatchObject({ status: 422, body: { code: 'patient-not-known' } })
  })

  test.each([
    [[], 'must be an object'],
    [{}, 'callId is missing.*dialedNumber is missing'],
    [{ callId: 5, dialedNumber: OTHER }, 'callId must be'],
    [{ callId: 'a b', dialedNumber: OTHER }, 'callId must be'],
    [{ callId: 'x'.repeat(257), dialedNumber: OTHER }, 'callId must be'],
    [{ callId: 'c', dialedNumber: 'abc' }, 'dialedNumber must be'],
    [{ callId: 'c', dialedNumber: OTHER, callerNumber: 5 }, 'callerNumber must be'],
    [{ callId: 'c', dialedNumber: OTHER, patient: 'a/b' }, 'patient must be'],
    [{ callId: 'c', dialedNumber: OTHER, clinic: 'other' }, "'clinic' is not known"],
  ])('refuses %j with 400', async (body, message) => {
    const refused = await register(body)
    expect(refused.status).toBe(400)
    expect(refused.body.error).toMatch(new RegExp(message))
  })

  test('refuses a number that no clinic has with 422', async () => {
    expect(await register({ callId: 'c', dialedNumber: '+12125550999' })).toMatchObject({ status: 422 })
  })
})

describe('a call that is repeated', () => {
  const headers = { 'x-call-id': 'repeated', 'x-call-to': OTHER }

  test('replays the stored result and writes nothing twice', async () => {
    const body = batch(call('r1', { reason: 'please' }))
    const first = await post(ESCALATE, body, headers)
    const before = await contentsOf('other')
    const second = await post(ESCALATE, body, headers)
    expect(second.text).toBe(first.text)
    expect(await contentsOf('other')).toBe(before)
  })

  test('eight times at once is written once', async () => {
    const before = await writesOf('other')
    const all = await Promise.all(Array.from({ length: 8 }, () => post(ESCALATE, batch(call('r2', {})), headers)))
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    expect(await writesOf('other')).toBe(before + 1)
  })

  test('asks the insurance once, one after the other and at once', async () => {
    insuranceDelay = 20
    const body = batch(call('r3', { payerName: 'Acme', memberId: 'ABC1234' }))
    const before = asked
    const parallel = await Promise.all(Array.from({ length: 4 }, () => post(INSURANCE, body, headers)))
    const later = await post(INSURANCE, body, headers)
    expect(new Set([...parallel, later].map(({ text }) => text)).size).toBe(1)
    expect(asked).toBe(before + 1)
    insuranceDelay = 0
  })

  test('twice in one batch is written once and answered twice', async () => {
    const before = await writesOf('other')
    const response = await post(ESCALATE, batch(call('r4', {}), call('r4', {})), headers)
    expect(decode(response)).toHaveLength(2)
    expect(await writesOf('other')).toBe(before + 1)
  })

  test('by another call with the same toolCallId is another one', async () => {
    const before = await writesOf('other')
    for (const id of ['repeated-2', 'repeated-3']) {
      await post(ESCALATE, batch(call('r5', {})), { 'x-call-id': id, 'x-call-to': OTHER })
    }
    expect(await writesOf('other')).toBe(before + 2)
  })

  test('without an id is run again, as nothing tells it from a new one', async () => {
    const before = await writesOf('other')
    for (let times = 0; times < 2; times++) await post(ESCALATE, batch({ function: { arguments: {} } }), headers)
    expect(await writesOf('other')).toBe(before + 2)
  })
})

describe('while the sandbox of a clinic is off', () => {
  test('its tools answer success false with the reason, at once, and work again when it is on', async () => {
    const operator = {
      authorization: `Bearer ${await logInAs(server, { username: 'otto', clinic: '', role: 'operator' })}`,
    }
    const turn = (enabled: boolean) =>
      request(
        server.url,
        'PUT',
        '/clinics/other/sandbox',
        { enabled },
        { ...operator, 'content-type': 'application/json' },
      )
    const headers = { 'x-call-id': 'off-1', 'x-call-to': OTHER }
    const before = await contentsOf('other')
    expect((await turn(false)).status).toBe(200)
    expect(await run(ESCALATE, {}, headers)).toMatchObject({
      success: false,
      code: 'sandbox-off',
      error: expect.stringContaining('turned off'),
    })
    expect(await run(VALIDATE, { fieldName: 'x', value: 'y' }, headers)).toMatchObject({
      valid: false,
      code: 'sandbox-off',
    })
    expect(await contentsOf('other')).toBe(before)
    expect(await run(VALIDATE, { fieldName: 'x', value: 'y' })).toMatchObject({ valid: true })
    await turn(true)
    expect(await run(ESCALATE, {}, headers)).toMatchObject({ success: true })
  })
})
