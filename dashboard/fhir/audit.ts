/** AuditEvents in words: who did what to whose data, from where, and how it ended. docs/audit.md */
import type { AuditEvent, AuditEventEntity } from 'fhir/r4'

export interface Deed {
  /** Name and id of a user, or the id of a call; '' where nobody is known. */
  readonly who: string
  readonly user: string
  readonly role: string
  readonly action: string
  /** The resource, the query, or the name of an operation. */
  readonly what: string
  /** Patient.id */
  readonly patient: string
  /** IP address. */
  readonly from: string
  readonly outcome: keyof typeof OUTCOMES
  /** `HTTP status 404` */
  readonly said: string
}

/** https://hl7.org/fhir/R4/valueset-audit-event-outcome.html */
export const OUTCOMES = { done: 'done', refused: 'refused', failed: 'failed' } as const

/** By the codes of `subtype` and else of `type`. */
const ACTIONS: Readonly<Record<string, string>> = {
  read: 'read',
  vread: 'read a version',
  'search-type': 'searched',
  'search-system': 'searched',
  search: 'searched',
  'history-instance': 'read the history',
  'history-type': 'read the history',
  'history-system': 'read the history',
  create: 'created',
  update: 'changed',
  patch: 'changed',
  delete: 'deleted',
  operation: 'called',
  batch: 'sent a batch',
  transaction: 'sent a transaction',
  '110122': 'signed in',
  '110123': 'signed out',
  '110126': 'failed to authenticate',
  '110113': 'was refused',
  '110100': 'began or ended a call',
}

/** The verbs with which routes beside FHIR name what they do, `change settings`. */
const PAST: Readonly<Record<string, string>> = {
  ...{ read: 'read', list: 'listed', change: 'changed', set: 'set', rename: 'renamed', advance: 'advanced' },
  ...{ make: 'made', store: 'stored', delete: 'deleted', remove: 'removed', enable: 'enabled', disable: 'disabled' },
  ...{ start: 'started', end: 'ended', finish: 'finished', abort: 'aborted', attest: 'attested', share: 'shared' },
  ...{ try: 'tried', take: 'took', reset: 'reset', clone: 'cloned', import: 'imported', export: 'exported' },
  ...{ resend: 'resent', dismiss: 'dismissed', resume: 'resumed', journal: 'read the journal' },
  abandonment: 'reported an abandonment',
}

/** `changed settings`, from `change settings`; what begins with another word is kept. */
const inPast = (job: string): string =>
  job.replace(/^[a-z]+( or [a-z]+)?/, (verbs) =>
    verbs
      .split(' ')
      .map((word) => PAST[word] ?? word)
      .join(' '),
  )

export const deedOf = (event: AuditEvent): Deed => ({
  ...actingIn(event),
  ...actionOf(event),
  patient: idIn(inRole(event.entity, '1')?.what?.reference),
  from: event.agent?.find(({ network }) => network?.type === '2')?.network?.address ?? '',
  outcome: event.outcome === '0' ? 'done' : event.outcome === '4' ? 'refused' : 'failed',
  said: event.outcomeDesc ?? '',
})

function actingIn({ agent = [] }: AuditEvent): Pick<Deed, 'who' | 'user' | 'role'> {
  const acting = agent.find(({ altId }) => altId !== undefined)
  const user = acting?.altId ?? ''
  const name = acting?.name ?? acting?.who?.display ?? user
  const role = acting?.role?.[0]?.coding?.[0]?.code ?? ''
  return { who: name === user ? user : `${name} (${user})`, user, role }
}

function actionOf({ entity, type, subtype }: AuditEvent): Pick<Deed, 'action' | 'what'> {
  const code = subtype?.[0]?.code ?? type?.code ?? ''
  const job = inRole(entity, '20')?.name ?? ''
  const about = [inRole(entity, '4')?.what?.reference ?? '', textIn(inRole(entity, '24')?.query)]
  // Routes beside FHIR say in words what they do: `read settings`.
  const isInWords = code === 'operation' && job !== '' && !/^\$|_/.test(job)
  return {
    action: isInWords ? inPast(job) : (ACTIONS[code] ?? code),
    what: [isInWords ? '' : job, ...about].filter((text) => text !== '').join(' '),
  }
}

const inRole = (entities: readonly AuditEventEntity[] | undefined, code: string): AuditEventEntity | undefined =>
  entities?.find(({ role }) => role?.code === code)

const idIn = (reference: string | undefined): string => /^Patient\/([^/]+)$/.exec(reference ?? '')?.[1] ?? ''

/** The text of a base64Binary; '' for what is none. */
function textIn(base64: string | undefined): string {
  if (base64 === undefined) return ''
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)))
  } catch {
    return ''
  }
}
