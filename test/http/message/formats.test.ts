/** JSON and XML over REST, in and out, for every interaction: https://hl7.org/fhir/R4/http.html#mime-type. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readXml } from '../../../src/fhir/xml/read.ts'
import { type FhirResponse, request, type TestServer } from '../../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let server: TestServer
let theirs: TwoClinics['theirs']
beforeAll(async () => {
  ;({ server, theirs } = await startTwoClinics())
})
afterAll(() => server.close())

const XML = 'application/fhir+xml'
const ACCEPT_XML = { accept: XML }
const SEND_XML = { 'content-type': XML, accept: XML }

const observation = (id: string, value = '1.00'): string =>
  `<Observation xmlns="http://hl7.org/fhir"><id value="${id}"/><status value="final"/><code><text value="weight"/></code><valueQuantity><value value="${value}"/><unit value="kg"/></valueQuantity></Observation>`

const stored = async (value?: string): Promise<string> => {
  const id = randomUUID()
  const answer = await server.fhir('PUT', `/Observation/${id}`, observation(id, value), SEND_XML)
  expect(answer.status).toBe(201)
  return id
}

/** The resource of an XML response, in its JSON form. */
// biome-ignore lint/suspicious/noExplicitAny: assertions look into bodies of every shape
function inXml({ headers, text }: FhirResponse): any {
  expect(headers.get('content-type')).toBe('application/fhir+xml; charset=utf-8')
  expect(headers.get('vary')).toContain('Accept')
  return JSON.parse(JSON.stringify(readXml(text)))
}

const WEIGHT = '<valueQuantity><value value="1.00"/><unit value="kg"/></valueQuantity>'
const JSON_WEIGHT = '"valueQuantity":{"value":1.00,"unit":"kg"}'

describe('what was sent as XML', () => {
  test('is stored as the same resource in JSON would be', async () => {
    const id = await stored()
    const { text } = await server.fhir('GET', `/Observation/${id}`)
    const { meta } = JSON.parse(text)
    expect(text).toBe(
      `{"resourceType":"Observation","id":"${id}","meta":${JSON.stringify(meta)},"status":"final","code":{"text":"weight"},${JSON_WEIGHT}}`,
    )
  })

  test('can be sent by create, conditional create, update and conditional update', async () => {
    const family = `F${randomUUID()}`
    const patient = (birthDate: string) =>
      `<Patient xmlns="http://hl7.org/fhir"><identifier><value value="${family}"/></identifier><birthDate value="${birthDate}"/></Patient>`
    const created = inXml(await server.fhir('POST', '/Patient', patient('1970'), SEND_XML))
    const again = await server.fhir('POST', '/Patient', patient('1971'), {
      ...SEND_XML,
      'if-none-exist': `identifier=${family}`,
    })
    expect([again.status, inXml(again).birthDate]).toEqual([200, '1970'])
    const updated = await server.fhir('PUT', `/Patient?identifier=${family}`, patient('1972'), SEND_XML)
    expect(inXml(updated)).toMatchObject({ id: created.id, birthDate: '1972', meta: { versionId: '2' } })
  })

  test.each([
    'application/xml',
    'text/xml',
    'application/xml+fhir',
    'application/fhir+xml; charset=UTF-8; fhirVersion=4.0',
  ])('may be called %s', async (type) => {
    const id = randomUUID()
    const answer = await server.fhir('PUT', `/Observation/${id}`, observation(id), { 'content-type': type })
    expect(answer.status).toBe(201)
  })

  test('is validated like JSON', async () => {
    const answer = await server.fhir(
      'POST',
      '/Observation',
      '<Observation xmlns="http://hl7.org/fhir"><status value="done"/></Observation>',
      SEND_XML,
    )
    expect(answer.status).toBe(422)
    const expressions = inXml(answer).issue.flatMap((issue: { expression: string[] }) => issue.expression)
    expect(expressions).toEqual(expect.arrayContaining(['Observation.status', 'Observation.code']))
  })

  test('is refused with line, column and element, in XML too', async () => {
    const answer = await server.fhir(
      'POST',
      '/Patient',
      '<Patient xmlns="http://hl7.org/fhir">\n  <sex value="f"/>\n</Patient>',
      SEND_XML,
    )
    expect(answer.status).toBe(400)
    const [issue] = inXml(answer).issue
    expect(issue.diagnostics).toMatch(/^Patient\.sex is not an element of Patient.*\(line 2, column 3\)$/)
    expect(issue.expression).toEqual(['Patient.sex'])
  })

  test.each([
    [
      'a DOCTYPE',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><Patient xmlns="http://hl7.org/fhir"><id value="&e;"/></Patient>',
      /DOCTYPE/,
    ],
    ['an empty body', '', /empty; it must be an XML document/],
    ['JSON', '{"resourceType":"Patient"}', /not well-formed XML/],
    ['another type than that of the address', observation('1'), /of type Observation.*Patient/],
    [
      'what is nested deeper than the limit',
      `<Patient xmlns="http://hl7.org/fhir">${'<extension url="http://x.org">'.repeat(40)}${'</extension>'.repeat(40)}</Patient>`,
      /nested deeper than 64 levels/,
    ],
  ])('%s is 400', async (_name, body, message) => {
    const answer = await server.fhir('POST', '/Patient', body, SEND_XML)
    expect([answer.status, inXml(answer).issue[0].diagnostics]).toEqual([400, expect.stringMatching(message)])
  })
})

