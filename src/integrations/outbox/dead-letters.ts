/**
 * The outbox of a clinic for its staff: its entries, and what to do with those that were given up. What is sent to a simulator
 * is shown whole.
 */
import type { ClinicSettings } from '../../clinics/settings.ts'
import type { CrmContact, OutboundMessage } from '../../core/ports.ts'
import { conflict, notFound } from '../../fhir/outcome.ts'
import { present } from '../../fhir/resource.ts'
import { spend } from '../../isolation/budget.ts'
import type { KindRecord, Repository, UnitOfWork } from '../../repository/repository.ts'
import { type Attempt, isOvertaken, joinQueue, OUTBOX, type OutboxRow, patientOf, readRow, TRY_FOR } from './rows.ts'
import { isForSimulator, SIMULATED } from './simulated.ts'

/** Entries of a page, and rows at most that are read for one. */
const PAGE = 50
const MAX_READ = 500

/** No patient data except the reference, but of a delivery to a simulator. */
export interface OutboxEntry {
  readonly messageId: string
  readonly type: 'contact' | 'message' | 'subscription'
  readonly state: OutboxRow['state']
  readonly tries: number
  readonly patient?: { readonly reference: string }
  readonly task?: { readonly reference: string }
  /** The Subscription whose events they are. */
  readonly subscription?: { readonly reference: string }
  readonly reason?: string
  /** FHIR instants. */
  readonly stagedAt?: string
  readonly nextTry?: string
  readonly sentAt?: string
  /** In their order. */
  readonly attempts?: readonly {
    readonly time: string
    readonly reason?: string
    readonly exchanges?: readonly string[]
    readonly events?: { readonly from: number; readonly to: number }
    readonly notice?: 'handshake' | 'heartbeat'
  }[]
  /** Set for a delivery to a simulator. */
  readonly message?: Pick<OutboundMessage, 'channel' | 'to' | 'text' | 'link' | 'expiresAt'>
  readonly contact?: CrmContact['fields']
}

interface OutboxPage {
  readonly entries: readonly OutboxEntry[]
  /** The message id after which the next page begins; absent on the last page. */
  readonly after?: string
}

/**
 * A page of entries in the state, the newest first: it may have fewer entries than others and not be the last.
 * @param settings of the clinic
 */
export async function listOutbox(
  repository: Pick<Repository, 'records'>,
  { clinic, settings }: { readonly clinic: string; readonly settings: ClinicSettings },
  state: OutboxRow['state'],
  after = '',
): Promise<OutboxPage> {
  const kind = state === 'sent' ? SIMULATED : OUTBOX
  const entries: OutboxEntry[] = []
  let last = after
  for (let read = 0; read < MAX_READ; read += PAGE) {
    spend(1, 'the list of the outbox')
    const rows = await repository.records(kind, { clinic, after: last, limit: PAGE })
    for (const row of rows) {
      last = row.key
      if (row.value.state === state && entries.push(shownOf(row, settings)) === PAGE) return { entries, after: last }
    }
    if (rows.length < PAGE) return { entries }
  }
  return { entries, after: last }
}

const shownOf = (row: KindRecord<OutboxRow>, settings: ClinicSettings): OutboxEntry => ({
  ...entryOf(row),
  ...(row.value.state === 'sent' || isForSimulator(settings, row.value) ? contentOf(row.value) : {}),
})

function entryOf({ key, value, due }: Pick<KindRecord<OutboxRow>, 'key' | 'value' | 'due'>): OutboxEntry {
  const { state, tries, task, reason, stagedAt, sentAt, attempts, subscription } = value
  const patient = patientOf(value)
  return {
    messageId: key,
    type: typeOf(value),
    state,
    tries,
    ...(patient === undefined ? {} : { patient: { reference: `Patient/${patient}` } }),
    ...(task === undefined ? {} : { task: { reference: `Task/${task}` } }),
    ...(subscription === undefined ? {} : { subscription: { reference: `Subscription/${subscription.id}` } }),
    ...(reason === undefined ? {} : { reason }),
    ...(stagedAt === undefined ? {} : { stagedAt: new Date(stagedAt).toISOString() }),
    ...(due === null ? {} : { nextTry: new Date(due).toISOString() }),
    ...(sentAt === undefined ? {} : { sentAt: new Date(sentAt).toISOString() }),
    ...(attempts === undefined ? {} : { attempts: attempts.map(shownAttempt) }),
  }
}

const typeOf = ({ message, subscription }: OutboxRow): OutboxEntry['type'] =>
  subscription !== undefined ? 'subscription' : message === undefined ? 'contact' : 'message'

export const shownAttempt = ({ at, ...rest }: Attempt) => ({ time: new Date(at).toISOString(), ...rest })

function contentOf({ message, contact }: OutboxRow): Pick<OutboxEntry, 'message' | 'contact'> {
  if (message === undefined) return contact === undefined ? {} : { contact: contact.fields }
  const { channel, to, text, link, expiresAt } = message
  return { message: { channel, to, text, ...present({ link, expiresAt }) } }
}

/**
 * Stages an entry that was given up once more, with all its attempts. A contact waits behind others of its patient.
 * @throws FhirError 404; 409 when it still waits, or the CRM has a later contact of the patient
 */
export async function resend(unit: UnitOfWork, messageId: string): Promise<OutboxEntry> {
  const row = await deadLetter(unit, messageId)
  const { contact, stagedAt } = row
  if (contact !== undefined && stagedAt !== undefined && (await isOvertaken(unit, contact.patient, stagedAt))) {
    throw conflict(
      'A later intake of this patient has reached the CRM, and this one would replace it with older values; DELETE takes it off the list',
    )
  }
  const isFirst = contact === undefined || (await joinQueue(unit, contact.patient, messageId))
  const value: OutboxRow = { ...row, state: 'waiting', tries: 0, tryUntil: unit.now + TRY_FOR }
  const due = isFirst ? unit.now : null
  unit.records.put(OUTBOX, messageId, value, { due })
  return entryOf({ key: messageId, value, due })
}

/** Removes an entry that was given up. @throws FhirError 404; 409 when it still waits */
export async function dismiss(unit: UnitOfWork, messageId: string): Promise<OutboxEntry> {
  const value = await deadLetter(unit, messageId)
  unit.records.delete(OUTBOX, messageId)
  return entryOf({ key: messageId, value, due: null })
}

async function deadLetter(unit: UnitOfWork, messageId: string): Promise<OutboxRow> {
  const row = await readRow(unit, messageId)
  if (row === undefined) throw notFound('The outbox of the clinic has no such message; it may have been delivered')
  if (row.value.state !== 'dead') throw conflict('The message has not been given up: it is still tried by itself')
  return row.value
}
