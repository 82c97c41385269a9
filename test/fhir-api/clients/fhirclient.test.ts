/** fhirclient, the published SMART client, drives the server: https://docs.smarthealthit.org/client-js/ */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, Observation, OperationOutcome, Patient } from 'fhir/r4'
import smart from 'fhirclient'
import { startServer, type TestServer } from '../../support/server.ts'
import {
  bundleOf,
  familiesOf,
  familyOf,
  identified,
  observation,
  patient,
  refusal,
  statusesOf,
  typesOf,
} from './flows.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const JSON_BODY = { 'content-type': 'application/fhir+json' }

/** @param launch further elements of SMART's token response, and optionally another token */
const client = (launch: { readonly patient?: string; readonly access_token?: string } = {}) => {
  const request = new IncomingMessage(new Socket())
  const storage = { get: async () => undefined, set: async <T>(_: string, value: T) => value, unset: async () => true }
  return smart(request, new ServerResponse(request), storage).client({
    serverUrl: server.url,
    tokenResponse: { access_token: server.token, ...launch },
  })
}
type Sent = Parameters<ReturnType<typeof client>['create']>[0]
const create = (resource: object) => client().create<Sent & { id: string }>(resource as Sent)
const post = (url: string, body: object, headers: Record<string, string> = JSON_BODY) =>
  client().request({ url, method: 'POST', headers, body: JSON.stringify(body) })

test('finds out that this is R4', async () => {
  expect(await client().getFhirVersion()).toBe('4.0.1')
  expect(await client().getFhirRelease()).toBe(4)
})

test('creates, reads, updates, patches, reads versions and history, and deletes', async () => {
  const created = await create(patient('Smart'))
  const path = `Patient/${created.id}`
  expect(await client().request(path)).toEqual(created)
  const updated = await client().update<Patient>({ ...patient('Smart'), id: created.id, active: false })
  expect(updated).toMatchObject({ active: false, meta: { versionId: '2' } })
  expect(await client().patch(path, [{ op: 'replace', path: '/active', value: true }])).toMatchObject({ active: true })
  expect(await client().request(`${path}/_history/1`)).toEqual(created)
  expect(await client().request(`${path}/_history`)).toMatchObject({ type: 'history', total: 3 })
  await client().delete(path)
  expect(await refusal(client().request(path))).toContain('410')
})

test('creates once what If-None-Exist names', async () => {
  const headers = { ...JSON_BODY, 'If-None-Exist': 'identifier=urn:clients|smart-once' }
  const once = () => post('Patient', identified('Smartonce', 'smart-once'), headers)
  const [first, second] = [await once(), await once()]
  expect(second).toEqual(first)
})

test('updates the version that If-Match names, and no other', async () => {
  const created = await create(patient('Smartmatch'))
  const update = () => client().update({ ...created, active: true }, { headers: { ...JSON_BODY, 'If-Match': 'W/"1"' } })
  expect(await update()).toMatchObject({ meta: { versionId: '2' } })
  expect(await refusal(update())).toContain('412')
})

describe('a search', () => {
  beforeAll(async () => {
    await post('', bundleOf('transaction', 'Smartpage'))
    for (const family of ['Smartpage-b', 'Smartpage-c']) await create(patient(family))
  })

  test('gives all pages, each apart or flat', async () => {
    const pages = await client().request<Bundle[]>('Patient?family=smartpage&_count=1', { pageLimit: 0 })
    expect(pages.map((page) => familiesOf(page)[0]).sort()).toEqual(['Smartpage', 'Smartpage-b', 'Smartpage-c'])
    const flat = await client().request<Patient[]>('Patient?family=smartpage&_count=2', { pageLimit: 0, flat: true })
    expect(flat.map(familyOf).sort()).toEqual(['Smartpage', 'Smartpage-b', 'Smartpage-c'])
  })

  test('gives as many pages as its user wants, each to be looked at as it comes', async () => {
    const seen: number[] = []
    const pages = await client().request<Bundle[]>('Patient?family=smartpage&_count=1', {
      pageLimit: 2,
      onPage: (page: unknown) => {
        seen.push((page as Bundle).entry?.length ?? 0)
      },
    })
    expect(seen).toEqual([1, 1])
    expect(pages ?? []).toEqual([])
  })

  test('resolves references in place, and beside the resources', async () => {
    const search = 'Observation?patient.family=Smartpage'
    const [resolved] = await client().request(search, { flat: true, resolveReferences: 'subject' })
    expect(familyOf(resolved.subject)).toBe('Smartpage')
    const { data, references } = await client().request<{
      data: Observation[]
      references: Record<string, unknown>
    }>(search, { flat: true, graph: false, resolveReferences: ['subject'] })
    const [subject = ''] = Object.keys(references)
    expect(data[0]?.subject?.reference).toBe(subject)
    expect(familyOf(references[subject])).toBe('Smartpage')
    const [first] = await client().request(search, { flat: true })
    expect(await client().getReferences(first, ['subject'])).toEqual(references)
  })

  test('is sent by POST, too', async () => {
    const found = await client().request<Bundle>({
      url: 'Patient/_search',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'family=smartpage&_sort=family',
    })
    expect(familiesOf(found)).toEqual(['Smartpage', 'Smartpage-b', 'Smartpage-c'])
  })
})

test('reads and searches within the patient of its launch', async () => {
  const { id } = await create(patient('Smartlaunch'))
  await post('Observation', observation(`Patient/${id}`))
  expect(familyOf(await client({ patient: id }).patient.read())).toBe('Smartlaunch')
  const found = await client({ patient: id }).patient.request<Observation[]>('Observation', { flat: true })
  expect(found).toHaveLength(1)
  expect(client({ patient: id }).byCode(found as never, 'code')).toMatchObject({ '29463-7': [{ status: 'final' }] })
})

test('sends a transaction and a batch', async () => {
  expect(statusesOf(await post('', bundleOf('transaction', 'Smarttransaction')))).toEqual([
    '201 Created',
    '201 Created',
  ])
  expect(statusesOf(await post('', bundleOf('batch', 'Smartbatch')))[0]).toBe('201 Created')
})

test('calls operations', async () => {
  const born = { ...patient('Smartmatched'), birthDate: '1971-02-03' }
  const { id } = await create(born)
  const parameters = (resource: object) => ({
    resourceType: 'Parameters',
    parameter: [{ name: 'resource', resource }],
  })
  expect(familiesOf(await post('Patient/$match', parameters(born)))).toEqual(['Smartmatched'])
  expect(typesOf(await client().request(`Patient/${id}/$everything`))).toEqual(['Patient'])
  const outcome: OperationOutcome = await post('Patient/$validate', parameters({ ...born, gender: 'm' }))
  expect(outcome.issue[0]).toMatchObject({ severity: 'error', expression: ['Patient.gender'] })
})

test('hands the diagnostics of an OperationOutcome to its user', async () => {
  const outcome: OperationOutcome = (await server.fhir('GET', '/Patient?famly=x')).body
  expect(await refusal(client().request('Patient?famly=x'))).toContain(outcome.issue[0]?.diagnostics?.slice(0, 30))
})

test('tells its user to log in again when the token is no longer good', async () => {
  const late = client({ access_token: `${server.token}x` })
  expect(await refusal(late.request('Patient'))).toContain('401')
})
