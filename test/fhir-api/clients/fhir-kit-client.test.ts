/** fhir-kit-client, a published third-party client, drives the server: https://github.com/Vermonster/fhir-kit-client */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { OperationOutcome, Patient } from 'fhir/r4'
import { Client as FhirKitClient } from 'fhir-kit-client'
import { startServer, type TestServer } from '../../support/server.ts'
import {
  asBundle,
  bundleOf,
  familiesOf,
  identified,
  observation,
  patient,
  refusal,
  statusesOf,
  subjectOf,
  typesOf,
} from './flows.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const client = () => new FhirKitClient({ baseUrl: server.url, bearerToken: server.token })

const create = async (body: ReturnType<typeof patient>) =>
  (await client().create({ resourceType: 'Patient', body })) as typeof body & { id: string }

test('reads the CapabilityStatement', async () => {
  expect(await client().capabilityStatement()).toMatchObject({ resourceType: 'CapabilityStatement' })
})

test('creates, reads, updates, patches, reads versions and history, and deletes', async () => {
  const created = await create(patient('Kitcreate'))
  const { id } = created
  expect(await client().read({ resourceType: 'Patient', id })).toEqual(created)
  await client().update({ resourceType: 'Patient', id, body: { ...created, active: false } })
  const jsonPatch = [{ op: 'replace' as const, path: '/active', value: true }]
  const patched = await client().patch({ resourceType: 'Patient', id, jsonPatch })
  expect(patched).toMatchObject({ active: true, meta: { versionId: '3' } })
  expect(await client().vread({ resourceType: 'Patient', id, version: '2' })).toMatchObject({ active: false })
  expect(await client().history({ resourceType: 'Patient', id })).toMatchObject({ type: 'history', total: 3 })
  expect(await client().history({ resourceType: 'Patient' })).toMatchObject({ type: 'history' })
  expect(await client().history()).toMatchObject({ type: 'history' })
  await client().delete({ resourceType: 'Patient', id })
  expect(await refusal(client().read({ resourceType: 'Patient', id }))).toContain('410')
})

test.each([
  ['parameters', () => 'identifier=urn:clients|kit-parameters'],
  ['a relative search', () => 'Patient?identifier=urn:clients|kit-relative'],
  ['an absolute search', () => `${server.url}/Patient?identifier=urn:clients|kit-absolute`],
  ['an absolute search with a format', () => `${server.url}/Patient?_format=json&identifier=urn:clients|kit-format`],
])('creates once what If-None-Exist names by %s', async (_, condition) => {
  const value = condition().split('|')[1] ?? ''
  const options = { headers: { 'If-None-Exist': condition() } }
  const once = () => client().create({ resourceType: 'Patient', body: identified('Kitonce', value), options })
  const [first, second] = [await once(), await once()]
  expect(second).toEqual(first)
  const searchParams = { identifier: `urn:clients|${value}` }
  expect(await client().search({ resourceType: 'Patient', searchParams })).toMatchObject({ total: 1 })
})

test('updates the version that If-Match names, and no other', async () => {
  const created = await create(patient('Kitversion'))
  const { id } = created
  const update = (family: string) =>
    client().update({
      resourceType: 'Patient',
      id,
      body: { ...created, ...patient(family) },
      options: { headers: { 'If-Match': 'W/"1"' } },
    })
  expect(await update('Kitversion-new')).toMatchObject({ meta: { versionId: '2' } })
  expect(await refusal(update('Kitversion-late'))).toContain('412')
})

test('updates by a search', async () => {
  const searchParams = { identifier: 'urn:clients|kit-conditional' }
  const put = (family: string) =>
    client().update({ resourceType: 'Patient', searchParams, body: identified(family, 'kit-conditional') })
  const created = (await put('Kitconditional-a')) as Patient
  expect(await put('Kitconditional-b')).toMatchObject({ id: created.id, meta: { versionId: '2' } })
})

