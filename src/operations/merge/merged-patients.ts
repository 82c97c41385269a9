/** Content of the two Patients after a merge: https://hl7.org/fhir/R4/patient.html#merge. */

import type { Address, ContactPoint, Identifier, Patient, PatientLink } from 'fhir/r4'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { fold } from '../../fhir/text-folding.ts'
import { comparablePhone, extensionOf } from '../../matching/phones.ts'
import { isReplaced } from '../../matching/placeholder.ts'
import { isReferenceTo } from './move-references.ts'

type Stored = Patient & { readonly id?: string | undefined }

/** The source, inactive and linked to the Patient that replaces it. */
export const replacedSource = (source: Stored, targetId: string, baseUrl: string): Patient => ({
  ...source,
  active: false,
  link: [...linksToOthers(source, targetId, baseUrl), { other: reference(targetId), type: 'replaced-by' }],
})

/**
 * The target with the link, and with the identifiers, contact points and addresses of the source that it lacks; R5:
 * "the servers should copy all identifiers from the source patient into the target patient, and include the link
 * property".
 * @param region ISO 3166 code of the country for phone numbers without a country code
 */
export const mergedTarget = (
  target: Stored,
  source: Stored,
  sourceId: string,
  { baseUrl, region }: { readonly baseUrl: string; readonly region: string | undefined },
): Patient => ({
  ...target,
  ...unitedElements(target, source, region),
  link: [...linksToOthers(target, sourceId, baseUrl), { other: reference(sourceId), type: 'replaces' }],
})

const reference = (id: string) => ({ reference: `Patient/${id}` })

const linksToOthers = ({ link = [] }: Patient, id: string, baseUrl: string): readonly PatientLink[] =>
  link.filter(({ other }) => !isReferenceTo(other.reference, id, baseUrl))

export const isSameIdentifier = (one: Identifier, other: Identifier): boolean =>
  one.value === other.value && (one.system ?? '') === (other.system ?? '')

interface Expected {
  readonly sourceId: string
  readonly targetId: string
  /** Identifiers with which the request has named the two Patients. */
  readonly identifiers: readonly Identifier[]
  readonly baseUrl: string
}

const RESULT = { expression: 'result-patient' } as const

/**
 * R5: it "must have the same patient.id and provided identifiers included. This resource MUST have the link property
 * included referencing the source patient resource".
 * @throws FhirError 400
 */
export function checkResult(result: Patient, { sourceId, targetId, identifiers, baseUrl }: Expected): void {
  if (result.id !== targetId) {
    throw badRequest(
      `result-patient has ${result.id === undefined ? 'no id' : `the id '${result.id}'`}; it must have that of the target, '${targetId}'`,
      RESULT,
    )
  }
  const links = (result.link ?? []).filter(({ other }) => isReferenceTo(other?.reference, sourceId, baseUrl))
  if (links.length !== 1 || links[0]?.type !== 'replaces') throw wrongLinks(links.length, sourceId)
  if (isReplaced(result)) {
    throw badRequest(
      'result-patient has a link of the type replaced-by; the target must remain, so leave it out',
      RESULT,
    )
  }
  if (result.active === false) {
    throw badRequest(
      'result-patient is inactive; the target must remain, so set active to true or leave it out',
      RESULT,
    )
  }
  const missing = identifiers.find((one) => !result.identifier?.some((other) => isSameIdentifier(one, other)))
  if (missing !== undefined) {
    throw badRequest(
      `result-patient lacks the identifier '${missing.value ?? ''}' by which a patient was named; include it`,
      RESULT,
    )
  }
}

const wrongLinks = (count: number, sourceId: string): FhirError =>
  badRequest(
    `result-patient has ${count === 0 ? 'no link' : `${count} links`} to the source; it must have one, {"other": {"reference": "Patient/${sourceId}"}, "type": "replaces"}`,
    RESULT,
  )

/** Elements without conflicts: a person may have several phones, e-mails, addresses and record numbers. */
type UnitedElements = Pick<Patient, 'identifier' | 'telecom' | 'address'>

/** @param region ISO 3166 code of the country for phone numbers without a country code */
function unitedElements(target: UnitedElements, source: UnitedElements, region: string | undefined): UnitedElements {
  return {
    ...present('identifier', united(target.identifier, source.identifier, identifierKey, asOld)),
    ...present(
      'telecom',
      united(target.telecom, source.telecom, (one) => contactKey(one, region), withoutRank),
    ),
    ...present('address', united(target.address, source.address, addressKey)),
  }
}

const present = <Name extends keyof UnitedElements>(name: Name, list: UnitedElements[Name]) =>
  list === undefined || list.length === 0 ? {} : { [name]: list }

interface Element {
  readonly use?: string | undefined
}

/**
 * The target's list, followed by the elements of the source that it lacks. An element that the target has only as old
 * counts as lacking if it is in use in the source.
 * @param keyOf equal for elements with the same meaning
 * @param copy transforms an element of the source
 */
function united<One extends Element>(
  target: readonly One[] = [],
  source: readonly One[] = [],
  keyOf: (one: One) => string,
  copy: (one: One) => One = (one) => one,
): One[] {
  const keys = new Set(target.map(keyOf))
  const inUse = new Set(target.filter(({ use }) => use !== 'old').map(keyOf))
  const isLacking = (one: One): boolean => !(one.use === 'old' ? keys : inUse).has(keyOf(one))
  return [...target, ...source.map(copy).filter(isLacking)]
}

const asOld = (identifier: Identifier): Identifier => ({ ...identifier, use: 'old' })

/** The target's preferred contact point stays preferred. */
const withoutRank = ({ rank: _rank, ...point }: ContactPoint): ContactPoint => point

const keyFrom = (...parts: readonly string[]): string => JSON.stringify(parts)

/** Elements without a value, perhaps with an extension instead, are compared as a whole. */
const keyOfWhole = (element: object): string => keyFrom(JSON.stringify(element))

const identifierKey = (identifier: Identifier): string =>
  identifier.value === undefined ? keyOfWhole(identifier) : keyFrom(identifier.system ?? '', identifier.value)

const DIALLED: readonly ContactPoint['system'][] = ['phone', 'fax', 'pager', 'sms']

function contactKey(point: ContactPoint, region: string | undefined): string {
  const { system, value } = point
  if (value === undefined) return keyOfWhole(point)
  const number = DIALLED.includes(system) ? comparablePhone(value, region) : ''
  if (number !== '') return keyFrom(system ?? '', number, extensionOf(value))
  return keyFrom(system ?? '', system === 'email' ? value.trim().toLowerCase() : value.trim())
}

/** Words and numbers of its parts, or of its text if it has no lines. */
function addressKey(address: Address): string {
  const { line, text, city, state, postalCode, country } = address
  const parts = line === undefined && text !== undefined ? [text] : [...(line ?? []), city, state, postalCode, country]
  const words = parts.flatMap((part) => fold(part ?? '').match(/[\p{L}\p{N}]+/gu) ?? [])
  return words.length === 0 ? keyOfWhole(address) : words.join(' ')
}
