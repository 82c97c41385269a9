/** Every page and view of the dashboard, and a clinic that has something to show on each of them. */
import { INTAKE } from '../calls/caller.ts'
import { request } from './request.ts'
import type { TestServer } from './server.ts'
import { until } from './server-process.ts'

/** The addresses of the pages, by their name in the pictures. Words in capitals stand for what a filled clinic has. */
export const PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  patients: '/patients',
  placeholders: '/patients?tab=placeholders',
  pairs: '/patients?tab=duplicates',
  patient: '/patients/abernathy-ruth',
  timeline: '/patients/goldberg-samuel?tab=timeline',
  appointments: '/patients/goldberg-samuel?tab=appointments',
  coverage: '/patients/abernathy-ruth?tab=coverage',
  documents: '/patients/goldberg-samuel?tab=documents',
  duplicates: '/patients/abernathy-ruth?tab=duplicates',
  history: '/patients/abernathy-ruth?tab=history',
  schedule: '/schedule',
  week: '/schedule?view=week',
  month: '/schedule?view=month',
  times: '/schedule?view=list',
  hours: '/schedule/hours/schedule-okafor',
  print: '/schedule/print?day=VISIT',
  slip: '/schedule/slip/APPOINTMENT',
  'work-list': '/work-list',
  deliveries: '/work-list?tab=deliveries',
  messages: '/messages',
  events: '/events',
  subscription: '/events/looked-at',
  exports: '/exports',
  sandbox: '/sandbox',
  snapshots: '/sandbox?tab=snapshots',
  clones: '/sandbox?tab=clones',
  clock: '/sandbox?tab=clock',
  faults: '/sandbox?tab=faults',
  people: '/sandbox?tab=people',
  runs: '/runs',
  run: '/runs/RUN',
  'run-coverage': '/runs/RUN?tab=coverage',
  plans: '/plans',
  plan: '/plans/access',
  'plan-text': '/plans/access?tab=edit',
  'dry-run': '/plans/access?tab=try',
  settings: '/settings',
  booking: '/settings?tab=booking',
  'data-settings': '/settings?tab=data',
  connectors: '/settings?tab=connectors',
  accounts: '/settings?tab=accounts',
  tokens: '/settings?tab=tokens',
  calls: '/calls',
  call: '/calls?call=access-1',
  journal: '/journal',
  exchange: '/journal/REFUSED',
  audit: '/audit',
  help: '/help',
  explorer: '/explorer',
  console: '/explorer?view=console',
  resources: '/explorer?view=resources&type=Patient',
  'visits-listed': '/explorer?view=resources&type=Appointment',
  resource: '/explorer?view=resources&type=Patient&id=abernathy-ruth',
  'new-resource': '/explorer?view=resources&type=Observation&new=yes',
  capabilities: '/explorer?view=capabilities',
  'whole-system': '/explorer?view=capabilities&type=system',
  request: '/explorer?method=PUT&path=Patient/x',
}

/** A step that is seen, one that was nearly seen, and one that a person attests. */
const PLAN = {
  ...{ plan: 'access', title: 'Looks for free times', version: '1.0.0', description: 'A plan that is looked at' },
  steps: [
    { id: 'look', title: 'Searches Slots', expect: { interaction: 'search-type', type: 'Slot' } },
    { id: 'range', title: 'Names a range', expect: { interaction: 'search-type', type: 'Slot', query: { start: '' } } },
    {
      ...{ id: 'lost', title: 'Looks again', after: { type: 'Slot' } },
      do: { fault: 'lost-answer', when: { type: 'Appointment', interaction: 'create' } },
    },
    { id: 'told', title: 'Tells the truth', attest: 'The caller heard the true time' },
  ].map((step) => ({ ...step, source: 'https://hl7.org/fhir/R4/slot.html' })),
}

