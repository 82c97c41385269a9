/** ImplementationGuide/$install: packages and Bundles of profiles, which take effect at once. */
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MAX_INLINE } from '../../src/fhir/content/marker.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { packageOf, tarOf } from '../support/packages.ts'
import { brief, profile, US_CORE, usCore, usCorePatient } from '../support/profiles.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
let server: TestServer
beforeAll(async () => {
  clinics = await startTwoClinics()
  server = clinics.server
})
afterAll(() => server.close())

const MANIFEST = {
  name: 'hl7.fhir.us.core',
  version: '6.1.0',
  fhirVersions: ['4.0.1'],
  dependencies: { 'hl7.fhir.r4.core': '4.0.1', 'us.nlm.vsac': '0.11.0' },
}
const core = Object.values(usCore())

async function install(to: TestServer, bytes: Buffer, type = 'application/gzip'): Promise<FhirResponse> {
  const response = await fetch(`${to.url}/ImplementationGuide/$install`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.token}`, 'content-type': type },
    body: new Uint8Array(bytes),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

const installed = async (resources: readonly object[]) => install(server, packageOf(resources))
const validated = async (by: TestServer['fhir'], resource: object) => {
  const { body } = await by('POST', '/Patient/$validate', resource)
  return brief(body.issue).filter((issue) => !/dom-6|^information|invariant Patient$/.test(issue))
}
const withoutIdentifier = () => {
  const { identifier: _identifier, ...rest } = usCorePatient()
  return rest
}

describe('a package', () => {
  test('takes effect in the clinic that installed it, at once, and in no other', async () => {
    expect((await validated(clinics.ours, withoutIdentifier())).join()).toContain('not-found Patient.meta.profile[0]')
    const others = [
      { resourceType: 'SearchParameter', id: 'x' },
      { resourceType: 'SearchParameter', id: 'y' },
    ]
    const answer = await install(server, packageOf([...core, ...others], MANIFEST))
    expect([answer.status, answer.body.resourceType]).toEqual([200, 'OperationOutcome'])
    expect(answer.text).toContain(
      'hl7.fhir.us.core 6.1.0 is installed: 4 StructureDefinition, 1 CodeSystem, 2 ValueSet',
    )
    expect(answer.text).toContain('Left out, as it takes no effect here: 2 SearchParameter')
    expect(answer.text).toContain('builds on us.nlm.vsac#0.11.0')
    expect(await validated(clinics.ours, usCorePatient())).toEqual([])
    expect(await validated(clinics.ours, withoutIdentifier())).toEqual(['error required Patient.identifier'])
    expect((await validated(clinics.theirs, withoutIdentifier())).join()).toContain('not-found Patient.meta.profile[0]')
    const { total } = (await clinics.theirs('GET', `/StructureDefinition?url=${US_CORE}/us-core-patient`)).body
    expect(total).toBe(0)
  })

  test('may be installed again: nothing changes, and no version is made', async () => {
    const definition = profile('again', 'Patient', [['Patient.name', { min: 1 }]])
    await installed([definition])
    expect((await installed([definition])).text).toContain('1 StructureDefinition, of which 1 were there as they are')
    expect((await server.fhir('GET', '/StructureDefinition/again')).body.meta.versionId).toBe('1')
    const changed = profile('again', 'Patient', [['Patient.name', { min: 2 }]])
    await installed([changed])
    expect((await server.fhir('GET', '/StructureDefinition/again')).body.meta.versionId).toBe('2')
  })

  test('of another version stands beside the first; an id that is taken is not taken away', async () => {
    const version = (number: string) => ({ ...profile('versions', 'Patient', []), version: number })
    await installed([version('1.0')])
    await installed([version('2.0')])
    const other = { ...profile('elsewhere', 'Patient', []), id: 'versions' }
    await installed([other, { ...profile('mine', 'Patient', []), id: 'health-plan-name' }])
    const found = async (url: string) => (await server.fhir('GET', `/StructureDefinition?url=${url}`)).body.total
    expect(await found(version('1.0').url)).toBe(1)
    expect(await found(other.url)).toBe(1)
    expect((await server.fhir('GET', '/StructureDefinition/health-plan-name')).body.name).toBe('HealthPlanName')
  })

  test('stores what is valid and says what is not', async () => {
    const fine = profile('fine', 'Patient', [])
    const broken = { ...profile('broken', 'Patient', []), status: 'none' }
    const answer = await install(
      server,
      gzipSync(
        tarOf([
          { path: 'package/package.json', text: JSON.stringify(MANIFEST) },
          { path: 'package/a.json', text: JSON.stringify(broken) },
          { path: 'package/b.json', text: '{' },
          { path: 'package/c.json', text: '[]' },
          { path: 'package/d.json', text: JSON.stringify(fine) },
          { path: 'package/../../e.json', text: JSON.stringify(profile('escaped', 'Patient', [])) },
        ]),
      ),
    )
    expect(answer.status).toBe(200)
    const told = answer.body.issue.map(
      ({ severity, diagnostics }: Record<string, string>) => `${severity} ${diagnostics}`,
    )
    expect(told.filter((one: string) => one.startsWith('warning'))).toEqual([
      'warning package/b.json is no resource',
      'warning package/c.json is no resource',
      expect.stringContaining('warning package/a.json is not valid: StructureDefinition.status'),
    ])
    expect((await server.fhir('GET', '/StructureDefinition/fine')).status).toBe(200)
    expect((await server.fhir('GET', '/StructureDefinition?name=escaped')).body.total).toBe(0)
  })

  test.each([
    ['short', 0],
    ['long', 30_000],
  ])('comes as a Binary in Parameters too, whose base64 is %s', async (length, bytes) => {
    const description = randomBytes(bytes).toString('base64')
    const data = packageOf([
      { ...profile(`binary-${length}`, 'Patient', []), description: `x${description}` },
    ]).toString('base64')
    expect(data.length > MAX_INLINE).toBe(length === 'long')
    const resource = { resourceType: 'Binary', contentType: 'application/gzip', data }
    const body = { resourceType: 'Parameters', parameter: [{ name: 'package', resource }] }
    expect((await server.fhir('POST', '/ImplementationGuide/$install', body)).status).toBe(200)
    expect((await server.fhir('GET', `/StructureDefinition/binary-${length}`)).status).toBe(200)
  })
})

describe('profiles in a Bundle', () => {
  const entry = (resource: { readonly id?: string | undefined; readonly resourceType: string }) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  })

  test.each(['transaction', 'batch'])('that is a %s are stored as anything else, and take effect', async (type) => {
    const definition = profile(`of-${type}`, 'Patient', [['Patient.gender', { min: 1 }]])
    const { status } = await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry: [entry(definition)] })
    expect(status).toBe(200)
    const resource = { resourceType: 'Patient', meta: { profile: [definition.url] } }
    expect(await validated(clinics.ours, resource)).toEqual(['error required Patient.gender'])
  })

  test('that is a collection are installed', async () => {
    const definition = profile('of-collection', 'Patient', [['Patient.gender', { min: 1 }]])
    const bundle = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [{ resource: definition }, { fullUrl: 'http://x' }],
    }
    const answer = await server.fhir('POST', '/ImplementationGuide/$install', bundle)
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining('The Bundle is installed: 1 StructureDefinition'),
    ])
    expect(answer.text).toContain('Bundle.entry[1].resource is no resource')
    expect(await validated(clinics.ours, { resourceType: 'Patient', meta: { profile: [definition.url] } })).toEqual([
      'error required Patient.gender',
    ])
  })
})

describe('refused is', () => {
  test.each<[what: string, bytes: () => Buffer, type: string, status: number, said: string]>([
    ['what is no package', () => Buffer.from('x'), 'application/gzip', 400, 'not a FHIR package'],
    ['nothing', () => Buffer.alloc(0), 'application/gzip', 400, 'Binary without data'],
    [
      'a package of another version of FHIR',
      () => packageOf([], { name: 'a', version: '1', fhirVersions: ['5.0.0'] }),
      'application/gzip',
      422,
      'is for FHIR 5.0.0',
    ],
    ['a file of another kind', () => Buffer.from('x'), 'application/zip', 415, 'cannot be read'],
    [
      'a body larger than the server takes',
      () => Buffer.alloc(33 * 1024 * 1024),
      'application/gzip',
      413,
      'larger than',
    ],
    ['more than is unpacked', () => gzipSync(Buffer.alloc(129 * 1024 * 1024)), 'application/gzip', 413, 'more than'],
  ])('%s', async (_what, bytes, type, status, said) => {
    const answer = await install(server, bytes(), type)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(said)])
  })

  test.each<[what: string, body: unknown]>([
    ['no body', undefined],
    ['Parameters without either', { resourceType: 'Parameters' }],
    ['a resource that is neither', { resourceType: 'Patient' }],
    ['a Binary that is no base64', { resourceType: 'Binary', contentType: 'application/gzip', data: '!' }],
  ])('%s', async (_what, body) => {
    const answer = await server.fhir('POST', '/ImplementationGuide/$install', body)
    expect([answer.status, answer.body.resourceType]).toEqual([400, 'OperationOutcome'])
  })

  test('a file as the body of another operation', async () => {
    const response = await fetch(`${server.url}/Patient/$match`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(packageOf([])),
    })
    expect(response.status).toBe(400)
  })

  test('a file as the body of a create, unless it is of a Binary', async () => {
    const response = await fetch(`${server.url}/Basic`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(packageOf([])),
    })
    expect(response.status).toBe(415)
  })

  test('a GET, since it stores', async () => {
    expect((await server.fhir('GET', '/ImplementationGuide/$install')).status).toBe(405)
  })
})

test('another server on the same store has it too', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const one = await startServer({ DATABASE_URL })
  const other = await startServer({ DATABASE_URL })
  try {
    await install(one, packageOf(core, MANIFEST))
    expect(await validated(other.fhir, withoutIdentifier())).toEqual(['error required Patient.identifier'])
    const looser = { ...usCore().patient, differential: { element: [{ id: 'Patient', path: 'Patient' }] } }
    await one.fhir('PUT', '/StructureDefinition/us-core-patient', looser)
    expect(await validated(other.fhir, withoutIdentifier())).toEqual([])
  } finally {
    await Promise.all([one.close(), other.close()])
  }
})
