/** batch and transaction. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Entry = Record<string, unknown>
const bundle = (type: string, entry: readonly Entry[]) => ({ resourceType: 'Bundle', type, entry })
const post = (type: string, entry: readonly Entry[], headers?: Record<string, string>) =>
  server.fhir('POST', '/', bundle(type, entry), headers)
const patient = (family: string, extra: object = {}) => ({ resourceType: 'Patient', name: [{ family }], ...extra })
const observation = (reference: string) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject: { reference },
})
const create = (resource: { resourceType: string }, fullUrl?: string, request: object = {}): Entry => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  resource,
  request: { method: 'POST', url: resource.resourceType, ...request },
})
const statusOf = (entry: { response: { status: string } }) => Number(entry.response.status.slice(0, 3))
const versions = async () => (await server.fhir('GET', '/_history?_count=1')).body.total

describe('transaction', () => {
  test('creates what refers to each other, in any order, with references resolved wherever they occur', async () => {
    const urn = `urn:uuid:${randomUUID()}`
    const div = `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${urn}">who</a></div>`
    const seen = {
      ...observation(urn),
      text: { status: 'generated', div },
      extension: [{ url: 'http://example.org/about', valueUri: urn }],
    }
    const { status, body } = await post('transaction', [create(seen), create(patient('Later'), urn)])
    expect(status).toBe(200)
    expect(body.type).toBe('transaction-response')
    expect(body.entry.map(statusOf)).toEqual([201, 201])
    const patientId = body.entry[1].response.location.split('/').at(-3)
    const stored = (await server.fhir('GET', `/Observation?subject=Patient/${patientId}`)).body.entry[0].resource
    expect(stored.subject.reference).toBe(`Patient/${patientId}`)
    expect(stored.text.div).toContain(`href="Patient/${patientId}"`)
    expect(stored.extension[0].valueUri).toBe(`Patient/${patientId}`)
  })

  test('an Identifier that holds a urn:uuid keeps it', async () => {
    const urn = `urn:uuid:${randomUUID()}`
    await post('transaction', [
      create(patient('Urn', { identifier: [{ system: 'urn:ietf:rfc:3986', value: urn }] }), urn),
    ])
    expect((await server.fhir('GET', `/Patient?identifier=${urn}`)).body.total).toBe(1)
  })

  test('is all or nothing: one bad entry is named and nothing is stored', async () => {
    const before = await versions()
    const { status, body } = await post('transaction', [
      create(patient('Good')),
      create(patient('Bad', { gender: 'm' })),
    ])
    expect(status).toBe(422)
    expect(body.issue[0].diagnostics).toMatch(/^Bundle\.entry\[1\]/)
    expect(body.issue[0].expression).toEqual(['Bundle.entry[1].resource.gender'])
    expect(await versions()).toBe(before)
  })

  test('ifMatch, ifNoneMatch and ifNoneExist hold in every entry', async () => {
    const { body: stored } = await server.fhir('POST', '/Patient', patient('Versioned'))
    const update = (request: object) =>
      post('transaction', [
        {
          resource: { ...patient('New'), id: stored.id },
          request: { method: 'PUT', url: `Patient/${stored.id}`, ...request },
        },
      ])
    expect((await update({ ifMatch: 'W/"9"' })).status).toBe(412)
    expect((await update({ ifNoneMatch: '*' })).status).toBe(412)
    expect((await update({ ifMatch: 'W/"1"' })).status).toBe(200)
    const identifier = [{ system: 'http://example.org/t', value: randomUUID() }]
    const once = () =>
      post('transaction', [
        create(patient('Once', { identifier }), `urn:uuid:${randomUUID()}`, {
          ifNoneExist: `identifier=http://example.org/t|${identifier[0]?.value}`,
        }),
      ])
    expect((await once()).body.entry.map(statusOf)).toEqual([201])
    expect((await once()).body.entry.map(statusOf)).toEqual([200])
    expect((await server.fhir('DELETE', `/Patient/${stored.id}`, undefined, { 'if-match': 'W/"1"' })).status).toBe(412)
  })

  test('sent again with ifNoneExist by 8 clients at once it makes one patient, and all refer to it', async () => {
    const value = randomUUID()
    const send = () => {
      const urn = `urn:uuid:${randomUUID()}`
      return post('transaction', [
        create(patient('Again', { identifier: [{ value }] }), urn, { ifNoneExist: `identifier=${value}` }),
        create(observation(urn)),
      ])
    }
    const answers = await Promise.all(Array.from({ length: 8 }, send))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const found = (await server.fhir('GET', `/Patient?identifier=${value}`)).body
    expect(found.total).toBe(1)
    expect((await server.fhir('GET', `/Observation?subject=Patient/${found.entry[0].resource.id}`)).body.total).toBe(8)
  })

  test('conditional references are resolved; none or several matches are 412', async () => {
    const value = randomUUID()
    const send = () => post('transaction', [create(observation(`Patient?identifier=${value}`))])
    expect((await send()).status).toBe(412)
    const { body } = await server.fhir('POST', '/Patient', patient('Target', { identifier: [{ value }] }))
    expect((await send()).status).toBe(200)
    expect((await server.fhir('GET', `/Observation?subject=Patient/${body.id}`)).body.total).toBe(1)
    await server.fhir('POST', '/Patient', patient('Target', { identifier: [{ value }] }))
    expect((await send()).status).toBe(412)
  })

  test('more conditional references than a Bundle may have entries are 413', async () => {
    const small = await startServer({ MAX_BUNDLE_ENTRIES: '2' })
    const references = ['a', 'b', 'c'].map((value) => ({ reference: `Practitioner?identifier=${value}` }))
    const { body } = await small.fhir('GET', '/Practitioner?_count=3')
    for (const [index, { resource }] of body.entry.entries()) {
      const identifier = [{ value: 'abc'[index] }]
      await small.fhir('PUT', `/Practitioner/${resource.id}`, { ...resource, identifier })
    }
    const send = (generalPractitioner: object) =>
      small.fhir('POST', '/', bundle('transaction', [create(patient('X', { generalPractitioner }))]))
    expect((await send(references.slice(1))).status).toBe(200)
    expect((await send(references)).status).toBe(413)
    await small.close()
  })

  test('two entries that write one resource are 400', async () => {
    const id = randomUUID()
    const put = (family: string): Entry => ({
      resource: { ...patient(family), id },
      request: { method: 'PUT', url: `Patient/${id}` },
    })
    const { status, body } = await post('transaction', [put('A'), put('B')])
    expect(status).toBe(400)
    expect(body.issue[0].diagnostics).toContain('Bundle.entry[0] and Bundle.entry[1]')
    expect((await server.fhir('GET', `/Patient/${id}`)).status).toBe(404)
    const same = () =>
      create(patient('C', { identifier: [{ value: id }] }), undefined, { ifNoneExist: `identifier=${id}` })
    expect((await post('transaction', [same(), same()])).status).toBe(400)
  })

  test.each(['DELETE', 'PATCH'])('a conditional %s of what another entry writes is 400', async (method) => {
    const id = randomUUID()
    await server.fhir('PUT', `/Patient/${id}`, { ...patient('Before'), id })
    const data = Buffer.from(JSON.stringify([{ op: 'add', path: '/active', value: true }])).toString('base64')
    const { status } = await post('transaction', [
      {
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method, url: `Patient?_id=${id}` },
      },
      { resource: { ...patient('After'), id }, request: { method: 'PUT', url: `Patient/${id}` } },
    ])
    expect(status).toBe(400)
    expect((await server.fhir('GET', `/Patient/${id}`)).body.meta.versionId).toBe('1')
  })

  test('two entries of one fullUrl are 400: nobody knows which of them a reference means', async () => {
    const before = await versions()
    const { status, body } = await post('transaction', [
      create(patient('A'), 'urn:uuid:38c1ec20-0000-4000-8000-000000000001'),
      create(patient('B'), 'urn:uuid:38c1ec20-0000-4000-8000-000000000001'),
      create(observation('urn:uuid:38c1ec20-0000-4000-8000-000000000001')),
    ])
    expect(status).toBe(400)
    expect(body.issue[0].expression).toEqual(['Bundle.entry[1].fullUrl'])
    expect(await versions()).toBe(before)
  })

  test('deletes, creates, updates, patches and reads work together, reads see the writes', async () => {
    const { body: old } = await server.fhir('POST', '/Patient', patient('Old'))
    const { body: kept } = await server.fhir('POST', '/Patient', patient('Kept'))
    const data = Buffer.from(JSON.stringify([{ op: 'add', path: '/active', value: true }])).toString('base64')
    const { status, body } = await post('transaction', [
      { request: { method: 'GET', url: `Patient/${kept.id}` } },
      { request: { method: 'GET', url: `Patient?_id=${kept.id}` } },
      {
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method: 'PATCH', url: `Patient/${kept.id}` },
      },
      { request: { method: 'DELETE', url: `Patient/${old.id}` } },
      create(patient('Fresh')),
    ])
    expect(status).toBe(200)
    expect(body.entry.map(statusOf)).toEqual([200, 200, 200, 204, 201])
    expect(body.entry[0].resource.active).toBe(true)
    expect(body.entry[1].resource.entry[0].resource.active).toBe(true)
    expect((await server.fhir('GET', `/Patient/${old.id}`)).status).toBe(410)
  })

  test('a read of what does not exist fails the whole transaction', async () => {
    const before = await versions()
    expect(
      (await post('transaction', [create(patient('Alone')), { request: { method: 'GET', url: 'Patient/nobody' } }]))
        .status,
    ).toBe(404)
    expect(await versions()).toBe(before)
  })

  test('Prefer: return=representation gives the resources back', async () => {
    expect((await post('transaction', [create(patient('Shown'))])).body.entry[0].resource).toBeUndefined()
    expect(
      (await post('transaction', [create(patient('Shown'))], { prefer: 'return=representation' })).body.entry[0]
        .resource.name[0].family,
    ).toBe('Shown')
  })

  test('keeps decimals', async () => {
    const value = randomUUID()
    const text = `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"POST","url":"Observation"},"resource":{"resourceType":"Observation","status":"final","code":{"text":"x"},"identifier":[{"value":"${value}"}],"valueQuantity":{"value":3.10}}}]}`
    await server.fhir('POST', '/', text)
    expect((await server.fhir('GET', `/Observation?identifier=${value}`)).text).toContain('"value":3.10')
  })

  test('an empty one is answered empty', async () => {
    const { status, body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction' })
    expect(status).toBe(200)
    expect(body).toEqual({ resourceType: 'Bundle', type: 'transaction-response' })
  })
})

describe('batch', () => {
  test('entries stand alone: good ones are stored, bad ones answer with their own outcome', async () => {
    const { status, body } = await post('batch', [
      create(patient('Fine')),
      create(patient('Wrong', { gender: 'm' })),
      { request: { method: 'GET', url: 'Patient/nobody' } },
      { request: { method: 'GET', url: 'Patient?nonsense=1' } },
      { request: { method: 'GET', url: 'Patient?_count=1' } },
    ])
    expect(status).toBe(200)
    expect(body.type).toBe('batch-response')
    expect(body.entry.map(statusOf)).toEqual([201, 422, 404, 400, 200])
    expect(body.entry[1].response.outcome.issue[0].expression).toEqual(['Patient.gender'])
    expect(body.entry[4].resource.type).toBe('searchset')
  })

  test('deletes, updates, patches and reads in that order, whatever the order of its entries', async () => {
    const { body: before } = await post('batch', [create(patient('Before'))])
    const [, id = ''] = /Patient\/([^/]+)/.exec(before.entry[0].response.location) ?? []
    const url = `Patient/${id}`
    const data = Buffer.from(JSON.stringify([{ op: 'add', path: '/active', value: true }])).toString('base64')
    const { body } = await post('batch', [
      { request: { method: 'GET', url } },
      { request: { method: 'GET', url: `Patient?_id=${id}` } },
      {
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method: 'PATCH', url },
      },
      { resource: { ...patient('After'), id }, request: { method: 'PUT', url } },
      { request: { method: 'DELETE', url } },
    ])
    expect(body.entry.map(statusOf)).toEqual([200, 200, 200, 201, 204])
    const seen = { name: [{ family: 'After' }], active: true, meta: { versionId: '4' } }
    expect(body.entry[0].resource).toMatchObject(seen)
    expect(body.entry[1].resource.entry).toMatchObject([{ resource: seen }])
  })

  test('may call operations', async () => {
    const { body: stored } = await server.fhir(
      'POST',
      '/Patient',
      patient('Batchmatch', { birthDate: '1971-01-01', name: [{ family: 'Batchmatch', given: ['Una'] }] }),
    )
    const { body } = await post('batch', [
      {
        resource: {
          resourceType: 'Parameters',
          parameter: [
            {
              name: 'resource',
              resource: patient('Batchmatch', {
                birthDate: '1971-01-01',
                name: [{ family: 'Batchmatch', given: ['Una'] }],
              }),
            },
          ],
        },
        request: { method: 'POST', url: 'Patient/$match' },
      },
    ])
    expect(body.entry[0].resource.entry[0].resource.id).toBe(stored.id)
  })
})

describe('operations in a Bundle', () => {
  const escalate = (id: string): Entry => ({
    resource: { resourceType: 'Parameters', parameter: [{ name: 'reason', valueString: 'x' }] },
    request: { method: 'POST', url: `Patient/${id}/$escalate-billing` },
  })

  test('one that writes is refused in a transaction, and nothing of the transaction is stored', async () => {
    const { body: stored } = await server.fhir('POST', '/Patient', patient('Escalated'))
    const before = await versions()
    const { status, body } = await post('transaction', [create(patient('Beside')), escalate(stored.id)])
    expect(status).toBe(400)
    expect(body.issue[0].diagnostics).toContain('cannot be part of a transaction')
    expect(await versions()).toBe(before)
  })

  test('one that writes runs in a batch', async () => {
    const { body: stored } = await server.fhir('POST', '/Patient', patient('Escalated'))
    const { body } = await post('batch', [escalate(stored.id)])
    expect(body.entry.map(statusOf)).toEqual([200])
    expect((await server.fhir('GET', `/Task?patient=Patient/${stored.id}`)).body.total).toBe(1)
  })
})

const UNREADABLE: [string, unknown][] = [
  ['without request', { resource: patient('X') }],
  ['with an unknown method', { request: { method: 'MERGE', url: 'Patient/1' } }],
  ['that is a Bundle itself', { resource: bundle('batch', []), request: { method: 'POST', url: '' } }],
  ['that is null', null],
  ['for another server', { request: { method: 'GET', url: 'https://elsewhere.example/fhir/Patient/1' } }],
  ['whose ifMatch is no text', { resource: patient('X'), request: { method: 'PUT', url: 'Patient/1', ifMatch: 1 } }],
]

describe('what is no batch or transaction', () => {
  test.each<[string, unknown]>([
    ['another resource', { resourceType: 'Patient' }],
    ['a Bundle of another type', { resourceType: 'Bundle', type: 'collection' }],
    ['entry that is no array', { resourceType: 'Bundle', type: 'batch', entry: {} }],
    ...UNREADABLE.map(([what, entry]): [string, unknown] => [
      `a transaction with an entry ${what}`,
      bundle('transaction', [entry as Entry]),
    ]),
  ])('%s is 400 with an OperationOutcome', async (_name, body) => {
    const answer = await server.fhir('POST', '/', body)
    expect(answer.status).toBe(400)
    expect(answer.body.resourceType).toBe('OperationOutcome')
  })

  test.each(UNREADABLE)('a batch answers an entry %s with 400, and carries out the others', async (_what, entry) => {
    const { status, body } = await post('batch', [create(patient('Before')), entry as Entry, create(patient('After'))])
    expect(status).toBe(200)
    expect(body.entry.map(statusOf)).toEqual([201, 400, 201])
    expect(body.entry[1].response.outcome.issue[0].diagnostics).toContain('Bundle.entry[1]')
  })
})
