/** A step of a probe: what a server must do, and what is looked at in its answers. */
import type { Appointment, Bundle, CapabilityStatement, FhirResource, OperationOutcome, Patient, Slot } from 'fhir/r4'
import type { Need } from './offer.ts'
import { type Answer, isResource, type Target } from './target.ts'

export interface ProbeStep {
  readonly id: string
  readonly title: string
  /** The place where it is said that a server does so. */
  readonly source: string
  /** Where the server does not offer it, the step is skipped. */
  readonly needs?: readonly Need[]
  /** Steps whose results it builds on; it is skipped where one of them did not pass. */
  readonly after?: readonly string[]
  /** @returns a sentence about what came. @throws Wrong, Lacking, NoAnswer */
  readonly run: (probe: Probe) => Promise<string>
}

/** Everything that later steps need of earlier ones. */
export interface Probe {
  readonly target: Target
  /** Letters that no other probe has. */
  readonly tag: string
  /** `Patient/1`, in the order in which they were created. */
  readonly created: string[]
  statement?: CapabilityStatement
  slots: readonly Slot[]
  /** Participants that the Schedule of the slots asks for. */
  actors: NonNullable<Appointment['participant']>
  patient?: Patient
  /** The visit as it was last read, with the ETag of that version. */
  visit?: Appointment
  etag?: string
  /** The id of a time that `$find` offers, and of the one that is held. */
  offered?: string
  held?: string
  document?: string
}

/** The server does something else than it must. */
export class Wrong extends Error {}

/** The server has nothing to try it with: no free slot. */
export class Lacking extends Error {}

/** @throws Wrong */
export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Wrong(otherwise)
}

/** @throws Lacking where an earlier step has left nothing */
export function given<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw new Lacking(`There is ${what} to go on with`)
  return thing
}

/** @throws Wrong */
export function mustHaveStatus({ status, body }: Answer, ...wanted: readonly number[]): void {
  if (wanted.includes(status)) return
  throw new Wrong(`The status is ${status}, not ${wanted.join(' or ')}${saidIn(body)}`)
}

function saidIn(body: unknown): string {
  if (!isResource<OperationOutcome>(body, 'OperationOutcome')) return ''
  const [issue] = body.issue ?? []
  const text = issue?.diagnostics ?? issue?.details?.text
  return text === undefined ? '' : `: ${text.slice(0, 200)}`
}

/** @throws Wrong */
export function resourceIn<R extends FhirResource>({ body }: Answer, type: R['resourceType']): R {
  must(isResource<R>(body, type), `The body is no ${type}`)
  return body
}

/** The resources that a search has found: https://hl7.org/fhir/R4/http.html#search. @throws Wrong */
export function matchesIn<R extends FhirResource>(answer: Answer, type: R['resourceType']): readonly R[] {
  mustHaveStatus(answer, 200)
  const { type: kind, entry = [] } = resourceIn<Bundle>(answer, 'Bundle')
  must(kind === 'searchset', `The Bundle is a ${kind}, not a searchset`)
  const found = entry.flatMap(({ resource, search }) =>
    resource === undefined || (search?.mode ?? 'match') !== 'match' ? [] : [resource],
  )
  const other = found.find(({ resourceType }) => resourceType !== type)
  must(other === undefined, `A match is a ${other?.resourceType}, not a ${type}`)
  return found as readonly FhirResource[] as readonly R[]
}

/** A refusal as R4 has it: an OperationOutcome with an issue. @throws Wrong */
export function mustBeRefused(answer: Answer, ...statuses: readonly number[]): void {
  mustHaveStatus(answer, ...statuses)
  const { issue = [] } = resourceIn<OperationOutcome>(answer, 'OperationOutcome')
  const isSaid = issue.some(({ severity, code }) => ['error', 'fatal'].includes(severity) && code !== undefined)
  must(isSaid, 'The OperationOutcome has no issue with the severity error or fatal')
}

/** A created resource, noted for the end of the probe. @returns its id. @throws Wrong */
export async function create(probe: Probe, resource: FhirResource): Promise<string> {
  const { resourceType: type } = resource
  const answer = await probe.target.ask('POST', type, { body: resource })
  const id = idIn(answer, type)
  if (id !== undefined && answer.status < 300) probe.created.push(`${type}/${id}`)
  mustHaveStatus(answer, 201)
  must(id !== undefined, `Neither the header Location nor the body has the id of the new ${type}`)
  return id
}

function idIn({ headers, body }: Answer, type: string): string | undefined {
  const [, located] =
    new RegExp(`(?:^|/)${type}/([A-Za-z0-9.-]{1,64})(?:/|$)`).exec(headers.get('location') ?? '') ?? []
  return located ?? (isResource<FhirResource>(body, type as FhirResource['resourceType']) ? body.id : undefined)
}

/** The current version. @throws Wrong */
export async function read<R extends FhirResource>({ target }: Probe, type: R['resourceType'], id: string): Promise<R> {
  const answer = await target.get(`${type}/${encodeURIComponent(id)}`)
  mustHaveStatus(answer, 200)
  const resource = resourceIn<R>(answer, type)
  must(resource.id === id, `The ${type} has the id ${resource.id}, not ${id}`)
  return resource
}

/** Milliseconds since 1970 UTC. */
export const timeOf = (text: string | undefined): number => Date.parse(text ?? '')

/** One of the free Slots that were found. @throws Lacking */
export function slot({ slots }: Probe, index: number): Slot & { readonly id: string } {
  const found = slots[index]
  if (found?.id === undefined) throw new Lacking(`There are ${slots.length} free slots, and it needs ${index + 1}`)
  return { ...found, id: found.id }
}

/** A taken slot, by R4, and as servers say it. */
export const TAKEN = [409, 412, 422] as const
