/** Every address under a tool family: no token is needed, errors are plain JSON, and the secret guards the tools. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { defineTool } from '../../src/calls/tool.ts'
import { validateIntakeField } from '../../src/calls/tools/registration.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

/** A family that the server does not have by itself. */
const ADDED = { 'some-family': { check_field: defineTool(validateIntakeField) } }

let server: TestServer
beforeAll(async () => {
  server = await startServer({}, { toolFamilies: ADDED })
})
afterAll(() => server.close())

const families = Object.entries({ ...toolFamilies, ...ADDED })
/** Its first letter percent-encoded, which is the same address (RFC 3986, 6.2.2.2). */
const encoded = (family: string): string => `%${family.charCodeAt(0).toString(16)}${family.slice(1)}`
const addresses = families.flatMap(([family, tools]) => [
  ...['', '/', `/${Object.keys(tools)[0]}`].map((rest) => `/${encoded(family)}${rest}`),
  ...['', '/', '?_format=xml', '/unknown_tool', '/constructor', '/%zz', '/..%2FPatient'].map(
    (rest) => `/${family}${rest}`,
  ),
  ...Object.keys(tools).map((tool) => `/${family}/${tool}`),
  ...['/', '/deeper', '/deeper/and/deeper/$still'].map((rest) => `/${family}/${Object.keys(tools)[0]}${rest}`),
])
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const secrets: readonly Record<string, string>[] = [
  {},
  { 'x-voice-secret': 'wrong' },
  { 'x-voice-secret': 'demo-secret' },
]
const ENVELOPE = { message: { toolCalls: [{ id: '1', function: { arguments: {} } }] } }

const send = (method: string, address: string, headers: Record<string, string>) =>
  request(server.url, method, address, ['GET', 'HEAD'].includes(method) ? undefined : ENVELOPE, {
    'content-type': 'application/json',
    ...headers,
  })

test.each(addresses)('%s asks for no token, and its errors are plain JSON', async (address) => {
  const requests = methods.flatMap((method) => secrets.map((secret) => ({ method, secret })))
  await Promise.all(
    requests.map(async ({ method, secret }) => {
      const { status, headers, text, body } = await send(method, address, secret)
      expect(method === 'OPTIONS' ? [204, 404] : [200, 401, 404, 405]).toContain(status)
      expect(headers.get('www-authenticate')).toBeNull()
      expect(text).not.toMatch(/bearer|token|OperationOutcome/i)
      if (status === 200 || status === 204 || method === 'HEAD') return
      expect(body).toEqual({ error: expect.stringContaining(status === 401 ? 'x-voice-secret' : method) })
    }),
  )
})

describe.each(families)('%s', (family, tools) => {
  test.each([...Object.keys(tools), 'unknown_tool', 'constructor'])('%s answers only to the secret', async (tool) => {
    const statuses = await Promise.all(
      secrets.map(async (secret) => (await send('POST', `/${family}/${tool}`, secret)).status),
    )
    expect(statuses).toEqual([401, 401, 200])
  })
})
