/** PATCH over REST in every format, by criteria, and inside Bundles: https://hl7.org/fhir/R4/http.html#patch. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const FHIR_JSON = { 'content-type': 'application/fhir+json' }

const replaced = (path: string, value: object) => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'operation',
      part: [
        { name: 'type', valueCode: 'replace' },
        { name: 'path', valueString: path },
        { name: 'value', ...value },
      ],
    },
  ],
})
const inactive = replaced('Patient.active', { valueBoolean: false })

/** A new active patient's id, who is found by it too. */
async function patient(more: object = {}): Promise<string> {
  const id = randomUUID()
  await server.fhir('PUT', `/Patient/${id}`, {
    resourceType: 'Patient',
    id,
    identifier: [{ value: id }],
    active: true,
    ...more,
  })
  return id
}
const binary = (contentType: string, text: string) => ({
  resourceType: 'Binary',
  contentType,
  data: Buffer.from(text).toString('base64'),
})
const JSON_PATCH = JSON.stringify([{ op: 'replace', path: '/active', value: false }])
const XML_PATCH = '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:Patient/f:active/@value">false</replace></diff>'

const FORMATS: readonly (readonly [name: string, contentType: string, body: unknown, inBundle: object])[] = [
  ['FHIRPath Patch', 'application/fhir+json', inactive, inactive],
  ['JSON Patch', 'application/json-patch+json', JSON_PATCH, binary('application/json-patch+json', JSON_PATCH)],
  ['XML Patch', 'application/xml-patch+xml', XML_PATCH, binary('application/xml-patch+xml', XML_PATCH)],
]

describe.each(FORMATS)('%s', (_name, contentType, body, resource) => {
  const headers = { 'content-type': contentType }

  test('changes the resource and makes a version that history tells as a PATCH', async () => {
    const id = await patient()
    const patched = await server.fhir('PATCH', `/Patient/${id}`, body, headers)
    expect([patched.status, patched.headers.get('etag'), patched.body.active]).toEqual([200, 'W/"2"', false])
    const { body: history } = await server.fhir('GET', `/Patient/${id}/_history`)
    const requests = history.entry.map(({ request, response }: { request: object; response: { status: string } }) => [
      request,
      response.status,
    ])
    expect(requests).toEqual([
      [{ method: 'PATCH', url: `Patient/${id}` }, '200'],
      [{ method: 'PUT', url: `Patient/${id}` }, '201'],
    ])
  })

  test('by criteria patches the one match; none is 404, several are 412, no criteria 400', async () => {
    const id = await patient()
    const send = (query: string) => server.fhir('PATCH', `/Patient${query}`, body, headers)
    expect((await send(`?identifier=${id}`)).body).toMatchObject({ id, active: false })
    expect((await send('?identifier=nobody')).status).toBe(404)
    const twin = await patient({ identifier: [{ value: id }] })
    expect((await send(`?identifier=${id}`)).status).toBe(412)
    expect((await send('')).status).toBe(400)
    expect((await server.fhir('GET', `/Patient/${twin}`)).body.meta.versionId).toBe('1')
  })

  test('on a version that is not current (If-Match) is 412', async () => {
    const id = await patient()
    const answer = await server.fhir('PATCH', `/Patient/${id}`, body, { ...headers, 'if-match': 'W/"7"' })
    expect(answer.status).toBe(412)
  })

  test.each(['batch', 'transaction'])('in a %s, by id and by criteria', async (type) => {
    const [byId, byCriteria] = [await patient(), await patient()]
    const { status, body: answer } = await server.fhir('POST', '/', {
      resourceType: 'Bundle',
      type,
      entry: [
        { resource, request: { method: 'PATCH', url: `Patient/${byId}`, ifMatch: 'W/"1"' } },
        { resource, request: { method: 'PATCH', url: `Patient?identifier=${byCriteria}` } },
      ],
    })
    expect(status).toBe(200)
    expect(answer.entry.map(({ response }: { response: { status: string } }) => response.status)).toEqual([
      '200 OK',
      '200 OK',
    ])
    for (const id of [byId, byCriteria])
      expect((await server.fhir('GET', `/Patient/${id}`)).body).toMatchObject({ active: false })
    const { body: history } = await server.fhir('GET', `/Patient/${byId}/_history`)
    expect(history.entry[0].request.method).toBe('PATCH')
  })
})

