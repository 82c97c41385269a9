/** Between the argument names of the tools and the elements of a Patient. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { patientFields } from '../../../src/calls/record/patient-fields.ts'

const EMPTY: Patient = { resourceType: 'Patient' }

const KNOWN: Patient = {
  resourceType: 'Patient',
  id: 'known',
  identifier: [{ system: 'urn:mrn', value: '1' }],
  name: [
    { use: 'maiden', family: 'Miller', given: ['Jane'] },
    { use: 'official', text: 'Jane Mary Doe', prefix: ['Dr'], family: 'Doe', given: ['Jane', 'Mary'] },
  ],
  telecom: [
    { system: 'phone', value: '+15550100001', use: 'old' },
    { system: 'phone', value: '+15550100002', use: 'home', rank: 2 },
    { system: 'phone', value: '+15550100003', use: 'mobile', rank: 1 },
    { system: 'email', value: 'jane@example.com' },
  ],
  address: [
    { use: 'billing', text: 'PO Box 1' },
    { use: 'home', line: ['1 Main St'], city: 'Springfield', postalCode: '12345' },
  ],
  extension: [{ url: 'urn:other', valueString: 'kept' }],
}

describe('on an empty Patient', () => {
  test.each([
    ['firstName', 'Jane', { name: [{ given: ['Jane'] }] }],
    ['lastName', 'Doe', { name: [{ family: 'Doe' }] }],
    ['dateOfBirth', '1980-03-03', { birthDate: '1980-03-03' }],
    ['phone', '+15550100123', { telecom: [{ system: 'phone', value: '+15550100123' }] }],
    ['email', 'jane@example.com', { telecom: [{ system: 'email', value: 'jane@example.com' }] }],
    ['address', '1 Main St, Springfield', { address: [{ use: 'home', text: '1 Main St, Springfield' }] }],
  ] as const)('%s is stored in its FHIR element and read back', (field, value, elements) => {
    const patient = patientFields[field].set(EMPTY, value)
    expect(patient).toEqual({ resourceType: 'Patient', ...elements })
    expect(patientFields[field].get(patient)).toBe(value)
    expect(patientFields[field].get(EMPTY)).toBeUndefined()
  })

  test.each([
    ['preferredLocation', 'preferred-location'],
    ['medicareStatus', 'medicare-status'],
    ['healthPlanName', 'health-plan-name'],
    ['referralSource', 'referral-source'],
    ['reasonForVisit', 'reason-for-visit'],
  ] as const)('%s is stored in the extension %s and read back', (field, extension) => {
    const patient = patientFields[field].set(EMPTY, 'said')
    const url = `https://sandbox-emr.example/fhir/StructureDefinition/${extension}`
    expect(patient.extension).toEqual([{ url, valueString: 'said' }])
    expect(patientFields[field].get(patient)).toBe('said')
  })

  test('a refused consent is a value and not an absence', () => {
    const patient = patientFields.commsConsent.set(EMPTY, false)
    expect(patientFields.commsConsent.get(patient)).toBe(false)
  })
})

describe('on a Patient who is known', () => {
  test('the first name changes in the official name, and its stale text goes', () => {
    expect(patientFields.firstName.set(KNOWN, 'Janet').name).toEqual([
      KNOWN.name?.[0],
      { use: 'official', prefix: ['Dr'], family: 'Doe', given: ['Janet', 'Mary'] },
    ])
  })

  test('an old or maiden name is never the current one', () => {
    const patient: Patient = { resourceType: 'Patient', name: [{ use: 'maiden', family: 'Miller' }] }
    expect(patientFields.lastName.get(patient)).toBeUndefined()
    expect(patientFields.lastName.set(patient, 'Doe').name).toEqual([
      { use: 'maiden', family: 'Miller' },
      { family: 'Doe' },
    ])
  })

  test('the phone with the best rank is the one that is read and replaced; the others stay', () => {
    expect(patientFields.phone.get(KNOWN)).toBe('+15550100003')
    const { telecom } = patientFields.phone.set(KNOWN, '+15550100009')
    expect(telecom?.map(({ value }) => value)).toEqual([
      '+15550100001',
      '+15550100002',
      '+15550100009',
      'jane@example.com',
    ])
    expect(telecom?.[2]).toEqual({ system: 'phone', value: '+15550100009', use: 'mobile', rank: 1 })
  })

  test('a phone that was given up is neither read nor replaced, nor does it count as on file', () => {
    const old = { system: 'phone', value: '+15550100001', use: 'old' } as const
    const patient: Patient = { resourceType: 'Patient', telecom: [old] }
    expect(patientFields.phone.get(patient)).toBeUndefined()
    for (const value of ['+15550100009', '+15550100001']) {
      expect(patientFields.phone.set(patient, value).telecom).toEqual([old, { system: 'phone', value }])
    }
  })

  test('a number that is on file already as a second one changes nothing', () => {
    expect(patientFields.phone.set(KNOWN, '+15550100002')).toBe(KNOWN)
  })

  test('a new address replaces the parts of the home address and leaves the billing address', () => {
    expect(patientFields.address.get(KNOWN)).toBe('1 Main St, Springfield, 12345')
    expect(patientFields.address.set(KNOWN, '2 Side St').address).toEqual([
      { use: 'billing', text: 'PO Box 1' },
      { use: 'home', text: '2 Side St' },
    ])
  })

  test.each(['billing', 'old'] as const)('an address for %s is never that of the Patient', (use) => {
    const other = { use, text: 'PO Box 1' }
    const patient: Patient = { resourceType: 'Patient', address: [other] }
    expect(patientFields.address.get(patient)).toBeUndefined()
    expect(patientFields.address.set(patient, '2 Side St').address).toEqual([other, { use: 'home', text: '2 Side St' }])
  })

  test('setting a value that is there already gives the same Patient back', () => {
    const same = patientFields.firstName.set(KNOWN, 'Jane')
    expect(patientFields.email.set(patientFields.lastName.set(same, 'Doe'), 'jane@example.com')).toBe(KNOWN)
  })

  test('everything else of the Patient is kept', () => {
    const changed = patientFields.referralSource.set(patientFields.dateOfBirth.set(KNOWN, '1980-03-03'), 'a friend')
    expect(changed).toMatchObject({ ...KNOWN, extension: [{ url: 'urn:other', valueString: 'kept' }, {}] })
  })

  test('an extension is replaced in its place and never doubled', () => {
    const once = patientFields.referralSource.set(KNOWN, 'a friend')
    expect(patientFields.referralSource.set(once, 'an advert').extension).toHaveLength(2)
  })
})
