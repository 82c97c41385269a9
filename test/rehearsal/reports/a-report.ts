/** The report of a run, and its plan, as they are made of a journal. */
import type { Plan } from '../../../src/rehearsal/plans/plan.ts'
import type { RunReport, StepReport } from '../../../src/rehearsal/runs/run.ts'

export const PLAN: Plan = {
  plan: 'booking-lifecycle',
  title: 'Books, moves and cancels',
  version: '1.0.0',
  description: 'A client that books a visit, moves it and cancels it.',
  scenario: 'busy-monday',
  steps: [
    {
      id: 'look',
      title: 'Looks for free slots in a range',
      source: 'IHE ITI-115; https://docs.oracle.com/slot',
      expect: { type: 'Slot', interaction: 'search-type' },
    },
    {
      id: 'once',
      title: 'Books once although the response was lost',
      source: 'https://datatracker.ietf.org/doc/html/rfc9110#section-9.2.2',
      do: { fault: 'lost-answer', when: { type: 'Appointment', interaction: 'create' } },
      never: { same: 'body' },
    },
    { id: 'told', title: 'The caller is told the true time', source: 'Good practice', attest: 'The time was true' },
    {
      id: 'cancel',
      title: 'Cancels',
      source: 'IHE ITI-117',
      optional: true,
      expect: { type: ['Appointment', 'Slot'] },
    },
  ],
}

const AT = '2026-11-28T02:00:00.000Z'
const SECOND = '9b2f6c1e-0000-4000-8000-000000000002'

export const STEPS: readonly StepReport[] = [
  {
    id: 'look',
    title: 'Looks for free slots in a range',
    source: 'IHE ITI-115; https://docs.oracle.com/slot',
    result: 'pass',
    message: 'Expected a search for Slot, and it came',
    evidence: [
      { exchange: '9b2f6c1e-0000-4000-8000-000000000001', of: 'expect', at: AT, line: 'GET /Slot?status=free 200' },
    ],
  },
  {
    id: 'once',
    title: 'Books once although the response was lost',
    source: 'https://datatracker.ietf.org/doc/html/rfc9110#section-9.2.2',
    result: 'fail',
    message: 'Expected no second request with the same body, and it came',
    evidence: [
      { exchange: SECOND, of: 'expect', at: AT, line: 'POST /Appointment' },
      { exchange: '9b2f6c1e-0000-4000-8000-000000000003', of: 'never', at: AT, line: 'POST /Appointment 201' },
    ],
  },
  {
    id: 'told',
    title: 'The caller is told the true time',
    source: 'Good practice',
    result: 'pass',
    message: 'The time was true',
    evidence: [],
    attested: { ok: true, by: 'Nora', note: 'heard on the recording' },
  },
  {
    id: 'cancel',
    title: 'Cancels',
    source: 'IHE ITI-117',
    optional: true,
    result: 'skip',
    message: 'Not seen',
    evidence: [],
  },
]

export const REPORT: RunReport = {
  run: 'run-7c31',
  clinic: 'demo-clinic',
  plan: 'booking-lifecycle',
  version: '1.0.0',
  title: 'Books, moves and cancels',
  client: 'Scheduler 2.1',
  base: 'http://127.0.0.1:3000/as/oracle-r4',
  as: 'oracle-r4',
  scenario: 'busy-monday',
  status: 'finished',
  result: 'fail',
  score: 66,
  startedAt: '2026-11-28T01:59:30.000Z',
  endedAt: '2026-11-28T02:01:00.500Z',
  steps: STEPS,
  traffic: { exchanges: 5, tools: 1, byStatus: { '2xx': 4, none: 1 }, latency: { median: 12, p95: 40 } },
  notes: ['Two requests named another run, run-1, and do not count'],
  observed: {
    types: {
      Appointment: { interactions: ['create', 'read'], searchParameters: [], operations: [] },
      Patient: { interactions: ['search-type'], searchParameters: ['birthdate', 'family'], operations: ['match'] },
      Slot: { interactions: ['search-type'], searchParameters: ['schedule', 'start'], operations: [] },
    },
    interactions: ['transaction'],
    operations: [],
    tools: ['find_available_slots'],
  },
}

/** With each verdict once. */
export const ALL_VERDICTS: RunReport = {
  ...REPORT,
  status: 'open',
  result: 'pending',
  steps: (['pass', 'skip', 'pending', 'warning', 'error', 'fail'] as const).map((result) => ({
    ...{ id: `step-${result}`, title: `A step that is ${result}`, source: 'Nowhere', result },
    ...{ message: `It is ${result}`, evidence: [] },
  })),
}

/** Texts by which a form that does not escape them breaks. */
export const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  ']]><!-- <b>',
  '"\' onload="alert(1)',
  'a | b \\| c\n| d | e |\r\n# heading',
  '[link](javascript:alert(1)) `code` **bold** @everybody',
  'an emoji 🩺, half of one \ud83e, and \u0000 \u0007 \u001b[31m \ufffe',
  '&amp; &lt; &#0; %E0%A4%A',
  'x'.repeat(10_000),
  ' \t\n',
  '',
]

/** The report, and its plan, with a text of others wherever there may be one. */
export const withText = (text: string): RunReport => ({
  ...REPORT,
  title: text,
  client: text,
  notes: [text],
  steps: STEPS.map((step) => ({
    ...step,
    title: text,
    source: text,
    message: text,
    evidence: step.evidence.map((one) => ({ ...one, line: text })),
    attested: { ok: false, by: text, note: text },
  })),
  observed: {
    types: { ...REPORT.observed.types, [text]: { interactions: [text], searchParameters: [text], operations: [text] } },
    interactions: [text],
    operations: [text],
    tools: [text],
  },
})

export const planWithText = (text: string): Plan => ({
  ...PLAN,
  title: text,
  description: text,
  steps: PLAN.steps.map((step) => ({ ...step, title: text, source: text, attest: text })),
})
