/** An event of the audit trail: who did what to which patient's data, and how it ended. A small plain object. */
import type { Gap } from '../recorder.ts'

/** The acting user, call or server. */
export type AuditAgent =
  | { readonly kind: 'user'; readonly id: string; readonly name: string; readonly role: string }
  | { readonly kind: 'call'; readonly id: string }
  /** No agent could be identified. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'server' }

/** Interactions of FHIR's REST API (https://hl7.org/fhir/R4/http.html) by their codes there. */
const RESTFUL = {
  read: 'R',
  vread: 'R',
  'history-instance': 'R',
  'history-type': 'R',
  'history-system': 'R',
  'search-type': 'E',
  'search-system': 'E',
  /** R4 has no code for search in a compartment. */
  'search-compartment': 'E',
  create: 'C',
  update: 'U',
  patch: 'U',
  delete: 'D',
  operation: 'E',
  batch: 'E',
  transaction: 'E',
  /** As an entry of a Bundle; by itself it needs no token, and is no access. */
  capabilities: 'R',
} as const

/** Other recorded interactions. */
const OTHERS = {
  /** A tool call of a live call. */
  tool: 'E',
  /** The registration of a live call. */
  call: 'C',
  login: 'E',
  logout: 'E',
  /** A request that was refused before its interaction was known: no valid token, no permission. */
  refusal: 'E',
  /** Events are missing. */
  gap: 'E',
} as const

/** The recorded interactions, each with its code in http://hl7.org/fhir/audit-event-action. */
export const ACTIONS = { ...RESTFUL, ...OTHERS } as const

export type AuditInteraction = keyof typeof ACTIONS
export type RestfulInteraction = keyof typeof RESTFUL

export const isRestful = (interaction: string): interaction is RestfulInteraction => Object.hasOwn(RESTFUL, interaction)

/** The interaction that a request performed or attempted. */
export interface Access {
  readonly interaction: AuditInteraction
  /** '' where there is none. */
  readonly type: string
  readonly id: string
  /** 0: none. */
  readonly version: number
  /** The path and query of a search, as they came; '' for other interactions. */
  readonly query: string
  /** For an operation or a tool its name, for a write by an import `import`, for a gap what is missing; else ''. */
  readonly detail: string
  /** HTTP status; 0 while it is not known. */
  readonly status: number
  /** The ids of the patients whose data it was about, as far as they are known. */
  readonly patients: readonly string[]
}

/** The subject of an access that concerns no resource and ends with the status of its request. */
export const NO_SUBJECT: Omit<Access, 'interaction'> = {
  type: '',
  id: '',
  version: 0,
  query: '',
  detail: '',
  status: 0,
  patients: [],
}

export interface AuditedEvent extends Access {
  /** '': it belongs to the whole service. */
  readonly clinic: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly agent: AuditAgent
  /** IP address of the client; '' where there is none. */
  readonly address: string
}

/** The event that reports missing events. */
export function gapEvent({ clinic, why, from, to, count }: Gap): AuditedEvent {
  const missing = count === 1 ? 'One event is' : `${count} events are`
  return {
    ...NO_SUBJECT,
    clinic,
    at: Date.now(),
    agent: { kind: 'server' },
    address: '',
    interaction: 'gap',
    detail: `${missing} missing from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}: ${why}`,
    status: 500,
  }
}
