/** The journal over HTTP: every request of a clinic and its answer, for its own staff. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const EXCHANGES = '/clinics/demo-clinic/exchanges'

describe('an exchange', () => {
  test('has what came in, what was answered, and why', async () => {
    const answer = await server.fhir('POST', '/Patient', { resourceType: 'Patient', gender: 'f' }, { 'x-run-id': 'r1' })
    const id = answer.headers.get('x-request-id')
    const { body } = await server.fhir('GET', `${EXCHANGES}/${id}`)
    console.log(JSON.stringify(body, null, 1))
    const list = await server.fhir('GET', `${EXCHANGES}?run=r1`)
    console.log(JSON.stringify(list.body, null, 1))
    const tool = await server.tool(
      '/patient-journey/update_registration_field',
      { firstName: 'Ann', password: 'x' },
      { 'x-call-id': 'c9' },
    )
    console.log(JSON.stringify((await server.fhir('GET', `${EXCHANGES}?call=c9`)).body, null, 1))
  })
})
