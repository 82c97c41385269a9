/** The definitions of the tools: valid R4, and word for word the arguments and results of spec 2.3. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { callOperations } from '../../src/calls/operations.ts'
import { REGISTRATION_FIELDS } from '../../src/calls/record/registration.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { checkResource } from '../../src/fhir/validate.ts'

const RESOURCES = join(import.meta.dirname, '../../resources')

const read = (folder: string): readonly AnyResource[] =>
  readdirSync(join(RESOURCES, folder)).map((file) => JSON.parse(readFileSync(join(RESOURCES, folder, file), 'utf8')))

const TOOLS = [
  ['resolve-patient-identity', ['statedName', 'statedPhone', 'statedDateOfBirth'], [], ['success', 'patientType']],
  ['update-registration-field', [...REGISTRATION_FIELDS], [], ['success', 'registrationStatus', 'missingFields']],
  [
    'submit-insurance-info',
    ['payerName', 'memberId', 'groupId', 'subscriberName'],
    ['payerName', 'memberId'],
    ['success', 'status', 'copayCents', 'errorMessage'],
  ],
  ['record-self-pay-decision', ['decision', 'selfPayPriceCents'], ['decision'], ['success']],
  ['escalate-billing', ['reason'], [], ['success']],
  ['validate-intake-field', ['fieldName', 'value'], ['fieldName', 'value'], ['valid', 'error']],
  [
    'submit-intake',
    ['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address', 'reasonForVisit'],
    ['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address', 'reasonForVisit'],
    ['success', 'error'],
  ],
] as const

describe('OperationDefinitions (spec 2.3)', () => {
  test('there is one for each of the seven tools', () => {
    expect(callOperations.map(({ code }) => code)).toEqual(TOOLS.map(([code]) => code))
  })

  test.each(TOOLS)(
    '%s has the arguments, required ones and results of the specification',
    (code, args, required, results) => {
      const definition = callOperations.find((operation) => operation.code === code)?.definition
      const parameters = definition?.parameter ?? []
      const input = parameters.filter(({ use }) => use === 'in')
      expect(input.map(({ name }) => name)).toEqual(args)
      expect(input.filter(({ min }) => min === 1).map(({ name }) => name)).toEqual(required)
      expect(parameters.filter(({ use }) => use === 'out').map(({ name }) => name)).toEqual(
        expect.arrayContaining([...results, 'code', 'say']),
      )
    },
  )

  test('only validate-intake-field leaves everything as it is', () => {
    const harmless = callOperations.filter(({ definition }) => definition.affectsState !== true)
    expect(harmless.map(({ code }) => code)).toEqual(['validate-intake-field'])
  })
})

describe('the resources we define are valid R4', () => {
  const all = [
    ...callOperations.map(({ definition }) => definition as AnyResource),
    ...read('structure-definitions'),
    ...read('code-systems'),
  ]
  test.each(all.map((resource) => [`${resource.resourceType}/${resource.id}`, resource] as const))(
    '%s',
    (_name, resource) => {
      expect(() => checkResource(resource, resource.resourceType)).not.toThrow()
    },
  )
})
