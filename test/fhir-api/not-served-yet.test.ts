/** Features of R4 that this server does not support yet: /metadata does not declare them, and requests are refused. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CapabilityStatement } from 'fhir/r4'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let statement: CapabilityStatement
beforeAll(async () => {
  server = await startServer()
  statement = (await server.fhir('GET', '/metadata')).body
})
afterAll(() => server.close())

test('the documentation of the statement names all of it', () => {
  const text = statement.rest?.[0]?.documentation ?? ''
  for (const name of ['Turtle']) expect(text).toContain(name)
})

describe('RDF (Turtle)', () => {
  test('is not a declared format', () => {
    expect(statement.format?.filter((format) => /ttl|turtle|rdf/.test(format))).toEqual([])
  })

  test.each(['text/turtle', 'application/fhir+turtle', 'application/x-turtle'])('%s is 406 and 415', async (type) => {
    expect((await server.fhir('GET', '/Patient', undefined, { accept: type })).status).toBe(406)
    const sent = await server.fhir('POST', '/Patient', '@prefix fhir: <http://hl7.org/fhir/> .', {
      'content-type': type,
    })
    expect([sent.status, sent.body.resourceType]).toEqual([415, 'OperationOutcome'])
  })
})
