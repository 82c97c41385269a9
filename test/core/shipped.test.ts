/** The conformance resources that the server ships are stored in each clinic, once, and cannot be changed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ensureShipped } from '../../src/core/shipped.ts'
import { StoreUnavailable } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startTwoClinics } from '../support/two-clinics.ts'

const MATCH = '/OperationDefinition/patient-match'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const access = () => server.app.access('demo-clinic', { kind: 'server' })
const idsOf = async (path: string): Promise<string[]> => {
  const { body } = await server.fhir('GET', path)
  return (body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id)
}

describe('a shipped resource', () => {
  test('is there for the first requests of a clinic, however many come at once, as version 1', async () => {
    const fresh = await startServer()
    const answers = await Promise.all(Array.from({ length: 8 }, () => fresh.fhir('GET', MATCH)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await fresh.fhir('GET', `${MATCH}/_history`)).body.total).toBe(1)
    await fresh.close()
  })

  test.each([
    ['by url', '/OperationDefinition?url=http://hl7.org/fhir/OperationDefinition/Patient-match'],
    ['across types', '/?_type=OperationDefinition,Patient&_id=patient-match'],
    ['in order', '/OperationDefinition?code=match&_sort=-code,_lastUpdated'],
  ])('is found %s', async (_how, path) => {
    expect(await idsOf(path)).toEqual(['patient-match'])
  })

  test('is in the history of its type and of the clinic', async () => {
    expect(await idsOf('/OperationDefinition/_history?_count=100')).toContain('patient-match')
    expect(await idsOf('/_history?_count=100')).toContain('patient-match')
  })

  test('is what a conditional create finds', async () => {
    const { body } = await server.fhir('GET', MATCH)
    const answer = await server.fhir('POST', '/OperationDefinition', body, { 'if-none-exist': `url=${body.url}` })
    expect([answer.status, answer.body.id]).toEqual([200, 'patient-match'])
  })

  test('is changed by no client: PUT, PATCH, DELETE and their conditional forms are 422', async () => {
    const { body } = await server.fhir('GET', MATCH)
    const criteria = `/OperationDefinition?url=${body.url}`
    const patch = [{ op: 'replace', path: '/title', value: 'Mine' }]
    for (const path of [MATCH, criteria]) {
      expect((await server.fhir('PUT', path, { ...body, title: 'Mine' })).status).toBe(422)
      expect((await server.fhir('PATCH', path, patch)).status).toBe(422)
      expect((await server.fhir('DELETE', path)).status).toBe(422)
    }
    expect((await server.fhir('GET', MATCH)).body).toEqual(body)
  })
})

describe('shipping again', () => {
  const version = async () => (await server.fhir('GET', MATCH)).headers.get('etag')

  test('writes nothing while all is as it should be', async () => {
    const before = (await server.fhir('GET', '/_history?_count=1')).body.total
    await ensureShipped(access())
    expect((await server.fhir('GET', '/_history?_count=1')).body.total).toBe(before)
  })

  test('writes the next version of what differs or was deleted, and of nothing else', async () => {
    const { body } = await server.fhir('GET', MATCH)
    await access().change(({ unit }) => unit.put({ ...body, title: 'An older title' }, 'PUT'))
    const total = (await server.fhir('GET', '/_history?_count=1')).body.total
    await ensureShipped(access())
    expect(await version()).toBe('W/"3"')
    expect((await server.fhir('GET', MATCH)).body.title).toBe(body.title)
    await access().change(({ unit }) => unit.delete('OperationDefinition', 'patient-match'))
    await ensureShipped(access())
    expect(await version()).toBe('W/"5"')
    expect((await server.fhir('GET', '/_history?_count=1')).body.total).toBe(total + 3)
  })
})

test('each clinic has its own: the versions of one are not those of the other', async () => {
  const { server: both, ours, theirs } = await startTwoClinics()
  const { body } = await ours('GET', MATCH)
  await both.app
    .access('demo-clinic', { kind: 'server' })
    .change(({ unit }) => unit.put({ ...body, title: 'x' }, 'PUT'))
  expect((await ours('GET', MATCH)).headers.get('etag')).toBe('W/"2"')
  expect((await theirs('GET', MATCH)).headers.get('etag')).toBe('W/"1"')
  await both.close()
})

test('a store that cannot take them is 503, and the next request tries again', async () => {
  const real = await openTestStore()
  let full = false
  const store: ResourceStore = {
    ...real,
    write: async (changes) => {
      if (full) throw new StoreUnavailable('disk full')
      await real.write(changes)
    },
  }
  const fresh = await startServer({}, { store })
  full = true
  expect((await fresh.fhir('GET', MATCH)).status).toBe(503)
  full = false
  expect((await fresh.fhir('GET', MATCH)).status).toBe(200)
  await fresh.close()
})
