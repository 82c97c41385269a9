/** Resources that HL7 published with R4 are stored and read back unchanged, apart from id and meta. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { isObject } from '../../src/fhir/resource.ts'
import { readXml } from '../../src/fhir/xml/read.ts'
import { writeXml } from '../../src/fhir/xml/write.ts'
import { type OfficialResource, officialExamples } from '../support/official-examples.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** The most examples of one type from each published file; there are 11,000 in all. */
const MOST_OF_A_TYPE = 25
const A_TRANSACTION = 25

type WithMeta = OfficialResource & { readonly meta?: object }

/** The text that the server must send: the resource as sent, with id and the server's meta first. */
function expectedText(resource: WithMeta, meta: object): string {
  const { resourceType, id, meta: own, ...rest } = resource
  return JSON.stringify({ resourceType, id, meta: { ...own, ...meta }, ...rest })
}

async function store(resources: readonly OfficialResource[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }))
  const answer = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  if (answer.status !== 200) throw new Error(answer.text)
}

async function changed(resource: OfficialResource): Promise<boolean> {
  const read = await server.fhir('GET', `/${resource.resourceType}/${resource.id}`)
  const { versionId, lastUpdated } = read.body.meta
  return read.text !== expectedText(resource, { versionId, lastUpdated })
}

describe('official R4 resources', () => {
  test('of every kind are stored and read back, to the letter', async () => {
    const resources = [...officialExamples(MOST_OF_A_TYPE)]
    expect(resources.length).toBeGreaterThan(200)
    for (let start = 0; start < resources.length; start += A_TRANSACTION) {
      const some = resources.slice(start, start + A_TRANSACTION)
      await store(some)
      for (const resource of some)
        expect([`${resource.resourceType}/${resource.id}`, await changed(resource)]).toEqual([expect.anything(), false])
    }
  })

  test('are found by their canonical', async () => {
    const [first] = [...officialExamples(1)].filter(({ url }) => url !== undefined)
    const { body } = await server.fhir('GET', `/${first?.resourceType}?url=${encodeURIComponent(first?.url ?? '')}`)
    expect(body.entry.map((entry: { resource: OfficialResource }) => entry.resource.id)).toEqual([first?.id])
  })

  test('of every kind are stored from XML and read back as XML', async () => {
    const headers = { accept: 'application/fhir+xml', 'content-type': 'application/fhir+xml' }
    for (const { id, ...resource } of officialExamples(3)) {
      const path = `/${resource.resourceType}/xml-${id}`.slice(0, resource.resourceType.length + 66)
      const given: unknown = parseJson(JSON.stringify({ ...resource, id: path.split('/')[2] }))
      if (!isObject(given)) throw new Error(`${path} is no resource`)
      const put = await server.fhir('PUT', path, writeXml(given), headers)
      expect([path, put.status]).toEqual([path, 201])
      const read = readXml((await server.fhir('GET', path, undefined, headers)).text)
      const { meta } = (await server.fhir('GET', path)).body
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify({ ...given, meta })))
    }
  })
})

describe('decimals keep their text: https://hl7.org/fhir/R4/json.html#decimal', () => {
  const observation = (value: string, id: string) =>
    `{"resourceType":"Observation","id":"${id}","status":"final","code":{"text":"x"},"valueQuantity":{"value":${value}}}`
  const DECIMALS = [
    '1',
    '1.0',
    '1.00',
    '0.10',
    '-0.50',
    '100',
    '1e2',
    '1.50E-3',
    '0.1234567890123456789',
    '12345678901234567.8',
  ]

  test.each(DECIMALS)('%s by update, read, vread, search, history and a transaction', async (value) => {
    const id = `decimal-${DECIMALS.indexOf(value)}`
    const stored = `"valueQuantity":{"value":${value}}`
    expect((await server.fhir('PUT', `/Observation/${id}`, observation(value, id))).text).toContain(stored)
    for (const path of [`/${id}`, `/${id}/_history/1`, `?_id=${id}`, `/${id}/_history`])
      expect((await server.fhir('GET', `/Observation${path}`)).text).toContain(stored)
    const entry = `{"request":{"method":"PUT","url":"Observation/${id}"},"resource":${observation(value, id)}}`
    await server.fhir('POST', '/', `{"resourceType":"Bundle","type":"transaction","entry":[${entry}]}`)
    const second = await server.fhir('GET', `/Observation/${id}`)
    expect(second.headers.get('etag')).toBe('W/"2"')
    expect(second.text).toContain(stored)
    const patched = await server.fhir('PATCH', `/Observation/${id}`, [
      { op: 'replace', path: '/status', value: 'amended' },
    ])
    expect(patched.text).toContain(stored)
  })
})
