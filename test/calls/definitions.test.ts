/** The definitions of the tools: valid R4, and word for word the arguments and results of spec 2.3. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { REGISTRATION_FIELDS } from '../../src/calls/record/patient-fields.ts'
import type { Operation } from '../../src/core/operation.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { checkResource } from '../../src/fhir/validate/validate.ts'

const RESOURCES = join(import.meta.dirname, '../../resources')

const read = (folder: string): readonly AnyResource[] =>
  readdirSync(join(RESOURCES, folder)).map((file) => JSON.parse(readFileSync(join(RESOURCES, folder, file), 'utf8')))

/** By family and tool: arguments, required ones among them, results. */
const SPECIFIED: Readonly<Record<string, readonly [readonly string[], readonly string[], readonly string[]]>> = {
  'patient-journey/resolve_patient_identity': [
    ['statedName', 'statedPhone', 'statedDateOfBirth'],
    [],
    ['success', 'patientType'],
  ],
  'patient-journey/update_registration_field': [
    REGISTRATION_FIELDS,
    [],
    ['success', 'registrationStatus', 'missingFields'],
  ],
  'patient-journey/submit_insurance_info': [
    ['payerName', 'memberId', 'groupId', 'subscriberName'],
    ['payerName', 'memberId'],
    ['success', 'status', 'copayCents', 'errorMessage'],
  ],
  'patient-journey/record_self_pay_decision': [['decision', 'selfPayPriceCents'], ['decision'], ['success']],
  'patient-journey/escalate_billing': [['reason'], [], ['success']],
  'patient-intake/validate_intake_field': [
    ['fieldName', 'value'],
    ['fieldName', 'value'],
    ['valid', 'error'],
  ],
  'patient-intake/submit_intake': [
    ['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address', 'reasonForVisit'],
    ['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address', 'reasonForVisit'],
    ['success', 'error'],
  ],
}

const tools: ReadonlyMap<string, Operation> = new Map(
  Object.entries(toolFamilies).flatMap(([family, byName]) =>
    Object.entries(byName).map(([name, { operation }]) => [`${family}/${name}`, operation] as const),
  ),
)

describe('OperationDefinitions (spec 2.3)', () => {
  test('there is one for each tool of the specification', () => {
    expect([...tools.keys()]).toEqual(expect.arrayContaining(Object.keys(SPECIFIED)))
  })

  test.each(Object.entries(SPECIFIED))(
    '%s has the arguments, required ones and results of the specification',
    (address, [args, required, results]) => {
      const parameters = tools.get(address)?.definition.parameter ?? []
      const input = parameters.filter(({ use }) => use === 'in')
      expect(input.map(({ name }) => name)).toEqual(args)
      expect(input.filter(({ min }) => min === 1).map(({ name }) => name)).toEqual(required)
      expect(parameters.filter(({ use }) => use === 'out').map(({ name }) => name)).toEqual(
        expect.arrayContaining([...results]),
      )
    },
  )

  test.each([...tools])('%s has a code and a sentence to speak among its results', (_address, { definition }) => {
    const output = (definition.parameter ?? []).filter(({ use }) => use === 'out').map(({ name }) => name)
    expect(output).toEqual(expect.arrayContaining(['code', 'say']))
  })

  test.each([...tools])('%s is named after the code of its operation', (address, { code }) => {
    expect(address.split('/')[1]).toBe(code.replaceAll('-', '_'))
  })

  test('of those of the specification only validate_intake_field leaves everything as it is', () => {
    const harmless = Object.keys(SPECIFIED).filter((address) => tools.get(address)?.definition.affectsState !== true)
    expect(harmless).toEqual(['patient-intake/validate_intake_field'])
  })
})

describe('the resources we define are valid R4', () => {
  const all = [
    ...[...tools.values()].map(({ definition }) => definition as AnyResource),
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
