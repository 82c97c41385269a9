/** The changes that a call may make to an existing record. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { type AmendedField, amended } from '../../../src/calls/record/amended-patient.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const END = { use: 'old', period: { end: '2026-11-23T12:00:00.000Z' } }

const RUTH: Patient = {
  resourceType: 'Patient',
  name: [{ use: 'official', text: 'Ruth Abernathy', family: 'Abernathy', given: ['Ruth'] }],
  birthDate: '1941-02-17',
  telecom: [
    { system: 'phone', value: '(518) 555-0111', use: 'home', rank: 1 },
    { system: 'phone', value: '+15185550199', use: 'work' },
    { system: 'email', value: 'Ruth@example.com' },
  ],
  address: [{ use: 'home', line: ['88 Clinton Avenue'], city: 'Albany' }],
}

const amend = (patient: Patient, stated: Partial<Record<AmendedField, string>>) =>
  amended(patient, stated, { now: NOW, region: 'US' })

describe('what is on file already changes nothing, and is no difference', () => {
  test.each<[string, Partial<Record<AmendedField, string>>]>([
    ['the name', { firstName: 'ruth', lastName: 'ABERNATHY' }],
    ['the birth date', { dateOfBirth: '1941-02-17' }],
    ['the phone in another form', { phone: '+15185550111' }],
    ['the second phone', { phone: '+15185550199' }],
    ['the e-mail address in another case', { email: 'ruth@example.com' }],
    ['the address in one line', { address: '88 Clinton Avenue, Albany' }],
  ])('%s', (_what, stated) => {
    const { patient, differences } = amend(RUTH, stated)
    expect(patient).toBe(RUTH)
    expect(differences).toEqual([])
  })

  test('a first name without the middle names that follow it', () => {
    const paolo: Patient = { resourceType: 'Patient', name: [{ given: ['Paolo', 'Luca'], family: 'Bianchi' }] }
    expect(amend(paolo, { firstName: 'Paolo' })).toEqual({ patient: paolo, differences: [] })
  })
})

describe('a name is completed', () => {
  const of = (given: readonly string[] | undefined, family: string | undefined): Patient => ({
    resourceType: 'Patient',
    name: [{ ...(given === undefined ? {} : { given: [...given] }), ...(family === undefined ? {} : { family }) }],
  })
  test.each<[string, Patient, Partial<Record<AmendedField, string>>, object]>([
    ['by a middle name', of(['Ruth'], 'Doe'), { firstName: 'Ruth Ann' }, { given: ['Ruth', 'Ann'], family: 'Doe' }],
    [
      'by an accent',
      of(['Jose'], 'Munoz'),
      { firstName: 'José', lastName: 'Muñoz' },
      { given: ['José'], family: 'Muñoz' },
    ],
    [
      'by an accent and a middle name',
      of(['Jose'], 'Doe'),
      { firstName: 'José Luis' },
      { given: ['José', 'Luis'], family: 'Doe' },
    ],
    ['by a first name', of(undefined, 'Doe'), { firstName: 'Ruth' }, { given: ['Ruth'], family: 'Doe' }],
    ['by a last name', of(['Ruth'], undefined), { lastName: 'Doe' }, { given: ['Ruth'], family: 'Doe' }],
  ])('%s', (_what, patient, stated, name) => {
    expect(amend(patient, stated).patient.name).toEqual([name])
  })

  test.each([
    ['a nickname', 'Ruthie', 'Abernathy'],
    ['a misspelling', 'Rute', 'Abernathie'],
    ['another name', 'Harold', 'Smith'],
  ])('and never replaced, by %s', (_what, firstName, lastName) => {
    expect(amend(RUTH, { firstName, lastName }).patient).toBe(RUTH)
  })

  test('a name that is a text only stays as it is', () => {
    const patient: Patient = { resourceType: 'Patient', name: [{ text: 'Ruth Abernathy' }] }
    expect(amend(patient, { firstName: 'Ruth', lastName: 'Abernathy' }).patient).toBe(patient)
  })

  test('what was stated otherwise is a difference for staff', () => {
    expect(amend(RUTH, { firstName: 'Ruthie' }).differences).toEqual([
      { field: 'firstName', recorded: 'Ruth', stated: 'Ruthie' },
    ])
  })
})

describe('a birth date is completed, and never replaced', () => {
  test.each([
    [undefined, '1941-02-17'],
    ['1941', '1941-02-17'],
    ['1941-02', '1941-02-17'],
    ['1941-02-18', '1941-02-18'],
    ['1942', '1942'],
  ])('%s becomes %s', (birthDate, expected) => {
    const patient: Patient = { resourceType: 'Patient', ...(birthDate === undefined ? {} : { birthDate }) }
    expect(amend(patient, { dateOfBirth: '1941-02-17' }).patient.birthDate).toBe(expected)
  })
})

describe('phone, e-mail and address are added, and what they replace is kept as old', () => {
  test('the phone that was used first, with its use and rank', () => {
    const { patient, differences } = amend(RUTH, { phone: '+12125550123' })
    expect(patient.telecom).toEqual([
      { system: 'phone', value: '+12125550123', use: 'home', rank: 1 },
      { system: 'phone', value: '+15185550199', use: 'work' },
      { system: 'email', value: 'Ruth@example.com' },
      { system: 'phone', value: '(518) 555-0111', ...END },
    ])
    expect(differences).toEqual([{ field: 'phone', recorded: '(518) 555-0111', stated: '+12125550123' }])
  })

  test('the e-mail address', () => {
    const { patient } = amend(RUTH, { email: 'new@example.com' })
    expect(patient.telecom?.slice(2)).toEqual([
      { system: 'email', value: 'new@example.com' },
      { system: 'email', value: 'Ruth@example.com', ...END },
    ])
  })

  test('the address', () => {
    expect(amend(RUTH, { address: '1 Main Street' }).patient.address).toEqual([
      { use: 'home', text: '1 Main Street' },
      { line: ['88 Clinton Avenue'], city: 'Albany', ...END },
    ])
  })

  test('the start of the period is kept', () => {
    const telecom: Patient['telecom'] = [{ system: 'email', value: 'a@example.com', period: { start: '2020' } }]
    const { patient } = amend({ ...RUTH, telecom }, { email: 'b@example.com' })
    expect(patient.telecom?.[1]?.period).toEqual({ start: '2020', end: END.period.end })
  })

  test('where there is none, nothing is old', () => {
    const { patient } = amend({ resourceType: 'Patient' }, { phone: '+12125550123', address: '1 Main Street' })
    expect(patient).toEqual({
      resourceType: 'Patient',
      telecom: [{ system: 'phone', value: '+12125550123' }],
      address: [{ use: 'home', text: '1 Main Street' }],
    })
  })
})
