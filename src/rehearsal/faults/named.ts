/** Faults as clients name them: `slot-gone`, or with parameters `throttled; retry-after=3; form=date`. */
import { closestName } from '../../fhir/closest-name.ts'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { CATALOGUE, type Fault, type Parameter } from './catalogue.ts'

/** The values of all parameters of a fault, defaults included. */
export type Values = Readonly<Record<string, string | number>>

export interface NamedFault {
  readonly fault: Fault
  readonly with: Values
}

/** The request header that names faults, and the response header that says which have occurred. */
export const HEADER = 'X-Sandbox-Fault'

const MOST_IN_HEADER = 10

/** Characters of a name that are shown. */
const MOST_SHOWN = 60

/**
 * The faults in the header, separated by commas.
 * @throws FhirError 400
 */
export function faultsInHeader(header: string): readonly NamedFault[] {
  const texts = header.split(',').filter((text) => text.trim() !== '')
  if (texts.length > MOST_IN_HEADER)
    throw badRequest(`${HEADER} names ${texts.length} faults; it may name ${MOST_IN_HEADER}`)
  return texts.map(faultIn)
}

function faultIn(text: string): NamedFault {
  const [name = '', ...pairs] = text.split(';').map((part) => part.trim())
  const given = pairs.filter((pair) => pair !== '').map((pair) => pair.split('='))
  return namedFault(
    name,
    Object.fromEntries(given.map(([key = '', value = '']) => [key.trim(), numberOr(value.trim())])),
  )
}

const numberOr = (text: string): string | number => (/^\d{1,9}$/.test(text) ? Number(text) : text)

/**
 * @param given values of its parameters; absent ones get their default
 * @throws FhirError 400 for an unknown name, parameter or value
 */
export function namedFault(name: unknown, given: unknown = {}): NamedFault {
  const fault = typeof name === 'string' ? CATALOGUE.get(name) : undefined
  if (fault === undefined) throw unknownFault(name)
  if (!isObject(given)) throw badRequest(`'with' must be an object with the parameters of the fault '${fault.name}'`)
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(fault.parameters, key))
  if (unknown !== undefined) throw unknownParameter(fault, unknown)
  const values = Object.entries(fault.parameters).map(([key, parameter]) => [
    key,
    checkedValue(`${fault.name}; ${key}`, parameter, given[key] ?? parameter.default),
  ])
  return { fault, with: Object.fromEntries(values) }
}

/** @throws FhirError 400 */
function checkedValue(what: string, parameter: Parameter, value: unknown): string | number {
  if (parameter.type === 'code') {
    const code = typeof value === 'number' ? String(value) : value
    if (typeof code === 'string' && parameter.values.includes(code)) return code
    throw badRequest(`${what} must be one of ${parameter.values.join(', ')}`)
  }
  const { least, most } = parameter
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw badRequest(`${what} must be a whole number from ${least} to ${most}`)
}

function unknownFault(name: unknown): FhirError {
  const names = [...CATALOGUE.keys()]
  const shown = typeof name === 'string' ? name.slice(0, MOST_SHOWN) : ''
  const closest = closestName(shown, names)
  const hint = closest === undefined ? `the faults are ${names.join(', ')}` : `the nearest is ${closest}`
  return badRequest(`There is no fault '${shown}'; ${hint}. GET /faults describes them all`, {
    reason: 'unknown-fault',
  })
}

function unknownParameter({ name, parameters }: Fault, given: string): FhirError {
  const names = Object.keys(parameters)
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  return badRequest(`The fault '${name}' has no parameter '${given.slice(0, MOST_SHOWN)}'; ${known}`, {
    reason: 'unknown-parameter',
  })
}
