/** The purpose of each page, by its address in page-list.ts, where its documentation is, and the keys that it has of its own. */

export interface PageHelp {
  readonly text: string
  /** A page of the documentation, and a heading in it. */
  readonly doc: string
  readonly section?: string
  readonly keys?: readonly Key[]
}

export interface Key {
  readonly keys: readonly string[]
  readonly does: string
}

const DASHBOARD = 'dashboard.md'

export const PAGE_HELP: Readonly<Record<string, PageHelp>> = {
  '/': {
    text: 'The clinic today: calls, visits, open tasks, failed deliveries, and two weeks at a glance.',
    doc: DASHBOARD,
  },
  '/patients': {
    text: 'Finds patients as you type, registers new ones, and shows unknown callers and pairs that may be one person.',
    doc: DASHBOARD,
    section: 'duplicates',
  },
  '/patients/$id': {
    text: 'All that is known of a patient: details, visits, coverage, documents, and what each version has changed.',
    doc: DASHBOARD,
    section: 'phones-and-e-mails',
  },
  '/schedule': {
    text: 'Visits and free times of a day or a week: book, move, cancel, and change working hours.',
    doc: DASHBOARD,
    section: 'schedule',
    keys: [{ keys: ['Arrows', 'Enter'], does: 'walk through the grid, and open what is there' }],
  },
  '/schedule/print': { text: 'The visits of a day, to be printed.', doc: DASHBOARD, section: 'schedule' },
  '/schedule/slip/$id': {
    text: 'A visit as a slip for the patient, to be printed.',
    doc: DASHBOARD,
    section: 'schedule',
  },
  '/schedule/hours/$id': {
    text: 'The working hours of a practitioner, from which free times are made.',
    doc: 'schedule.md',
  },
  '/work-list': {
    text: 'What calls have left for staff, the most urgent first, and deliveries that were given up.',
    doc: 'work-list.md',
  },
  '/calls': {
    text: 'Tool calls as they happen, each call as a conversation, and a telephone to try the tools with.',
    doc: 'live-calls.md',
  },
  '/messages': { text: 'What goes to the CRM and to patients: sent, waiting, or given up.', doc: 'crm.md' },
  '/events': {
    text: 'Subscriptions, which tell programs of what changes: make them, see how far they are, switch them off and on.',
    doc: DASHBOARD,
    section: 'events',
  },
  '/events/$id': {
    text: 'The events of a Subscription and each attempt to deliver them, to be sent again, and test events.',
    doc: 'subscriptions.md',
  },
  '/explorer': {
    text: 'How a client connects, a console for FHIR requests, and what the server offers.',
    doc: DASHBOARD,
    section: 'connecting-a-client',
    keys: [{ keys: ['Ctrl', 'Enter'], does: 'sends the request of the console' }],
  },
  '/journal': {
    text: 'Every request with its response and the reason for it, as they come in. Those of an older version of the server are not found by words, method, direction, user or operation.',
    doc: 'journal.md',
    section: 'reading',
  },
  '/journal/$id': {
    text: 'A request with its response, to be replayed, copied, or opened in the console.',
    doc: 'journal.md',
  },
  '/exports': {
    text: 'Exports, imports and requests that the server does in the background: start them, watch them, take their files.',
    doc: DASHBOARD,
    section: 'exports',
  },
  '/audit': { text: 'Who did what to whose data, when, and how it ended.', doc: 'audit.md' },
  '/sandbox': {
    text: 'Rehearsing: scenarios, snapshots, clones, the clock of the clinic, faults, and magic people.',
    doc: 'rehearsal.md',
  },
  '/runs': { text: 'Clients that are judged by a plan: start a run, watch it, compare it, report it.', doc: 'runs.md' },
  '/runs/$id': { text: 'The steps of a run, with the exchanges that prove each of them.', doc: 'runs.md' },
  '/plans': { text: 'What a client must do, step by step.', doc: 'plans.md' },
  '/plans/$id': {
    text: 'A plan with the sources of its steps; admins edit it, and try it on recorded requests.',
    doc: 'plans.md',
    keys: [{ keys: ['Ctrl', 'Space'], does: 'offers the words of a step, in the editor' }],
  },
  '/settings': {
    text: 'How the clinic works: its numbers, policies, systems of others, accounts, and tokens for programs.',
    doc: DASHBOARD,
    section: 'settings',
  },
  '/clinics': { text: 'The clinics of this service, for operators: their settings, and new ones.', doc: 'clinics.md' },
  '/help': {
    text: 'The documentation of the server. The search of all pages finds its headings too.',
    doc: 'README.md',
  },
}

/** The keys of all pages. */
export const KEYS: readonly Key[] = [
  { keys: ['Ctrl', 'K'], does: 'searches pages, patients, resources and the documentation' },
  { keys: ['?'], does: 'opens this help' },
  { keys: ['Tab'], does: 'at the head of a page, leads past the navigation' },
  { keys: ['Esc'], does: 'closes what is open' },
]
