/** The report of a run as a TestReport: https://hl7.org/fhir/R4/testreport.html. */
import type {
  TestReport,
  TestReportParticipant,
  TestReportSetupActionAssert,
  TestReportSetupActionOperation,
  TestReportTest,
  TestReportTestAction,
} from 'fhir/r4'
import { nonEmpty, present } from '../../fhir/resource.ts'
import { possibleText } from '../../fhir/xml/narrative.ts'
import { fhirText } from '../plans/fhir-text.ts'
import type { Evidence, RunReport, RunStatus, StepReport, Verdict } from '../runs/run.ts'
import { exchangeAddress, serverOf } from './addresses.ts'
import { attestedBy, planOf } from './words.ts'

const STATUSES: Readonly<Record<RunStatus, TestReport['status']>> = {
  open: 'in-progress',
  finished: 'completed',
  aborted: 'stopped',
}

/** R4 knows no error of a whole report: it is not decided, and its steps say so. */
const RESULTS: Readonly<Record<RunReport['result'], TestReport['result']>> = {
  pass: 'pass',
  fail: 'fail',
  error: 'pending',
  pending: 'pending',
}

type ActionResult = TestReportSetupActionAssert['result']

/** Results by verdict; a step that is still pending has not been executed. */
const ACTION_RESULTS: Readonly<Record<Verdict, ActionResult>> = {
  pass: 'pass',
  fail: 'fail',
  error: 'error',
  warning: 'warning',
  skip: 'skip',
  pending: 'skip',
}

/** Its id is that of the run; of each test the first action names the exchange that proves it, and the second one says why. */
export function testReportOf(report: RunReport): TestReport & { readonly id: string } {
  const { run, title, plan, status, result, score, startedAt, endedAt, steps } = report
  return {
    resourceType: 'TestReport',
    id: run,
    ...present({ name: fhirText(title) }),
    status: STATUSES[status],
    testScript: { reference: `TestScript/${plan}`, display: planOf(report) },
    result: RESULTS[result],
    score,
    tester: ENGINE,
    issued: endedAt ?? startedAt,
    participant: participantsOf(report),
    ...nonEmpty({ test: steps.map((step) => testOf(report, step)) }),
  }
}

const ENGINE = 'Sandbox EMR'

function participantsOf(report: RunReport): TestReportParticipant[] {
  const { client, base, as } = report
  return [
    { type: 'test-engine', uri: serverOf(report), display: ENGINE },
    { type: 'client', uri: clientUri(client), ...present({ display: fhirText(client) }) },
    { type: 'server', uri: base, display: as === undefined ? ENGINE : `${ENGINE} as ${as}` },
  ]
}

/** The name of a client as a URI, which identifies it; a web address, or an URN, is one already. */
function clientUri(name: string): string {
  const written = possibleText(name)
  return /^(https?:\/\/|urn:)\S+$/.test(written) ? written : `urn:sandbox-emr:client:${encodeURIComponent(written)}`
}

function testOf(report: RunReport, step: StepReport): TestReportTest {
  const [proof, ...others] = proofFirst(step)
  const actions: TestReportTestAction[] = [
    { operation: operationOf(report, step, proof) },
    { assert: assertOf(step) },
    ...others.map((evidence) => ({ operation: operationOf(report, step, evidence) })),
  ]
  return { name: step.id, ...present({ description: fhirText(step.title) }), action: actions }
}

/** An exchange that should not have come, or is not as it should be, is named before those that are right. */
function proofFirst({ evidence }: StepReport): readonly Evidence[] {
  const isRight = ({ of }: Evidence): boolean => of === 'expect' || of === 'after'
  return [...evidence.filter((one) => !isRight(one)), ...evidence.filter(isRight)]
}

function operationOf(
  report: RunReport,
  { result }: StepReport,
  evidence: Evidence | undefined,
): TestReportSetupActionOperation {
  if (evidence === undefined) return { result: 'skip', message: 'No exchange of the run is about it' }
  const { exchange, of, at, line } = evidence
  return {
    result: ACTION_RESULTS[result],
    ...present({ message: fhirText(`${of}: ${line}, ${at}`) }),
    detail: exchangeAddress(report, exchange),
  }
}

const assertOf = ({ result, message, source, attested }: StepReport): TestReportSetupActionAssert => ({
  result: ACTION_RESULTS[result],
  ...present({
    message: fhirText(message),
    detail: fhirText(attested === undefined ? source : `${source}\n${attestedBy(attested)}`),
  }),
})
