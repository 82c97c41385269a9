/** When registration is complete: spec 2.4 and 3. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import {
  activateWhenComplete,
  missingFields,
  patientFields,
  REGISTRATION_FIELDS,
  type RegistrationField,
  registrationStatus,
} from '../../../src/calls/record/patient-fields.ts'
import { isPlaceholder, PLACEHOLDER_TAG } from '../../../src/matching/placeholder.ts'

const PLACEHOLDER: Patient = {
  resourceType: 'Patient',
  active: false,
  meta: { source: 'urn:call', tag: [PLACEHOLDER_TAG, { system: 'urn:other', code: 'kept' }] },
}

const set = (patient: Patient, field: RegistrationField): Patient =>
  field === 'commsConsent' ? patientFields.commsConsent.set(patient, false) : patientFields[field].set(patient, 'x')

const COMPLETE = REGISTRATION_FIELDS.reduce(set, PLACEHOLDER)

describe('missing fields', () => {
  test('the fields are those of update_registration_field in the order of spec 2.3', () => {
    expect(missingFields({ resourceType: 'Patient' })).toEqual([
      'firstName',
      'lastName',
      'phone',
      'email',
      'preferredLocation',
      'medicareStatus',
      'healthPlanName',
      'referralSource',
      'commsConsent',
    ])
  })

  test.each(REGISTRATION_FIELDS)('without %s alone registration is ACTION_REQUIRED and names it', (field) => {
    const others = REGISTRATION_FIELDS.filter((other) => other !== field).reduce(set, PLACEHOLDER)
    expect(missingFields(others)).toEqual([field])
    expect(registrationStatus(others)).toBe('ACTION_REQUIRED')
    expect(activateWhenComplete(others)).toBe(others)
  })

  test('with every field, a refused consent included, registration is COMPLETE', () => {
    expect(missingFields(COMPLETE)).toEqual([])
    expect(registrationStatus(COMPLETE)).toBe('COMPLETE')
  })
})

describe('a placeholder whose registration is complete', () => {
  test('becomes active and loses the placeholder tag, and nothing else', () => {
    const settled = activateWhenComplete(COMPLETE)
    expect(isPlaceholder(settled)).toBe(false)
    expect(settled).toEqual({
      ...COMPLETE,
      active: true,
      meta: { source: 'urn:call', tag: [{ system: 'urn:other', code: 'kept' }] },
    })
  })

  test('has no empty tag list left', () => {
    expect(activateWhenComplete({ ...COMPLETE, meta: { tag: [PLACEHOLDER_TAG] } }).meta).toEqual({})
  })

  test('a real record that staff have made inactive is not made active', () => {
    const inactive = { ...COMPLETE, meta: {} }
    expect(activateWhenComplete(inactive)).toBe(inactive)
  })
})
