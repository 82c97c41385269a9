/** GET /openapi.json: one document of the tools and of all other routes that are not FHIR's. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Router } from '@koa/router'
import { Validator } from '@seriousme/openapi-schema-validator'
import { toolFamilies } from '../../src/calls/families.ts'
import { problemsOf } from '../support/json-schema.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { logInAs } from '../support/two-clinics.ts'

interface Media {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Answer {
  readonly content?: Readonly<Record<string, Media>>
}

interface Parameter {
  readonly name: string
  readonly in: string
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Answer
  readonly responses: Readonly<Record<string, Answer>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

/** An operation, all references in it resolved, with its address. */
interface Route extends Operation {
  readonly method: string
  readonly path: string
}

let server: TestServer
let operator: string
/** As it is sent. */
// biome-ignore lint/suspicious/noExplicitAny: assertions look into every part of it
let sent: any
let routes: readonly Route[]
let served: ReadonlySet<string>

beforeAll(async () => {
  const registered = jest.spyOn(Router.prototype, 'register')
  server = await startServer()
  served = new Set(registered.mock.results.flatMap(({ value }) => addressesOf(value)))
  registered.mockRestore()
  operator = await logInAs(server, { username: 'operator', clinic: '', role: 'operator' })
  sent = (await request(server.url, 'GET', '/openapi.json')).body
  routes = routesOf(resolved(sent) as typeof sent)
})
afterAll(() => server.close())