test('searches by GET and POST, and follows the links to the end and back', async () => {
  const names = ['Kitpage-a', 'Kitpage-b', 'Kitpage-c', 'Kitpage-d', 'Kitpage-e']
  for (const name of names) await create(patient(name))
  const searchParams = { family: 'kitpage', _count: '2', _sort: 'family' }
  const found: (string | undefined)[] = []
  const pages: ReturnType<typeof asBundle>[] = []
  for (
    let bundle: unknown = await client().search({ resourceType: 'Patient', searchParams });
    bundle !== undefined;
    bundle = await client().nextPage({ bundle: bundle as Parameters<FhirKitClient['nextPage']>[0]['bundle'] })
  ) {
    pages.push(asBundle(bundle))
    found.push(...familiesOf(bundle))
  }
  expect(found).toEqual(names)
  expect(pages).toHaveLength(3)
  const posted = await client().search({ resourceType: 'Patient', searchParams, options: { postSearch: true } })
  expect(familiesOf(posted)).toEqual(names.slice(0, 2))
  const afterPost = await client().nextPage({ bundle: posted as Parameters<FhirKitClient['nextPage']>[0]['bundle'] })
  expect(familiesOf(afterPost)).toEqual(names.slice(2, 4))
})

test('searches all types, and the compartment of a patient', async () => {
  const { id } = await create(patient('Kitcompartment'))
  await client().create({ resourceType: 'Observation', body: observation(`Patient/${id}`) })
  const inCompartment = await client().search({
    resourceType: 'Observation',
    compartment: { resourceType: 'Patient', id },
  })
  expect(typesOf(inCompartment)).toEqual(['Observation'])
  const all = await client().search({ searchParams: { _id: id, _type: 'Patient,Observation' } })
  expect(familiesOf(all)).toEqual(['Kitcompartment'])
})

test('resolves a reference of the server, of a Bundle and of a contained resource', async () => {
  const { id } = await create(patient('Kitresolve'))
  const contained = { ...observation('#p'), contained: [{ ...patient('Kitcontained'), id: 'p' }] }
  expect(await client().resolve({ reference: `Patient/${id}` })).toMatchObject({ id })
  expect(await client().resolve({ reference: `${server.url}/Patient/${id}` })).toMatchObject({ id })
  const context = (await client().create({ resourceType: 'Observation', body: contained })) as typeof contained
  expect(await client().resolve({ reference: '#p', context })).toMatchObject(patient('Kitcontained'))
})

test('sends a transaction and a batch', async () => {
  const answer = await client().transaction({ body: bundleOf('transaction', 'Kittransaction') })
  expect(statusesOf(answer)).toEqual(['201 Created', '201 Created'])
  const seen = await client().search({
    resourceType: 'Observation',
    searchParams: { 'patient.family': 'Kittransaction' },
  })
  expect(seen).toMatchObject({ total: 1 })
  expect(subjectOf(asBundle(seen).entry?.[0]?.resource)).toMatch(/^Patient\//)
  const batch = await client().batch({ body: bundleOf('batch', 'Kitbatch') })
  expect(statusesOf(batch)[0]).toBe('201 Created')
})

test('calls operations on a type, on an instance and by GET', async () => {
  const input = {
    resourceType: 'Parameters',
    parameter: [{ name: 'resource', resource: { ...patient('Kitmatch'), birthDate: '1971-02-03' } }],
  }
  const { id = '' } = (await client().create({
    resourceType: 'Patient',
    body: { ...patient('Kitmatch'), birthDate: '1971-02-03' },
  })) as Patient
  expect(familiesOf(await client().operation({ name: 'match', resourceType: 'Patient', input }))).toEqual(['Kitmatch'])
  const everything = { name: 'everything', resourceType: 'Patient', id }
  expect(typesOf(await client().operation({ ...everything, method: 'GET' }))).toEqual(['Patient'])
  expect(typesOf(await client().operation(everything))).toEqual(['Patient'])
  const wrong = { ...patient('Kitvalidate'), gender: 'm' }
  const validation = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: wrong }] }
  const outcome: unknown = await client().operation({ name: 'validate', resourceType: 'Patient', input: validation })
  expect((outcome as OperationOutcome).issue[0]).toMatchObject({ severity: 'error', expression: ['Patient.gender'] })
})

test('hands an OperationOutcome to its user', async () => {
  const wrong = { ...patient('x'), gender: 'm' }
  const error = await refusal(client().create({ resourceType: 'Patient', body: wrong }))
  expect(error).toContain('OperationOutcome')
  expect(error).toContain('Patient.gender')
})
