/** The fields of the settings, with their paths, labels and possible values (docs/clinics.md). */

export interface SettingsField {
  /** `policies.holdMinutes` */
  readonly path: string
  readonly label: string
  readonly kind: 'text' | 'number' | 'switch' | 'choice' | 'list' | 'secret' | 'time'
  readonly note?: string
  /** The state of a switch while the setting is absent; absent: off. */
  readonly isOnByDefault?: boolean
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
}

export interface SettingsGroup {
  readonly title: string
  readonly note?: string
  readonly fields: readonly SettingsField[]
}

const number = (path: string, label: string, note?: string): SettingsField => ({
  path,
  label,
  kind: 'number',
  ...(note && { note }),
})
const text = (path: string, label: string, note?: string): SettingsField => ({
  path,
  label,
  kind: 'text',
  ...(note && { note }),
})
const toggle = (path: string, label: string, isOnByDefault = false): SettingsField => ({
  path,
  label,
  kind: 'switch',
  isOnByDefault,
})
const secret = (path: string, label: string, note?: string): SettingsField => ({
  path,
  label,
  kind: 'secret',
  ...(note && { note }),
})
const choice = (
  path: string,
  label: string,
  choices: Readonly<Record<string, string>>,
  note?: string,
): SettingsField => ({
  path,
  label,
  kind: 'choice',
  choices: Object.entries(choices).map(([value, name]) => ({ value, label: name })),
  ...(note && { note }),
})

const AS_SERVER = { '': 'as the server has it' }

export const CLINIC: readonly SettingsGroup[] = [
  {
    title: 'The clinic',
    fields: [
      text('name', 'Name'),
      text('timeZone', 'Time zone', 'An IANA name, such as America/New_York. All times are shown in it.'),
      text('defaultRegion', 'Country', 'Two capital letters. Phone numbers without a country code are read so.'),
      choice('dateOrder', 'Order of dates', {
        '': 'as in the country',
        'month-first': 'month first: 03/04 is March 4th',
        'day-first': 'day first: 03/04 is April 3rd',
      }),
    ],
  },
  {
    title: 'Telephone',
    fields: [
      {
        path: 'dialedNumbers',
        label: 'Numbers that callers dial',
        kind: 'list',
        note: 'With the country code, such as +12125550100; press Enter after each.',
      },
    ],
  },
]

export const BOOKING: readonly SettingsGroup[] = [
  {
    title: 'Limits of booking',
    note: 'Empty is no limit. They hold for every way of booking.',
    fields: [
      number('policies.minimumNoticeMinutes', 'Minutes of notice'),
      number('policies.bookingHorizonDays', 'Days ahead'),
      number('policies.cancellationWindowHours', 'Hours until which a visit is cancelled or moved'),
      number('policies.maxOpenAppointments', 'Visits of a patient that are yet to come'),
      number('policies.holdMinutes', 'Minutes of a hold', 'Empty is five.'),
    ],
  },
  {
    title: 'Slots that are taken',
    fields: [
      toggle('policies.overbooking', 'A slot that is taken may be booked again'),
      choice('policies.slotTakenStatus', 'Response where a slot is taken', {
        '409': '409 Conflict',
        '422': '422 Unprocessable',
      }),
      toggle('policies.waitlistOffersByPhone', 'Callers are told what the waitlist offers them'),
    ],
  },
]

const WEBHOOK_SECRET = 'whsec_ and 24 to 64 bytes in base64'

export const DATA: readonly SettingsGroup[] = [
  {
    title: 'Resources and searches',
    fields: [
      choice('policies.profiles', 'A resource that violates a profile', {
        ...AS_SERVER,
        off: 'is stored',
        warn: 'is stored with a warning',
        reject: 'is refused',
      }),
      choice('policies.searchHandling', 'A search parameter that is not known', {
        ...AS_SERVER,
        strict: 'is refused',
        lenient: 'is left out',
      }),
      toggle('mcpWrites', 'Clients of the Model Context Protocol may create and update resources'),
      toggle('faultLabels', 'Responses say which faults they have met', true),
      secret('eventSecret', 'Secret of notifications', WEBHOOK_SECRET),
    ],
  },
  {
    title: 'Documents',
    fields: [
      choice('documents.profile', 'What they are held to', {
        '': 'not set: lenient',
        lenient: 'lenient',
        'us-core': 'US Core',
        strict: 'strict',
      }),
      choice('documents.content', 'Content within a document', {
        '': 'not set: stays there',
        inline: 'stays there',
        reference: 'becomes a Binary',
      }),
      number('documents.maxBytes', 'Largest content, in bytes'),
      choice('documents.duplicates', 'A document with the identifier of another', {
        '': 'not set: is stored with a warning',
        allow: 'is stored',
        warn: 'is stored with a warning',
        refuse: 'is refused',
      }),
      {
        path: 'documents.contentTypes',
        label: 'Media types that are taken',
        kind: 'list',
        note: 'Empty is any, under “strict” the usual ones.',
      },
    ],
  },
  {
    title: 'Unfinished calls and registrations',
    fields: [
      {
        path: 'recovery.contactFrom',
        label: 'Persons are contacted from',
        kind: 'time',
        note: 'Empty is 08:00, in their own zone.',
      },
      { path: 'recovery.contactUntil', label: 'until', kind: 'time', note: 'Empty is 21:00.' },
      number(
        'recovery.registrationMinutes',
        'Minutes after which a registration is abandoned',
        'Empty is a day; 0 is never.',
      ),
      number('recovery.linkHours', 'Hours for which a link is valid', 'Empty is 72.'),
      text('recovery.formUrl', 'Form of the clinic', 'An address. Empty: the page of this server.'),
    ],
  },
  {
    title: 'The journal',
    note: 'How much of requests and responses is kept.',
    fields: [
      choice('journal', 'It keeps', {
        ...AS_SERVER,
        full: 'all of them, with bodies',
        headers: 'all but bodies, arguments and results',
        off: 'nothing',
      }),
      number('journalDays', 'Days for which they are kept', 'Empty: as the server has it.'),
      number('journalEntries', 'How many are kept', 'Empty: as the server has it.'),
    ],
  },
]

