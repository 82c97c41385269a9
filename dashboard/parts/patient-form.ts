/** A Patient as the fields of a form, and back: elements that the form does not show stay as they are. */
import type { ContactPoint, HumanName, Patient } from 'fhir/r4'
import type { PatchStep } from '../api/operations.ts'

export interface PatientFields {
  readonly given: string
  readonly family: string
  readonly birthDate: string
  readonly gender: string
  readonly phone: string
  readonly email: string
  readonly line: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
}

export function fieldsOf(patient: Patient): PatientFields {
  const { birthDate = '', gender = '', telecom, address } = patient
  const name = mainName(patient)
  const { line = [], city = '', state = '', postalCode = '' } = address?.[0] ?? {}
  return {
    given: (name?.given ?? []).join(' '),
    family: name?.family ?? '',
    birthDate,
    gender,
    phone: current(telecom, 'phone')?.value ?? '',
    email: current(telecom, 'email')?.value ?? '',
    line: line.join(', '),
    city,
    state,
    postalCode,
  }
}

/** The changes made in the form, as https://www.rfc-editor.org/rfc/rfc6902: nothing else in the resource is touched. */
export function patchFor(patient: Patient, fields: PatientFields): readonly PatchStep[] {
  const next = withFields(patient, fields)
  return ELEMENT_NAMES.flatMap((name): readonly PatchStep[] => {
    const [before, after] = [patient[name], next[name]]
    if (before === after) return []
    const path = `/${name}`
    return [after === undefined ? { op: 'remove', path } : { op: 'add', path, value: after }]
  })
}

const ELEMENT_NAMES = ['name', 'birthDate', 'gender', 'telecom', 'address'] as const

/** The resource with what the form says. */
export function withFields(patient: Patient, fields: PatientFields): Patient {
  const before = fieldsOf(patient)
  const changed = (...names: readonly (keyof PatientFields)[]) => names.some((name) => fields[name] !== before[name])
  let next: Patient = patient
  if (changed('given', 'family')) next = { ...next, name: renamed(patient, fields) }
  if (changed('birthDate')) next = put(next, 'birthDate', fields.birthDate)
  if (changed('gender')) next = put(next, 'gender', fields.gender)
  if (changed('phone')) next = { ...next, telecom: recontacted(next.telecom, 'phone', fields.phone) }
  if (changed('email')) next = { ...next, telecom: recontacted(next.telecom, 'email', fields.email) }
  if (changed('line', 'city', 'state', 'postalCode')) next = { ...next, address: readdressed(patient, fields) }
  return withoutEmpty(next)
}

/** The element of R4 that a field is about, for findings of the server. */
export const fieldOf = (expression: string): keyof PatientFields | undefined =>
  Object.entries(ELEMENTS).find(([element]) => expression.startsWith(element))?.[1]

/** The element of a contact point, as `fieldOf` finds its field. */
export const elementOf = (system: 'phone' | 'email'): string => `Patient.telecom.where(system = '${system}')`

const ELEMENTS: Readonly<Record<string, keyof PatientFields>> = {
  [elementOf('email')]: 'email',
  'Patient.name': 'family',
  'Patient.birthDate': 'birthDate',
  'Patient.gender': 'gender',
  'Patient.telecom': 'phone',
  'Patient.address': 'line',
}

const mainName = ({ name = [] }: Patient): HumanName | undefined =>
  name.find(({ use }) => use === 'official') ?? name.find(({ use }) => use !== 'old') ?? name[0]

const current = (telecom: readonly ContactPoint[] | undefined, system: ContactPoint['system']) =>
  telecom?.find((one) => one.system === system && one.use !== 'old')

function renamed(patient: Patient, { given, family }: PatientFields): HumanName[] {
  const before = mainName(patient)
  const parts = given.split(/\s+/).filter(Boolean)
  const { text: _, given: _given, family: _family, ...rest } = before ?? { use: 'official' }
  const next: HumanName = {
    ...rest,
    ...(family === '' ? {} : { family }),
    ...(parts.length === 0 ? {} : { given: parts }),
  }
  const all = patient.name ?? []
  return before === undefined ? [next, ...all] : all.map((one) => (one === before ? next : one))
}

function recontacted(
  telecom: ContactPoint[] | undefined,
  system: ContactPoint['system'],
  typed: string,
): ContactPoint[] {
  const value = typed.trim()
  const all = telecom ?? []
  const before = current(all, system)
  if (before === undefined) return value === '' ? all : [...all, { system, value }]
  if (value === '') return all.filter((one) => one !== before)
  return all.map((one) => (one === before ? { ...one, value } : one))
}

function readdressed({ address = [] }: Patient, { line, city, state, postalCode }: PatientFields) {
  const { text: _, line: _line, city: _city, state: _state, postalCode: _code, ...rest } = address[0] ?? {}
  const lines = line.split(/\s*,\s*/).filter(Boolean)
  const next = { ...rest, ...(lines.length === 0 ? {} : { line: lines }), ...given({ city, state, postalCode }) }
  return [...(Object.keys(next).length === 0 ? [] : [next]), ...address.slice(1)]
}

const given = (values: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

const put = (patient: Patient, name: 'birthDate' | 'gender', value: string): Patient => ({
  ...patient,
  [name]: value === '' ? undefined : value,
})

/** R4 has neither empty lists nor elements without a value. */
const withoutEmpty = (patient: Patient): Patient =>
  Object.fromEntries(
    Object.entries(patient).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as Patient