describe('what is asked for as XML', () => {
  test('is read, its versions are, and it is found', async () => {
    const id = await stored()
    for (const path of [`/${id}`, `/${id}/_history/1`, `/${id}?_summary=data`])
      expect((await server.fhir('GET', `/Observation${path}`, undefined, ACCEPT_XML)).text).toContain(WEIGHT)
    const found = await server.fhir('GET', `/Observation?_id=${id}`, undefined, ACCEPT_XML)
    expect(found.text).toContain(`<resource><Observation><id value="${id}"/>`)
    expect(found.text).toContain(WEIGHT)
    expect(inXml(found)).toMatchObject({
      type: 'searchset',
      total: 1,
      entry: [{ resource: { id }, search: { mode: 'match' } }],
    })
    const history = await server.fhir('GET', `/Observation/${id}/_history`, undefined, ACCEPT_XML)
    expect(history.text).toContain(WEIGHT)
    expect(inXml(history)).toMatchObject({ type: 'history', entry: [{ request: { method: 'PUT' } }] })
  })

  test('has the same status and headers as JSON', async () => {
    const id = await stored()
    const [json, xml] = await Promise.all([
      server.fhir('GET', `/Observation/${id}`),
      server.fhir('GET', `/Observation/${id}`, undefined, ACCEPT_XML),
    ])
    for (const name of ['etag', 'last-modified', 'vary']) expect(xml.headers.get(name)).toBe(json.headers.get(name))
    expect(
      (await server.fhir('GET', `/Observation/${id}`, undefined, { ...ACCEPT_XML, 'if-none-match': 'W/"1"' })).status,
    ).toBe(304)
    const head = await server.fhir('HEAD', `/Observation/${id}`, undefined, ACCEPT_XML)
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([
      200,
      'application/fhir+xml; charset=utf-8',
      '',
    ])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(xml.text)))
  })

  test('is searched by POST, by type and across types, and paged in the same format', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await server.fhir('POST', '/Patient/_search', '_count=1&_format=xml', form)
    const { link } = inXml(posted)
    const next: string = link.find(({ relation }: { relation: string }) => relation === 'next').url
    expect(next).toContain('_format=xml')
    expect(inXml(await server.fhir('GET', next.slice(server.url.length)))).toMatchObject({
      type: 'searchset',
      entry: [{ resource: { resourceType: 'Patient' } }],
    })
    expect(inXml(await server.fhir('GET', '/?_type=Patient&_count=1', undefined, ACCEPT_XML)).type).toBe('searchset')
    expect(inXml(await server.fhir('GET', '/_history?_count=2&_format=xml')).entry).toHaveLength(2)
  })

  test('is a deletion, a patch, a minimal answer and an outcome', async () => {
    const id = await stored()
    const patch = [{ op: 'replace', path: '/status', value: 'amended' }]
    const patched = await server.fhir('PATCH', `/Observation/${id}`, patch, ACCEPT_XML)
    expect(patched.text).toContain(WEIGHT)
    expect(inXml(patched).status).toBe('amended')
    const minimal = await server.fhir('PUT', `/Observation/${id}`, observation(id), {
      ...SEND_XML,
      prefer: 'return=minimal',
    })
    expect([minimal.status, minimal.text]).toEqual([200, ''])
    const outcome = await server.fhir('DELETE', `/Observation/${id}`, undefined, {
      ...ACCEPT_XML,
      prefer: 'return=OperationOutcome',
    })
    expect(inXml(outcome).resourceType).toBe('OperationOutcome')
    const gone = await server.fhir('GET', `/Observation/${id}`, undefined, ACCEPT_XML)
    expect([gone.status, inXml(gone).issue[0].code]).toEqual([410, 'deleted'])
  })

  test('is /metadata, with an ETag of its own, compressed alike', async () => {
    const [json, xml] = await Promise.all([
      request(server.url, 'GET', '/metadata'),
      request(server.url, 'GET', '/metadata?_format=xml'),
    ])
    expect(inXml(xml)).toEqual(json.body)
    expect(xml.headers.get('etag')).not.toBe(json.headers.get('etag'))
    expect((await request(server.url, 'GET', '/metadata?_format=xml&_pretty=true')).text).toMatch(
      /\n {2}<rest>\n(?: {4}<extension url="[^"]+">\n {6}<value\w+ value="[^"]+"\/>\n {4}<\/extension>\n)* {4}<mode value="server"\/>/,
    )
    expect(inXml(await request(server.url, 'GET', '/metadata?mode=terminology&_format=xml')).resourceType).toBe(
      'TerminologyCapabilities',
    )
  })

  test('is an operation, in and out', async () => {
    const body = `<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="resource"/><resource><Patient><name><family value="Abernathy"/><given value="Ruth"/></name></Patient></resource></parameter></Parameters>`
    const answer = await server.fhir('POST', '/Patient/$match', body, SEND_XML)
    expect([answer.status, inXml(answer).resourceType]).toEqual([200, 'Bundle'])
  })

  test('is what went wrong, before any route is found', async () => {
    expect(inXml(await request(server.url, 'GET', '/Patient/1', undefined, ACCEPT_XML)).issue[0].code).toBe('login')
    expect(inXml(await server.fhir('GET', '/Nothing/1?_format=xml')).issue[0].code).toBe('not-found')
    const refused = await server.fhir('GET', '/Patient/1', undefined, { accept: 'text/html' })
    expect([refused.status, refused.body.issue[0].code]).toEqual([406, 'not-supported'])
  })

  test('has line breaks with _pretty', async () => {
    const { text } = await server.fhir('GET', `/Observation/${await stored()}?_pretty=true&_format=xml`)
    expect(text).toMatch(/\n {2}<valueQuantity>\n {4}<value value="1\.00"\/>\n/)
  })

  test('is of one clinic only, as is what an XML Patch changes', async () => {
    const id = await stored()
    const read = await theirs('GET', `/Observation/${id}`, undefined, ACCEPT_XML)
    expect([read.status, read.text.includes('weight')]).toEqual([404, false])
    const found = await theirs('GET', `/Observation?_id=${id}`, undefined, ACCEPT_XML)
    expect(inXml(found)).toMatchObject({ total: 0 })
    const patch = '<diff xmlns:f="http://hl7.org/fhir"><remove sel="f:Observation/f:valueQuantity"/></diff>'
    const headers = { 'content-type': 'application/xml-patch+xml' }
    expect((await theirs('PATCH', `/Observation/${id}`, patch, headers)).status).toBe(404)
    expect((await server.fhir('GET', `/Observation/${id}`)).text).toContain(JSON_WEIGHT)
  })
})