export interface Connector {
  /** In the settings, and of `$try`. */
  readonly name: 'insurance' | 'crm' | 'messages' | 'callSecurity'
  readonly title: string
  readonly note: string
  readonly fresh: Readonly<Record<string, unknown>>
  readonly fields: (current: Readonly<Record<string, unknown>>) => readonly SettingsField[]
  readonly canBeTried: boolean
}

const OR_SIMULATOR = 'https://…, or “simulator”.'

/** Hints for the address of a CRM, by kind; the other kinds have a usual one. */
const CRM_ADDRESS: Readonly<Record<string, string>> = { webhook: OR_SIMULATOR, salesforce: 'https://….' }

export const CONNECTORS: readonly Connector[] = [
  {
    name: 'insurance',
    title: 'Insurance verification',
    note: 'Absent: the simulator is used.',
    fresh: { enabled: true, url: 'simulator' },
    canBeTried: true,
    fields: ({ url }) => [
      toggle('insurance.enabled', 'Enabled'),
      text('insurance.url', 'Address', OR_SIMULATOR),
      ...(url === 'simulator'
        ? []
        : [
            secret('insurance.token', 'Token'),
            text('insurance.apiKeyHeader', 'Header for the token', 'Empty: Authorization: Bearer.'),
          ]),
      number('insurance.deadlineMs', 'Milliseconds that a caller waits', '100 to 2800; empty is 2500.'),
    ],
  },
  {
    name: 'crm',
    title: 'CRM',
    note: 'Receives the intake data of callers.',
    fresh: { kind: 'webhook', enabled: true, url: '' },
    canBeTried: true,
    fields: ({ kind = 'webhook', url }) => [
      toggle('crm.enabled', 'Is delivered to'),
      choice('crm.kind', 'Kind', {
        webhook: 'Webhook',
        hubspot: 'HubSpot',
        salesforce: 'Salesforce',
        leadconnector: 'LeadConnector',
      }),
      text('crm.url', 'Address', CRM_ADDRESS[String(kind)] ?? 'Empty: the usual one.'),
      ...(url === 'simulator' ? [] : (CRM_FIELDS[String(kind)] ?? [])),
    ],
  },
  {
    name: 'messages',
    title: 'Messages to patients',
    note: 'The service that sends text messages and e-mails.',
    fresh: { enabled: true, url: '' },
    canBeTried: true,
    fields: ({ url }) => [
      toggle('messages.enabled', 'Is delivered to'),
      text('messages.url', 'Address', OR_SIMULATOR),
      ...(url === 'simulator' ? [] : [secret('messages.secret', 'Secret', WEBHOOK_SECRET)]),
    ],
  },
  {
    name: 'callSecurity',
    title: 'Signed calls',
    note: 'A check of its own of all calls of the clinic, beside the secret of the service.',
    fresh: { method: 'header', secrets: [''] },
    canBeTried: false,
    fields: () => [
      choice('callSecurity.method', 'Method', {
        header: 'a secret in a header',
        'standard-webhooks': 'Standard Webhooks',
        retell: 'Retell',
      }),
      secret('callSecurity.secrets.0', 'Secret'),
      secret('callSecurity.secrets.1', 'Second secret', 'While the first is changed over.'),
    ],
  },
]

const CRM_FIELDS: Readonly<Record<string, readonly SettingsField[]>> = {
  webhook: [secret('crm.secret', 'Secret', WEBHOOK_SECRET)],
  hubspot: [secret('crm.token', 'Token of the private app')],
  salesforce: [
    text('crm.apiVersion', 'Version of the API', 'Such as v61.0.'),
    text('crm.externalIdField', 'Field for the patient', 'Such as Patient_Id__c.'),
    text('crm.clientId', 'Client id'),
    secret('crm.clientSecret', 'Client secret'),
  ],
  leadconnector: [text('crm.locationId', 'Location id'), secret('crm.token', 'Token of the location')],
}

const ALL: readonly SettingsField[] = [
  ...[...CLINIC, ...BOOKING, ...DATA].flatMap(({ fields }) => fields),
  ...CONNECTORS.flatMap(({ fields }) => fields({})),
  ...Object.values(CRM_FIELDS).flat(),
]

export const labelOfSetting = (path: string): string => {
  const field = ALL.find((one) => one.path === path)
  const connector = CONNECTORS.find(({ name }) => path === name || path.startsWith(`${name}.`))
  return [connector?.title, field?.label ?? (connector === undefined ? path : path.split('.').slice(1).join('.'))]
    .filter(Boolean)
    .join(': ')
}
