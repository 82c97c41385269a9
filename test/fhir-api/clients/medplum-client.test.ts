/**
 * MedplumClient, a published third-party client, drives the server: https://www.medplum.com/docs/sdk/core.medplumclient
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MedplumClient, type MedplumClientOptions, OperationOutcomeError } from '@medplum/core'
import type { Bundle, Patient } from 'fhir/r4'
import { startServer, type TestServer } from '../../support/server.ts'
import { bundleOf, familiesOf, familyOf, identified, observation, patient, statusesOf, typesOf } from './flows.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Without its cache, so that each call is a request. */
const client = (options: MedplumClientOptions = {}) =>
  new MedplumClient({
    baseUrl: server.url,
    fhirUrlPath: '',
    accessToken: server.token,
    resourceCacheSize: 0,
    fetch,
    ...options,
  })

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof OperationOutcomeError ? error.outcome : error),
  )

const bornThen = (family: string) => ({ ...patient(family), birthDate: '1971-02-03' })

test('creates, reads, updates, patches, reads versions and history, and deletes', async () => {
  const created = await client().createResource(patient('Plum'))
  const { id } = created
  expect(await client().readResource('Patient', id)).toEqual(created)
  expect(await client().readReference({ reference: `Patient/${id}` })).toEqual(created)
  expect(await client().updateResource({ ...created, active: false })).toMatchObject({ meta: { versionId: '2' } })
  const patched = await client().patchResource('Patient', id, [
    { op: 'test', path: '/active', value: false },
    { op: 'replace', path: '/active', value: true },
  ])
  expect(patched).toMatchObject({ active: true, meta: { versionId: '3' } })
  expect(await client().readVersion('Patient', id, '2')).toMatchObject({ active: false })
  expect(await client().readHistory('Patient', id)).toMatchObject({ type: 'history', total: 3 })
  expect((await client().readHistory('Patient', id, { count: 2 })).entry).toHaveLength(2)
  await client().deleteResource('Patient', id)
  expect(await outcomeOf(client().readResource('Patient', id))).toMatchObject({ issue: [{ code: 'deleted' }] })
})

test('creates once what does not exist, and takes what does', async () => {
  const once = (family: string) =>
    client().createResourceIfNoneExist(identified(family, 'plum-once'), 'identifier=urn:clients|plum-once')
  const first = await once('Plumonce')
  expect(await once('Plumtwice')).toEqual(first)
})

test('updates by a search, and creates where that finds nothing', async () => {
  const upsert = (family: string) =>
    client().upsertResource(identified(family, 'plum-upsert'), { identifier: 'urn:clients|plum-upsert' })
  const created = await upsert('Plumupsert-a')
  expect(await upsert('Plumupsert-b')).toMatchObject({ id: created.id, meta: { versionId: '2' } })
})

test('updates the version that If-Match names, and no other', async () => {
  const created = await client().createResource(patient('Plummatch'))
  const update = () => client().updateResource({ ...created, active: true }, { headers: { 'If-Match': 'W/"1"' } })
  expect(await update()).toMatchObject({ meta: { versionId: '2' } })
  expect(await outcomeOf(update())).toMatchObject({ resourceType: 'OperationOutcome' })
})

describe('searches', () => {
  const names = ['Plumpage-a', 'Plumpage-b', 'Plumpage-c', 'Plumpage-d', 'Plumpage-e']
  beforeAll(async () => {
    for (const name of names) await client().createResource(patient(name))
  })

  test('one page, one resource, or the resources', async () => {
    const query = { family: 'plumpage', _sort: 'family' }
    expect(familiesOf(await client().search('Patient', query))).toEqual(names)
    expect(familyOf(await client().searchOne('Patient', query))).toBe('Plumpage-a')
    expect((await client().searchResources('Patient', query)).map(familyOf)).toEqual(names)
    expect(await client().searchOne('Patient', { family: 'nobody' })).toBeUndefined()
  })

  test('page by page', async () => {
    const pages: (string | undefined)[][] = []
    const query = { family: 'plumpage', _sort: '-family', _count: '2' }
    for await (const page of client().searchResourcePages('Patient', query)) pages.push(page.map(familyOf))
    expect(pages).toEqual([['Plumpage-e', 'Plumpage-d'], ['Plumpage-c', 'Plumpage-b'], ['Plumpage-a']])
  })

  test('page by page without a size of its own', async () => {
    const found: (string | undefined)[] = []
    for await (const page of client().searchResourcePages('Patient', 'family=plumpage&_sort=family'))
      found.push(...page.map(familyOf))
    expect(found).toEqual(names)
  })

  test('a resource by its canonical address, in one type or several', async () => {
    const url = 'http://example.org/ValueSet/plum'
    await client().createResource({ resourceType: 'ValueSet', url, status: 'active' })
    expect(await client().readCanonical('ValueSet', url)).toMatchObject({ url })
    expect(await client().readCanonical(['ValueSet', 'CodeSystem'], url)).toMatchObject({ url })
  })
})

