/**
 * The kinds of records: small documents of the server's own that are not FHIR. Each kind is declared here only; the
 * module that writes it binds the name to the type of its values with `recordKind`.
 */
import { CUSTOM_INDEX, CUSTOM_PARAMETERS } from '../storage/port.ts'

/** The clinic of records that belong to the whole service: StoredRecord.clinic. */
export const SERVICE = ''

interface Declaration {
  /**
   * `service`: needed before the clinic is known, so kept under SERVICE; `clinic`: outlasts every reset; `generation`:
   * belongs to the data, and is replaced with them (generation.ts).
   */
  readonly of: 'clinic' | 'generation' | 'service'
  readonly key: string
  /** The type of the value, and the module that declares it. */
  readonly shape: string
  /** The meaning of `due`, and what happens to a due record. */
  readonly expires: string
  readonly writtenBy: string
  /** Read with (nearly) every request and seldom written: engines keep it in memory (ResourceStore.readRecent). */
  readonly recent?: true
  /** Holds secrets, and is encrypted in the store where there is a key (RecordEncryption). */
  readonly secret?: true
}

export const RECORD_KINDS = {
  account: {
    of: 'service',
    key: 'the user name, folded',
    shape: 'StoredAccount (clinics/accounts.ts)',
    expires: 'never',
    writtenBy: 'clinics/accounts.ts',
    recent: true,
  },
  'login-attempts': {
    of: 'service',
    key: '`user:` and the hash of a user name, `address:` and an IP address or its IPv6 network, or both',
    shape: 'Counter (clinics/failed-attempts.ts)',
    expires: 'an hour after the last failure; later attempts delete it',
    writtenBy: 'clinics/login-limit.ts',
  },
  'known-addresses': {
    of: 'service',
    key: 'the hash of a user name',
    shape: 'KnownAddresses (clinics/login-limit.ts)',
    expires: 'never; deleted with the account',
    writtenBy: 'clinics/login-limit.ts',
  },
  'program-token': {
    of: 'clinic',
    key: 'the id of its session',
    shape: 'ProgramToken (clinics/program-tokens.ts)',
    expires: 'deleted when it is revoked; an expired one when the next one is made',
    writtenBy: 'clinics/program-tokens.ts',
    recent: true,
  },
  'program-token-use': {
    of: 'clinic',
    key: 'the id of the session of the token',
    shape: 'Use (clinics/program-tokens.ts)',
    expires: 'deleted with its token',
    writtenBy: 'clinics/program-tokens.ts',
  },
  settings: {
    of: 'clinic',
    key: '`settings`',
    shape: 'ClinicSettings (clinics/settings.ts)',
    expires: 'never',
    writtenBy: 'clinics/settings.ts',
    recent: true,
    secret: true,
  },
  'dialed-number': {
    of: 'service',
    key: 'the number in E.164',
    shape: 'DialedClinic (clinics/settings.ts)',
    expires: 'never',
    writtenBy: 'clinics/settings.ts',
  },
  sandbox: {
    of: 'clinic',
    key: '`enabled`',
    shape: 'SandboxSwitch (clinics/clinics.ts)',
    expires: 'never',
    writtenBy: 'clinics/clinics.ts',
    recent: true,
  },
  generation: {
    of: 'clinic',
    key: '`current`',
    shape: 'Generation (repository/generation.ts)',
    expires: 'never',
    writtenBy: 'repository/generation.ts',
    recent: true,
  },
  'moved-clock': {
    of: 'service',
    key: 'the clinic',
    shape: 'MovedClock (repository/generation.ts)',
    expires: 'never; deleted when the clock of the clinic is that of the machine again',
    writtenBy: 'repository/generation.ts',
  },
  filling: {
    of: 'service',
    key: 'the clinic',
    shape: 'Filling (rehearsal/generations/filling.ts)',
    expires:
      '`due` is when the server that fills has died: the half-filled generation is removed; deleted when it is whole',
    writtenBy: 'rehearsal/generations/filling.ts',
  },
  'leaving-generation': {
    of: 'service',
    key: 'the clinic, and the number of the generation',
    shape: 'Leaving (rehearsal/generations/removal.ts)',
    expires: '`due` is when the generation is removed, as no request uses it any more; deleted with it',
    writtenBy: 'rehearsal/generations/removal.ts',
  },
  snapshot: {
    of: 'clinic',
    key: 'the name',
    shape: 'Snapshot (rehearsal/generations/snapshots.ts)',
    expires: 'never',
    writtenBy: 'rehearsal/generations/snapshots.ts',
  },
  clone: {
    of: 'service',
    key: 'the clinic',
    shape: 'Clone (rehearsal/generations/clones.ts)',
    expires: '`due` is when the clinic and everything in it is removed; deleted with it',
    writtenBy: 'rehearsal/generations/clones.ts',
  },
  'slot-generation': {
    of: 'generation',
    key: 'Schedule.id',
    shape: 'GenerationState (availability/slot-generation.ts)',
    expires: '`due` is when Slots are generated again; deleted once a Schedule without availability has none left',
    writtenBy: 'availability/slot-generation.ts',
  },
  'freed-slot': {
    of: 'generation',
    key: 'Slot.id',
    shape: 'FreedSlot (booking/waitlist.ts)',
    expires: '`due` is when the waitlist is searched for the slot; deleted afterwards',
    writtenBy: 'booking/waitlist.ts',
  },
  hold: {
    of: 'generation',
    key: 'Appointment.id',
    shape: 'Hold (booking/holds.ts)',
    expires:
      '`due` is when the hold is ended: the Appointment is cancelled, its slots are free, and the record is deleted; booking, cancelling or deleting the Appointment deletes it before',
    writtenBy: 'booking/holds.ts',
  },
  'reserved-time': {
    of: 'generation',
    key: 'the actor as `Type/id`, and the hour of the week, from 0 to 167',
    shape: 'ReservedTime (reservations/reservation.ts)',
    expires: 'never; at most one for each hour of the week and actor',
    writtenBy: 'reservations/reservation.ts',
  },
  'visit-context': {
    of: 'generation',
    key: 'the hash of its content',
    shape: 'StoredContext (booking/proposal.ts)',
    expires: 'a day or two after the last search that stated it; later ones delete it',
    writtenBy: 'booking/proposal.ts',
  },
  'demo-slots': {
    of: 'generation',
    key: 'Schedule.id',
    shape: 'Filled (demo/demo-schedules.ts)',
    expires: 'never; written by older versions, and deleted when the Schedule gets its availability',
    writtenBy: 'demo/demo-schedules.ts',
  },
  call: {
    of: 'service',
    key: 'the hash of the call id',
    shape: 'CallSession (core/call-session.ts)',
    expires: '7 days after the call began; an expired one counts as unknown and is overwritten',
    writtenBy: 'calls/session/call-sessions.ts, calls/session/patient-of-call.ts, calls/session/call-end.ts',
  },
  'open-call': {
    of: 'generation',
    key: 'the hash of the call id',
    shape: 'OpenCall (calls/session/call-sessions.ts)',
    expires: '`due` is when the call is ended, as no more tools were called; deleted with its end',
    writtenBy: 'calls/session/call-sessions.ts, calls/session/call-end.ts',
  },
  caller: {
    of: 'generation',
    key: "the caller's number in E.164",
    shape: 'CallerPlaceholder (calls/session/patient-of-call.ts)',
    expires: 'never',
    writtenBy: 'calls/session/patient-of-call.ts',
  },
  'placeholder-holder': {
    of: 'generation',
    key: 'Patient.id',
    shape: 'PlaceholderHolder (calls/session/patient-of-call.ts)',
    expires: 'never',
    writtenBy: 'calls/session/patient-of-call.ts',
  },
  'call-keys': {
    of: 'generation',
    key: 'the hash of the call id',
    shape: 'CallKeys (calls/session/call-keys.ts)',
    expires: 'with its call; an expired one counts as none and is overwritten',
    writtenBy: 'calls/session/call-keys.ts',
  },
  'call-verification': {
    of: 'generation',
    key: 'the hash of the call id',
    shape: 'Verification (calls/session/verification.ts)',
    expires: 'with its call; an expired one counts as none and is overwritten',
    writtenBy: 'calls/session/verification.ts',
  },
  'verification-attempts': {
    of: 'generation',
    key: "`number:` and a caller's number in E.164, `patient:` and a Patient.id, `name:` and the hash of a stated name that no patient has, or `clinic`",
    shape: 'Counter (clinics/failed-attempts.ts)',
    expires: 'when its failures are forgotten; later attempts delete it',
    writtenBy: 'calls/session/verification.ts',
  },
  'call-written': {
    of: 'generation',
    key: 'the hash of the call id',
    shape: 'WrittenByCall (calls/record/written-by-call.ts)',
    expires: 'with its call; an expired one counts as none and is overwritten',
    writtenBy: 'calls/record/written-by-call.ts',
  },
  'contact-opt-out': {
    of: 'generation',
    key: 'the hash of a channel and a phone number, an e-mail address or a Patient',
    shape: 'OptOut (calls/record/contact-consent.ts)',
    expires: 'never; ended by the status of its Consent',
    writtenBy: 'calls/record/contact-consent.ts',
  },
  'binding-token': {
    of: 'service',
    key: 'the hash of the token',
    shape: 'Binding (events/binding-token.ts)',
    expires: '`due` is when it ends, after half a minute; deleted when it is used, and after its end',
    writtenBy: 'events/binding-token.ts',
  },
  'resume-link': {
    of: 'service',
    key: 'the hash of its token, or of that of the form which it has opened',
    shape: 'ResumeLink (calls/recovery/resume-link.ts)',
    expires: '`due` is when it ends; a link is deleted when it is used, even too late',
    writtenBy: 'calls/recovery/resume-link.ts',
  },
  'open-registration': {
    of: 'generation',
    key: 'Patient.id',
    shape: 'OpenRegistration (calls/recovery/registration-follow-up.ts)',
    expires: '`due` is when it becomes an abandonment; deleted then, or by what completes the registration',
    writtenBy: 'calls/recovery/registration-follow-up.ts',
  },
  'tool-result': {
    of: 'generation',
    key: 'the hash of call, tool call, tool and arguments',
    shape: 'StoredResult (calls/session/replay.ts)',
    expires: '24 hours after it was stored; an expired one is overwritten',
    writtenBy: 'calls/session/replay.ts',
  },
  'signed-request': {
    of: 'clinic',
    key: 'the hash of the id of its signature',
    shape: 'SignedRequest (calls/session/signed-request.ts)',
    expires: '15 minutes after its arrival; an expired one is overwritten, unless its signature has no time',
    writtenBy: 'calls/session/signed-request.ts',
  },
  outbox: {
    of: 'generation',
    key: 'the message id',
    shape: 'OutboxRow (integrations/outbox/rows.ts)',
    expires:
      '`due` is the time of the next delivery attempt, none while others of the patient are before it; deleted once delivered, kept without `due` once given up',
    writtenBy: 'integrations/outbox/rows.ts, integrations/outbox/delivery.ts',
  },
  subscribed: {
    of: 'generation',
    key: '`subscribed`',
    shape: 'Subscribed (repository/event-feed.ts)',
    expires: 'never; without running Subscriptions it stays, empty',
    writtenBy: 'events/state.ts',
    recent: true,
  },
  event: {
    of: 'generation',
    key: 'Resource.meta.lastUpdated in milliseconds (15 digits), the type, the id, and the version (10 digits)',
    shape: 'FedEvent (repository/event-feed.ts)',
    expires: '`due` is when it is matched with the Subscriptions, at once; deleted then',
    writtenBy: 'repository/event-feed.ts, events/dispatcher.ts',
  },
  subscription: {
    of: 'generation',
    key: 'Subscription.id',
    shape: 'SubscriptionState (events/state.ts)',
    expires:
      '`due` is when it becomes active, reaches its end, or old events of its log are deleted; deleted after its Subscription, with the last of its log',
    writtenBy: 'events/state.ts, events/lifecycle.ts, events/delivery.ts',
    secret: true,
  },
  'subscription-event': {
    of: 'generation',
    key: 'Subscription.id, and the number of the event (12 digits)',
    shape: 'LoggedEvent (events/log.ts)',
    expires: 'never; once delivered, it is deleted when it is not among the newest thousand or is older than a week',
    writtenBy: 'events/log.ts',
  },
  'simulated-delivery': {
    of: 'generation',
    key: 'the message id',
    shape: 'OutboxRow (integrations/outbox/rows.ts)',
    expires: 'never; the oldest of a clinic are deleted where there are more than a hundred',
    writtenBy: 'integrations/outbox/simulated.ts',
  },
  'outbox-queue': {
    of: 'generation',
    key: 'Patient.id',
    shape: 'PatientQueue (integrations/outbox/rows.ts)',
    expires: 'never',
    writtenBy: 'integrations/outbox/rows.ts',
  },
  'insurance-inquiry': {
    of: 'generation',
    key: 'Coverage.id',
    shape: 'InsuranceInquiry (calls/record/submitted-insurance.ts)',
    expires:
      '`due` is when the insurance is queried for its result again; deleted with the result, when attempts end without one, or by a later verification of the same Coverage',
    writtenBy: 'calls/record/submitted-insurance.ts, calls/record/insurance-inquiries.ts',
  },
  'patient-merge': {
    of: 'generation',
    key: 'Patient.id of the source, and of the target',
    shape: 'MergeJob, or HeldTarget (operations/merge/merge-job.ts)',
    expires:
      'of a source `due` is when its references are moved on, of a target there is none; deleted with the last reference',
    writtenBy: 'operations/merge/merge-job.ts',
  },
  [CUSTOM_PARAMETERS.kind]: {
    of: 'generation',
    key: '`custom`',
    shape: 'CustomDeclaration (search/index/custom-declaration.ts)',
    expires: 'never',
    writtenBy: 'providers/built-in.ts',
    recent: true,
  },
  [CUSTOM_INDEX.kind]: {
    of: 'generation',
    key: '`custom`',
    shape: 'CustomIndex (search/index/custom-declaration.ts)',
    expires: '`due` is when reindexing continues; none once it is complete',
    writtenBy: 'providers/built-in.ts, repository/custom-indexing.ts',
    recent: true,
  },
  'duplicate-search': {
    of: 'generation',
    key: '`newest`',
    shape: 'DuplicateSearch (operations/duplicates/duplicate-search.ts)',
    expires: '`due` is when the search continues; none once it has ended and the results of earlier ones are deleted',
    writtenBy: 'operations/duplicates/duplicate-search.ts, operations/duplicates/background-search.ts',
  },
  'duplicate-pair': {
    of: 'generation',
    key: 'the number of the search, and the ids of the two patients, the smaller one first',
    shape: 'FoundPair (operations/duplicates/duplicate-search.ts)',
    expires: 'never; deleted when a later search is complete',
    writtenBy: 'operations/duplicates/duplicate-search.ts',
  },
  'duplicate-rank': {
    of: 'generation',
    key: 'the number of the search, the rank of the pair, the likeliest first, and the ids as above',
    shape: 'RankedPair (operations/duplicates/duplicate-search.ts)',
    expires: 'never; deleted when a later search is complete',
    writtenBy: 'operations/duplicates/duplicate-search.ts',
  },
  'not-duplicates': {
    of: 'generation',
    key: 'the ids of the two patients, the smaller one first',
    shape: 'Declaration (operations/duplicates/not-duplicates.ts)',
    expires: 'never; deleted when it is revoked',
    writtenBy: 'operations/duplicates/not-duplicates.ts',
  },
  content: {
    of: 'clinic',
    key: 'the SHA-256 of the content, lower-case hex',
    shape: 'StoredContent (repository/used-content.ts)',
    expires:
      '`due` is when the content is collected, as nothing refers to it; none once a version of a resource does, until the generations whose versions do are gone',
    writtenBy: 'repository/used-content.ts, content/contents.ts',
  },
  'content-upload': {
    of: 'clinic',
    key: 'the name of the bytes in the store of contents',
    shape: 'ContentUpload (content/contents.ts)',
    expires: '`due` is when the bytes are removed; deleted with them, or when they become a content',
    writtenBy: 'content/contents.ts',
  },
  'fault-rules': {
    of: 'generation',
    key: '`rules`',
    shape: 'Rules (rehearsal/faults/rules.ts)',
    expires: 'never; without rules it stays, empty',
    writtenBy: 'rehearsal/faults/rules.ts',
    recent: true,
  },
  'fault-count': {
    of: 'generation',
    key: '`rule` and the name of a rule, or `fault` and the name of a fault that requests name themselves',
    shape: 'Count (rehearsal/faults/rules.ts)',
    expires: 'never; deleted with its rule',
    writtenBy: 'rehearsal/faults/rules.ts',
  },
  plan: {
    of: 'clinic',
    key: 'the name of the plan',
    shape: 'Plan (rehearsal/plans/plan.ts)',
    expires: 'never; deleted by the clinic',
    writtenBy: 'rehearsal/plans/plans.ts',
  },
  additions: {
    of: 'clinic',
    key: 'the name of a kind',
    shape: 'number',
    expires: 'never',
    writtenBy: 'repository/additions.ts',
  },
  'service-additions': {
    of: 'service',
    key: 'the name of a kind',
    shape: 'number',
    expires: 'never',
    writtenBy: 'repository/additions.ts',
  },
  run: {
    of: 'clinic',
    key: 'RunRecord.id',
    shape: 'RunRecord (rehearsal/runs/run.ts)',
    expires: 'never; the oldest are deleted where a clinic has too many',
    writtenBy: 'rehearsal/runs/runs.ts',
  },
  'open-runs': {
    of: 'clinic',
    key: '`runs`',
    shape: 'OpenRuns (rehearsal/runs/open-runs.ts)',
    expires: 'never; each run has its end, after which no request belongs to it; without runs it stays, empty',
    writtenBy: 'rehearsal/runs/open-runs.ts',
    recent: true,
  },
  'shared-report': {
    of: 'service',
    key: 'the hash of the token of its link',
    shape: 'SharedReport (rehearsal/reports/shared-links.ts)',
    expires: '`due` is when the link ends; deleted when the links of its run are ended, or by a later one of the run',
    writtenBy: 'rehearsal/reports/shared-links.ts',
  },
  'report-links': {
    of: 'clinic',
    key: 'RunRecord.id',
    shape: 'ReportLinks (rehearsal/reports/shared-links.ts)',
    expires: 'never; deleted when the links of the run are ended',
    writtenBy: 'rehearsal/reports/shared-links.ts',
  },
  'run-fault-count': {
    of: 'clinic',
    key: 'the id of a run, and of one of its steps',
    shape: 'Count (rehearsal/faults/rules.ts)',
    expires: 'never; deleted when its run is closed',
    writtenBy: 'rehearsal/faults/rules.ts',
  },
  'planned-move': {
    of: 'generation',
    key: 'Appointment.id',
    shape: 'PlannedMove (rehearsal/faults/moved-visits.ts)',
    expires: '`due` is when the practice moves the visit; deleted then',
    writtenBy: 'rehearsal/faults/moved-visits.ts',
  },
  job: {
    of: 'clinic',
    key: 'the id of the job, random',
    shape: 'Job (jobs/job.ts)',
    expires:
      '`due` is when the job is worked on, or when another process takes it over; once it has ended, when its result is removed, with the record',
    writtenBy: 'jobs/jobs.ts, jobs/job-loop.ts',
  },
  copy: {
    of: 'service',
    key: '`from`',
    shape: 'string: the name of the source',
    expires: 'deleted when the copy is complete',
    writtenBy: 'scripts/copy/marks.ts',
  },
  'copy-clinic': {
    of: 'service',
    key: 'the clinic',
    shape: 'ClinicMark (scripts/copy/marks.ts)',
    expires: 'deleted when the copy is complete',
    writtenBy: 'scripts/copy/marks.ts',
  },
} as const satisfies Readonly<Record<string, Declaration>>

