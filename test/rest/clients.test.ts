/** Published FHIR clients that nobody here wrote drive the server: fhir-kit-client and the SMART client. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, OperationOutcome, Patient } from 'fhir/r4'
import { Client as FhirKitClient } from 'fhir-kit-client'
import smart from 'fhirclient'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const patient = (family: string) => ({ resourceType: 'Patient' as const, name: [{ family, given: ['Kit'] }] })
const transactionOf = (family: string) => ({
  resourceType: 'Bundle' as const,
  type: 'transaction' as const,
  entry: [
    {
      fullUrl: 'urn:uuid:0f0e4f3a-1f4f-4a42-8b4a-3f2c3f9a0001',
      resource: patient(family),
      request: { method: 'POST', url: 'Patient' },
    },
    {
      resource: {
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        subject: { reference: 'urn:uuid:0f0e4f3a-1f4f-4a42-8b4a-3f2c3f9a0001' },
      },
      request: { method: 'POST', url: 'Observation' },
    },
  ],
})
const familiesOf = (bundle: Bundle): readonly (string | undefined)[] =>
  (bundle.entry ?? []).map(({ resource }) => (resource as Patient).name?.[0]?.family)

const asBundle = (resource: unknown): Bundle => resource as Bundle

/** The error that a client throws for a refused request, as text. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: Error) => JSON.stringify([error.message, error]),
  )

describe('fhir-kit-client', () => {
  const client = () => new FhirKitClient({ baseUrl: server.url, bearerToken: server.token })

  test('reads the CapabilityStatement', async () => {
    expect(await client().capabilityStatement()).toMatchObject({ resourceType: 'CapabilityStatement' })
  })

  test('creates, reads, updates, patches, reads versions and history, and deletes', async () => {
    const created = await client().create({ resourceType: 'Patient', body: patient('Kitcreate') })
    const { id = '' } = created as Patient
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

  test('searches by GET and POST, and follows the next links to the end', async () => {
    const names = ['Kitpage-a', 'Kitpage-b', 'Kitpage-c', 'Kitpage-d', 'Kitpage-e']
    for (const name of names) await client().create({ resourceType: 'Patient', body: patient(name) })
    const searchParams = { family: 'kitpage', _count: '2', _sort: 'family' }
    const found: (string | undefined)[] = []
    for (
      let bundle: unknown = await client().search({ resourceType: 'Patient', searchParams });
      bundle !== undefined;
      bundle = await client().nextPage({ bundle: bundle as Parameters<FhirKitClient['nextPage']>[0]['bundle'] })
    )
      found.push(...familiesOf(asBundle(bundle)))
    expect(found).toEqual(names)
    const posted = await client().search({ resourceType: 'Patient', searchParams, options: { postSearch: true } })
    expect(familiesOf(asBundle(posted))).toEqual(names.slice(0, 2))
  })

  test('sends a transaction and a batch', async () => {
    const answer = asBundle(await client().transaction({ body: transactionOf('Kittransaction') }))
    expect(answer.entry?.map(({ response }) => response?.status)).toEqual(['201 Created', '201 Created'])
    const seen = await client().search({
      resourceType: 'Observation',
      searchParams: { 'patient.family': 'Kittransaction' },
    })
    expect(seen).toMatchObject({ total: 1 })
    const batch = asBundle(await client().batch({ body: { ...transactionOf('Kitbatch'), type: 'batch' } }))
    expect(batch.entry?.[0]?.response?.status).toBe('201 Created')
  })

  test('calls an operation', async () => {
    await client().create({ resourceType: 'Patient', body: { ...patient('Kitmatch'), birthDate: '1971-02-03' } })
    const input = {
      resourceType: 'Parameters',
      parameter: [{ name: 'resource', resource: { ...patient('Kitmatch'), birthDate: '1971-02-03' } }],
    }
    const bundle = asBundle(await client().operation({ name: 'match', resourceType: 'Patient', input }))
    expect(familiesOf(bundle)).toEqual(['Kitmatch'])
  })

  test('hands an OperationOutcome to its user', async () => {
    const error = await refusal(client().create({ resourceType: 'Patient', body: { ...patient('x'), gender: 'm' } }))
    expect(error).toContain('OperationOutcome')
    expect(error).toContain('Patient.gender')
  })
})

describe('fhirclient (SMART)', () => {
  const client = () => {
    const request = new IncomingMessage(new Socket())
    return smart(request, new ServerResponse(request)).client({
      serverUrl: server.url,
      tokenResponse: { access_token: server.token },
    })
  }

  test('finds out that this is R4', async () => {
    expect(await client().getFhirVersion()).toBe('4.0.1')
    expect(await client().getFhirRelease()).toBe(4)
  })

  test('creates, reads, updates, patches, reads history, and deletes', async () => {
    const created = await client().create<Patient & { id: string }>(patient('Smart'))
    const path = `Patient/${created.id}`
    expect(await client().request(path)).toEqual(created)
    const updated = await client().update<Patient>({ ...patient('Smart'), id: created.id, active: false })
    expect(updated).toMatchObject({ active: false, meta: { versionId: '2' } })
    expect(await client().patch(path, [{ op: 'replace', path: '/active', value: true }])).toMatchObject({
      active: true,
    })
    expect(await client().request(`${path}/_history`)).toMatchObject({ type: 'history', total: 3 })
    await client().delete(path)
    expect(await refusal(client().request(path))).toContain('410')
  })

  test('pages through a search and resolves references', async () => {
    const bundle = transactionOf('Smartpage')
    const { status } = await server.fhir('POST', '/', bundle)
    expect(status).toBe(200)
    for (const family of ['Smartpage-b', 'Smartpage-c']) await client().create(patient(family))
    const pages = await client().request<Patient[][]>('Patient?family=smartpage&_count=1', { pageLimit: 0 })
    expect(pages.map((page) => familiesOf(page as unknown as Bundle)[0]).sort()).toEqual([
      'Smartpage',
      'Smartpage-b',
      'Smartpage-c',
    ])
    const flat = await client().request<Patient[]>('Patient?family=smartpage&_count=2', { pageLimit: 0, flat: true })
    expect(flat).toHaveLength(3)
    const [observation] = await client().request('Observation?patient.family=Smartpage', {
      flat: true,
      resolveReferences: 'subject',
    })
    expect(observation.subject.name[0].family).toBe('Smartpage')
  })

  test('sends a transaction', async () => {
    const answer = await client().request<Bundle>({
      url: '',
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify(transactionOf('Smarttransaction')),
    })
    expect(answer.entry?.map(({ response }) => response?.status)).toEqual(['201 Created', '201 Created'])
  })

  test('hands the diagnostics of an OperationOutcome to its user', async () => {
    const outcome: OperationOutcome = (await server.fhir('GET', '/Patient?famly=x')).body
    expect(await refusal(client().request('Patient?famly=x'))).toContain(outcome.issue[0]?.diagnostics?.slice(0, 30))
  })
})
