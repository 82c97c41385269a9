/** A clinic's CRM: its kind of API, its address and credentials, and the names of its fields. */
import { present } from '../fhir/resource.ts'
import {
  isHttpAddress,
  isWebhookSecret,
  objectOf,
  reject,
  SIMULATOR,
  secretOr,
  withSecretsHidden,
} from './setting-checks.ts'
import { NO_SECRET, type WebhookSettings } from './webhook-settings.ts'

/** The fields of a contact: the arguments of submit_intake, and Patient.id. */
const CONTACT_FIELDS = [
  ...['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address', 'reasonForVisit'],
  'patient',
] as const

/** The name of each field in the CRM; null: it is not sent. */
export type FieldNames = Readonly<Record<string, string | null>>

interface CrmApi {
  readonly enabled: boolean
  /** The address of the API, without the path of a request. */
  readonly url: string
  /** Replaces the usual names of the kind, field by field. */
  readonly fields?: FieldNames
}

export interface WebhookCrm extends WebhookSettings {
  readonly kind?: 'webhook'
}

export interface HubSpotCrm extends CrmApi {
  readonly kind: 'hubspot'
  /** The access token of a private app, with the scope `crm.objects.contacts.write`. */
  readonly token: string
}

export interface SalesforceCrm extends CrmApi {
  readonly kind: 'salesforce'
  /** Such as `v61.0`. */
  readonly apiVersion: string
  /** The field of Contact, marked as an external id, that holds Patient.id. */
  readonly externalIdField: string
  /** Credentials of a connected app with the OAuth 2.0 client credentials flow. */
  readonly clientId: string
  readonly clientSecret: string
}

export interface LeadConnectorCrm extends CrmApi {
  readonly kind: 'leadconnector'
  readonly locationId: string
  /** A private integration token of the location. */
  readonly token: string
}

export type CrmSettings = WebhookCrm | HubSpotCrm | SalesforceCrm | LeadConnectorCrm
type Kind = NonNullable<CrmSettings['kind']>

interface Text {
  readonly isRight: (value: unknown) => boolean
  readonly what: string
}

const matching = (pattern: RegExp, what: string): Text => ({
  isRight: (value) => typeof value === 'string' && pattern.test(value),
  what,
})
const CREDENTIAL = matching(/^[\x21-\x7e]{8,4096}$/, 'a text of 8 to 4096 characters without spaces')
const WEBHOOK_SECRET: Text = { isRight: isWebhookSecret, what: '"whsec_" followed by 24 to 64 bytes in base64' }

interface KindOfCrm {
  /** The default address. */
  readonly url?: string
  readonly texts: Readonly<Record<string, Text>>
  readonly secrets: Readonly<Record<string, Text>>
  readonly hasFields: boolean
}

const KINDS: Readonly<Record<Kind, KindOfCrm>> = {
  webhook: { texts: {}, secrets: { secret: WEBHOOK_SECRET }, hasFields: false },
  hubspot: { url: 'https://api.hubapi.com', texts: {}, secrets: { token: CREDENTIAL }, hasFields: true },
  salesforce: {
    texts: {
      apiVersion: matching(/^v\d{2,3}\.0$/, 'a version of the REST API, e.g. "v61.0"'),
      externalIdField: matching(/^[A-Za-z]\w{0,79}$/, 'the API name of a field of Contact, e.g. "Patient_Id__c"'),
      clientId: CREDENTIAL,
    },
    secrets: { clientSecret: CREDENTIAL },
    hasFields: true,
  },
  leadconnector: {
    url: 'https://services.leadconnectorhq.com',
    texts: { locationId: matching(/^\w{1,64}$/, 'the id of a location: letters and digits') },
    secrets: { token: CREDENTIAL },
    hasFields: true,
  },
}

/** A webhook to the simulator of this server, which has no secret. */
const SIMULATED: KindOfCrm = {
  texts: {},
  secrets: { secret: { isRight: (value) => value === undefined, what: NO_SECRET } },
  hasFields: false,
}

const isKind = (value: unknown): value is Kind => typeof value === 'string' && Object.hasOwn(KINDS, value)

/** The settings for clients, which can set the credentials but not read them. */
export const withoutCredentials = (crm: CrmSettings): object =>
  withSecretsHidden(crm, Object.keys(KINDS[crm.kind ?? 'webhook'].secrets))

/** The values of the credentials. */
export const credentialsIn = (crm: CrmSettings): readonly string[] =>
  Object.entries(crm).flatMap(([name, value]) =>
    Object.hasOwn(KINDS[crm.kind ?? 'webhook'].secrets, name) ? [String(value)] : [],
  )

/** The settings of the CRM as a client sent them; null for none. */
export function checkCrm(value: unknown, problems: string[], stored: CrmSettings | undefined): CrmSettings | undefined {
  if (value === undefined || value === null) return undefined
  const sent = (value as { readonly kind?: unknown }).kind
  const kind = sent === undefined ? 'webhook' : sent
  if (!isKind(kind)) return reject(problems, `crm.kind must be ${Object.keys(KINDS).join(', ')}`)
  const isSimulator = kind === 'webhook' && (value as { readonly url?: unknown }).url === SIMULATOR
  const { url: usual, texts, secrets, hasFields } = isSimulator ? SIMULATED : KINDS[kind]
  const names = [
    'kind',
    'enabled',
    'url',
    ...Object.keys(texts),
    ...Object.keys(secrets),
    ...(hasFields ? ['fields'] : []),
  ]
  const { enabled, url = usual, fields, ...others } = objectOf(value, 'crm', names, problems)
  if (typeof enabled !== 'boolean') reject(problems, 'crm.enabled must be true or false')
  if (!isSimulator && !isHttpAddress(url))
    reject(problems, `crm.url must be an http or https address, or "${SIMULATOR}" for a webhook`)
  const kept = Object.keys(secrets).map((name) => [name, secretOr(storedSecret(stored, kind, url, name), others[name])])
  const values: Record<string, unknown> = { ...others, ...Object.fromEntries(kept) }
  for (const [name, { isRight, what }] of Object.entries({ ...texts, ...secrets })) {
    if (!isRight(values[name])) reject(problems, `crm.${name} must be ${what}`)
  }
  if (hasFields && fields !== undefined) checkFields(fields, problems)
  return { ...present({ fields, ...values }), enabled, url } as unknown as CrmSettings
}

/** The stored secret, unless it was given for another address. The secret of a webhook is never sent. */
function storedSecret(stored: CrmSettings | undefined, kind: Kind, url: unknown, name: string): string | undefined {
  if (stored === undefined || (stored.kind ?? 'webhook') !== kind || url === SIMULATOR) return undefined
  if (kind !== 'webhook' && (!isHttpAddress(url) || new URL(url).origin !== new URL(stored.url).origin))
    return undefined
  return Object.entries(stored).find(([key]) => key === name)?.[1]
}

function checkFields(fields: unknown, problems: string[]): void {
  for (const [field, name] of Object.entries(objectOf(fields, 'crm.fields', CONTACT_FIELDS, problems))) {
    if (name !== null && !(typeof name === 'string' && /^[A-Za-z][\w.]{0,99}$/.test(name))) {
      reject(problems, `crm.fields.${field} must be the name of a field in the CRM, or null where it is not sent`)
    }
  }
}