type Name = keyof typeof RECORD_KINDS

/** A kind with the type of its values, which exists at compile time only. */
export interface RecordKind<Value> {
  readonly name: Name
  readonly of: Declaration['of']
  /** Never set. */
  readonly value?: Value
}

export const recordKind = <Value>(name: Name): RecordKind<Value> => ({ name, of: RECORD_KINDS[name].of })

/**
 * The time by which records of a kind are due: that of the clinic's clock for those of its data; that of the machine for those
 * that outlast a reset, which may set the clock back.
 */
export const dueTimeOf = (
  { of }: RecordKind<unknown>,
  { now, writtenAt }: { readonly now: number; readonly writtenAt: number },
): number => (of === 'generation' ? now : writtenAt)

/** Separates clinic and number; it occurs in no id of a clinic. */
const SEPARATOR = '~'

/**
 * The name under which the store keeps the data of a generation, as if it were a clinic. Generation 0 shares the name of
 * the clinic with the records that outlast all generations.
 */
export const partitionOf = (clinic: string, number: number): string =>
  number === 0 || clinic === SERVICE ? clinic : `${clinic}${SEPARATOR}${number}`

/** The clinic of a partition. */
export const clinicOfPartition = (partition: string): string => partition.split(SEPARATOR, 1)[0] ?? ''

