/**
 * The catalogue of faults: how requests fail in production, each as data. Bringing one about is in `answers.ts` (as the response
 * leaves), `in-data.ts` (as the change is written) and `http/faults.ts` (on the connection). docs/faults.md
 */

/** A parameter of a fault: `throttled; retry-after=3`. */
export type Parameter =
  | ({ readonly type: 'integer'; readonly default: number; readonly least: number; readonly most: number } & Described)
  | ({ readonly type: 'code'; readonly default: string; readonly values: readonly string[] } & Described)

interface Described {
  /** The meaning, as a phrase. */
  readonly what: string
}

/** Requests in which the fault can occur; the others are not counted. */
interface Place {
  /** Codes of FHIR's interactions; absent: all. https://hl7.org/fhir/R4/valueset-restful-interaction.html */
  readonly interactions?: readonly string[]
  /** Codes of the operations among the interactions; absent: all. */
  readonly operations?: readonly string[]
  /** The only resource type; requests of the whole system, such as transactions, are not bound to it. */
  readonly type?: string
  /** Tools; absent: all. */
  readonly tools?: readonly string[]
  /** Only further pages of a search. */
  readonly isLaterPage?: true
}

export interface Fault {
  readonly name: string
  readonly title: string
  /** One sentence. */
  readonly what: string
  readonly of: 'fhir' | 'tools' | 'both'
  /** It is brought about in the stored data, so that what is read afterwards agrees with it. */
  readonly isTrue: boolean
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly at: Place
  /** The systems in which it is met, and the specification that describes it. */
  readonly source: string
}

const WRITES = ['create', 'update', 'patch']
const SEARCHES = ['search-type', 'search-system', 'search-compartment']
const BUNDLES = ['batch', 'transaction']
/** Operations whose result is what a search finds. */
const FINDING = ['match', 'everything', 'docref', 'find']
const FOUND: Place = { interactions: [...SEARCHES, 'operation'], operations: FINDING }
const RESOURCES = ['read', 'vread', 'history-instance', 'history-type', 'history-system', ...SEARCHES]
const SHOWN: Place = { interactions: [...RESOURCES, 'operation'], operations: FINDING }
const BOOKING: Place = {
  interactions: [...WRITES, 'operation', ...BUNDLES],
  type: 'Appointment',
  tools: ['book_appointment', 'reschedule_appointment'],
}
const ANYWHERE: Place = {}

const seconds = (defaultValue: number, most: number, what: string): Parameter => ({
  type: 'integer',
  default: defaultValue,
  least: 0,
  most,
  what,
})

const RETRY = {
  'retry-after': seconds(5, 86_400, 'seconds until a repeat may succeed, as Retry-After says'),
  form: { type: 'code', default: 'seconds', values: ['seconds', 'date'], what: 'how Retry-After says it' },
} as const

/** Longest times for which a response may be kept back; connections are closed after 130 silent seconds. */
const LONGEST = 60

