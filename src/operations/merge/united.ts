/** Contact data and identifiers of two merged Patients: those of the target, then those that only the source has. */
import type { Address, ContactPoint, Identifier, Patient } from 'fhir/r4'
import { fold } from '../../fhir/text-folding.ts'
import { comparablePhone, extensionOf } from '../../matching/phones.ts'

/** Elements without conflicts: a person may have several phones, e-mails, addresses and record numbers. */
type UnitedElements = Pick<Patient, 'identifier' | 'telecom' | 'address'>

/** @param region ISO 3166 code of the country for phone numbers without a country code */
export function unitedElements(
  target: UnitedElements,
  source: UnitedElements,
  region: string | undefined,
): UnitedElements {
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
