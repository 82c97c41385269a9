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

  test.each([
    ['format=nonsense', 'json-schema, openai'],
    ['family=nonsense', 'patient-journey, emr-scheduling'],
    ['tool=nonsense', 'resolve_patient_identity'],
  ])('with ?%s is 400 and names what there is', async (query, named) => {
    const { status, body } = await request(server.url, 'GET', `/tools?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(named)])
  })
})

describe('a definition to import', () => {
  const imported = async (format: string, name = 'verify_patient') =>
    (await request(server.url, 'GET', `/tools?format=${format}&tool=${name}`)).body

  const described = {
    name: 'verify_patient',
    description: expect.stringMatching(/\w/),
    parameters: expect.objectContaining({ required: ['statedName', 'statedDateOfBirth'], additionalProperties: false }),
  }

  /** The types in the libraries of Vapi and Retell have no other keyword at the top of the arguments. */
  const published = {
    ...described,
    parameters: { type: 'object', properties: expect.anything(), required: ['statedName', 'statedDateOfBirth'] },
  }
  // biome-ignore lint/suspicious/noExplicitAny: each platform has a shape of its own
  const keywordsOf = ({ function: { parameters } = {}, body, ...tool }: Record<string, any>) =>
    Object.keys(parameters ?? body ?? tool.parameters)

  test.each(['vapi', 'vapi-api-request', 'retell'])(
    'for %s has the keywords of its published types only',
    async (format) => {
      const tools: readonly Record<string, unknown>[] = (await request(server.url, 'GET', `/tools?format=${format}`))
        .body
      for (const tool of tools)
        expect(['type', 'properties', 'required']).toEqual(expect.arrayContaining(keywordsOf(tool)))
    },
  )

  test.each<[string, object]>([
    ['openai', { type: 'function', ...described, strict: false }],
    ['openai-chat', { type: 'function', function: described }],
    ['livekit', { type: 'function', ...described }],
    ['vapi', { type: 'function', function: published, server: { headers: { 'x-voice-secret': expect.any(String) } } }],
    ['vapi-api-request', { type: 'apiRequest', method: 'POST', body: published.parameters }],
    ['retell', { type: 'custom', ...published, headers: { 'x-call-id': '{{call_id}}' } }],
    ['bland', { method: 'POST', body: { statedName: '{{input.statedName}}' }, input_schema: described.parameters }],
    [
      'elevenlabs',
      { type: 'webhook', api_schema: { request_body_schema: { required: ['statedName', 'statedDateOfBirth'] } } },
    ],
  ])('for %s has the arguments of the tool where that platform reads them', async (format, expected) => {
    expect(await imported(format)).toEqual([expect.objectContaining({})])
    expect((await imported(format))[0]).toMatchObject(expected)
  })

  test.each(['vapi', 'vapi-api-request', 'retell', 'elevenlabs', 'bland'])(
    'for %s has the address of this server',
    async (format) => {
      expect(JSON.stringify(await imported(format))).toContain(`"url":"${server.url}/emr-scheduling/verify_patient"`)
    },
  )

  test('never has the webhook secret', async () => {
    for (const format of [
      'json-schema',
      'openai',
      'vapi',
      'vapi-api-request',
      'retell',
      'elevenlabs',
      'bland',
      'openapi',
    ])
      expect(JSON.stringify((await request(server.url, 'GET', `/tools?format=${format}`)).body)).not.toContain(
        'demo-secret',
      )
  })

  test('has the values of an argument that has few', async () => {
    const valuesOf = async (tool: string, name: string) =>
      (await imported('openai', tool))[0].parameters.properties[name].enum
    expect(await valuesOf('record_self_pay_decision', 'decision')).toContain('self_pay_continue')
    expect(await valuesOf('send_resume_link', 'channel')).toEqual(['sms', 'email'])
    expect(await valuesOf('set_contact_preference', 'channel')).toContain('all')
    expect(await valuesOf('log_call_outcome', 'outcome')).toContain('recovered')
    expect(await valuesOf('validate_intake_field', 'fieldName')).toContain('dateOfBirth')
  })

  test('as OpenAPI has each tool at its address, and those that only read by GET too', async () => {
    const { body } = await request(server.url, 'GET', '/tools?format=openapi')
    expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: server.url }] })
    const paths = families.flatMap(({ tools }) => tools.map(({ path }) => path))
    expect(Object.keys(body.paths)).toEqual(paths)
    expect(Object.keys(body.paths['/emr-scheduling/get_clinic_info'])).toEqual(['post', 'get'])
    expect(Object.keys(body.paths['/emr-scheduling/book_appointment'])).toEqual(['post'])
  })
})
