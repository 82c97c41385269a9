/** The report of a run as FHIR resources: TestReport, the TestScript of its plan, and the CapabilityStatement of its client. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { OperationOutcome } from 'fhir/r4'
import type { AnyResource } from '../../../src/fhir/resource.ts'
import { testScriptOf } from '../../../src/rehearsal/plans/test-script.ts'
import { clientStatementOf } from '../../../src/rehearsal/reports/client-statement.ts'
import { testReportOf } from '../../../src/rehearsal/reports/test-report.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { ALL_VERDICTS, HOSTILE, PLAN, planWithText, REPORT, STEPS, withText } from './a-report.ts'

const statementOf = (report: typeof REPORT) => clientStatementOf(report.observed, report)

describe('$validate', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  /**
   * The problems of a resource, but for what need not be: a narrative of what a server has made (dom-6), and warnings of a tag
   * within the texts of others, which stay as they are.
   */
  async function problemsOf(resource: AnyResource): Promise<readonly string[]> {
    const { status, body } = await server.fhir('POST', `/${resource.resourceType}/$validate`, resource)
    expect(status).toBe(200)
    const { issue } = body as OperationOutcome
    return issue
      .filter(
        ({ severity, diagnostics }) =>
          severity !== 'information' && !/dom-6|looks like an HTML tag/.test(diagnostics ?? ''),
      )
      .map(({ severity, diagnostics, expression }) => `${severity} ${expression}: ${diagnostics}`)
  }

  const resourcesOf = (report: typeof REPORT, plan: typeof PLAN): readonly AnyResource[] => [
    testReportOf(report),
    testScriptOf(plan),
    statementOf(report),
  ]

  test.each([
    ['a run that has failed', REPORT, PLAN],
    ['a run with each verdict', ALL_VERDICTS, { ...PLAN, plan: '3-names' }],
    ['a run without steps or traffic', emptyRun(), { ...PLAN, steps: [] }],
  ])('finds nothing wrong with the resources of %s', async (_name, report, plan) => {
    for (const resource of resourcesOf(report, plan)) expect(await problemsOf(resource)).toEqual([])
  })

  test.each(HOSTILE)('finds nothing wrong with them where each text is %j', async (text) => {
    for (const resource of resourcesOf(withText(text), planWithText(text)))
      expect(await problemsOf(resource)).toEqual([])
  })
})

function emptyRun(): typeof REPORT {
  const observed = { types: {}, interactions: [], operations: [], tools: [] }
  return { ...REPORT, steps: [], observed }
}

describe('a TestReport', () => {
  test('has the id of the run, its plan, its score and its times', () => {
    expect(testReportOf(REPORT)).toMatchObject({
      ...{ id: 'run-7c31', name: 'Books, moves and cancels', status: 'completed', result: 'fail', score: 66 },
      ...{ testScript: { reference: 'TestScript/booking-lifecycle' }, issued: '2026-11-28T02:01:00.500Z' },
    })
  })

  test('names the client, the address that it was given, and this server as the one that judges', () => {
    expect(testReportOf(REPORT).participant).toEqual([
      { type: 'test-engine', uri: 'http://127.0.0.1:3000', display: 'Sandbox EMR' },
      { type: 'client', uri: 'urn:sandbox-emr:client:Scheduler%202.1', display: 'Scheduler 2.1' },
      { type: 'server', uri: 'http://127.0.0.1:3000/as/oracle-r4', display: 'Sandbox EMR as oracle-r4' },
    ])
  })

  test('takes a web address as the identity of a client', () => {
    const [, client] = testReportOf({ ...REPORT, client: 'https://scheduler.example/2.1' }).participant ?? []
    expect(client?.uri).toBe('https://scheduler.example/2.1')
  })

  test('has in each test first the exchange that proves it, then the sentence, then other exchanges', () => {
    const exchange = (number: number) =>
      `http://127.0.0.1:3000/clinics/demo-clinic/exchanges/9b2f6c1e-0000-4000-8000-00000000000${number}`
    const [look, once, told] = testReportOf(REPORT).test ?? []
    expect(look?.action).toMatchObject([
      { operation: { result: 'pass', detail: exchange(1) } },
      { assert: { result: 'pass', message: 'Expected a search for Slot, and it came' } },
    ])
    expect(once?.action).toMatchObject([
      { operation: { result: 'fail', detail: exchange(3) } },
      { assert: { result: 'fail', message: 'Expected no second request with the same body, and it came' } },
      { operation: { result: 'fail', detail: exchange(2) } },
    ])
    expect(told?.action).toEqual([
      { operation: { result: 'skip', message: 'No exchange of the run is about it' } },
      {
        assert: {
          ...{ result: 'pass', message: 'The time was true' },
          detail: 'Good practice\nAttested by Nora: yes, heard on the recording',
        },
      },
    ])
  })

  test('names a clinic and an exchange within an address as its segments', () => {
    const [step] = STEPS
    const evidence = [{ exchange: 'a/b?c', of: 'expect', at: REPORT.startedAt, line: 'GET /Slot 200' }] as const
    const steps = step === undefined ? [] : [{ ...step, evidence }]
    const report = testReportOf({ ...REPORT, clinic: 'clinic.1', steps })
    expect(report.test?.[0]?.action[0]?.operation?.detail).toBe(
      'http://127.0.0.1:3000/clinics/clinic.1/exchanges/a%2Fb%3Fc',
    )
  })

  test('has each verdict as an action can have it', () => {
    const results = (testReportOf(ALL_VERDICTS).test ?? []).map(({ action }) => action[1]?.assert?.result)
    expect(results).toEqual(['pass', 'skip', 'skip', 'warning', 'error', 'fail'])
  })

  test.each([
    ['open', 'pending', 'in-progress', 'pending'],
    ['aborted', 'pending', 'stopped', 'pending'],
    ['finished', 'pass', 'completed', 'pass'],
    ['finished', 'error', 'completed', 'pending'],
  ] as const)('of a run that is %s with the result %s is %s and %s', (status, result, expected, decided) => {
    expect(testReportOf({ ...REPORT, status, result })).toMatchObject({ status: expected, result: decided })
  })

  test('is the same for the same run', () => {
    expect(JSON.stringify(testReportOf(structuredClone(REPORT)))).toBe(JSON.stringify(testReportOf(REPORT)))
  })
})

