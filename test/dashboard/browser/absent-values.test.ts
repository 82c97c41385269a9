/**
 * Resources in which an extension stands in place of a value that R4 asks for (https://hl7.org/fhir/R4/json.html#primitive):
 * each page shows them, and says that the value is not there.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dashboard, leftoversOf, startDashboard } from '../../support/dashboard.ts'
import { type Fixture, put } from '../../support/put.ts'

const ABSENT = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
}
/** A day of the clinic without other bookings. */
const DAY = '2031-03-04'
const at = (time: string): string => `${DAY}T${time}:00-05:00`
const patient = { reference: 'Patient/absent' }
const due = { period: { end: '2031-03-04T12:00:00Z' } }

const slot = (id: string, more: object): Fixture => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: 'Schedule/absent' },
  ...more,
})

const FIXTURES: readonly Fixture[] = [
  {
    resourceType: 'Patient',
    id: 'absent',
    name: [{ _family: ABSENT }],
    _birthDate: ABSENT,
    _gender: ABSENT,
    telecom: [{ system: 'phone', _value: ABSENT }],
    identifier: [
      { system: 'urn:x', _value: ABSENT },
      { system: 'urn:x', value: 'AB-10001' },
    ],
    communication: [{ language: { coding: [{ system: 'urn:ietf:bcp:47', _code: ABSENT }] } }],
  },
  { resourceType: 'Practitioner', id: 'absent', name: [{ text: 'Dr. Absent' }] },
  { resourceType: 'Schedule', id: 'absent', actor: [{ reference: 'Practitioner/absent' }] },
  slot('absent-status', { _status: ABSENT, start: at('09:00'), end: at('09:30') }),
  slot('absent-end', { status: 'free', start: at('10:00'), _end: ABSENT }),
  slot('absent-start', { status: 'free', _start: ABSENT, end: at('11:00') }),
  slot('whole', { status: 'free', start: at('14:00'), end: at('14:30') }),
  {
    resourceType: 'Appointment',
    id: 'absent',
    _status: ABSENT,
    start: at('15:00'),
    end: at('15:30'),
    participant: [
      { actor: patient, _status: ABSENT },
      { actor: { reference: 'Practitioner/absent' }, _status: ABSENT },
    ],
  },
  {
    resourceType: 'Appointment',
    id: 'absent-waits',
    status: 'waitlist',
    participant: [{ actor: patient, _status: ABSENT }],
  },
  {
    resourceType: 'Task',
    id: 'absent',
    _status: ABSENT,
    _intent: ABSENT,
    description: 'Task of no status',
    restriction: due,
    for: patient,
    note: [{ _text: ABSENT }],
    input: [
      { type: { coding: [{ code: 'slot' }] }, valueReference: { reference: 'Slot/absent-start' } },
      { type: { text: 'Said' }, _valueString: ABSENT },
    ],
    output: [{ type: { text: 'Came of it' }, _valueString: ABSENT }],
  },
  {
    resourceType: 'Task',
    id: 'absent-intent',
    status: 'requested',
    _intent: ABSENT,
    _priority: ABSENT,
    _description: ABSENT,
    code: { text: 'Kind of a task' },
    restriction: due,
    for: patient,
  },
  {
    resourceType: 'Encounter',
    id: 'absent',
    _status: ABSENT,
    class: { code: 'VR', _system: ABSENT },
    subject: patient,
  },
  {
    resourceType: 'Communication',
    id: 'absent',
    _status: ABSENT,
    _sent: ABSENT,
    subject: patient,
    topic: { text: 'tool_of_no_time' },
    payload: [{ _contentString: ABSENT }, { _contentString: ABSENT }],
  },
  {
    resourceType: 'DocumentReference',
    id: 'absent',
    _status: ABSENT,
    _date: ABSENT,
    description: 'Document of no status',
    subject: patient,
    content: [{ attachment: { _contentType: ABSENT, data: 'eA==' } }],
  },
  { resourceType: 'Organization', id: 'absent', _name: ABSENT, identifier: [{ system: 'urn:x', value: '1' }] },
  {
    resourceType: 'Coverage',
    id: 'absent',
    _status: ABSENT,
    beneficiary: patient,
    payor: [{ reference: 'Organization/absent' }],
    period: { _start: ABSENT, _end: ABSENT },
  },
  {
    resourceType: 'CoverageEligibilityResponse',
    id: 'absent',
    _status: ABSENT,
    _created: ABSENT,
    _outcome: ABSENT,
    purpose: ['benefits'],
    patient,
    request: { reference: 'CoverageEligibilityRequest/absent' },
    insurer: { reference: 'Organization/absent' },
    insurance: [{ coverage: { reference: 'Coverage/absent' } }],
  },
]

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  for (const fixture of FIXTURES) await put(dashboard.server.fhir, fixture)
})
afterAll(() => dashboard?.close())

