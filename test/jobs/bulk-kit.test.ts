/**
 * The tests of Inferno's Bulk Data Test Kit for servers of Bulk Data Access 2.0.0, under their titles: the same requests and assertions.
 * Those that do not apply are named in docs/bulk-data.md. https://github.com/inferno-framework/bulk-data-test-kit
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from '../../src/fhir/validate/validate.ts'
import { ASYNC, type Exported, ended, exported, startedJob } from '../support/jobs.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

const IG = 'http://hl7.org/fhir/uv/bulkdata'
const JSON_ASYNC = { accept: 'application/fhir+json', ...ASYNC }

let server: TestServer
/** A request as the kit makes it while it polls. */
const client: TestServer['fhir'] = (method, path, body) =>
  server.fhir(method, path, body, { accept: 'application/json' })

const LEVELS = [
  { level: 'Group', declared: 'Group', path: '/Group/kit/$export', operation: 'group-export' },
  { level: 'Patient', declared: 'Patient', path: '/Patient/$export', operation: 'patient-export' },
  { level: 'system', declared: 'system level', path: '/$export', operation: 'export' },
]

const observation = (id: string, status = 'final') => ({
  ...{ resourceType: 'Observation', id, status, code: { text: 'weight' } },
  subject: { reference: 'Patient/kit-1' },
})
const provenance = (id: string, recorded: string) => ({
  ...{ resourceType: 'Provenance', id, recorded, target: [{ reference: 'Observation/kit-final' }] },
  agent: [{ who: { display: 'a nurse' } }],
})
const RESOURCES = [
  ...['kit-1', 'kit-2', 'kit-3'].map((id) => ({ resourceType: 'Patient', id, name: [{ family: 'Kit' }] })),
  ...[observation('kit-final'), observation('kit-amended', 'amended'), observation('kit-gone')],
  ...[provenance('kit-old', '2024-01-01T00:00:00Z'), provenance('kit-new', '2025-01-01T00:00:00Z')],
  {
    ...{ resourceType: 'Group', id: 'kit', type: 'person', actual: true },
    member: ['kit-1', 'kit-2'].map((id) => ({ entity: { reference: `Patient/${id}` } })),
  },
  { resourceType: 'Binary', id: 'kit-scan', contentType: 'text/plain', data: Buffer.from('a scan').toString('base64') },
  {
    ...{ resourceType: 'DocumentReference', id: 'kit-document', status: 'current' },
    subject: { reference: 'Patient/kit-1' },
    content: [{ attachment: { contentType: 'text/plain', url: 'Binary/kit-scan' } }],
  },
]

beforeAll(async () => {
  server = await startServer()
  for (const resource of RESOURCES) {
    const { status, text } = await server.fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    if (status !== 201) throw new Error(`${resource.id}: ${status} ${text}`)
  }
  await server.fhir('PUT', '/Patient/kit-2', { ...RESOURCES[1], gender: 'female' })
  await server.fhir('DELETE', '/Observation/kit-gone')
})
afterAll(() => server.close())

const kickOff = (path: string, headers: Record<string, string> = {}) =>
  server.fhir('GET', path, undefined, { ...JSON_ASYNC, ...headers })

const exportOf = async (path: string): Promise<Exported> => exported(client, startedJob(await kickOff(path)))

/** Accepted, and cancelled. */
async function expectAccepted(path: string): Promise<void> {
  const job = startedJob(await kickOff(path))
  expect((await client('DELETE', job)).status).toBe(202)
}

function expectOutcome({ status, body, headers }: FhirResponse, expected: number): void {
  expect([status, headers.get('content-type'), body.resourceType]).toEqual([
    expected,
    expect.stringMatching(/^application\/fhir\+json/),
    'OperationOutcome',
  ])
  expect(validate(body)).toEqual([])
}

