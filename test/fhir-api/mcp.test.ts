/** FHIR by the Model Context Protocol: by requests as clients of each revision send them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { type ResourceStore, StoreUnavailable } from '../../src/storage/port.ts'
import { newLastingDatabaseUrl, openTestStore } from '../support/database.ts'
import { askMcp, REVISIONS, sendMcp } from '../support/mcp.ts'
import type { FhirResponse } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { logInAs, OTHER_CLINIC, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

const REVISION = '2025-11-25'
const READING = ['fhir_capabilities', 'fhir_search', 'fhir_read', 'fhir_validate', 'fhir_match']
const WRITING = ['fhir_create', 'fhir_update']

let clinics: TwoClinics
let server: TestServer
/** Tokens of admins: only the other clinic lets clients write. */
let ourAdmin: string
let theirAdmin: string

beforeAll(async () => {
  clinics = await startTwoClinics()
  server = clinics.server
  ourAdmin = await logInAs(server, { username: 'our-mcp', clinic: DEMO_CLINIC, role: 'admin' })
  theirAdmin = await logInAs(server, { username: 'their-mcp', clinic: OTHER_CLINIC, role: 'admin' })
  const address = `/clinics/${OTHER_CLINIC}/settings`
  const { body } = await clinics.theirs('GET', address)
  const changed = await clinics.theirs('PUT', address, { ...body, mcpWrites: true })
  expect([changed.status, changed.body.mcpWrites]).toEqual([200, true])
})
afterAll(() => server.close())

const addressOf = (token: string, url = server.url) => ({
  url,
  path: '/mcp/fhir',
  headers: { authorization: `Bearer ${token}` },
})

const asked = (token: string, method: string, params: object = {}, revision = REVISION) =>
  askMcp(addressOf(token), revision, method, { ...params })

const called = (token: string, name: string, args: object = {}, revision = REVISION) =>
  asked(token, 'tools/call', { name, arguments: args }, revision)

/** The result of a tool, whose text and object say the same. */
// biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
function resultOf({ status, body }: FhirResponse): { readonly isError: boolean; readonly resource: any } {
  expect([status, body.error]).toEqual([200, undefined])
  const { isError, structuredContent, content } = body.result
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  return { isError, resource: structuredContent }
}

/** The sentences of the OperationOutcome of a refused call. */
function refusalOf(answer: FhirResponse): string {
  const { isError, resource } = resultOf(answer)
  expect([isError, resource.resourceType]).toEqual([true, 'OperationOutcome'])
  return resource.issue.map(({ diagnostics }: { diagnostics: string }) => diagnostics).join('; ')
}

const idsOf = (bundle: { entry?: readonly { resource: { id: string } }[] }) =>
  (bundle.entry ?? []).map(({ resource: { id } }) => id)

const person = (family: string, more: object = {}) => ({
  resourceType: 'Patient',
  name: [{ family, given: ['Ida'] }],
  birthDate: '1971-03-04',
  ...more,
})

async function newPatient(fhir: TestServer['fhir'], family: string): Promise<string> {
  return (await fhir('POST', '/Patient', person(family))).body.id
}

