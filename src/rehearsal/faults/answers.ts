/** Answers of faults: those that stand in place of the request's own, and changes to a resource as it leaves. */
import { FhirError, toOutcome } from '../../fhir/outcome.ts'
import { isObject, type JsonObject } from '../../fhir/resource.ts'
import type { Fired } from './fired.ts'
import type { Values } from './named.ts'

/** An answer in place of that of the request, which is not handled; a FhirError is answered as any other is. */
export type Answer =
  | FhirError
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly html?: string }
  /** The connection is closed, after some seconds where there are any. */
  | { readonly closesAfter: number }

const ANSWERS: Readonly<Record<string, (values: Values) => Answer>> = {
  throttled: (values) =>
    new FhirError(
      429,
      { code: 'throttled', diagnostics: 'Too many requests; nothing was changed. Send it again after Retry-After' },
      retryAfter(values),
    ),
  maintenance: (values) =>
    new FhirError(
      503,
      { code: 'transient', diagnostics: 'The system is being maintained; nothing was changed. Try again later' },
      retryAfter(values),
    ),
  gateway: ({ status }) => ({ status: Number(status), headers: {}, html: pageOfGateway(Number(status)) }),
  'token-expired': () => ({
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="sandbox-emr", error="invalid_token"' },
  }),
  'no-scope': () => ({ status: 403, headers: {} }),
  'page-expired': ({ status }) =>
    new FhirError(Number(status), {
      code: status === '410' ? 'deleted' : 'not-found',
      diagnostics: 'This page of the search is no longer kept; start again with the first page',
    }),
  hang: ({ seconds }) => ({ closesAfter: Number(seconds) }),
  reset: () => ({ closesAfter: 0 }),
}

/** Whether the fault answers the request, which is then not handled. */
export const isAnsweredBy = (name: string): boolean => Object.hasOwn(ANSWERS, name)

export function answerOf({ name, with: values }: Fired): Answer {
  const answer = ANSWERS[name]
  if (answer === undefined) throw new TypeError(`The fault '${name}' gives no response to requests`)
  return answer(values)
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
function retryAfter(values: Values): Readonly<Record<string, string>> {
  const seconds = Number(values['retry-after'])
  const inForm = values.form === 'date' ? new Date(Date.now() + seconds * 1000).toUTCString() : String(seconds)
  return { 'retry-after': inForm }
}

function pageOfGateway(status: number): string {
  const title = status === 504 ? '504 Gateway Time-out' : '502 Bad Gateway'
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`
}

const UNKNOWN = 'https://unknown.example/fhir/StructureDefinition/'

/** Changes of the resource that leaves, by the name of their fault. */
const CHANGES: Readonly<Record<string, (resource: JsonObject, values: Values) => JsonObject>> = {
  'outcome-in-bundle': (resource, { severity }) =>
    resource.type === 'searchset' ? withOutcome(resource, String(severity)) : resource,
  'unknown-extension': (resource) => ofEach(resource, (one) => withExtension(one, 'extension', 'unknown')),
  'unknown-modifier': (resource) =>
    ofEach(resource, (one) => withExtension(one, 'modifierExtension', 'unknown-modifier')),
}

/** Whether a fault changes the resource that leaves. */
export const isOfAnswer = ({ name }: Fired): boolean => Object.hasOwn(CHANGES, name)

export const changed = (resource: JsonObject, fired: readonly Fired[]): JsonObject =>
  fired.reduce((before, { name, with: values }) => CHANGES[name]?.(before, values) ?? before, resource)

/** https://hl7.org/fhir/R4/valueset-search-entry-mode.html */
function withOutcome(bundle: JsonObject, severity: string): JsonObject {
  const issue = {
    severity: severity as 'warning',
    code: severity === 'error' ? ('processing' as const) : ('informational' as const),
    diagnostics: `An outcome of the search, of severity ${severity}`,
  }
  return { ...bundle, entry: [...entriesOf(bundle), { resource: toOutcome([issue]), search: { mode: 'outcome' } }] }
}

const entriesOf = ({ entry }: JsonObject): readonly unknown[] => (Array.isArray(entry) ? entry : [])

/** The resource itself, or each that is an entry of it. */
function ofEach(resource: JsonObject, change: (one: JsonObject) => JsonObject): JsonObject {
  if (resource.resourceType !== 'Bundle') return change(resource)
  if (resource.entry === undefined) return resource
  const entry = entriesOf(resource).map((one) =>
    isObject(one) && isObject(one.resource) ? { ...one, resource: change(one.resource) } : one,
  )
  return { ...resource, entry }
}

/** Types that are no DomainResource have no extensions: https://hl7.org/fhir/R4/resource.html. */
const WITHOUT: ReadonlySet<unknown> = new Set(['Bundle', 'Binary', 'Parameters', 'OperationOutcome'])

function withExtension(resource: JsonObject, element: 'extension' | 'modifierExtension', name: string): JsonObject {
  if (WITHOUT.has(resource.resourceType)) return resource
  const before = Array.isArray(resource[element]) ? resource[element] : []
  return { ...resource, [element]: [...before, { url: `${UNKNOWN}${name}`, valueString: 'unknown' }] }
}