describe('a TestScript', () => {
  test('has the name of the plan as its id, and what identifies it', () => {
    expect(testScriptOf(PLAN)).toMatchObject({
      ...{ id: 'booking-lifecycle', version: '1.0.0', name: 'BookingLifecycle', title: 'Books, moves and cancels' },
      url: 'https://sandbox-emr.example/fhir/TestScript/booking-lifecycle',
    })
  })

  test('links the sources of the steps, and says of which', () => {
    const { metadata } = testScriptOf(PLAN)
    expect(metadata?.link).toEqual([
      { url: 'https://docs.oracle.com/slot', description: 'Looks for free slots in a range' },
      {
        url: 'https://datatracker.ietf.org/doc/html/rfc9110#section-9.2.2',
        description: 'Books once although the response was lost',
      },
    ])
    expect(metadata?.capability[0]?.description).toContain('busy-monday')
  })

  test('has a test for each step, an optional one only warning', () => {
    const asserts = (testScriptOf(PLAN).test ?? []).map(({ action }) => action[0]?.assert)
    expect(asserts.map((one) => [one?.label, one?.resource, one?.warningOnly])).toEqual([
      ['look', 'Slot', false],
      ['once', undefined, false],
      ['told', undefined, false],
      ['cancel', undefined, true],
    ])
  })
})

describe('the CapabilityStatement of a client', () => {
  const [rest] = statementOf(REPORT).rest ?? []

  test('is that of one instance, in mode client, with the time of the run', () => {
    expect(statementOf(REPORT)).toMatchObject({
      ...{ id: 'run-7c31', kind: 'instance', date: '2026-11-28T02:01:00.500Z' },
      implementation: { description: 'Scheduler 2.1' },
    })
    expect(rest).toMatchObject({
      ...{ mode: 'client', interaction: [{ code: 'transaction' }] },
      documentation: 'Tools of live calls: find_available_slots',
    })
  })

  test('has the interactions, the search parameters with their definitions, and the operations of each type', () => {
    expect(rest?.resource).toEqual([
      { type: 'Appointment', interaction: [{ code: 'create' }, { code: 'read' }] },
      {
        type: 'Patient',
        interaction: [{ code: 'search-type' }],
        searchParam: [
          { name: 'birthdate', definition: 'http://hl7.org/fhir/SearchParameter/individual-birthdate', type: 'date' },
          { name: 'family', definition: 'http://hl7.org/fhir/SearchParameter/individual-family', type: 'string' },
        ],
        operation: [{ name: 'match', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-match' }],
      },
      {
        type: 'Slot',
        interaction: [{ code: 'search-type' }],
        searchParam: [
          { name: 'schedule', definition: 'http://hl7.org/fhir/SearchParameter/Slot-schedule', type: 'reference' },
          { name: 'start', definition: 'http://hl7.org/fhir/SearchParameter/Slot-start', type: 'date' },
        ],
      },
    ])
  })

  test('leaves out types, interactions and names that a statement cannot have', () => {
    const used = { interactions: ['read', 'search-compartment'], searchParameters: ['\u0000'], operations: ['a\u0007'] }
    const observed = { ...emptyRun().observed, types: { Slot: used, Nothing: used }, interactions: ['capabilities'] }
    expect(clientStatementOf(observed, REPORT).rest).toEqual([
      { mode: 'client', resource: [{ type: 'Slot', interaction: [{ code: 'read' }] }] },
    ])
  })
})