describe.each(REVISIONS)('a client of the revision %s', (revision) => {
  const call = (name: string, args: object = {}) => called(server.token, name, args, revision)

  test('is told the tools that read, and those that write only where its clinic lets it write', async () => {
    const namesFor = async (token: string) =>
      (await asked(token, 'tools/list', {}, revision)).body.result.tools.map(({ name }: { name: string }) => name)
    expect(await namesFor(server.token)).toEqual(READING)
    expect(await namesFor(theirAdmin)).toEqual([...READING, ...WRITING])
  })

  test('is told arguments and what a tool does by its annotations', async () => {
    const { tools } = (await asked(theirAdmin, 'tools/list', {}, revision)).body.result
    const named = (wanted: string) => tools.find(({ name }: { name: string }) => name === wanted)
    expect(named('fhir_search')).toMatchObject({
      inputSchema: {
        type: 'object',
        required: ['type'],
        additionalProperties: false,
        properties: { query: { type: ['string', 'object'] }, count: { type: 'integer', maximum: 50 } },
      },
      annotations: { readOnlyHint: true, destructiveHint: false },
    })
    expect(named('fhir_update')).toMatchObject({
      inputSchema: { required: ['resource', 'version'] },
      annotations: { readOnlyHint: false, destructiveHint: true },
    })
  })

  test('reads what the server offers, of all types and of one', async () => {
    const all = resultOf(await call('fhir_capabilities')).resource
    expect(all.fhirVersion).toBe('4.0.1')
    expect(all.types[0]).toMatchObject({
      interactions: expect.arrayContaining(['read', 'search-type', 'create']),
      types: expect.arrayContaining(['Patient', 'Observation']),
    })
    const { resource } = resultOf(await call('fhir_capabilities', { type: 'Patient' }))
    expect(resource).toMatchObject({ type: 'Patient', operations: expect.arrayContaining(['$match', '$validate']) })
    expect(resource.searchParameters).toContainEqual(expect.objectContaining({ name: 'birthdate', type: 'date' }))
    expect(refusalOf(await call('fhir_capabilities', { type: 'Patent' }))).toContain('did you mean Patient?')
  })

  test('searches by a query string, by an object of parameters, and goes on by the link next', async () => {
    const family = `Searched${revision.replaceAll('-', '')}`
    const ids = [await newPatient(server.fhir, family), await newPatient(server.fhir, family)]
    const first = resultOf(await call('fhir_search', { type: 'Patient', query: `family=${family}`, count: 1 }))
    expect(first.isError).toBe(false)
    const next = first.resource.link.find(({ relation }: { relation: string }) => relation === 'next').url
    const second = resultOf(await call('fhir_search', { type: 'Patient', query: next })).resource
    expect([...idsOf(first.resource), ...idsOf(second)].sort()).toEqual(ids.sort())
    const byObject = { family, birthdate: ['ge1971-01-01', 'lt1972-01-01'], _count: 10 }
    const both = resultOf(await call('fhir_search', { type: 'Patient', query: byObject })).resource
    expect(idsOf(both).sort()).toEqual(ids.sort())
  })

  test('reads a resource and an earlier version of it', async () => {
    const id = await newPatient(server.fhir, 'Earlier')
    await server.fhir('PUT', `/Patient/${id}`, person('Later', { id }))
    const read = async (args: object) => resultOf(await call('fhir_read', { type: 'Patient', id, ...args }))
    expect(await read({})).toMatchObject({ isError: false, resource: { id, name: [{ family: 'Later' }] } })
    expect((await read({ version: 1 })).resource.name[0].family).toBe('Earlier')
  })

  test('validates a resource, which is stored nowhere', async () => {
    const { total } = (await server.fhir('GET', '/Patient?_summary=count')).body
    const { isError, resource } = resultOf(await call('fhir_validate', { resource: person('Valid', { gender: 'x' }) }))
    expect([isError, resource.resourceType]).toEqual([false, 'OperationOutcome'])
    expect(resource.issue[0]).toMatchObject({ severity: 'error', expression: ['Patient.gender'] })
    expect((await server.fhir('GET', '/Patient?_summary=count')).body.total).toBe(total)
  })

  test('finds the patient who is described', async () => {
    const family = `Matched${revision.replaceAll('-', '')}`
    const id = await newPatient(server.fhir, family)
    const { resource } = resultOf(await call('fhir_match', { resource: person(family), count: 5 }))
    expect(idsOf(resource)).toEqual([id])
    expect(resource.entry[0].search.score).toBeGreaterThan(0.5)
  })

  test('creates a resource, and updates the version that it names', async () => {
    const write = (name: string, args: object) => called(theirAdmin, name, args, revision)
    const created = resultOf(await write('fhir_create', { resource: person('Created') }))
    expect(created).toMatchObject({ isError: false, resource: { meta: { versionId: '1' } } })
    const { id } = created.resource
    const resource = person('Updated', { id })
    const updated = resultOf(await write('fhir_update', { resource, version: 1 }))
    expect(updated).toMatchObject({ isError: false, resource: { id, meta: { versionId: '2' } } })
    expect(refusalOf(await write('fhir_update', { resource, version: 1 }))).toContain('2')
    expect((await clinics.theirs('GET', `/Patient/${id}`)).body).toMatchObject({
      name: [{ family: 'Updated' }],
      meta: { versionId: '2' },
    })
  })

  test('reads a resource by its address', async () => {
    const id = await newPatient(server.fhir, 'Addressed')
    const templates = (await asked(server.token, 'resources/templates/list', {}, revision)).body.result
    expect(templates.resourceTemplates).toMatchObject([{ uriTemplate: 'fhir://{type}/{id}' }])
    expect((await asked(server.token, 'resources/list', {}, revision)).body.result.resources).toEqual([])
    const uri = `fhir://Patient/${id}`
    const [content] = (await asked(server.token, 'resources/read', { uri }, revision)).body.result.contents
    expect(content).toMatchObject({ uri, mimeType: 'application/fhir+json' })
    expect(JSON.parse(content.text)).toEqual((await server.fhir('GET', `/Patient/${id}`)).body)
  })

  test('gets an error of the protocol, with the OperationOutcome, for an address at which there is nothing', async () => {
    for (const uri of ['fhir://Patient/nobody', 'fhir://Patient/_history', 'file:///etc/passwd']) {
      const { body } = await asked(server.token, 'resources/read', { uri }, revision)
      expect(body.error).toMatchObject({ data: { uri, outcome: { issue: [{ code: 'not-found' }] } } })
    }
  })
})

