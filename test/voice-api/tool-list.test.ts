/** GET /tools: the descriptions from which a voice platform sets up its agent. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'

interface ListedTool {
  readonly name: string
  readonly description: string
  readonly path: string
  readonly operation: string
  readonly parameters: { readonly properties: Readonly<Record<string, unknown>>; readonly required: readonly string[] }
}

let server: TestServer
let families: readonly { readonly name: string; readonly tools: readonly ListedTool[] }[]

beforeAll(async () => {
  server = await startServer()
  const { status, body } = await request(server.url, 'GET', '/tools')
  expect(status).toBe(200)
  families = body.families
})
afterAll(() => server.close())

const toolNamed = (name: string) => families.flatMap(({ tools }) => tools).find((tool) => tool.name === name)

describe('the list of tools', () => {
  test('has every tool of every family, and needs no credential', () => {
    const listed = families.map(({ name, tools }) => [name, tools.map((tool) => tool.name)])
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(Object.entries(toolFamilies).map(([name, tools]) => [name, Object.keys(tools)])),
    )
  })

  test('has the arguments of each as JSON Schema, with those that are required', () => {
    expect(toolNamed('record_self_pay_decision')?.parameters).toMatchObject({
      type: 'object',
      properties: { decision: { type: 'string' }, selfPayPriceCents: { type: 'integer' } },
      required: ['decision'],
    })
    expect(toolNamed('update_registration_field')?.parameters).toMatchObject({
      properties: { commsConsent: { type: 'boolean' } },
      required: [],
    })
  })

  test('has a description and the path of each, and the OperationDefinition that it is', async () => {
    for (const { name, description, path, operation } of families.flatMap(({ tools }) => tools)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\w/)])
      expect(path.endsWith(`/${name}`)).toBe(true)
      expect((await server.fhir('GET', `/${operation}`)).status).toBe(200)
    }
  })

  test('can only be read', async () => {
    const { status, headers } = await request(server.url, 'POST', '/tools', {})
    expect([status, headers.get('allow')]).toEqual([405, expect.stringContaining('GET')])
  })
})
