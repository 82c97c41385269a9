/** GET /tools?format=postman and format=bruno: the tools as requests for API clients. */
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
      ...{ method, headers: headersOf(header), url: url.raw, body: JSON.parse(body.raw) },
    }),
    variablesOf: (body: Json) => body.variable.map(({ key, value }: Json) => [key, value]),
  },
  bruno: {
    foldersOf: (body: Json) => body.items.map(({ name, items }: Json) => [name, items]),
    requestOf: ({ request: { method, headers, url, body } }: Json): SentRequest => ({
      ...{ method, headers: headersOf(headers), url, body: JSON.parse(body.json) },
    }),
    variablesOf: (body: Json) => body.environments[0].variables.map(({ name, value }: Json) => [name, value]),
  },
}

describe.each(Object.entries(FORMATS))('a collection for %s', (format, { foldersOf, requestOf, variablesOf }) => {
  test('has every tool once, in the folder of its family', async () => {
    const folders = foldersOf(await collection(format))
    const named = folders.map(([family, items]: Json) => [family, items.map(({ name }: Json) => name)])
    expect(named).toEqual(Object.entries(toolFamilies).map(([family, tools]) => [family, Object.keys(tools)]))
  })

  test('has the example of each as its body, and headers that are variables', async () => {
    for (const [family, items] of foldersOf(await collection(format)))
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
    expect(Object.fromEntries(variablesOf(body))).toMatchObject({ base: server.url, voiceSecret: '' })
    expect(JSON.stringify(body)).not.toContain('demo-secret')
  })

  test('has the tools of one family where that is asked for', async () => {
    const folders = foldersOf(await collection(format, '&family=patient-intake'))
    expect(folders.map(([family]: readonly [string]) => family)).toEqual(['patient-intake'])
  })

  test('sends requests that the server takes, once its variables have values', async () => {
    const [[, [item]]] = foldersOf(await collection(format, '&tool=validate_intake_field'))
    const { method, url, headers, body } = requestOf(item)
    const values: Readonly<Record<string, string>> = { base: '', voiceSecret: 'demo-secret', callId: `${format}-1` }
    const filledIn = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_all, name) => values[name] ?? '')
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filledIn(value)]))
    const answer = await request(server.url, method, filledIn(url), body, filled)
    expect(answer.body).toMatchObject({ valid: true, value: '1980-03-03' })
  })
})

test('a collection for Postman says which version of the format it has', async () => {
  const { info } = await collection('postman')
  expect(info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
})

test('a collection for Bruno has the members that its import asks for', async () => {
  const body = await collection('bruno')
  expect([body.version, body.name]).toEqual(['1', expect.any(String)])
  expect(body.items[0].items[0]).toMatchObject({
    type: 'http-request',
    seq: 1,
    request: { params: [], auth: { mode: 'none' }, body: { mode: 'json' } },
  })
})