test('reads all at once that is asked for at once, in a batch', async () => {
  const made = [
    await client().createResource(patient('Plumauto-a')),
    await client().createResource(patient('Plumauto-b')),
  ]
  const batching = client({ autoBatchTime: 5 })
  const read = await Promise.all(made.map(({ id }) => batching.readResource('Patient', id)))
  expect(read).toEqual(made)
  const [found, missing] = await Promise.allSettled([
    batching.readResource('Patient', made[0]?.id ?? ''),
    batching.readResource('Patient', 'nobody'),
  ])
  expect([found.status, missing.status]).toEqual(['fulfilled', 'rejected'])
})

test('sends a transaction and a batch', async () => {
  const transaction = bundleOf('transaction', 'Plumtransaction') as Bundle
  expect(statusesOf(await client().executeBatch(transaction))).toEqual(['201 Created', '201 Created'])
  const batch = bundleOf('batch', 'Plumbatch') as Bundle
  expect(statusesOf(await client().executeBatch(batch))[0]).toBe('201 Created')
})

test('reads everything of a patient', async () => {
  const { id } = await client().createResource(patient('Plumeverything'))
  await client().createResource(observation(`Patient/${id}`))
  expect(typesOf(await client().readPatientEverything(id)).toSorted()).toEqual(['Observation', 'Patient'])
})

test('matches a patient', async () => {
  await client().createResource(bornThen('Plummatched'))
  const parameters = {
    resourceType: 'Parameters',
    parameter: [{ name: 'resource', resource: bornThen('Plummatched') }],
  }
  expect(familiesOf(await client().post(client().fhirUrl('Patient', '$match'), parameters))).toEqual(['Plummatched'])
})

test('validates a resource that is the whole body', async () => {
  expect(await client().validateResource(patient('Plumvalid'))).toMatchObject({ resourceType: 'OperationOutcome' })
  const outcome = await client().validateResource({ ...patient('Plumvalid'), gender: 'm' } as unknown as Patient)
  expect(outcome.issue[0]).toMatchObject({ severity: 'error', expression: ['Patient.gender'] })
})

test('expands a value set', async () => {
  const url = 'http://hl7.org/fhir/ValueSet/administrative-gender'
  const expanded = await client().valueSetExpand({ url, filter: 'fem', count: 5 })
  expect(expanded.expansion?.contains?.map(({ code }: { code?: string }) => code)).toContain('female')
})

test('writes a comment on a patient', async () => {
  const created = await client().createResource(patient('Plumcomment'))
  expect(await client().createComment(created, 'Called back.')).toMatchObject({ status: 'completed' })
})

test('learns from an OperationOutcome what is wrong, and what is not served', async () => {
  const wrong = { ...patient('x'), gender: 'm' } as unknown as Patient
  expect(await outcomeOf(client().createResource(wrong))).toMatchObject({ issue: [{ expression: ['Patient.gender'] }] })
  const notServed = client().post(client().fhirUrl('Patient', '$nothing'), {})
  expect(await outcomeOf(notServed)).toMatchObject({ issue: [{ code: 'not-found' }] })
})

test('exports the records of patients in the background', async () => {
  const { id } = await client().createResource(patient('Plumexport'))
  const polling = { pollStatusOnAccepted: true, pollStatusPeriod: 50 }
  const made = await client().bulkExport('Patient', 'Patient', undefined, polling)
  const { output = [], requiresAccessToken } = made
  expect(output.map((file: { type?: string }) => file.type)).toEqual(['Patient'])
  expect(requiresAccessToken).toBe(true)
  const file = await client().download(output[0]?.url ?? '')
  expect(await file.text()).toContain(`"id":"${id}"`)
})

test('is logged out by a token that is no longer good', async () => {
  let loggedOut = 0
  const late = client({ accessToken: `${server.token}x`, onUnauthenticated: () => loggedOut++ })
  expect(await outcomeOf(late.readResource('Patient', 'any'))).toMatchObject({ id: 'unauthorized' })
  expect(loggedOut).toBe(1)
})

test('uploads a file as a Binary and downloads it, whole, within the security context that it names', async () => {
  const { id } = await client().createResource(patient('Plumfile'))
  const data = new Uint8Array(300_000).map((_, index) => index)
  const binary = await client().createBinary({
    data,
    filename: 'scan.png',
    contentType: 'image/png',
    securityContext: { reference: `Patient/${id}` },
  })
  expect(binary).toMatchObject({ contentType: 'image/png', securityContext: { reference: `Patient/${id}` } })
  const file = await client().download(`${server.url}/Binary/${binary.id}`)
  expect(file.type).toBe('image/png')
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(data)
  const resource = await client().readResource('Binary', binary.id)
  expect(Buffer.from(resource.data ?? '', 'base64').equals(Buffer.from(data))).toBe(true)
})