/** `GET /clinics/{clinic}/sandbox` for each method of a route; a tool is named in place of `:toolName`. */
function addressesOf(route: unknown): readonly string[] {
  const { path, methods } = route as { readonly path?: unknown; readonly methods?: readonly string[] }
  if (typeof path !== 'string' || methods === undefined) return []
  const [, family = ''] = path.split('/')
  const names = path.endsWith('/:toolName') ? Object.keys(toolFamilies[family] ?? {}) : ['']
  const paths = names.map((name) => path.replace(':toolName', name).replace(/\/$/, ''))
  return paths.flatMap((one) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${one.replace(/:(\w+)/g, '{$1}')}`),
  )
}

/** A copy in which the target of each reference stands in its place. */
function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved)
  if (typeof node !== 'object' || node === null) return node
  if ('$ref' in node) return resolved(targetOf(String(node.$ref)))
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(value)]))
}

function targetOf(reference: string): unknown {
  const found = reference
    .split('/')
    .slice(1)
    .reduce<Record<string, unknown> | undefined>((node, name) => node?.[name] as Record<string, unknown>, sent)
  if (found === undefined) throw new Error(`${reference} leads nowhere`)
  return found
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const routesOf = ({ paths }: { readonly paths: Paths }): readonly Route[] =>
  Object.entries(paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      parameters: [...(shared as unknown as readonly Parameter[]), ...(operation.parameters ?? [])],
      method: method.toUpperCase(),
      path,
    })),
  )

const segmentOf = (address: string): string | undefined => address.split('/')[1]

/** First segments of routes that no client of the API calls, with the reason. */
const UNDESCRIBED: ReadonlyMap<string, string> = new Map([
  ['dashboard', 'the pages of the application in the browser, which calls the described routes'],
  ['favicon.ico', 'the icon of those pages'],
  ['simulators', 'stands in for a system of others: a connector calls it'],
])

/** Interactions of FHIR, which the CapabilityStatement describes: a type, an operation or a parameter comes first. */
const isFhir = (address: string): boolean => !/^[a-z]/.test(segmentOf(address) ?? '') || address.endsWith('/metadata')

describe('the document', () => {
  test('has the address of the server, needs no credential and has none', () => {
    expect(sent).toMatchObject({ openapi: '3.1.1', servers: [{ url: server.url }] })
    expect(sent.info.description).toContain('/metadata')
    expect(JSON.stringify(sent)).not.toContain('demo-secret')
  })

  test('has exactly the routes that are served, but for those that it need not have', () => {
    const documented = routes.map(({ method, path }) => `${method} ${path}`)
    const others = [...served].filter((one) => !isFhir(one) && !UNDESCRIBED.has(segmentOf(one) ?? ''))
    expect(documented.sort()).toEqual(others.sort())
  })

  test('leaves out nothing that is not served', () => {
    const segments = new Set([...served].map(segmentOf))
    expect([...UNDESCRIBED.keys()].filter((one) => !segments.has(one))).toEqual([])
  })

  test('conforms to the published schema of OpenAPI 3.1', async () => {
    const linter = new Validator()
    expect(await linter.validate(structuredClone(sent))).toEqual({ valid: true })
    expect(linter.version).toBe('3.1')
  })

  test('names each operation once, and in it only tags, credentials and parameters of the path that there are', () => {
    const ids = routes.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = sent.tags.map(({ name }: { name: string }) => name)
    const schemes = Object.keys(sent.components.securitySchemes)
    for (const { path, tags: its, security = [], parameters = [], operationId } of routes) {
      expect([operationId, its.filter((tag) => !tags.includes(tag))]).toEqual([operationId, []])
      expect(schemes).toEqual(expect.arrayContaining(security.flatMap((one) => Object.keys(one))))
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath)
    }
  })

  test('has examples that conform to their schemas', () => {
    const media = routes.flatMap(({ requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {})),
    )
    const problems = media.flatMap(({ schema, example, examples = {} }) =>
      [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)].flatMap(
        (one) => problemsOf(schema, one).map((problem) => `${problem}: ${JSON.stringify(one)}`),
      ),
    )
    expect(media.length).toBeGreaterThan(100)
    expect(problems).toEqual([])
  })

  test('tells the formats of GET /tools', async () => {
    const { schema } = sent.paths['/tools'].get.parameters.find(({ name }: { name: string }) => name === 'format')
    const { body } = await request(server.url, 'GET', '/tools?format=nonsense')
    expect(body.error).toContain(`format must be one of ${schema.enum.join(', ')};`)
  })
})

/** The status of an operation that the example cannot lead to more. */
const REFUSED: Readonly<Record<string, number>> = {
  attestStep: 404,
  abortRun: 404,
  finishRun: 404,
  readRun: 404,
  startRun: 404,
  readReportAsPage: 404,
  readReportAsJUnit: 404,
  readReportAsMarkdown: 404,
  readReportAsTestReport: 404,
  readCapability: 404,
  compareCapability: 404,
  shareReport: 404,
  endReportLinks: 404,
  readSharedPage: 404,
  readSharedAsJUnit: 404,
  readSharedAsMarkdown: 404,
  readSharedAsTestReport: 404,
  renewSession: 401,
  redeemResumeLink: 404,
  revokeToken: 404,
  readDoc: 404,
  readDocInFolder: 404,
  showResumeForm: 404,
  sendResumeForm: 404,
  dismissMessage: 404,
  endClone: 404,
  readSnapshot: 404,
  readJob: 404,
  deleteJob: 404,
  readFileOfJob: 404,
  resendMessage: 404,
  watchSubscription: 404,
  resendEvents: 404,
  sendTestEvent: 404,
}

describe('a request as the document has it', () => {
  /** An exchange of the demo clinic, and one of no clinic. */
  let exchanges: { readonly ofClinic: string; readonly ofNone: string }

  beforeAll(async () => {
    const ofClinic = await server.fhir('GET', '/Patient?_count=1')
    const ofNone = await request(server.url, 'GET', '/metadata')
    const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id') ?? ''
    exchanges = { ofClinic: idOf(ofClinic), ofNone: idOf(ofNone) }
  })

  const addressOf = (path: string): string =>
    path
      .replace('{clinic}', 'demo-clinic')
      .replace('{connector}', 'crm')
      .replace('{plan}', 'my-scheduler')
      .replace('{family}', 'emr-scheduling')
      .replace('{username}', 'nora')
      .replace('{exchange}', path.startsWith('/exchanges') ? exchanges.ofNone : exchanges.ofClinic)
      .replace(/\{\w+\}/, 'call-1')

  /** A token of an operator where the path names no clinic; of a session of its own where that is ended. */
  async function tokenFor({ path, operationId, tags }: Route): Promise<string> {
    // Staff may not change what a clinic is rehearsed with, nor take all of its data.
    if (tags.some((tag) => ['generations', 'rehearsal', 'runs', 'transfer'].includes(tag))) return operator
    if (operationId === 'endSession') return await server.login('demo', 'demo')
    if (tags.includes('tokens')) return await server.login('admin', 'admin')
    return /^\/(accounts|clinics|exchanges)(\/(?!\{clinic\})|$)/.test(path) ? operator : server.token
  }

  async function credentialsFor(route: Route): Promise<Record<string, string>> {
    const [scheme] = (route.security ?? [{ voiceSecret: [] }]).flatMap((one) => Object.keys(one))
    if (scheme === 'bearer') return { authorization: `Bearer ${await tokenFor(route)}` }
    return scheme === 'voiceSecret' ? { 'x-voice-secret': 'demo-secret', 'x-call-id': 'openapi-1' } : {}
  }

  const bodyOf = ({ operationId, requestBody }: Route): unknown => {
    if (operationId === 'beginSession') return { username: 'demo', password: 'demo' }
    const { example, examples = {} } = requestBody?.content?.['application/json'] ?? {}
    return example ?? Object.values(examples)[0]?.value
  }

  const isStream = ({ responses }: Route): boolean => responses[200]?.content?.['text/event-stream'] !== undefined

  async function problemsWith(route: Route): Promise<readonly string[]> {
    const { method, path, operationId, responses } = route
    const headers = {
      accept: 'application/json, text/event-stream, */*',
      'content-type': 'application/json',
      ...(await credentialsFor(route)),
    }
    const { status, body } = await request(server.url, method, addressOf(path), bodyOf(route), headers)
    const expected = REFUSED[operationId]
    const isExpected = expected === undefined ? status < 300 : status === expected
    if (!isExpected) return [`${operationId}: ${status} ${JSON.stringify(body)}`]
    const described = responses[status]
    if (described === undefined) return [`${operationId}: ${status} is not described`]
    const schema = described.content?.['application/json']?.schema
    const problems = schema === undefined ? [] : problemsOf(schema, body)
    return problems.map((problem) => `${operationId}: ${problem} in ${JSON.stringify(body)}`)
  }

  test('gets a response as the document has it', async () => {
    // Where another clinic is made, the accounts of the demo end.
    const isLast = ({ operationId }: Route) => operationId === 'makeClinic'
    const others = routes.filter((route) => !isStream(route) && !isLast(route))
    const problems: string[] = []
    for (const route of [...others, ...routes.filter(isLast)]) problems.push(...(await problemsWith(route)))
    expect(others.length).toBeGreaterThan(50)
    expect(problems).toEqual([])
  })
})