describe('a refusal is a result that says what would be right:', () => {
  test.each<[string, string, object, string]>([
    ['an unknown tool', 'fhir_serch', {}, 'the nearest is fhir_search'],
    ['a missing argument', 'fhir_read', { type: 'Patient' }, 'The argument id is missing'],
    ['an unknown argument', 'fhir_read', { type: 'Patient', id: 'x', of: 1 }, "There is no argument 'of'"],
    ['an argument of another type', 'fhir_search', { type: 'Patient', query: 7 }, 'query must be of type string or object'],
    ['a page that is too large', 'fhir_search', { type: 'Patient', count: 51 }, '50 is the most'],
    ['an object within a query', 'fhir_search', { type: 'Patient', query: { name: {} } }, 'query.name must be a text'],
    ['a count that is no number', 'fhir_search', { type: 'Patient', query: '_count=many' }, '_count'],
    ['an unknown type', 'fhir_search', { type: 'Patent' }, 'did you mean Patient?'],
    ['an interaction as id', 'fhir_read', { type: 'Patient', id: '$everything' }, 'must have 1 to 64 letters'],
    ['a history as id', 'fhir_read', { type: 'Patient', id: '_history' }, 'must have 1 to 64 letters'],
    ['a resource without a type', 'fhir_validate', { resource: {} }, 'has no resourceType'],
    ['a Patient that is none', 'fhir_match', { resource: { resourceType: 'Practitioner' } }, 'Patient'],
  ])('%s', async (_what, name, args, sentence) => {
    expect(refusalOf(await called(server.token, name, args))).toContain(sentence)
  })

  test('that of a FHIR request, to the letter', async () => {
    const chain = `${'partof.'.repeat(11)}name`
    const byHttp = await server.fhir('GET', `/Organization?${chain}=x`)
    expect(byHttp.status).toBe(400)
    const byMcp = resultOf(await called(server.token, 'fhir_search', { type: 'Organization', query: { [chain]: 'x' } }))
    expect(byMcp).toEqual({ isError: true, resource: byHttp.body })
  })
})