describe('a Bundle in XML', () => {
  const bundle = (type: string, ...entries: readonly string[]): string =>
    `<Bundle xmlns="http://hl7.org/fhir"><type value="${type}"/>${entries.map((entry) => `<entry>${entry}</entry>`).join('')}</Bundle>`

  test.each(['batch', 'transaction'])('is carried out as a %s and answered in XML', async (type) => {
    const id = randomUUID()
    const entries = [
      `<fullUrl value="urn:uuid:${id}"/><resource><Patient><active value="true"/></Patient></resource><request><method value="POST"/><url value="Patient"/></request>`,
      '<request><method value="GET"/><url value="Patient?_count=1"/></request>',
    ]
    const answer = inXml(
      await server.fhir('POST', '/', bundle(type, ...entries), { ...SEND_XML, prefer: 'return=representation' }),
    )
    expect(answer).toMatchObject({
      type: `${type}-response`,
      entry: [
        { resource: { resourceType: 'Patient', active: true }, response: { status: '201 Created' } },
        { resource: { type: 'searchset' } },
      ],
    })
  })

  test('keeps the digits of decimals', async () => {
    const id = randomUUID()
    const resource = observation(id).replace(' xmlns="http://hl7.org/fhir"', '')
    const entry = `<resource>${resource}</resource><request><method value="PUT"/><url value="Observation/${id}"/></request>`
    expect((await server.fhir('POST', '/', bundle('transaction', entry), SEND_XML)).status).toBe(200)
    expect((await server.fhir('GET', `/Observation/${id}`)).text).toContain(JSON_WEIGHT)
  })

  test('may hold an XML Patch whose references to other entries become addresses', async () => {
    const observed = await stored()
    const uuid = `urn:uuid:${randomUUID()}`
    const patch = `<diff xmlns:f="http://hl7.org/fhir"><add sel="f:Observation"><f:subject><f:reference value="${uuid}"/></f:subject></add><add sel="f:Observation"><f:note><f:text value="${uuid}"/></f:note></add></diff>`
    const data = Buffer.from(patch).toString('base64')
    const answer = await server.fhir(
      'POST',
      '/',
      bundle(
        'transaction',
        `<fullUrl value="${uuid}"/><resource><Patient><active value="true"/></Patient></resource><request><method value="POST"/><url value="Patient"/></request>`,
        `<resource><Binary><contentType value="application/xml-patch+xml"/><data value="${data}"/></Binary></resource><request><method value="PATCH"/><url value="Observation/${observed}"/></request>`,
      ),
      SEND_XML,
    )
    expect(answer.status).toBe(200)
    const { body } = await server.fhir('GET', `/Observation/${observed}`)
    expect(body.subject.reference).toMatch(/^Patient\/[0-9a-f-]{36}$/)
    expect(body.note).toEqual([{ text: uuid }])
  })

  test('with an XML Patch that refers to no entry is 400 and changes nothing', async () => {
    const observed = await stored()
    const patch = `<diff xmlns:f="http://hl7.org/fhir"><add sel="f:Observation"><f:subject><f:reference value="urn:uuid:${randomUUID()}"/></f:subject></add></diff>`
    const data = Buffer.from(patch).toString('base64')
    const entry = `<resource><Binary><contentType value="application/xml-patch+xml"/><data value="${data}"/></Binary></resource><request><method value="PATCH"/><url value="Observation/${observed}"/></request>`
    const answer = await server.fhir('POST', '/', bundle('transaction', entry), SEND_XML)
    expect([answer.status, inXml(answer).issue[0].diagnostics]).toEqual([
      400,
      expect.stringContaining('No entry of the Bundle has the fullUrl'),
    ])
  })
})

