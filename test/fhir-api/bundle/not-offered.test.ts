/** Entries for interactions and types that the server does not offer: refused as their routes are, whatever they hold. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

const SYSTEM = 'urn:not-offered'
const MISSING = `identifier=${SYSTEM}|missing`
const observation = { resourceType: 'Observation', status: 'final', code: { text: 'x' } }
const invalid = { resourceType: 'Observation', status: 7 }
const patch = { resourceType: 'Parameters', parameter: [] }

let server: TestServer
beforeAll(async () => {
  server = await startServer({
    DISABLED_INTERACTIONS: 'Observation.create, Observation.update, Observation.patch, Observation.delete',
  })
})
afterAll(() => server.close())

const ENTRIES = {
  'a create with an empty condition': [405, observation, { method: 'POST', url: 'Observation', ifNoneExist: '' }],
  'a create of an invalid resource': [405, invalid, { method: 'POST', url: 'Observation' }],
  'an update with an invalid resource': [405, invalid, { method: 'PUT', url: 'Observation/1' }],
  'a conditional update without criteria': [405, observation, { method: 'PUT', url: 'Observation' }],
  'a conditional patch that matches nothing': [405, patch, { method: 'PATCH', url: `Observation?${MISSING}` }],
  'a conditional delete that matches nothing': [405, undefined, { method: 'DELETE', url: `Observation?${MISSING}` }],
  'a create of an unknown type': [404, { resourceType: 'Person2' }, { method: 'POST', url: 'Person2' }],
  'an update of an unknown type': [404, { resourceType: 'Person2', id: '1' }, { method: 'PUT', url: 'Person2/1' }],
} as const

describe('an entry of a batch for what is not offered', () => {
  test.each(Object.entries(ENTRIES))('%s', async (_name, [status, resource, request]) => {
    const entry = [resource === undefined ? { request } : { resource, request }]
    const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(body.entry[0].response.status).toMatch(new RegExp(`^${status} `))
  })
})