describe('nothing of another clinic is found:', () => {
  let ours: string
  beforeAll(async () => {
    ours = await newPatient(clinics.ours, 'Foreign')
  })

  test('by a search or a match', async () => {
    for (const query of [{ _id: ours }, 'family=Foreign']) {
      const { resource } = resultOf(await called(theirAdmin, 'fhir_search', { type: 'Patient', query }))
      expect([resource.type, idsOf(resource)]).toEqual(['searchset', []])
    }
    const { resource } = resultOf(await called(theirAdmin, 'fhir_match', { resource: person('Foreign') }))
    expect(idsOf(resource)).not.toContain(ours)
    expect(JSON.stringify(resource)).not.toContain(ours)
  })

  test('by a read, which is refused as that of nobody is', async () => {
    const readBy = async (id: string) => {
      const read = await called(theirAdmin, 'fhir_read', { type: 'Patient', id })
      const { body } = await asked(theirAdmin, 'resources/read', { uri: `fhir://Patient/${id}` })
      return `${refusalOf(read)} ${JSON.stringify(body.error)}`.replaceAll(id, '…')
    }
    expect(await readBy(ours)).toContain('not-found')
    expect(await readBy(ours)).toBe(await readBy('nobody'))
  })

  test('by an update, which changes nothing', async () => {
    const resource = person('Taken', { id: ours })
    expect(resultOf(await called(theirAdmin, 'fhir_update', { resource, version: 1 })).isError).toBe(true)
    expect((await clinics.theirs('GET', `/Patient/${ours}`)).status).toBe(404)
    expect((await clinics.ours('GET', `/Patient/${ours}`)).body.name[0].family).toBe('Foreign')
  })
})

describe('is refused:', () => {
  test('a client without a token, with a wrong one, or with the secret of calls', async () => {
    const connections: Record<string, string>[] = [
      {},
      { authorization: 'Bearer nonsense' },
      { 'x-voice-secret': 'demo-secret', 'x-call-id': 'mcp-fhir' },
    ]
    for (const headers of connections) {
      const answer = await askMcp({ url: server.url, path: '/mcp/fhir', headers }, REVISION, 'tools/list')
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')])
    }
  })

  test('a token at the address of the tools of calls', async () => {
    const address = { ...addressOf(server.token), path: '/mcp' }
    expect((await askMcp(address, REVISION, 'tools/list')).status).toBe(401)
  })

  test('a write where the clinic lets nobody write', async () => {
    const { total } = (await server.fhir('GET', '/_history?_count=1')).body
    const create = await called(ourAdmin, 'fhir_create', { resource: person('Unwanted') })
    expect(refusalOf(create)).toContain('"mcpWrites": true')
    const id = await newPatient(server.fhir, 'Kept')
    const update = await called(ourAdmin, 'fhir_update', { resource: person('Unwanted', { id }), version: 1 })
    expect(refusalOf(update)).toContain('"mcpWrites": true')
    expect((await server.fhir('GET', '/_history?_count=1')).body.total).toBe(total + 1)
  })

  test('an operator of no clinic, who may neither read nor write', async () => {
    const operator = await logInAs(server, { username: 'mcp-operator', clinic: '', role: 'operator' })
    for (const name of [...READING, ...WRITING])
      expect((await called(operator, name, { resource: person('Operated') })).status).toBe(403)
  })

  test('everybody while the sandbox of the clinic is off', async () => {
    const turn = (enabled: boolean) => clinics.ours('PUT', `/clinics/${DEMO_CLINIC}/sandbox`, { enabled })
    await turn(false)
    const answer = await called(server.token, 'fhir_search', { type: 'Patient' })
    await turn(true)
    expect([answer.status, answer.body.code]).toEqual([403, 'sandbox-off'])
  })

  test('a write that breaks a rule, as by HTTP', async () => {
    const resource = person('Wrong', { gender: 'femail' })
    const byHttp = await clinics.theirs('POST', '/Patient', resource)
    expect(byHttp.status).toBe(422)
    expect(resultOf(await called(theirAdmin, 'fhir_create', { resource }))).toEqual({
      isError: true,
      resource: byHttp.body,
    })
  })

  test('a list of messages', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const { status, body } = await sendMcp(addressOf(server.token), [message, message])
    expect([status, body.error]).toEqual([400, expect.stringContaining('one message in each request')])
  })
})

