/**
 * The test plan of IHE PDQm for Patient Demographics Consumers, line by line: each is provoked by a fault of the catalogue,
 * or by whom one searches for. https://build.fhir.org/ig/IHE/ITI.PDQm/testplan.html
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CATALOGUE } from '../../../src/rehearsal/faults/catalogue.ts'
import { attempt, type Met } from '../../support/faults.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (const id of ['pdqm-one', 'pdqm-two'])
    await server.fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, name: [{ family: 'Pdqm', given: [id] }] })
  // As a caller who has said nothing yet leaves one: without a name, an identifier and a gender.
  await server.fhir('PUT', '/Patient/pdqm-placeholder', {
    resourceType: 'Patient',
    id: 'pdqm-placeholder',
    active: false,
  })
})
afterAll(() => server.close())

interface Line {
  readonly line: string
  /** Absent: whom one searches for provokes it. */
  readonly fault?: string
  readonly query: string
  readonly check: (met: Met) => void
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const matchesIn = (body: any) =>
  body.entry.filter(({ search }: { search: { mode: string } }) => search.mode === 'match')

const withOutcome = (severity: string) => ({
  fault: `outcome-in-bundle; severity=${severity}`,
  query: 'family=Pdqm',
  check: ({ status, body }: Met) => {
    expect([status, body.resourceType, matchesIn(body).length]).toEqual([200, 'Bundle', 2])
    const { resource, search } = body.entry.at(-1)
    expect([search.mode, resource.resourceType, resource.issue[0].severity]).toEqual([
      'outcome',
      'OperationOutcome',
      severity,
    ])
  },
})

const LINES: readonly Line[] = [
  { line: 'one match', query: 'given=pdqm-one', check: ({ body }) => expect(matchesIn(body)).toHaveLength(1) },
  { line: 'several matches', query: 'family=Pdqm', check: ({ body }) => expect(matchesIn(body)).toHaveLength(2) },
  {
    line: 'no match',
    query: 'family=Nobody-of-this-name',
    check: ({ status, body }) => expect([status, body.entry]).toEqual([200, undefined]),
  },
  { line: 'a status of 4xx', fault: 'no-scope', query: 'family=Pdqm', check: ({ status }) => expect(status).toBe(403) },
  { line: 'a status of 5xx', fault: 'gateway', query: 'family=Pdqm', check: ({ status }) => expect(status).toBe(502) },
  {
    line: 'a bare OperationOutcome with an error',
    fault: 'maintenance',
    query: 'family=Pdqm',
    check: ({ body }) => expect([body.resourceType, body.issue[0].severity]).toEqual(['OperationOutcome', 'error']),
  },
  { line: 'an OperationOutcome in the Bundle with an error, in spite of matches', ...withOutcome('error') },
  { line: 'an OperationOutcome in the Bundle with a warning', ...withOutcome('warning') },
  { line: 'an OperationOutcome in the Bundle with information', ...withOutcome('information') },
  {
    line: 'a Patient that violates the profile',
    query: '_id=pdqm-placeholder',
    check: ({ body: { entry } }) =>
      expect([entry[0].resource.name, entry[0].resource.identifier]).toEqual([undefined, undefined]),
  },
  {
    line: 'an unknown extension',
    fault: 'unknown-extension',
    query: 'family=Pdqm',
    check: ({ body: { entry } }) => expect(entry[0].resource.extension[0].url).toContain('unknown'),
  },
  {
    line: 'an unknown modifierExtension',
    fault: 'unknown-modifier',
    query: 'family=Pdqm',
    check: ({ body: { entry } }) => expect(entry[0].resource.modifierExtension[0].url).toContain('unknown'),
  },
]

test('the plan has twelve lines', () => {
  expect(LINES).toHaveLength(12)
})

test.each(LINES)('$line', async ({ fault, query, check }) => {
  if (fault !== undefined) expect(CATALOGUE.has(fault.split(';')[0] ?? '')).toBe(true)
  check(
    await attempt(
      server,
      'GET',
      `/Patient?${query}`,
      undefined,
      fault === undefined ? {} : { 'x-sandbox-fault': fault },
    ),
  )
})
