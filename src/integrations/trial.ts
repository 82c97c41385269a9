/**
 * The trial of a connector: one request to the system of a clinic that changes nothing there, and the class of its
 * result. The text of the system's response is shown to nobody. docs/crm.md
 */
import { randomUUID } from 'node:crypto'
import type { CrmSettings } from '../clinics/crm-settings.ts'
import { type InsuranceSettings, ownSystem } from '../clinics/insurance-settings.ts'
import { SIMULATOR } from '../clinics/setting-checks.ts'
import type { ClinicSettings } from '../clinics/settings.ts'
import type { WebhookSettings } from '../clinics/webhook-settings.ts'
import type { ConnectedSystem } from '../record/journal/exchange.ts'
import { addressOf, bearer } from './crm/contact-api.ts'
import { LEADCONNECTOR_VERSION } from './crm/leadconnector.ts'
import { accessToken, forgetToken } from './crm/salesforce.ts'
import { DEADLINE, signedRequest } from './exchange.ts'
import { insuranceRequestTo } from './insurance.ts'
import {
  about,
  type Outbound,
  OutboundFailure,
  type OutboundRequest,
  sendOutbound,
  type TextAnswer,
} from './outbound-request.ts'
import type { WebhookSystem } from './simulators/recipients.ts'
import { type ServedSimulators, simulatedWebhook, toOwn } from './simulators/served.ts'

export const CONNECTORS = ['crm', 'insurance', 'messages'] as const satisfies readonly ConnectedSystem[]

/** `accepted`: the credentials are right, but do not permit the only request that changes nothing. */
export type TrialOutcome =
  | 'ok'
  | 'accepted'
  | 'not-set'
  | 'switched-off'
  | 'credentials-refused'
  | 'refused'
  | 'busy'
  | 'failed'
  | 'unreachable'
  | 'late'
  | 'address-not-allowed'
  | 'unusable-secret'

export interface Trial {
  readonly outcome: TrialOutcome
  /** Worded by this server. */
  readonly reason: string
  /** Status of the response, where there was one. */
  readonly status?: number
}

export interface TrialParts {
  readonly outbound: Omit<Outbound, 'deadlineMs'>
  readonly simulators: ServedSimulators
}

/** Resolves within DEADLINE; never throws because of the system. */
export async function tryConnector(
  connector: ConnectedSystem,
  clinic: string,
  settings: ClinicSettings,
  { outbound, simulators }: TrialParts,
): Promise<Trial> {
  const within = about({ ...outbound, deadlineMs: DEADLINE }, clinic, connector)
  switch (connector) {
    case 'crm':
      return await enabled(settings.crm, (crm) => tryCrm(crm, clinic, within, simulators), 'CRM')
    case 'messages':
      return await enabled(
        settings.messages,
        (messages) => tryWebhook('messages', messages, clinic, within, simulators),
        'messaging service',
      )
    case 'insurance':
      return await tryInsurance(settings.insurance, clinic, within, simulators)
  }
}

async function enabled<S extends { readonly enabled: boolean }>(
  settings: S | undefined,
  attempt: (settings: S) => Promise<Trial>,
  what = 'system',
): Promise<Trial> {
  if (settings === undefined) return notSet(what)
  if (settings.enabled) return await attempt(settings)
  return { outcome: 'switched-off', reason: 'The connector is switched off in the settings of the clinic' }
}

const notSet = (what: string): Trial => ({ outcome: 'not-set', reason: `The clinic has set no ${what}` })

async function tryCrm(
  settings: CrmSettings,
  clinic: string,
  outbound: Outbound,
  simulators: ServedSimulators,
): Promise<Trial> {
  switch (settings.kind) {
    case 'hubspot':
      return await tried(
        readOf(
          addressOf(settings.url, '/crm/v3/objects/contacts?limit=1&properties=hs_object_id'),
          bearer(settings.token),
        ),
        outbound,
        forbiddenIsAccepted,
      )
    case 'leadconnector':
      return await tried(
        readOf(addressOf(settings.url, `/locations/${encodeURIComponent(settings.locationId)}`), {
          ...bearer(settings.token),
          version: LEADCONNECTOR_VERSION,
        }),
        outbound,
        forbiddenIsAccepted,
      )
    case 'salesforce':
      return await trySalesforce(settings, outbound)
    default:
      return await tryWebhook('crm', settings, clinic, outbound, simulators)
  }
}

