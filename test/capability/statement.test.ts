/** The CapabilityStatement declares exactly what is served, and a wrong declaration stops the start. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CapabilityStatement, OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import { pino } from 'pino'
import { toolFamilies } from '../../src/calls/families.ts'
import { toolOperations } from '../../src/calls/tool.ts'
import { capabilityStatement } from '../../src/capability/statement.ts'
import { readConfig } from '../../src/config.ts'
import type { Operation } from '../../src/core/operation.ts'
import {
  defineProvider,
  type Interactions,
  type Provider,
  standard,
  standardProvider,
} from '../../src/core/provider.ts'
import { validate } from '../../src/fhir/validate/validate.ts'
import { createApp } from '../../src/main/app.ts'
import { patientMatch } from '../../src/operations/patient-match.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { registerProviders, systemInteractions, systemOperations } from '../../src/providers/registry.ts'
import { newDatabaseUrl } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let statement: CapabilityStatement
beforeAll(async () => {
  server = await startServer()
  statement = (await server.fhir('GET', '/metadata')).body
})
afterAll(() => server.close())

const resources = (of: CapabilityStatement) => of.rest?.[0]?.resource ?? []
const resourceOf = (type: string, of = statement) => resources(of).find((resource) => resource.type === type)
describe('capability/statement.json', () => {
  test('is what the providers generate (npm run capability writes it anew)', () => {
    const file = readFileSync(join(import.meta.dirname, '../../capability/statement.json'), 'utf8')
    const generated = capabilityStatement(registerProviders(specialProviders, standardProvider), systemInteractions())
    const isStale = file !== `${JSON.stringify(generated, null, 2)}\n`
    expect(isStale).toBe(false)
  })
})

describe('GET /metadata', () => {
  test('is a valid CapabilityStatement of an R4 server', () => {
    expect(validate(statement)).toEqual([])
    expect(statement).toMatchObject({
      kind: 'instance',
      fhirVersion: '4.0.1',
      format: ['application/fhir+json', 'application/fhir+xml', 'json', 'xml'],
    })
    expect(statement.patchFormat).toEqual(
      expect.arrayContaining(['application/json-patch+json', 'application/xml-patch+xml']),
    )
    expect(statement.rest?.[0]).toMatchObject({ mode: 'server', security: { cors: false } })
  })

  test('declares every R4 resource type with all interactions, versions and conditional interactions', () => {
    expect(resources(statement)).toHaveLength(146)
    for (const resource of resources(statement)) {
      expect(resource.interaction?.map(({ code }) => code).sort()).toEqual(Object.keys(standard).sort())
      expect(resource).toMatchObject({
        versioning: 'versioned',
        readHistory: true,
        updateCreate: true,
        conditionalCreate: true,
        conditionalRead: 'full-support',
        conditionalUpdate: true,
        conditionalDelete: 'single',
      })
    }
    const system = statement.rest?.[0]?.interaction?.map(({ code }) => code).sort()
    expect(system).toEqual(['batch', 'history-system', 'search-system', 'transaction'])
  })

  test('tells the modifiers that each type of parameter takes', () => {
    expect(statement.rest?.[0]?.documentation).toContain('token :not :text :in :not-in :above :below :of-type;')
  })

  test('names the canonical of every search parameter, and _id, _lastUpdated and _tag for every type', () => {
    for (const { searchParam = [] } of resources(statement)) {
      expect(searchParam.map(({ name }) => name)).toEqual(expect.arrayContaining(['_id', '_lastUpdated', '_tag']))
      for (const { definition } of searchParam) expect(definition).toMatch(/^https?:\/\/.+\/SearchParameter\/.+/)
    }
  })

  test('names canonicals of operations whose definitions are found by url, read by id, and cannot be changed', async () => {
    const operations = resources(statement).flatMap(({ operation = [] }) => operation)
    expect(operations.map(({ name }) => name)).toContain('match')
    // Many types have the same ones.
    for (const { name, definition } of new Map(operations.map((one) => [one.definition + one.name, one])).values()) {
      const { body } = await server.fhir('GET', `/OperationDefinition?url=${encodeURIComponent(definition)}`)
      expect(body.total).toBe(1)
      const found: OperationDefinition = body.entry[0].resource
      expect(found).toMatchObject({ url: definition, code: name })
      expect(validate(found)).toEqual([])
      const path = `/OperationDefinition/${found.id}`
      expect((await server.fhir('GET', path)).body).toEqual(found)
      expect((await server.fhir('GET', `${path}/_history/1`)).body).toEqual(found)
      expect((await server.fhir('GET', `${path}/_history`)).body.total).toBe(1)
      expect((await server.fhir('PUT', path, found)).status).toBe(422)
      expect((await server.fhir('PATCH', path, [{ op: 'remove', path: '/title' }])).status).toBe(422)
      expect((await server.fhir('DELETE', path)).status).toBe(422)
    }
  })
})

describe('the resources the server ships', () => {
  const page = async (url: string) => (await server.fhir('GET', url)).body
  const idsOf = (bundle: { entry?: readonly { resource: { id: string } }[] }) =>
    (bundle.entry ?? []).map(({ resource }) => resource.id)

  test('are searched together with those of the clinic, page by page, each once', async () => {
    const own = ['own-a', 'own-b', 'own-c']
    for (const id of own) {
      const definition = { ...patientMatch.definition, id, url: `http://example.org/${id}` }
      expect((await server.fhir('PUT', `/OperationDefinition/${id}`, definition)).status).toBe(201)
    }
    const all = await page('/OperationDefinition?_count=100')
    expect(idsOf(all)).toEqual(expect.arrayContaining(['patient-match', 'patient-submit-intake', ...own]))
    for (const count of [1, 2, idsOf(all).length - own.length, idsOf(all).length]) {
      const seen: string[] = []
      let url: string | undefined = `/OperationDefinition?_count=${count}`
      while (url !== undefined) {
        const bundle = await page(url)
        expect(idsOf(bundle).length).toBeLessThanOrEqual(count)
        seen.push(...idsOf(bundle))
        url = bundle.link.find((link: { relation: string }) => link.relation === 'next')?.url.slice(server.url.length)
      }
      expect(seen).toEqual(idsOf(all))
    }
    expect((await page('/OperationDefinition?_summary=count')).total).toBe(all.total)
  })

  test.each([
    ['code=match&type=true', ['own-a', 'own-b', 'own-c', 'patient-match']],
    ['_id=patient-match', ['patient-match']],
    ['name:exact=Match&_id=patient-match', ['patient-match']],
    ['title:contains=INTAKE', ['patient-submit-intake', 'patient-validate-intake-field']],
    ['url:below=http://hl7.org/fhir&code=match', ['patient-match']],
    ['status:not=active', []],
    ['code=submit-intake,match&_id:not=patient-match', ['own-a', 'own-b', 'own-c', 'patient-submit-intake']],
    ['_lastUpdated=lt2000', []],
    ['_id=patient-match&date=ge2026-11-21&date=lt2026-11-22', ['patient-match']],
    ['_id=patient-match&date=lt2026', []],
    ['_id=patient-match&title:missing=false', ['patient-match']],
    ['_id=patient-match&base:missing=false', []],
    ['_id=patient-match&base.name=Match', []],
  ])('?%s finds %j', async (query, ids) => {
    expect(idsOf(await page(`/OperationDefinition?${query}`)).sort()).toEqual(ids)
  })

  test('StructureDefinitions of our extensions are found by url too', async () => {
    const url = 'https://sandbox-emr.example/fhir/StructureDefinition/insurance-status'
    expect(idsOf(await page(`/StructureDefinition?url=${url}`))).toEqual(['insurance-status'])
  })
})

describe('what is declared is mounted, what is not is 405', () => {
  const { read, create } = standard
  const readOnly = defineProvider('Basic', { interactions: { read, create, 'search-type': standard['search-type'] } })
  let small: TestServer
  beforeAll(async () => {
    small = await startServer({}, { providers: [...specialProviders, readOnly] })
  })
  afterAll(() => small.close())

  test('/metadata declares those three interactions and what follows from them', async () => {
    const declared = resourceOf('Basic', (await small.fhir('GET', '/metadata')).body)
    expect(declared?.interaction?.map(({ code }) => code).sort()).toEqual(['create', 'read', 'search-type'])
    expect(declared).toMatchObject({
      versioning: 'no-version',
      readHistory: false,
      updateCreate: false,
      conditionalCreate: true,
      conditionalUpdate: false,
      conditionalDelete: 'not-supported',
    })
  })

  const body = { resourceType: 'Basic', id: 'b', code: { text: 'x' } }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  test.each<[string, string, string, unknown, number, string | undefined]>([
    ['read', 'GET', '/Basic/b', undefined, 404, undefined],
    ['search-type', 'GET', '/Basic', undefined, 200, undefined],
    ['search-type', 'POST', '/Basic/_search', 'code=x', 200, undefined],
    ['create', 'POST', '/Basic', body, 201, undefined],
    ['vread', 'GET', '/Basic/b/_history/1', undefined, 405, ''],
    ['history-instance', 'GET', '/Basic/b/_history', undefined, 405, ''],
    ['history-type', 'GET', '/Basic/_history', undefined, 405, ''],
    ['update', 'PUT', '/Basic/b', body, 405, 'GET'],
    ['conditional update', 'PUT', '/Basic?code=x', body, 405, 'GET, POST'],
    ['patch', 'PATCH', '/Basic/b', [], 405, 'GET'],
    ['conditional patch', 'PATCH', '/Basic?code=x', [], 405, 'GET, POST'],
    ['delete', 'DELETE', '/Basic/b', undefined, 405, 'GET'],
    ['conditional delete', 'DELETE', '/Basic?code=x', undefined, 405, 'GET, POST'],
  ])('%s (%s %s)', async (_code, method, path, sent, status, allow) => {
    const answer = await small.fhir(method, path, sent, sent === 'code=x' ? form : {})
    expect(answer.status).toBe(status)
    expect(answer.headers.get('allow') ?? undefined).toBe(allow)
    expect(answer.body.resourceType).toMatch(status < 300 ? /Basic|Bundle/ : /OperationOutcome/)
  })

  test.each([
    ['every interaction of another type stays', 'GET', '/Patient/_history', 200],
    ['an operation that the type does not have is 404', 'GET', '/Basic/$match', 404],
    ['an operation of a type that R4 does not have is 404', 'POST', '/Basics/$match', 404],
  ])('%s', async (_name, method, path, status) => {
    expect((await small.fhir(method, path)).status).toBe(status)
  })

  test.each(['transaction', 'batch'])('a %s obeys the same declaration', async (type) => {
    const entry = [{ resource: body, request: { method: 'PUT', url: 'Basic/b' } }]
    const answer = await small.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
    if (type === 'batch') expect(answer.body.entry[0].response.status).toMatch(/^405/)
    else expect(answer.status).toBe(405)
  })
})

describe('DISABLED_INTERACTIONS', () => {
  let off: TestServer
  beforeAll(async () => {
    off = await startServer({
      DISABLED_INTERACTIONS: 'Patient.delete, *.history-type, system.batch, system.search-system',
    })
  })
  afterAll(() => off.close())
  const declared = async () => (await off.fhir('GET', '/metadata')).body as CapabilityStatement
  const codes = (type: string, of: CapabilityStatement) => resourceOf(type, of)?.interaction?.map(({ code }) => code)

  test('Patient.delete disappears from /metadata and from the routes of Patient only', async () => {
    const of = await declared()
    expect(codes('Patient', of)).not.toContain('delete')
    expect(resourceOf('Patient', of)?.conditionalDelete).toBe('not-supported')
    expect(codes('Practitioner', of)).toContain('delete')
    const answer = await off.fhir('DELETE', '/Patient/x')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, PUT, PATCH')
    expect((await off.fhir('DELETE', '/Patient?name=x')).status).toBe(405)
    expect((await off.fhir('DELETE', '/Practitioner/x')).status).toBe(204)
  })

  test('*.history-type disappears for every type, and is no read of an id _history', async () => {
    const types = resources(await declared())
    expect(types.length).toBeGreaterThan(100)
    for (const { interaction = [] } of types) expect(interaction.map(({ code }) => code)).not.toContain('history-type')
    const answer = await off.fhir('GET', '/Practitioner/_history')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('')
    expect((await off.fhir('GET', '/_history')).status).toBe(200)
  })

  test('system.batch and system.search-system disappear, and the others of their addresses stay', async () => {
    const of = await declared()
    expect(of.rest?.[0]?.interaction?.map(({ code }) => code)).toEqual(['transaction', 'history-system'])
    const send = (type: string) => off.fhir('POST', '/', { resourceType: 'Bundle', type })
    expect((await send('batch')).status).toBe(405)
    expect((await send('transaction')).status).toBe(200)
    expect((await off.fhir('GET', '/?_type=Patient')).status).toBe(405)
  })

  test.each([
    ['system.delete', "no interaction 'delete'"],
    ['Pacient.delete', "no resource type 'Pacient'"],
    ['Patient.remove', "no interaction 'remove'"],
    ['Patient', "no interaction ''"],
    ['*.everything', "no interaction 'everything'"],
  ])('the rule %s stops the start: %s', async (rule, sentence) => {
    await expect(startServer({ DISABLED_INTERACTIONS: rule })).rejects.toThrow(sentence)
  })
})

describe('a wrong declaration stops the start with a sentence that names it', () => {
  const start = async (providers: readonly Provider[]) => {
    const config = readConfig({ DATABASE_URL: await newDatabaseUrl(), PORT: '0', LOG_LEVEL: 'silent' })
    return await createApp({ config, logger: pino({ level: 'silent' }), providers })
  }
  const callOperations = toolOperations(toolFamilies, 'Patient')
  const replacing = (provider: Provider) => [...specialProviders.filter(({ type }) => type !== provider.type), provider]

  const patientWith = (operation: Operation) =>
    replacing(defineProvider('Patient', { interactions: standard, operations: [operation, ...callOperations] }))
  const brokenBy = (changes: object) =>
    patientWith({ ...patientMatch, definition: { ...patientMatch.definition, ...changes } })
  const brokenParameter = (changes: Partial<Record<keyof OperationDefinitionParameter, unknown>>) => {
    const [first, ...others] = patientMatch.definition.parameter ?? []
    return brokenBy({ parameter: [{ ...first, ...changes }, ...others] })
  }
  const noHandler = { ...standard, update: undefined } as unknown as Interactions

  test.each<[string, readonly Provider[], RegExp]>([
    [
      'an interaction without a handler',
      replacing(defineProvider('Basic', { interactions: noHandler })),
      /Basic.*update.*handler/,
    ],
    ['a type that R4 does not have', replacing(defineProvider('Pacient', { interactions: standard })), /Pacient/],
    ['a type with two providers', [...specialProviders, ...specialProviders], /twice/],
    [
      'an unknown search parameter',
      replacing(defineProvider('Basic', { interactions: standard, searchParams: ['kode'] })),
      /Basic.*'kode'/,
    ],
    [
      'a combined index with an unknown search parameter',
      replacing(defineProvider('Basic', { interactions: standard, combined: [{ equal: ['code'], range: 'createt' }] })),
      /Basic.*'createt'/,
    ],
    ['an operation without a code', brokenBy({ code: undefined }), /patient-match.*code/],
    ['an operation of another code than it is served as', brokenBy({ code: 'compare' }), /\$match.*'compare'/],
    ['an operation without a resource type', brokenBy({ resource: undefined }), /patient-match.*resource/],
    ['an operation for another type', brokenBy({ resource: ['Person'] }), /patient-match.*Patient/],
    ['an operation for a type that R4 does not have', brokenBy({ resource: ['Pacient'] }), /patient-match.*Pacient/],
    ['an operation without an address', brokenBy({ type: false }), /patient-match.*address/],
    ['an operation without an id', brokenBy({ id: undefined }), /patient-match.*id/],
    ['an operation without a canonical', brokenBy({ url: undefined }), /patient-match.*url/],
    ['an operation without a status', brokenBy({ status: undefined }), /patient-match.*status/],
    ['an operation of another resource type', brokenBy({ resourceType: 'Patient' }), /patient-match/],
    ['a parameter of an unknown type', brokenParameter({ type: 'Pacient' }), /patient-match.*Pacient/],
    ['a parameter with a wrong use', brokenParameter({ use: 'inout' }), /patient-match.*use/],
    ['a parameter without min', brokenParameter({ min: undefined }), /patient-match.*min/],
    ['a parameter with a negative min', brokenParameter({ min: -1 }), /patient-match.*'resource'.*min/],
    ['a parameter with a max that is no number', brokenParameter({ max: 'many' }), /patient-match.*'resource'.*max/],
    ['a parameter with min over max', brokenParameter({ min: 2 }), /patient-match.*'resource'.*min 2/],
    [
      'a parameter with neither type nor parts',
      brokenParameter({ type: undefined }),
      /patient-match.*type must be provided/,
    ],
    ['a parameter that is defined twice', brokenParameter({ name: 'count' }), /patient-match.*'count'/],
    [
      'an operation twice',
      replacing(
        defineProvider('Patient', {
          interactions: standard,
          operations: [patientMatch, patientMatch, ...callOperations],
        }),
      ),
      /\$match twice/,
    ],
    [
      'an OperationDefinition that no provider serves',
      replacing(defineProvider('Patient', { interactions: standard, operations: callOperations })),
      /patient-match\.json/,
    ],
  ])('%s', async (_name, providers, sentence) => {
    await expect(start(providers)).rejects.toThrow(sentence)
  })

  test('an operation listed at system level that is not for it', () => {
    const operations = [...systemOperations, patientMatch]
    const providers = registerProviders(specialProviders, standardProvider)
    expect(() => capabilityStatement(providers, systemInteractions(), { operations })).toThrow(
      /patient-match.*OperationDefinition\.system/,
    )
  })
})