/** Replacements in the filled clinic for the words in capitals of PAGES. */
interface Filled {
  /** The id of an exchange that was refused. */
  readonly REFUSED: string
  /** A day on which something is free. */
  readonly SLOT: string
  /** A day on which somebody is booked, and that visit. */
  readonly VISIT: string
  readonly APPOINTMENT: string
  /** The id of an open run. */
  readonly RUN: string
}

/** @returns fills in the words of an address */
export async function fillClinic(server: TestServer): Promise<(path: string) => string> {
  const { fhir, tool } = server
  const refused = await fhir('POST', '/Patient', { resourceType: 'Patient', gender: 'f' })
  for (const id of ['twice-1', 'twice-2']) {
    const twice = { name: [{ family: 'Twofold', given: ['Nora'] }], birthDate: '1966-06-06' }
    await fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, ...twice })
  }
  const search = await fhir('GET', '/Patient/$find-duplicates', undefined, { prefer: 'respond-async' })
  const state = new URL(search.headers.get('content-location') ?? '')
  await until(async () => (await fhir('GET', state.pathname + state.search)).status === 200)
  const free = await fhir(
    'GET',
    `/Slot?status=free&start=gt${new Date(Date.now() + 86_400_000).toISOString()}&_count=1`,
  )
  const booked = await fhir('GET', '/Appointment?status=booked&_sort=date&_count=1')
  const visit = booked.body.entry[0].resource
  const task = { resourceType: 'Task', id: 'looked-at', status: 'requested', intent: 'order', description: 'Look' }
  await fhir('PUT', '/Task/looked-at', task)
  const channel = { type: 'rest-hook', endpoint: 'https://example.org/events', header: ['Authorization: Bearer x'] }
  await fhir('PUT', '/Subscription/looked-at', {
    ...{ resourceType: 'Subscription', id: 'looked-at', status: 'off', reason: 'To be looked at' },
    ...{ criteria: 'Task?status=requested', channel },
  })
  await fhir('GET', '/Organization', undefined, { prefer: 'respond-async' })
  const headers = { 'x-call-id': 'access-1' }
  await tool('/patient-journey/update_registration_field', { firstName: 'Nadia', lastName: 'Okonkwo' }, headers)
  await tool('/patient-intake/submit_intake', { ...INTAKE, email: 'bounce@example.com' }, { 'x-call-id': 'access-2' })
  await tool('/patient-intake/submit_intake', INTAKE, { 'x-call-id': 'access-3' })
  await tool('/patient-intake/validate_intake_field', { fieldName: 'phone', value: 'twelve' }, headers)
  const filled: Filled = {
    REFUSED: refused.headers.get('x-request-id') ?? '',
    SLOT: free.body.entry[0].resource.start.slice(0, 10),
    VISIT: visit.start.slice(0, 10),
    APPOINTMENT: visit.id,
    RUN: await rehearse(server),
  }
  return (path) => path.replace(/[A-Z]{3,}/g, (word) => filled[word as keyof Filled] ?? word)
}

/** A fault that has fired, a clock that is ahead and a snapshot, so that the pages have something to show of them. @returns the id of a run */
async function rehearse({ url, login, fhir }: TestServer): Promise<string> {
  const headers = {
    authorization: `Bearer ${await login('admin', 'admin')}`,
    'content-type': 'application/json',
  }
  const own = (method: string, path: string, body: object) =>
    request(url, method, `/clinics/demo-clinic/${path}`, body, headers)
  await own('PUT', 'faults/some', { fault: 'throttled', when: { run: 'access' } })
  await fhir('GET', '/Location', undefined, { 'x-run-id': 'access' })
  await own('PUT', 'snapshots/before', {})
  await own('POST', 'clock/advance', { by: 'PT1H' })
  await own('PUT', 'plans/access', PLAN)
  const { body } = await own('POST', 'runs', { plan: 'access', clientName: 'A scheduler' })
  await fhir('GET', '/Slot?status=free&_count=1', undefined, { 'x-run-id': body.run })
  return body.run
}
