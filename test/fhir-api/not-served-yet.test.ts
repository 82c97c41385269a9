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
  for (const name of ['Turtle', 'respond-async', '$export']) expect(text).toContain(name)
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

describe('Prefer: respond-async', () => {
  const prefer = { prefer: 'respond-async' }

  test('is ignored: the answer comes when it is ready', async () => {
    const found = await server.fhir('GET', '/Patient?_count=1', undefined, prefer)
    expect([found.status, found.body.type]).toEqual([200, 'searchset'])
    const created = await server.fhir('POST', '/Patient', { resourceType: 'Patient' }, prefer)
    expect(created.status).toBe(201)
    const batch = { resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url: 'Patient' } }] }
    const answer = await server.fhir('POST', '/', batch, prefer)
    expect([answer.status, answer.body.type]).toEqual([200, 'batch-response'])
    for (const { headers } of [found, created, answer]) expect(headers.get('content-location')).toBeNull()
  })

  test('leaves the other preferences of the header in force', async () => {
    const both = { prefer: 'respond-async, return=minimal' }
    const { status, text } = await server.fhir('POST', '/Patient', { resourceType: 'Patient' }, both)
    expect([status, text]).toEqual([201, ''])
  })
})

describe('$export', () => {
  test.each([
    ['GET', '/$export'],
    ['POST', '/$export'],
    ['GET', '/Patient/$export'],
    ['POST', '/Patient/$export'],
    ['GET', '/Group/any/$export'],
  ] as const)('%s %s is 404 and names what to do instead', async (method, path) => {
    const { status, body } = await server.fhir(method, path, undefined, { prefer: 'respond-async' })
    expect([status, body.issue[0].code]).toEqual([404, 'not-supported'])
    expect(body.issue[0].diagnostics).toMatch(/not served yet.*\$everything/)
  })

  test('is declared nowhere', () => {
    const [rest] = statement.rest ?? []
    const declared = [...(rest?.operation ?? []), ...(rest?.resource ?? []).flatMap(({ operation = [] }) => operation)]
    expect(declared.map(({ name }) => name)).not.toContain('export')
  })
})
