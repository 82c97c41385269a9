/** FHIR by the Model Context Protocol: by requests as clients of each revision send them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { exchangeOf } from '../support/journal.ts'
import { askMcp, callMcpTool, fhirMcp, idsOf, REVISIONS, refusalOf, resultOf, sendMcp } from '../support/mcp.ts'
import type { TestServer } from '../support/server.ts'
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

const asked = (token: string, method: string, params: object = {}, revision = REVISION) =>
  askMcp(fhirMcp(server.url, token), revision, method, { ...params })

const called = (token: string, name: string, args: object = {}, revision = REVISION) =>
  callMcpTool(fhirMcp(server.url, token), name, args, revision)

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
        properties: {
          query: { anyOf: [{ type: 'string' }, { type: 'object' }] },
          count: { type: 'integer', maximum: 50 },
        },
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
    expect(resource.issue).toContainEqual(
      expect.objectContaining({ severity: 'error', expression: ['Patient.gender'] }),
    )
    expect((await server.fhir('GET', '/Patient?_summary=count')).body.total).toBe(total)
  })

  test('finds the patient who is described', async () => {
    const born = person('Described', { birthDate: revision })
    const { id } = (await server.fhir('POST', '/Patient', born)).body
    const { resource } = resultOf(await call('fhir_match', { resource: born, count: 5 }))
    expect(idsOf(resource)[0]).toBe(id)
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
    expect(refusalOf(await write('fhir_update', { resource, version: 1 }))).toContain('read it again')
    expect((await clinics.theirs('GET', `/Patient/${id}`)).body).toMatchObject({
      name: [{ family: 'Updated' }],
      meta: { versionId: '2' },
    })
  })

  test('creates a resource once, where it says which one it must not be a second of', async () => {
    const value = `once-${revision}`
    const resource = person('Once', { identifier: [{ system: 'urn:mcp', value }] })
    const create = async (ifNoneExist: unknown) =>
      resultOf(await called(theirAdmin, 'fhir_create', { resource, ifNoneExist }, revision)).resource
    const { id } = await create({ identifier: `urn:mcp|${value}` })
    expect(await create(`identifier=urn:mcp|${value}`)).toMatchObject({ id, meta: { versionId: '1' } })
    expect((await clinics.theirs('GET', `/Patient?identifier=urn:mcp|${value}`)).body.entry).toHaveLength(1)
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
    [
      'an argument of another type',
      'fhir_search',
      { type: 'Patient', query: 7 },
      'query must be of type string or object',
    ],
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
    const address = { ...fhirMcp(server.url, server.token), path: '/mcp' }
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

  test.each([
    ['no search parameter', {}, 'ifNoneExist has no search parameter'],
    ['a text without one', '', 'ifNoneExist has no search parameter'],
    ['an object within', { name: {} }, 'ifNoneExist.name must be a text'],
    ['an unknown search parameter', { nonsense: 'x' }, 'nonsense'],
    ['many matches', 'birthdate=1971-03-04', 'match'],
  ])('a create whose condition has %s, and stores nothing', async (_what, ifNoneExist, sentence) => {
    for (const family of ['Many', 'More']) await newPatient(clinics.theirs, family)
    const { total } = (await clinics.theirs('GET', '/Patient?_summary=count')).body
    const refused = await called(theirAdmin, 'fhir_create', { resource: person('Twice'), ifNoneExist })
    expect(refusalOf(refused)).toContain(sentence)
    expect((await clinics.theirs('GET', '/Patient?_summary=count')).body.total).toBe(total)
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
    const { status, body } = await sendMcp(fhirMcp(server.url, server.token), [message, message])
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
    for (const { agent, outcome } of events) expect([agent.at(-1).altId, outcome]).toEqual(['audited-by-mcp', '0'])
  })

  test('has what was tried in vain, with the status that it had', async () => {
    const token = await logInAs(server, { username: 'refused-by-mcp', clinic: DEMO_CLINIC, role: 'staff' })
    await called(token, 'fhir_read', { type: 'Patient', id: 'nobody-by-mcp' })
    await called(token, 'fhir_create', { resource: person('Refused') })
    const { body } = await withToken(server, ourAdmin).fhir('GET', '/AuditEvent?altid=refused-by-mcp&outcome=4')
    // biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
    const events: any[] = body.entry.map(({ resource }: { resource: object }) => resource)
    expect(events.map(({ type, outcomeDesc }) => [type.code, outcomeDesc]).sort()).toEqual([
      ['110113', 'HTTP status 403'],
      ['rest', 'HTTP status 404'],
    ])
  })
})

describe('the journal', () => {
  test('has a tool that was refused as refused, with the reason, though the status is 200', async () => {
    const staff = withToken(server, ourAdmin)
    for (const [args, code] of [
      [{ type: 'Patient', id: 'nobody-in-journal' }, 'not-found'],
      [{ type: 'Patient' }, 'invalid'],
    ] as const) {
      const answer = await called(ourAdmin, 'fhir_read', args)
      expect(await exchangeOf(staff, answer)).toMatchObject({
        ...{ address: '/mcp/fhir', status: 200, outcome: 'refused' },
        reason: { code, text: refusalOf(answer) },
      })
    }
  })

  test('has a tool that succeeded, and an address at which there is nothing', async () => {
    const staff = withToken(server, ourAdmin)
    const succeeded = await exchangeOf(staff, await called(ourAdmin, 'fhir_search', { type: 'Patient', count: 1 }))
    expect([succeeded.outcome, succeeded.reason]).toEqual(['ok', undefined])
    const failed = await asked(ourAdmin, 'resources/read', { uri: 'fhir://Patient/nobody' })
    expect(await exchangeOf(staff, failed)).toMatchObject({ outcome: 'refused', reason: { code: 'not-found' } })
  })
})
