/** GET /tools?format=postman and format=bruno: requests of FHIR and the tools, for API clients. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { toolExamples } from '../../src/voice-api/tool-descriptions.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a collection is JSON in the format of another program
type Json = any

interface Header {
  readonly key?: string
  readonly name?: string
  readonly value: string
}

interface SentRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly url: string
  readonly body: unknown
}

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const collection = async (format: string, query = '') => {
  const { status, body } = await request(server.url, 'GET', `/tools?format=${format}${query}`)
  expect(status).toBe(200)
  return body
}

const headersOf = (headers: readonly Header[]) =>
  Object.fromEntries(headers.map(({ key, name = key, value }) => [name, value]))

/** Where each format has the folders, and in a request its parts; the values of variables. */
const FORMATS = {
  postman: {
    foldersOf: (body: Json) => body.item.map(({ name, item }: Json) => [name, item]),
    requestOf: ({ request: { method, header, url, body } }: Json): SentRequest => ({
      ...{ method, headers: headersOf(header), url: url.raw, body: body && JSON.parse(body.raw) },
    }),
    variablesOf: (body: Json) => body.variable.map(({ key, value }: Json) => [key, value]),
  },
  bruno: {
    foldersOf: (body: Json) => body.items.map(({ name, items }: Json) => [name, items]),
    requestOf: ({ request: { method, headers, url, body } }: Json): SentRequest => ({
      ...{ method, headers: headersOf(headers), url, body: body.json && JSON.parse(body.json) },
    }),
    variablesOf: (body: Json) => body.environments[0].variables.map(({ name, value }: Json) => [name, value]),
  },
}

describe.each(Object.entries(FORMATS))('a collection for %s', (format, { foldersOf, requestOf, variablesOf }) => {
  test('has every tool once, in the folder of its family', async () => {
    const folders = foldersOf(await collection(format))
    const named = folders.map(([family, items]: Json) => [family, items.map(({ name }: Json) => name)])
    expect(named.slice(1)).toEqual(Object.entries(toolFamilies).map(([family, tools]) => [family, Object.keys(tools)]))
  })

  test('has the example of each as its body, and headers that are variables', async () => {
    for (const [family, items] of foldersOf(await collection(format)).slice(1))
      for (const item of items)
        expect(requestOf(item)).toEqual({
          method: 'POST',
          url: `{{base}}/${family}/${item.name}`,
          headers: {
            'content-type': 'application/json',
            'x-voice-secret': '{{voiceSecret}}',
            'x-call-id': '{{callId}}',
            'x-call-to': '{{callTo}}',
            'x-call-from': '{{callFrom}}',
          },
          body: toolExamples.get(item.name)?.arguments,
        })
  })

  test('has the address of this server as a variable, and a blank in the place of the secret', async () => {
    const body = await collection(format)
    expect(Object.fromEntries(variablesOf(body))).toMatchObject({ base: server.url, token: '', voiceSecret: '' })
    expect(JSON.stringify(body)).not.toContain('demo-secret')
  })

  test('has the tools of one family where that is asked for', async () => {
    const folders = foldersOf(await collection(format, '&family=patient-intake'))
    expect(folders.map(([family]: readonly [string]) => family)).toEqual(['patient-intake'])
  })

  /** Sends a request of the collection as it is, once its variables have values. */
  const sent = (item: Json) => {
    const { method, url, headers, body } = requestOf(item)
    const values: Readonly<Record<string, string>> = {
      ...{ base: '', token: server.token, voiceSecret: 'demo-secret', callId: `${format}-1` },
    }
    const filledIn = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_all, name) => values[name] ?? '')
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filledIn(value)]))
    return request(server.url, method, filledIn(url), body, filled)
  }

  test('sends tool calls that the server takes', async () => {
    const [[, [item]]] = foldersOf(await collection(format, '&tool=validate_intake_field'))
    expect((await sent(item)).body).toMatchObject({ valid: true, value: '1980-03-03' })
  })

  test('begins with requests of FHIR that the server takes one after the other, and again', async () => {
    const [[name, items]] = foldersOf(await collection(format))
    expect(name).toBe('FHIR')
    for (const _again of [1, 2]) {
      const seen: unknown[] = []
      for (const item of items) {
        const { status, body } = await sent(item)
        seen.push([item.name, status === 201 ? 200 : status, body.resourceType])
        if (item.name === '$match') expect(body.entry[0].resource.id).toBe('collection-example')
      }
      expect(seen).toEqual([
        ['Capabilities', 200, 'CapabilityStatement'],
        ['Update', 200, 'Patient'],
        ['Read', 200, 'Patient'],
        ['Search', 200, 'Bundle'],
        ['Create', 200, 'Patient'],
        ['$match', 200, 'Bundle'],
        ['Transaction', 200, 'Bundle'],
      ])
    }
  })
})

test('a collection for Postman says which version of the format it has', async () => {
  const { info } = await collection('postman')
  expect(info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
})

test('a collection for Bruno has the members that its import asks for', async () => {
  const body = await collection('bruno')
  expect([body.version, body.name]).toEqual(['1', expect.any(String)])
  expect(body.items[0].items[1]).toMatchObject({
    type: 'http-request',
    seq: 2,
    request: { params: [], auth: { mode: 'none' }, body: { mode: 'json' } },
  })
  expect(body.items[0].items[3].request).toMatchObject({
    body: { mode: 'none' },
    params: [{ name: 'name', value: 'collection' }, { name: 'birthdate' }, { name: '_count', value: '20' }],
  })
})