describe('the audit trail', () => {
  test('has the real interaction of each tool, its user and its patient', async () => {
    const token = await logInAs(server, { username: 'audited-by-mcp', clinic: OTHER_CLINIC, role: 'staff' })
    const call = (name: string, args: object) => called(token, name, args)
    const { id } = resultOf(await call('fhir_create', { resource: person('Audited') })).resource
    await call('fhir_update', { resource: person('Audited', { id, active: true }), version: 1 })
    await call('fhir_read', { type: 'Patient', id })
    await call('fhir_read', { type: 'Patient', id, version: 1 })
    await call('fhir_search', { type: 'Patient', query: { _id: id } })
    await call('fhir_match', { resource: person('Audited') })
    await asked(token, 'resources/read', { uri: `fhir://Patient/${id}` })
    const admin = withToken(server, theirAdmin).fhir
    const { body } = await admin('GET', `/AuditEvent?patient=Patient/${id}&_count=100`)
    // biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
    const events: any[] = body.entry.map(({ resource }: { resource: object }) => resource)
    expect(events.map(({ subtype }) => subtype[0].code).sort()).toEqual(
      ['create', 'operation', 'read', 'read', 'search-type', 'update', 'vread'].sort(),
    )
    for (const { agent, outcome } of events)
      expect([agent.at(-1).altId, outcome]).toEqual(['audited-by-mcp', '0'])
  })

  test('has what was tried in vain, with the status that it had', async () => {
    const token = await logInAs(server, { username: 'refused-by-mcp', clinic: DEMO_CLINIC, role: 'staff' })
    await called(token, 'fhir_read', { type: 'Patient', id: 'nobody-by-mcp' })
    await called(token, 'fhir_create', { resource: person('Refused') })
    const { body } = await withToken(server, ourAdmin).fhir('GET', '/AuditEvent?_count=20&_sort=-date')
    // biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
    const events: any[] = body.entry.map(({ resource }: { resource: object }) => resource)
    const tried = events.filter(({ agent }) => agent.at(-1).altId === 'refused-by-mcp' && agent.length > 2)
    expect(tried.map(({ outcome, outcomeDesc }) => [outcome, outcomeDesc]).sort()).toEqual([
      ['4', 'HTTP status 403'],
      ['4', 'HTTP status 404'],
    ])
  })
})