const FAULTS: readonly Fault[] = [
  {
    name: 'throttled',
    title: 'Too many requests',
    what: 'The request is not handled; the response is 429 with Retry-After and an OperationOutcome.',
    ...{ of: 'both', isTrue: false, parameters: RETRY, at: ANYWHERE },
    source: 'NHS 429 SEND_TOO_MANY and REC_TOO_MANY; Zus at 20 requests a second; athenahealth daily quotas',
  },
  {
    name: 'maintenance',
    title: 'Down for maintenance',
    what: 'The request is not handled; the response is 503 with Retry-After and an OperationOutcome.',
    ...{ of: 'both', isTrue: false, parameters: RETRY, at: ANYWHERE },
    source: 'all EHRs; Postman mock servers respond so to all calls',
  },
  {
    name: 'gateway',
    title: 'An error of a gateway',
    what: 'The request is not handled; the response is a page of HTML from the proxy in front of the EHR.',
    ...{ of: 'both', isTrue: false, at: ANYWHERE },
    parameters: {
      status: { type: 'code', default: '502', values: ['502', '504'], what: 'Bad Gateway or Gateway Timeout' },
    },
    source: 'Epic responds to an unknown type with HTML of IIS; HAPI 504; NHS BaRS target -504',
  },
  {
    name: 'token-expired',
    title: 'The token has expired',
    what: 'The request is not handled; the response is 401 with an empty body, in the middle of a session.',
    ...{ of: 'fhir', isTrue: false, parameters: {}, at: ANYWHERE },
    source: 'all EHRs; Plaid provokes it with reset_login',
  },
  {
    name: 'no-scope',
    title: 'The token lacks a scope',
    what: 'The request is not handled; the response is 403 with an empty body.',
    ...{ of: 'fhir', isTrue: false, parameters: {}, at: ANYWHERE },
    source: 'Epic: 403 without a body',
  },
  {
    name: 'slow',
    title: 'A late response',
    what: 'The request is handled at once, and its response comes late.',
    ...{ of: 'both', isTrue: true, at: ANYWHERE },
    parameters: { seconds: seconds(8, LONGEST, 'for which the response is kept back') },
    source: 'all EHRs; a booking at 4.2 s with a client that waits 3 s',
  },
  {
    name: 'hang',
    title: 'No response',
    what: 'The request is not handled and has no response; in the end its connection is closed.',
    ...{ of: 'both', isTrue: false, at: ANYWHERE },
    parameters: { seconds: seconds(30, 2 * LONGEST, 'until the connection is closed') },
    source: 'all networks; WireMock, Toxiproxy, Envoy',
  },
  {
    name: 'reset',
    title: 'The connection is reset before',
    what: 'The connection is reset before the request is handled, so nothing is stored.',
    ...{ of: 'both', isTrue: true, parameters: {}, at: ANYWHERE },
    source: 'all networks; WireMock CONNECTION_RESET, Toxiproxy reset_peer',
  },
  {
    name: 'half-answer',
    title: 'Half of a response',
    what: 'The request is handled; of the response the head and half of the body arrive, then the connection breaks.',
    ...{ of: 'both', isTrue: true, parameters: {}, at: ANYWHERE },
    source: 'all networks; WireMock MALFORMED_RESPONSE_CHUNK',
  },
  {
    name: 'lost-answer',
    title: 'Done, but without a response',
    what: 'The request is handled and what it writes is stored; then the connection breaks without a response.',
    ...{ of: 'both', isTrue: true, parameters: {}, at: ANYWHERE },
    source:
      'voice agents that book twice, as they repeat a booking that was stored; athenahealth has no idempotency key',
  },
  {
    name: 'version-moved',
    title: 'Somebody else wrote first',
    what: 'A moment before the change somebody else writes a version of the same resource: with If-Match it is 412, without it the client overwrites something newer.',
    ...{ of: 'both', isTrue: true, parameters: {} },
    at: { interactions: ['update', 'patch', 'delete', 'operation', ...BUNDLES] },
    source: 'FHIR R4, 3.1.0.5 (412); Oracle Health: 409; NHS PDS needs If-Match',
  },
  {
    name: 'slot-gone',
    title: 'Somebody else booked first',
    what: 'A moment before the booking the same time is booked for somebody else, so it is refused as any taken time is.',
    ...{ of: 'both', isTrue: true, parameters: {}, at: BOOKING },
    source: 'IHE ITI-116 (the time may be gone between $find and $hold); Oracle Health: 422',
  },
  {
    name: 'moved',
    title: 'The practice moves the visit',
    what: 'The visit is booked; a while later the practice moves it to the next free time, or cancels it where there is none.',
    ...{ of: 'both', isTrue: true, at: BOOKING },
    parameters: { after: seconds(10, 86_400, 'from the booking until it is moved') },
    source: 'Oracle Health: no mechanism to alert; Zocdoc webhook mock-request',
  },
  {
    name: 'accepted',
    title: 'Accepted, without a body',
    what: 'The write is stored, but its response is 202 with an empty body.',
    ...{ of: 'fhir', isTrue: true, parameters: {}, at: { interactions: WRITES } },
    source: 'EHRs that write by a queue; Epic and Oracle Health respond to writes without a body',
  },
  {
    name: 'empty-201',
    title: 'Created, without a body',
    what: 'The resource is stored and its Location given, but the 201 has an empty body, whatever Prefer says.',
    ...{ of: 'fhir', isTrue: true, parameters: {}, at: { interactions: ['create', 'update'] } },
    source: 'Epic and Oracle Health respond with 201 and an empty body',
  },
  {
    name: 'outcome-in-bundle',
    title: 'An outcome among the matches',
    what: 'A searchset has an OperationOutcome besides its matches, as an entry of mode outcome.',
    ...{ of: 'fhir', isTrue: false, at: FOUND },
    parameters: {
      severity: {
        type: 'code',
        default: 'warning',
        values: ['information', 'warning', 'error'],
        what: 'the severity of its issue',
      },
    },
    source: 'Epic 4101 (no results) and 59204 (suppressed); IHE PDQm consumer tests',
  },
  {
    name: 'unknown-extension',
    title: 'An extension nobody knows',
    what: 'Each resource in the response has an extension that the client does not know, and may ignore.',
    ...{ of: 'fhir', isTrue: false, parameters: {}, at: SHOWN },
    source: 'Epic sends extensions of R5 in R4; IHE PDQm consumer tests',
  },
  {
    name: 'unknown-modifier',
    title: 'A modifier nobody knows',
    what: 'Each resource in the response has a modifierExtension that the client does not know, and must not ignore.',
    ...{ of: 'fhir', isTrue: false, parameters: {}, at: SHOWN },
    source: 'FHIR R4, 2.4.1 (modifier extensions); IHE PDQm consumer tests',
  },
  {
    name: 'small-pages',
    title: 'Smaller pages than asked for',
    what: 'A search by GET has fewer matches on a page than _count asks for; a next link leads to the rest.',
    ...{ of: 'fhir', isTrue: false, at: { interactions: SEARCHES } },
    parameters: { count: { type: 'integer', default: 1, least: 1, most: 100, what: 'the most matches on a page' } },
    source: 'IHE ITI-115 (clients shall page); EHRs with a maximum below _count',
  },
  {
    name: 'page-expired',
    title: 'The next page is gone',
    what: 'The first page of a search comes; what its next link leads to is no longer there.',
    ...{ of: 'fhir', isTrue: false, at: { interactions: SEARCHES, isLaterPage: true } },
    parameters: {
      status: { type: 'code', default: '410', values: ['404', '410'], what: 'Not Found or Gone' },
    },
    source: 'Epic 4113; athenahealth cursors',
  },
  {
    name: 'tool-slow',
    title: 'A slow tool',
    what: 'The tool does its work at once, and its result comes late.',
    ...{ of: 'tools', isTrue: true, at: ANYWHERE },
    parameters: { seconds: seconds(8, LONGEST, 'for which the result is kept back') },
    source: 'voice platforms wait 10 to 20 s; Vapi advises an endpoint that can delay its responses',
  },
  {
    name: 'tool-transient',
    title: 'A tool fails for a moment',
    what: 'The tool does nothing, and its result is that it failed for a moment (code transient).',
    ...{ of: 'tools', isTrue: true, parameters: {}, at: ANYWHERE },
    source: 'voice platforms do not repeat; an EHR that is away for a moment',
  },
  {
    name: 'tool-broken',
    title: 'A result that is no JSON',
    what: 'The tool does its work, and its result breaks off within the JSON.',
    ...{ of: 'tools', isTrue: true, parameters: {}, at: ANYWHERE },
    source: 'proxies that cut a response; WireMock MALFORMED_RESPONSE_CHUNK',
  },
  {
    name: 'duplicate',
    title: 'The same tool call twice at once',
    what: "The request's tool calls arrive a second time at the same moment, as if the platform had repeated them.",
    ...{ of: 'tools', isTrue: true, parameters: {}, at: ANYWHERE },
    source: 'platforms that repeat while the destination is still processing (Vapi)',
  },
]

/** By name, in the order of docs/faults.md. */
export const CATALOGUE: ReadonlyMap<string, Fault> = new Map(FAULTS.map((fault) => [fault.name, fault]))
