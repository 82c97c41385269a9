/** The conditional entries of a transaction: their cost, and that each is decided once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ChangeSet, ResourceStore } from '../../../src/storage/port.ts'
import { openTestStore } from '../../support/database.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const SYSTEM = 'urn:conditional-entries'
const identified = (value: string, more: object = {}) => ({
  resourceType: 'Patient',
  identifier: [{ system: SYSTEM, value }],
  ...more,
})
const criteria = (value: string) => `identifier=${SYSTEM}|${value}`

let server: TestServer
let searches = 0
let written: ChangeSet[] = []

/** The store, with its searches counted and its change sets kept. */
const watched = (store: ResourceStore): ResourceStore =>
  new Proxy(store, {
    get: (target, name: keyof ResourceStore) => {
      if (name === 'search') {
        return (...args: Parameters<ResourceStore['search']>) => {
          searches++
          return target.search(...args)
        }
      }
      if (name === 'write') {
        return (changes: ChangeSet) => {
          written.push(changes)
          return target.write(changes)
        }
      }
      return target[name]?.bind(target)
    },
  })

beforeAll(async () => {
  server = await startServer({}, { store: watched(await openTestStore()) })
})
afterAll(() => server.close())

const transaction = (...entry: object[]) =>
  server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })

async function stored(value: string): Promise<string> {
  const { status, body } = await server.fhir('POST', '/Patient', identified(value))
  expect(status).toBe(201)
  return body.id
}

describe('a conditional entry of a transaction costs one search and one guard', () => {
  beforeEach(async () => {
    for (const value of ['update', 'patch', 'delete', 'existing']) {
      const { body } = await server.fhir('GET', `/Patient?${criteria(value)}`)
      if (body.total === 0) await stored(value)
    }
    searches = 0
    written = []
  })

  const patch = { resourceType: 'Parameters', parameter: [] as object[] }
  patch.parameter.push({
    name: 'operation',
    part: [
      { name: 'type', valueCode: 'add' },
      { name: 'path', valueString: 'Patient' },
      { name: 'name', valueString: 'active' },
      { name: 'value', valueBoolean: true },
    ],
  })
  const ENTRIES = {
    'a create that makes its resource': {
      resource: identified('new'),
      request: { method: 'POST', url: 'Patient', ifNoneExist: criteria('new') },
    },
    'a create that finds its resource': {
      resource: identified('existing'),
      request: { method: 'POST', url: 'Patient', ifNoneExist: criteria('existing') },
    },
    'an update that finds its resource': {
      resource: identified('update', { gender: 'female' }),
      request: { method: 'PUT', url: `Patient?${criteria('update')}` },
    },
    'an update that makes its resource': {
      resource: identified('other'),
      request: { method: 'PUT', url: `Patient?${criteria('other')}` },
    },
    'a patch': { resource: patch, request: { method: 'PATCH', url: `Patient?${criteria('patch')}` } },
    'a delete': { request: { method: 'DELETE', url: `Patient?${criteria('delete')}` } },
  }

  test.each(Object.entries(ENTRIES))('%s', async (_name, entry) => {
    // Beside an entry that writes in any case: a change set that changes nothing is not written.
    const beside = {
      resource: { resourceType: 'Basic', code: { text: 'x' } },
      request: { method: 'POST', url: 'Basic' },
    }
    const { status, text } = await transaction(entry, beside)
    expect([status, text.slice(0, 300)]).toEqual([200, expect.anything()])
    expect(searches).toBe(1)
    expect(written.map(({ guards }) => guards.length)).toEqual([1])
  })
})

test('a create is decided before references are rewritten, and its resource is what they lead to', async () => {
  const id = await stored('mother')
  const { body } = await transaction(
    {
      fullUrl: 'urn:uuid:00000000-0000-4000-8000-000000000001',
      resource: identified('mother'),
      request: { method: 'POST', url: 'Patient', ifNoneExist: criteria('mother') },
    },
    {
      resource: {
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        subject: { reference: 'urn:uuid:00000000-0000-4000-8000-000000000001' },
      },
      request: { method: 'POST', url: 'Observation' },
    },
  )
  expect(body.entry.map(({ response }: { response: { status: string } }) => response.status)).toEqual([
    '200 OK',
    '201 Created',
  ])
  const [, observation] = body.entry
  const { body: read } = await server.fhir('GET', new URL(observation.response.location).pathname)
  expect(read.subject.reference).toBe(`Patient/${id}`)
})