describe('the body', () => {
  test.each<[string, string, string, string]>([
    ['POST', '/Patient', 'text/plain', 'accept-post'],
    ['PUT', '/Patient/1', 'application/x-yaml', 'accept'],
    ['PATCH', '/Patient/1', 'text/xml-patch', 'accept-patch'],
    ['POST', '/Patient', 'application/fhir+xml; charset=iso-8859-1', 'accept-post'],
    ['POST', '/Patient', 'application/fhir+xml; fhirVersion=3.0', 'accept-post'],
    ['POST', '/', 'application/xml-patch+xml', 'accept-post'],
  ])('of a %s %s as %s is 415 and told what would be read', async (method, path, type, header) => {
    const answer = await server.fhir(method, path, '<x/>', { 'content-type': type })
    expect([answer.status, answer.body.issue[0].code]).toEqual([415, 'not-supported'])
    expect(answer.headers.get(header)).toContain(
      method === 'PATCH' ? 'application/xml-patch+xml' : 'application/fhir+xml',
    )
  })

  test('is read by its Content-Type, not by _format', async () => {
    const answer = await server.fhir('POST', '/Patient?_format=xml', { resourceType: 'Patient', active: true })
    expect([answer.status, inXml(answer).active]).toEqual([201, true])
  })

  test('that is not UTF-8 is refused', async () => {
    const latin = Buffer.from(
      '<Patient xmlns="http://hl7.org/fhir"><name><family value="M\xfcller"/></name></Patient>',
      'latin1',
    )
    const response = await fetch(`${server.url}/Patient`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': XML },
      body: latin,
    })
    expect(response.status).toBe(400)
  })
})

test.each(['1', '1.0', '1.00', '0.10', '-0.50', '1.50E-3', '0.1234567890123456789', '12345678901234567.8'])(
  'the decimal %s keeps its digits from XML to JSON to XML, through XML Patch and search',
  async (value) => {
    const id = await stored(value)
    const inJson = `"valueQuantity":{"value":${value},`
    const written = `<valueQuantity><value value="${value}"/>`
    expect((await server.fhir('GET', `/Observation/${id}`)).text).toContain(inJson)
    const again = await server.fhir(
      'PUT',
      `/Observation/${id}`,
      (await server.fhir('GET', `/Observation/${id}`)).text,
      ACCEPT_XML,
    )
    expect(again.text).toContain(written)
    const patch =
      '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:Observation/f:status/@value">amended</replace></diff>'
    const patched = await server.fhir('PATCH', `/Observation/${id}`, patch, {
      'content-type': 'application/xml-patch+xml',
    })
    expect(patched.text).toContain(inJson)
    expect((await server.fhir('GET', `/Observation?_id=${id}&_elements=value`, undefined, ACCEPT_XML)).text).toContain(
      written,
    )
  },
)

test('/metadata declares the formats and patch formats', async () => {
  const { body } = await request(server.url, 'GET', '/metadata')
  expect(body.format).toEqual(['application/fhir+json', 'application/fhir+xml', 'json', 'xml'])
  expect(body.patchFormat).toEqual(expect.arrayContaining(['application/json-patch+json', 'application/xml-patch+xml']))
})

test('the routes of live calls stay JSON whatever is asked for', async () => {
  const answer = await request(
    server.url,
    'POST',
    '/patient-journey/resolve-patient-identity',
    {},
    {
      'x-voice-secret': 'wrong',
      'content-type': 'application/json',
      accept: XML,
    },
  )
  expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8'])
})