describe('a result', () => {
  test('keeps the digits of decimals, on the way in and out', async () => {
    const resource = { resourceType: 'Observation', status: 'final', code: { text: 'x' }, valueQuantity: { value: 'DIGITS' } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fhir_create', arguments: { resource } } }
    const { url, headers } = addressOf(theirAdmin)
    const response = await fetch(`${url}/mcp/fhir`, {
      method: 'POST',
      headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(message).replace('"DIGITS"', '1.00'),
    })
    const text = await response.text()
    expect(text).toContain('"valueQuantity":{"value":1.00}')
    const { id } = JSON.parse(text).result.structuredContent
    expect((await clinics.theirs('GET', `/Observation/${id}`)).text).toContain('"value":1.00')
  })

  test('of a search is cut to 50,000 characters, and the links next lead to all of it', async () => {
    const text = 'x'.repeat(5_000)
    for (let n = 0; n < 25; n++) await clinics.theirs('POST', '/Basic', { resourceType: 'Basic', code: { text } })
    const found = new Set<string>()
    let query: string | undefined = '_sort=_id'
    while (query !== undefined) {
      const answer = await called(theirAdmin, 'fhir_search', { type: 'Basic', query, count: 50 })
      expect(answer.body.result.content[0].text.length).toBeLessThanOrEqual(50_000)
      const { resource } = resultOf(answer)
      for (const id of idsOf(resource)) found.add(id)
      query = resource.link.find(({ relation }: { relation: string }) => relation === 'next')?.url
    }
    expect(found.size).toBe(25)
  })

  test('of a search has 50 resources at most, however many its query asks for', async () => {
    const { resource } = resultOf(await called(server.token, 'fhir_search', { type: 'Slot', query: '_count=1000' }))
    expect(resource.link[0].url).toContain('_count=50')
    expect(idsOf(resource).length).toBeLessThanOrEqual(50)
  })

  test('that would be longer is refused where it is a read, and short where it is a write', async () => {
    const resource = { resourceType: 'Basic', code: { text: 'y'.repeat(60_000) } }
    const created = resultOf(await called(theirAdmin, 'fhir_create', { resource })).resource
    expect(created).toEqual({ resourceType: 'Basic', id: created.id, meta: expect.objectContaining({ versionId: '1' }) })
    expect(refusalOf(await called(theirAdmin, 'fhir_read', { type: 'Basic', id: created.id }))).toContain('50000 are the most')
    const query = { _id: created.id, _summary: 'true' }
    const part = resultOf(await called(theirAdmin, 'fhir_search', { type: 'Basic', query })).resource
    expect(idsOf(part)).toEqual([created.id])
  })

  test('has the marker of long base64, which an update keeps', async () => {
    const data = Buffer.alloc(30_000, 'content').toString('base64')
    const binary = { resourceType: 'Binary', contentType: 'application/pdf', data }
    const { id } = resultOf(await called(theirAdmin, 'fhir_create', { resource: binary })).resource
    const { resource } = resultOf(await called(theirAdmin, 'fhir_read', { type: 'Binary', id }))
    expect(resource).toMatchObject({ contentType: 'application/pdf', _data: { extension: [expect.anything()] } })
    const changed = { ...resource, contentType: 'application/x-pdf' }
    expect(resultOf(await called(theirAdmin, 'fhir_update', { resource: changed, version: 1 })).isError).toBe(false)
    const json = { accept: 'application/fhir+json' }
    expect((await clinics.theirs('GET', `/Binary/${id}`, undefined, json)).body).toMatchObject({
      contentType: 'application/x-pdf',
      data,
    })
  })
})

test('work that is too much for the event loop moves to a work thread, and ends there', async () => {
  const threaded = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() })
  try {
    const long = { resourceType: 'Basic', code: { text: 'z'.repeat(300_000) } }
    const { id } = (await threaded.fhir('POST', '/Basic', long)).body
    const params = { name: 'fhir_read', arguments: { type: 'Basic', id } }
    const read = await askMcp(addressOf(threaded.token, threaded.url), REVISION, 'tools/call', params)
    expect(refusalOf(read)).toContain('50000 are the most')
    const searching = { name: 'fhir_search', arguments: { type: 'Basic', query: `_id=${id}&_elements=code` } }
    const search = await askMcp(addressOf(threaded.token, threaded.url), REVISION, 'tools/call', searching)
    expect(refusalOf(search)).toContain('50000 are the most')
  } finally {
    await threaded.close()
  }
})

test('a store that does not serve is 503 with Retry-After, and no result', async () => {
  const store = await openTestStore()
  let isLost = false
  const losing: ResourceStore = {
    ...store,
    search: async (...asked) => {
      if (isLost) throw new StoreUnavailable('The store is lost')
      return await store.search(...asked)
    },
  }
  const unsteady = await startServer({}, { store: losing })
  try {
    isLost = true
    const params = { name: 'fhir_search', arguments: { type: 'Patient', query: 'family=Lost' } }
    const { status, headers, body } = await askMcp(addressOf(unsteady.token, unsteady.url), REVISION, 'tools/call', params)
    expect([status, headers.get('retry-after'), body.result]).toEqual([503, '5', undefined])
  } finally {
    isLost = false
    await unsteady.close()
  }
})
