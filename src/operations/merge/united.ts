/** Contact data and identifiers of two Patients that become one: those of the target, then those that only the source has. */
import { isDeepStrictEqual } from 'node:util'
import type { Address, ContactPoint, Identifier, Patient } from 'fhir/r4'
import { comparablePhone, extensionOf } from '../../matching/phones.ts'
import { fold } from '../../search/plan.ts'

/** Elements that exclude nothing: a person has several phones, e-mails, addresses and record numbers. */
export type UnitedElements = Pick<Patient, 'identifier' | 'telecom' | 'address'>

/** @param region ISO 3166 code, in which a phone number without a country code is read */
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
 * The list of the target, and behind it those of the source that it lacks. One that is in use is not there as an old one.
 * @param keyOf equal for what is the same; undefined where the value is absent, so that nothing but an equal element is
 * @param copy as an element of the source is taken over
 */
function united<One extends Element>(
  target: readonly One[] = [],
  source: readonly One[] = [],
  keyOf: (one: One) => string | undefined,
  copy: (one: One) => One = (one) => one,
): One[] {
  const own = Map.groupBy(target, (one) => keyOf(one))
  const isThere = (one: One): boolean => {
    const key = keyOf(one)
    const alike = own.get(key) ?? []
    return key === undefined
      ? alike.some((other) => isDeepStrictEqual(other, one))
      : alike.some(({ use }) => use !== 'old' || one.use === 'old')
  }
  return [...target, ...source.filter((one) => !isThere(one)).map(copy)]
}

const asOld = (identifier: Identifier): Identifier => ({ ...identifier, use: 'old' })

/** The preferred contact point stays the one of the target. */
const withoutRank = ({ rank: _rank, ...point }: ContactPoint): ContactPoint => point

const keyFrom = (...parts: readonly string[]): string => JSON.stringify(parts)

export const identifierKey = ({ system = '', value }: Identifier): string | undefined =>
  value === undefined ? undefined : keyFrom(system, value)

const DIALLED: readonly ContactPoint['system'][] = ['phone', 'fax', 'pager', 'sms']

function contactKey({ system, value }: ContactPoint, region: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const number = DIALLED.includes(system) ? comparablePhone(value, region) : ''
  if (number !== '') return keyFrom(system ?? '', number, extensionOf(value))
  return keyFrom(system ?? '', system === 'email' ? value.trim().toLowerCase() : value.trim())
}

/** The words and numbers of its parts; of its text, where it has no lines. */
function addressKey({ line, text, city, state, postalCode, country }: Address): string | undefined {
  const parts = line === undefined && text !== undefined ? [text] : [...(line ?? []), city, state, postalCode, country]
  const words = parts.flatMap((part) => fold(part ?? '').match(/[\p{L}\p{N}]+/gu) ?? [])
  return words.length === 0 ? undefined : words.join(' ')
}