describe.each(LEVELS)('$level export', ({ level, declared, path, operation }) => {
  let accepted: FhirResponse
  let polled: FhirResponse
  let complete: FhirResponse
  let result: Exported

  beforeAll(async () => {
    accepted = await kickOff(path)
    const job = startedJob(accepted)
    polled = await client('GET', job)
    complete = await ended(client, job)
    result = await exported(client, job)
  })

  test(`Bulk Data Server declares support for ${declared} export operation in CapabilityStatement`, async () => {
    const { body } = await server.fhir('GET', '/metadata')
    expect(body.instantiates).toContainEqual(expect.stringMatching(`^${IG}/CapabilityStatement/bulk-data(\\|\\S+)?$`))
    const [rest] = body.rest
    const { operation: declarations } =
      level === 'system' ? rest : rest.resource.find(({ type }: { type: string }) => type === level)
    expect(declarations).toContainEqual({
      name: 'export',
      definition: expect.stringMatching(`^${IG}/OperationDefinition/${operation}(\\|\\S+)?$`),
    })
  })

  test('Bulk Data Server rejects $export request without authorization', async () => {
    expect((await kickOff(path, { authorization: '' })).status).toBe(401)
  })

  test('Bulk Data Server returns "202 Accepted" and "Content-location" for bulk data $export operations', () => {
    expect([accepted.status, accepted.headers.get('content-location')]).toEqual([202, expect.stringMatching(/^http/)])
  })

  test('Bulk Data Server returns "202 Accepted" or "200 OK" for status check', () => {
    expect([200, 202]).toContain(polled.status)
    expect([complete.status, complete.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ])
    for (const key of ['transactionTime', 'request', 'requiresAccessToken', 'output', 'error'])
      expect(complete.body).toHaveProperty(key)
  })

  test('Bulk Data Server returns output with type and url for status complete', () => {
    expect(complete.body.output).not.toEqual([])
    for (const file of complete.body.output)
      expect(file).toMatchObject({ type: expect.any(String), url: expect.stringMatching(/^https?:\/\//) })
  })

  test('NDJSON download requires access token if requireAccessToken is true', async () => {
    expect(complete.body.requiresAccessToken).toBe(true)
    expect((await fetch(complete.body.output[0].url)).status).toBe(401)
  })

  test('All resources returned are valid FHIR resources', () => {
    expect(result.resources.length).toBeGreaterThan(2)
    expect(result.resources.flatMap((resource) => validate(resource))).toEqual([])
  })

  if (level !== 'system') {
    test('Export has at least two patients', () => {
      expect(result.addresses).toEqual(expect.arrayContaining(['Patient/kit-1', 'Patient/kit-2']))
    })
  }

  if (level === 'Group') {
    test('Patient IDs match those expected in Group', () => {
      const patients = result.addresses.filter((one) => one.startsWith('Patient/'))
      expect(patients).toEqual(['Patient/kit-1', 'Patient/kit-2'])
    })
  }

  test('Bulk Data Server returns "202 Accepted" for delete request', () => expectAccepted(path))

  test('Bulk Data Server returns a 404 and OperationOutcome for polling requests to cancelled exports', async () => {
    const job = startedJob(await kickOff(path))
    await client('DELETE', job)
    expectOutcome(await client('GET', job), 404)
  })

  test.each(['application/fhir+ndjson', 'application/ndjson', 'ndjson'])(
    'Bulk Data Server supports "_outputFormat" query parameter for bulk data export: %s',
    (format) => expectAccepted(`${path}?${new URLSearchParams({ _outputFormat: format })}`),
  )

  test('Bulk Data Server supports "_since" query parameter for bulk data export', async () => {
    const aWeekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString()
    for (const _since of [aWeekAgo, aWeekAgo.replace(/\.\d+Z/, '+00:00')])
      await expectAccepted(`${path}?${new URLSearchParams({ _since })}`)
  })
})

describe('attested of export query parameters', () => {
  test('Allows only root elements in Bulk Data _elements parameter', async () => {
    expectOutcome(await kickOff('/$export?_elements=Patient.name.family'), 400)
    await expectAccepted('/$export?_elements=Patient.name')
  })

  const provenanceOf = async (associated: string) =>
    (await exportOf(`/Patient/$export?_type=Observation${associated}`)).addresses.filter((one) =>
      one.startsWith('Provenance/kit'),
    )

  test('Returns or omits associated resources in Bulk Data includeAssociatedData parameter', async () => {
    const conflicting = 'LatestProvenanceResources,RelevantProvenanceResources'
    expect(await provenanceOf(`&includeAssociatedData=${conflicting}`)).toEqual([
      'Provenance/kit-new',
      'Provenance/kit-old',
    ])
  })

  test('Handles Bulk Data includeAssociatedData Provenance values correctly', async () => {
    expect(await provenanceOf('&includeAssociatedData=LatestProvenanceResources')).toEqual(['Provenance/kit-new'])
    expect(await provenanceOf('')).toEqual([])
    expect(await provenanceOf(',Provenance')).toEqual(['Provenance/kit-new', 'Provenance/kit-old'])
  })

  test('Restricts response to specified patients in Bulk Data patient parameter', async () => {
    const parameter = [{ name: 'patient', valueReference: { reference: 'Patient/kit-1' } }]
    const started = await server.fhir('POST', '/Patient/$export', { resourceType: 'Parameters', parameter }, JSON_ASYNC)
    const { addresses, resources } = await exported(client, startedJob(started))
    expect(addresses.filter((one) => one.startsWith('Patient/'))).toEqual(['Patient/kit-1'])
    const subjects = resources.flatMap(({ subject }) => subject?.reference ?? [])
    expect(new Set(subjects)).toEqual(new Set(['Patient/kit-1']))
  })

  test('Filters data as specified in Bulk Data _typeFilter parameter', async () => {
    const filters = ['final', 'amended'].map(
      (status) => `_typeFilter=${encodeURIComponent(`Observation?status=${status}`)}`,
    )
    const repeated = await exportOf(`/Group/kit/$export?_type=Observation&${filters.join('&')}`)
    expect(repeated.addresses).toEqual(['Observation/kit-amended', 'Observation/kit-final'])
    const one = await exportOf(`/Group/kit/$export?_type=Observation&${filters[1]}`)
    expect(one.addresses).toEqual(['Observation/kit-amended'])
  })

  test('Filters response to specified resource types in Bulk Data _type parameter, and treats repeated parameter values as comma-delimited', async () => {
    const typesOf = async (query: string) =>
      new Set((await exportOf(`/Group/kit/$export?${query}`)).resources.map(({ resourceType }) => resourceType))
    const both = new Set(['Patient', 'Observation'])
    expect(await typesOf('_type=Patient,Observation')).toEqual(both)
    expect(await typesOf('_type=Patient&_type=Observation')).toEqual(both)
    expect(await typesOf('')).toEqual(new Set([...both, 'Provenance', 'DocumentReference', 'Group']))
  })
})

describe('attested of export response handling', () => {
  test('Includes only changed resources in Bulk Data _since parameter, and conforms to specification in bulk data manifest deleted section', async () => {
    const { meta } = (await server.fhir('GET', '/Patient/kit-3')).body
    const since = new URLSearchParams({ _since: meta.lastUpdated, _type: 'Patient,Observation' })
    const { manifest, addresses, deleted } = await exportOf(`/Patient/$export?${since}`)
    expect(addresses).not.toContain('Patient/kit-1')
    expect(addresses).toContain('Patient/kit-2')
    expect(deleted).toEqual(['Observation/kit-gone'])
    expect(addresses).not.toContain('Observation/kit-gone')
    const [file] = manifest.deleted
    expect(file).toMatchObject({ type: 'Bundle', url: expect.stringMatching(/^http/), count: 1 })
    const { text } = await client('GET', new URL(file?.url ?? '').pathname)
    expect(JSON.parse(text)).toEqual({
      ...{ resourceType: 'Bundle', type: 'transaction' },
      entry: [{ request: { method: 'DELETE', url: 'Observation/kit-gone' } }],
    })
  })

  test('Uses absolute, dereferenceable URLs in bulk data attachments, and allows access to them with the access token', async () => {
    const { resources } = await exportOf('/Group/kit/$export?_type=DocumentReference')
    const { url } = resources[0].content[0].attachment
    expect(url).toBe(`${server.url}/Binary/kit-scan`)
    const { text } = await server.fhir('GET', new URL(url).pathname, undefined, { accept: 'text/plain' })
    expect(text).toBe('a scan')
    expect((await fetch(url)).status).toBe(401)
  })

  test('Responds to errored Kick-off Requests with appropriate HTTP status and OperationOutcome', async () => {
    expectOutcome(await kickOff('/$export?_type=Patience'), 400)
    expectOutcome(await kickOff('/Group/none/$export'), 404)
  })

  test('Responds to errored Status Requests with appropriate HTTP status and OperationOutcome', async () => {
    expectOutcome(await client('GET', '/jobs/never-issued'), 404)
  })

  test('Responds to Output File Requests with HTTP 200 OK, and to errored ones with HTTP 4XX or 5XX', async () => {
    const job = startedJob(await kickOff('/Group/kit/$export?_type=Patient'))
    const { body } = await ended(client, job)
    const pathOf = new URL(body.output[0].url).pathname
    const file = await server.fhir('GET', pathOf, undefined, { accept: 'application/fhir+ndjson' })
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/fhir+ndjson'])
    expectOutcome(await client('GET', `${pathOf}99`), 404)
  })

  test('Includes only the most recent version of resources, modified up to transactionTime, and a count of each file', async () => {
    const { manifest, resources } = await exportOf('/Group/kit/$export?_type=Patient')
    expect(resources.map(({ id, meta }) => [id, meta.versionId]).sort()).toEqual([
      ['kit-1', '1'],
      ['kit-2', '2'],
    ])
    for (const { meta } of resources)
      expect(Date.parse(meta.lastUpdated)).toBeLessThanOrEqual(Date.parse(manifest.transactionTime))
    expect(manifest.output.map(({ type, count }) => [type, count])).toEqual([['Patient', 2]])
    // Its extension is optional, and an object.
    expect(typeof ((manifest as { extension?: unknown }).extension ?? {})).toBe('object')
  })

  test('Omits parameters from request URL for POST in Bulk Data response', async () => {
    const parameter = [{ name: '_type', valueString: 'Patient' }]
    const started = await server.fhir(
      'POST',
      '/Group/kit/$export',
      { resourceType: 'Parameters', parameter },
      JSON_ASYNC,
    )
    const { manifest, addresses } = await exported(client, startedJob(started))
    expect(manifest.request).toBe(`${server.url}/Group/kit/$export`)
    expect(addresses).toEqual(['Patient/kit-1', 'Patient/kit-2'])
  })
})