test.each([
  ['the overview', '', 'Most urgent tasks'],
  ['the list of patients', '/patients?q=AB-10001', 'Unnamed absent'],
  ['a patient', '/patients/absent', 'Unnamed absent'],
  ['the timeline', '/patients/absent?tab=timeline', 'Document of no status'],
  ['the appointments of a patient', '/patients/absent?tab=appointments', 'No status'],
  ['the coverages of a patient', '/patients/absent?tab=coverage', 'No status'],
  ['the documents of a patient', '/patients/absent?tab=documents', 'No status'],
  ['the duplicates of a patient', '/patients/absent?tab=duplicates', 'No other record is like this one'],
  ['the history of a patient', '/patients/absent?tab=history', 'The first version that is kept.'],
  ['a day of the schedule', `/schedule?day=${DAY}&view=day&who=absent`, 'No status'],
  ['a week of the schedule', `/schedule?day=${DAY}&view=week&who=absent`, 'No status'],
  ['a list of the schedule', `/schedule?day=${DAY}&view=list&who=absent`, 'No status'],
  ['the work list', '/work-list', 'Kind of a task'],
  ['a Task', '/work-list?task=absent', 'No status'],
  ['the live calls', '/calls', 'tool_of_no_time'],
  ['the capabilities', '/explorer?view=capabilities', 'search parameters'],
  ['an Organization in the explorer', '/explorer?path=Organization/absent', 'GET Organization/absent'],
  ['the journal', '/journal', 'Organization/absent'],
])('%s shows what is there, and says what is not', async (_what, path, expected) => {
  const page = await dashboard.signedIn(path)
  await page.getByText(expected).first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  expect(await leftoversOf(page)).toEqual([])
})

test('a Slot that does not say when it begins or ends is no time that can be booked', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${DAY}&view=list&who=absent`)
  const offers = page.getByRole('button', { name: /^Book \d/ })
  await offers.first().waitFor()
  expect(await offers.allTextContents()).toEqual(['Book 2:00 PM'])
})

test('a Slot of a Task that does not say when it begins is told so', async () => {
  const page = await dashboard.signedIn('/work-list?task=absent')
  await page.getByRole('dialog').getByText('a slot that has no time').waitFor()
})

test('a visit without a status is opened, and nothing is offered that the server would refuse', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${DAY}&view=list&who=absent`)
  await page.getByRole('button', { name: 'No status' }).click()
  const dialog = page.getByRole('dialog', { name: 'Unnamed absent' })
  await dialog.locator('dl').getByText('No status').waitFor()
  expect(await dialog.getByRole('button', { name: /Move|Cancel|Confirm|arrived/ }).count()).toBe(0)
})

test('content of no type is offered for download, and is not said to be of one', async () => {
  const page = await dashboard.signedIn('/patients/absent?tab=documents')
  await page.getByText('of unknown type, 1 bytes').waitFor()
})

test('none of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