describe('FHIRPath Patch', () => {
  test('keeps the digits of decimals it changes and of those it does not', async () => {
    const { body } = await server.fhir(
      'POST',
      '/Observation',
      '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":2.50},"component":[{"code":{"text":"y"},"valueQuantity":{"value":1.00}}]}',
    )
    const patch = JSON.stringify(replaced('Observation.value', { valueQuantity: { value: 0 } })).replace(
      '"value":0',
      '"value":7.10',
    )
    const { text } = await server.fhir('PATCH', `/Observation/${body.id}`, patch, FHIR_JSON)
    expect(text).toContain('"valueQuantity":{"value":7.10}')
    expect(text).toContain('"valueQuantity":{"value":1.00}')
  })

  test.each<[what: string, patch: object, status: number]>([
    ['an operation that is malformed', { resourceType: 'Parameters', parameter: [{ name: 'operation' }] }, 400],
    ['a path that is no FHIRPath', replaced('Patient..active', { valueBoolean: false }), 400],
    ['a path that is not simple', replaced('Patient.descendants()', { valueBoolean: false }), 400],
    ['a path that selects nothing', replaced('Patient.gender', { valueCode: 'male' }), 422],
    ['a path that selects several', replaced('Patient.name.given', { valueString: 'x' }), 422],
    ['a value of the wrong type', replaced('Patient.active', { valueString: 'x' }), 422],
    ['a result that is no valid Patient', replaced('Patient.name[0].use', { valueCode: 'x' }), 422],
    ['a change of the id', replaced('Patient.id', { valueId: 'x' }), 422],
    ['a resource that is no Parameters', { resourceType: 'Patient' }, 400],
  ])('refuses %s with an OperationOutcome and leaves the resource as it was', async (_what, patch, status) => {
    const id = await patient({ name: [{ use: 'usual', given: ['a', 'b'] }] })
    const answer = await server.fhir('PATCH', `/Patient/${id}`, patch, FHIR_JSON)
    expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect((await server.fhir('GET', `/Patient/${id}`)).headers.get('etag')).toBe('W/"1"')
  })

  test('is read from XML too', async () => {
    const id = await patient()
    const xml = `<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="operation"/>
      <part><name value="type"/><valueCode value="replace"/></part>
      <part><name value="path"/><valueString value="Patient.active"/></part>
      <part><name value="value"/><valueBoolean value="false"/></part></parameter></Parameters>`
    const answer = await server.fhir('PATCH', `/Patient/${id}`, xml, { 'content-type': 'application/fhir+xml' })
    expect([answer.status, answer.body.active]).toEqual([200, false])
  })

  test('a patch of one kind under the Content-Type of another is 400', async () => {
    const id = await patient()
    const asFhir = await server.fhir('PATCH', `/Patient/${id}`, JSON_PATCH, FHIR_JSON)
    const asJsonPatch = await server.fhir('PATCH', `/Patient/${id}`, inactive)
    expect([asFhir.status, asJsonPatch.status]).toEqual([400, 400])
    expect(asFhir.body.issue[0].diagnostics).toContain('application/json-patch+json')
  })

  test('obeys the rules of the type: an Appointment that is cancelled frees its slot', async () => {
    const { body: found } = await server.fhir('GET', '/Slot?status=free&_count=1')
    const slot = found.entry[0].resource
    const { body: appointment } = await server.fhir('POST', '/Appointment', {
      resourceType: 'Appointment',
      status: 'booked',
      slot: [{ reference: `Slot/${slot.id}` }],
      start: slot.start,
      end: slot.end,
      participant: [{ actor: { reference: 'Patient/abernathy-ruth' }, status: 'accepted' }],
    })
    expect((await server.fhir('GET', `/Slot/${slot.id}`)).body.status).toBe('busy')
    const cancelled = replaced('Appointment.status', { valueCode: 'cancelled' })
    const answer = await server.fhir('PATCH', `/Appointment/${appointment.id}`, cancelled, FHIR_JSON)
    expect(answer.status).toBe(200)
    expect((await server.fhir('GET', `/Slot/${slot.id}`)).body.status).toBe('free')
  })
})

describe('a reference to another entry of a transaction', () => {
  const doctor = `urn:uuid:${randomUUID()}`
  const transaction = (patch: object, url: string) =>
    server.fhir(
      'POST',
      '/',
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [
          {
            fullUrl: doctor,
            resource: { resourceType: 'Practitioner' },
            request: { method: 'POST', url: 'Practitioner' },
          },
          { resource: patch, request: { method: 'PATCH', url } },
        ],
      },
      { prefer: 'return=representation' },
    )

  test.each<[what: string, path: string, value: object]>([
    ['a Reference', 'Patient.generalPractitioner[0]', { valueReference: { reference: doctor } }],
    ['the text of a Reference', 'Patient.generalPractitioner[0].reference', { valueString: doctor }],
    ['parts', 'Patient.generalPractitioner[0]', { part: [{ name: 'reference', valueString: doctor }] }],
  ])('is replaced in the value of a FHIRPath Patch: %s', async (_what, path, value) => {
    const id = await patient({ generalPractitioner: [{ display: 'x', reference: 'Practitioner/chen-wei' }] })
    const { status, body } = await transaction(replaced(path, value), `Patient/${id}`)
    expect(status).toBe(200)
    const { reference } = body.entry[1].resource.generalPractitioner[0]
    expect(reference).toBe(`Practitioner/${body.entry[0].resource.id}`)
  })

  test('stays where it is text', async () => {
    const id = await patient({ name: [{ text: 'x' }] })
    const { body } = await transaction(replaced('Patient.name[0].text', { valueString: doctor }), `Patient/${id}`)
    expect(body.entry[1].resource.name[0].text).toBe(doctor)
  })
})