/** True for a name in the store that is a clinic, or the service. */
export const isClinicName = (name: string): boolean => !name.includes(SEPARATOR)

/** The name under which the store keeps a record of this kind. */
export function placeOf({ of }: RecordKind<unknown>, { clinic, partition }: Place): string {
  if (of === 'service') return SERVICE
  return of === 'clinic' ? clinic : partition
}

export interface Place {
  readonly clinic: string
  /** See partitionOf. */
  readonly partition: string
}

const kindsThatAre = (flag: 'recent' | 'secret'): readonly string[] =>
  Object.entries<Declaration>(RECORD_KINDS).flatMap(([name, kind]) => (kind[flag] === true ? [name] : []))

/** The names of the kinds that belong to a generation of a clinic's data. */
export const generationKinds = Object.entries<Declaration>(RECORD_KINDS).flatMap(([name, { of }]) =>
  of === 'generation' ? [name] : [],
)

/** The names of the kinds that engines keep in memory. */
export const recentKinds = kindsThatAre('recent')

/** The names of the kinds that hold secrets. */
export const secretKinds = kindsThatAre('secret')

/** The clinic's own search parameters, in addition to the server's: search/index/custom-parameters.ts. */
export const CUSTOM_DECLARATION = recordKind<unknown>(CUSTOM_PARAMETERS.kind)

/** The progress of indexing by them: search/index/custom-declaration.ts. */
export const CUSTOM_PROGRESS = recordKind<unknown>(CUSTOM_INDEX.kind)

/** The key of both records. */
export const CUSTOM_KEY = CUSTOM_PARAMETERS.key
