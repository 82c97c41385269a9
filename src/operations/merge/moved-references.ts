/** Changes references to one Patient into references to another: https://hl7.org/fhir/R4/references.html. */
import { localReference } from '../../fhir/reference.ts'
import { type AnyResource, isObject } from '../../fhir/resource.ts'
import { Meter } from '../../isolation/budget.ts'

/** Ids of Patients. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** Budget steps for searching one object. */
const LOOKED_THROUGH = 0.3

/**
 * The resource with its references to `from`, relative or below `baseUrl`, changed in every element; undefined if it
 * has none. A reference to a specific version stays, as the other Patient has no such version.
 * @throws BudgetError
 */
export function withMovedReferences<R extends AnyResource>(resource: R, move: Move, baseUrl: string): R | undefined {
  const meter = new Meter('the references to the patient')
  let isMoved = false
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (!isObject(value)) return value
    meter.pay(LOOKED_THROUGH)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, movedMember(name, member)]))
  }
  const movedMember = (name: string, member: unknown): unknown => {
    if (name !== 'reference' || typeof member !== 'string') return moved(member)
    if (!isReferenceTo(member, move.from, baseUrl)) return member
    isMoved = true
    return member.slice(0, member.length - move.from.length) + move.to
  }
  const result = moved(resource) as R
  return isMoved ? result : undefined
}

/** Whether it is a literal reference to the Patient, without a version. */
export function isReferenceTo(reference: string | undefined, id: string, baseUrl: string): boolean {
  const local = localReference(reference ?? '', baseUrl)
  return local?.type === 'Patient' && local.id === id && local.version === undefined
}

/** Whether a stored text may contain references to the Patient, and whether it names versions of it. */
export const mentions = (text: string, id: string): boolean => text.includes(`Patient/${id}"`)
export const namesVersion = (text: string, id: string): boolean => text.includes(`Patient/${id}/_history/`)
