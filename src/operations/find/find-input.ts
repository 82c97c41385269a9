/** Reads and checks the parameters of $find. */
import type { Identifier, Patient, Reference, Timing } from 'fhir/r4'
import type { OperationInput } from '../../core/operation.ts'
import { badRequest, FhirError, type Issue } from '../../fhir/outcome.ts'
import { localReference, restfulUrl } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { validate } from '../../fhir/validate/validate.ts'
import { type PreferredTimes, preferredTimes } from '../../scheduling/preferred-times.ts'
import { endOf, spanOfDate, type ZoneClock } from '../../scheduling/zone-clock.ts'

/** A resource named by a parameter: by a local reference, by an identifier, or elsewhere. */
export interface Named {
  readonly param: string
  readonly type: string
  /** `Type/id` on this server. */
  readonly address?: string
  readonly identifier?: Identifier
  /** The client's text, for messages. */
  readonly text: string
}

/** Times are milliseconds since 1970 UTC. */
export interface FindInput {
  /** Limits for the start and the end of visits. */
  readonly from: number
  readonly until: number
  readonly times: Omit<PreferredTimes, 'bounds' | 'notes'>
  readonly practitioners: readonly Named[]
  readonly organizations: readonly Named[]
  readonly locations: readonly Named[]
  readonly locationTexts: readonly string[]
  readonly patients: readonly Named[]
  readonly patientResources: readonly Patient[]
  readonly specialties: readonly string[]
  readonly visitTypes: readonly string[]
  readonly reasons: readonly string[]
  readonly referral?: Identifier
  readonly insurances: readonly Reference[]
  /** Information about parameters without effect. */
  readonly notes: readonly Issue[]
}

const DATA_TYPES: Readonly<Record<string, 'Reference' | 'Identifier' | 'Timing'>> = {
  practitioner: 'Reference',
  organization: 'Reference',
  'location-reference': 'Reference',
  'patient-reference': 'Reference',
  'insurance-reference': 'Reference',
  'referral-identifier': 'Identifier',
  timing: 'Timing',
}

/**
 * @param clock clock of the clinic's zone, in which dates and times of day are read
 * @throws FhirError 400 or 422 naming each invalid parameter
 */
export function readFindInput(input: OperationInput, clock: ZoneClock, baseUrl: string): FindInput {
  checkDataTypes(input)
  const { from, until } = periodOf(input, clock)
  const timing = input['timing'] as Timing | undefined
  const { bounds, notes, ...times }: PreferredTimes =
    timing === undefined ? { bounds: { start: from, end: until }, notes: [] } : preferredTimes(timing, clock, from)
  const named = (param: string, types: readonly string[]) =>
    listOf<Reference>(input[param]).map((reference, index) => namedBy(reference, { param, index, types, baseUrl }))
  const referral = input['referral-identifier'] as Identifier | undefined
  return {
    from: Math.max(from, bounds.start),
    until: Math.min(until, bounds.end),
    times,
    practitioners: named('practitioner', ['Practitioner', 'PractitionerRole']),
    organizations: named('organization', ['Organization']),
    locations: named('location-reference', ['Location']),
    locationTexts: listOf(input['location-string']),
    patients: named('patient-reference', ['Patient']),
    patientResources: listOf(input['patient-resource']),
    specialties: listOf(input['specialty']),
    visitTypes: listOf(input['visit-type']),
    reasons: listOf(input['reason']),
    ...(referral === undefined ? {} : { referral }),
    insurances: listOf(input['insurance-reference']),
    notes,
  }
}

const listOf = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : [])

/** Validates complex values by their data types, as a Timing can be wrong in many ways. @throws FhirError 400 */
function checkDataTypes(input: OperationInput): void {
  const values = Object.entries(DATA_TYPES).flatMap(([name, type]) =>
    [input[name] ?? []].flat().map((value: unknown) => ({ name, [`value${type}`]: value })),
  )
  const complex = values.filter((value) => !isPlainReference(value['valueReference']))
  if (complex.length === 0) return
  const issues = validate({ resourceType: 'Parameters', parameter: complex })
  if (issues.length === 0) return
  const named = (text: string): string =>
    text.replace(/Parameters\.parameter\[(\d+)\]\.value/g, (_all, index) => complex[Number(index)]?.name ?? '')
  throw new FhirError(
    400,
    issues.map(
      (issue): Issue => ({
        ...issue,
        diagnostics: named(issue.diagnostics),
        ...(issue.expression === undefined ? {} : { expression: [issue.expression].flat().map(named) }),
      }),
    ),
  )
}

const isPlainReference = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).length === 1 && typeof value['reference'] === 'string'

/** @throws FhirError 400 */
function periodOf(input: OperationInput, clock: ZoneClock): { readonly from: number; readonly until: number } {
  const [start, end] = [String(input['start']), String(input['end'])]
  const from = spanOfDate(start, clock)?.start ?? Number.NaN
  const until = endOf(end, clock) ?? Number.NaN
  const isReversed = end.includes('T') ? until < from : until <= from
  if (!isReversed) return { from, until }
  throw badRequest(`end is ${end}, before start, ${start}; it must not end before it starts`, {
    expression: 'end',
    reason: 'end-before-start',
  })
}

interface Place {
  readonly param: string
  readonly index: number
  readonly types: readonly string[]
  readonly baseUrl: string
}

/** @throws FhirError 400 for a reference that names nothing, or a resource of another type */
function namedBy({ reference, identifier }: Reference, { param, index, types, baseUrl }: Place): Named {
  const [type = ''] = types
  if (reference === undefined && identifier?.value !== undefined)
    return { param, type, identifier, text: [identifier.system, identifier.value].filter(Boolean).join('|') }
  const local = localReference(reference ?? '', baseUrl)
  const elsewhere = local === undefined ? restfulUrl(reference ?? '') : undefined
  const found = local?.type ?? elsewhere?.type ?? ''
  if (types.includes(found)) {
    const address = local && `${local.type}/${local.id}`
    return { param, type: found, text: reference ?? '', ...(address === undefined ? {} : { address }) }
  }
  const given = reference === undefined ? 'has neither a reference nor an identifier' : `is '${reference}'`
  throw badRequest(`${param}[${index}] ${given}; refer to one as ${type}/<id>, or by its identifier`, {
    expression: `${param}[${index}]`,
    reason: 'invalid-parameter',
  })
}