/** Requests a new token, so that exactly these credentials are tried. */
async function trySalesforce(
  settings: Extract<CrmSettings, { kind: 'salesforce' }>,
  outbound: Outbound,
): Promise<Trial> {
  forgetToken(settings)
  const token = await accessToken(settings, outbound)
  if (typeof token !== 'string') {
    const outcome = token.retry ? 'failed' : /credentials/.test(token.reason) ? 'credentials-refused' : 'refused'
    return { outcome, reason: `No access token was given: ${token.reason}` }
  }
  const path = `/services/data/${settings.apiVersion}/sobjects/Contact`
  return await tried(readOf(addressOf(settings.url, path), bearer(token)), outbound)
}

async function tryWebhook(
  system: WebhookSystem,
  settings: WebhookSettings,
  clinic: string,
  outbound: Outbound,
  simulators: ServedSimulators,
): Promise<Trial> {
  const event = { messageId: randomUUID(), type: 'connection.test', data: { clinic } }
  const isSimulator = settings.url === SIMULATOR
  const served = isSimulator ? simulators(system) : undefined
  if (isSimulator && served === undefined) return SIMULATOR_ANSWERS
  const request = signedRequest(served === undefined ? settings : simulatedWebhook(served), event)
  if (request !== undefined) return await tried(request, isSimulator ? toOwn(outbound, clinic, system) : outbound)
  return { outcome: 'unusable-secret', reason: 'The webhook secret is not "whsec_" followed by base64' }
}

const SIMULATOR_ANSWERS: Trial = { outcome: 'ok', reason: 'The simulator of this server responds' }

async function tryInsurance(
  settings: InsuranceSettings | undefined,
  clinic: string,
  outbound: Outbound,
  simulators: ServedSimulators,
): Promise<Trial> {
  const request = { clinic, payerName: 'Connection test', memberId: 'TEST-0000' }
  const attempt = async (
    target: { readonly url: string; readonly token?: string; readonly apiKeyHeader?: string },
    how: Outbound,
  ) => await tried(insuranceRequestTo(target, request, randomUUID()), how)
  const own = ownSystem(settings)
  if (own !== undefined) return await enabled(own, (system) => attempt(system, outbound))
  if (settings?.enabled === false) return await enabled(settings, async () => notSet('system'))
  const served = simulators('insurance')
  return served === undefined ? SIMULATOR_ANSWERS : await attempt(served, toOwn(outbound, clinic, 'insurance'))
}

const readOf = (url: string, headers: OutboundRequest['headers']): OutboundRequest => ({
  url,
  method: 'GET',
  headers,
  body: '',
})

/** For tokens that may write but not read. */
const forbiddenIsAccepted = ({ status }: TextAnswer): Trial | undefined =>
  status === 403
    ? { outcome: 'accepted', status, reason: 'The credentials are accepted, but do not allow to read (403)' }
    : undefined

async function tried(
  request: OutboundRequest,
  outbound: Outbound,
  special: (answer: TextAnswer) => Trial | undefined = () => undefined,
): Promise<Trial> {
  try {
    const answer = await sendOutbound(request, outbound)
    return special(answer) ?? trialOf(answer.status)
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: error.reason, reason: FAILURES[error.reason] }
    throw error
  }
}

const FAILURES: Readonly<Record<OutboundFailure['reason'], string>> = {
  unreachable: 'The system cannot be reached',
  late: `The system did not respond within ${DEADLINE} ms`,
  'address-not-allowed': 'The address is not allowed: it must lead to the public Internet',
}

function trialOf(status: number): Trial {
  if (status >= 200 && status < 300) return { outcome: 'ok', status, reason: `The system responded with ${status}` }
  const outcome = outcomeOf(status)
  const reason =
    outcome === 'credentials-refused'
      ? `The system refuses the credentials of the clinic (${status})`
      : `The system responded with ${status}`
  return { outcome, status, reason }
}

function outcomeOf(status: number): TrialOutcome {
  if (status === 401 || status === 403) return 'credentials-refused'
  if (status === 408 || status === 425 || status === 429) return 'busy'
  return status >= 500 ? 'failed' : 'refused'
}
