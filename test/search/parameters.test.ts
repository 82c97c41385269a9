/** https://hl7.org/fhir/R4/searchparameter-registry.html */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { searchParameters } from '../../scripts/definitions/search-parameters.ts'
import { definitionsText } from '../../scripts/definitions/text.ts'
import { resourceTypes } from '../../src/fhir/definitions.ts'
import { compileFhirPath } from '../../src/fhir/fhirpath/fhirpath.ts'
import { SERVED_TYPES, searchParametersIn, searchParametersOf } from '../../src/search/parameters.ts'

const parameter = (type: string, code: string) => searchParametersOf(type).get(code)

test('resources/r4/search-parameters.json is what `npm run definitions` makes of the published definitions', () => {
  const file = join(import.meta.dirname, '..', '..', 'resources', 'r4', 'search-parameters.json')
  expect(readFileSync(file, 'utf8')).toBe(definitionsText(searchParameters()))
})

describe('every resource type', () => {
  test.each(['_id', '_lastUpdated', '_tag', '_profile', '_security', '_source'])('has %s', (code) => {
    expect(resourceTypes.filter((type) => parameter(type, code) === undefined)).toEqual([])
  })

  test('has only parameters of the types that are served, and their expressions compile', () => {
    for (const type of resourceTypes) {
      for (const { type: kind, expression } of searchParametersOf(type).values()) {
        expect(SERVED_TYPES).toContain(kind)
        expect(() => compileFhirPath(expression)).not.toThrow()
      }
    }
  })
})

test('a type that R4 does not have has no parameters', () => {
  expect(searchParametersOf('Patent').size).toBe(0)
})

describe('a parameter', () => {
  test('that many types share has the expression of the one type', () => {
    expect(parameter('Patient', 'birthdate')?.expression).toBe('Patient.birthDate')
    expect(parameter('Person', 'birthdate')?.expression).toBe('Person.birthDate')
  })

  test('refers to what its element may refer to, not to what the same parameter of other types does', () => {
    expect(parameter('Condition', 'patient')?.target).toEqual(['Patient'])
    expect(parameter('Appointment', 'patient')?.target).toEqual(['Patient'])
    expect(parameter('Slot', 'schedule')?.target).toEqual(['Schedule'])
    expect(parameter('Provenance', 'target')?.target).toEqual(['*'])
  })

  test.each([
    ['Slot', 'start', 'instant', true],
    ['Appointment', 'date', 'instant', true],
    ['Patient', 'birthdate', 'date', true],
    ['Patient', 'death-date', 'date', true],
    ['Encounter', 'date', undefined, true],
    ['Observation', 'date', undefined, true],
    ['Goal', 'target-date', 'date', undefined],
    ['CarePlan', 'activity-date', undefined, undefined],
    ['Practitioner', '_lastUpdated', 'instant', true],
  ])('%s.%s has ranges of span %s, single: %p', (type, code, span, single) => {
    expect(parameter(type, code)).toMatchObject({ type: 'date' })
    expect(parameter(type, code)?.span).toBe(span)
    expect(parameter(type, code)?.single).toBe(single)
  })

  test('knows the code system of its code element', () => {
    expect(parameter('Appointment', 'status')).toMatchObject({
      element: 'code',
      system: 'http://hl7.org/fhir/appointmentstatus',
    })
    expect(parameter('Patient', 'language')?.system).toBeUndefined()
  })

  test('without an expression is not one of a type', () => {
    expect(parameter('Patient', '_text')).toBeUndefined()
    expect(parameter('Patient', '_content')).toBeUndefined()
  })

  test('whose published expression lacks the type has it', () => {
    expect(parameter('InsurancePlan', 'name')?.expression).toBe('InsurancePlan.name | InsurancePlan.alias')
  })
})

describe('our own parameters, FHIR resources in a folder', () => {
  const folder = (parameter: Record<string, unknown>): string => {
    const made = mkdtempSync(join(tmpdir(), 'search-parameters-'))
    writeFileSync(
      join(made, 'plan.json'),
      JSON.stringify({ code: 'plan', type: 'token', url: 'http://x.org/plan', ...parameter }),
    )
    return made
  }
  const expression = "Patient.extension.where(url='http://x.org/a|b').value | Coverage.type"

  test('are read for each of their types with what concerns it', () => {
    const records = searchParametersIn(folder({ base: ['Patient', 'Coverage'], expression }))
    expect(records).toEqual({
      Patient: [
        {
          code: 'plan',
          type: 'token',
          url: 'http://x.org/plan',
          expression: "Patient.extension.where(url='http://x.org/a|b').value",
        },
      ],
      Coverage: [{ code: 'plan', type: 'token', url: 'http://x.org/plan', expression: 'Coverage.type' }],
    })
  })

  test('stop the start when they say nothing about a type or have no expression', () => {
    expect(() => searchParametersIn(folder({ base: ['Slot'], expression }))).toThrow('says nothing about Slot')
    expect(() => searchParametersIn(folder({ base: ['Slot'] }))).toThrow('Search parameter plan.json has no expression')
  })

  test('are none where there is no folder', () => {
    expect(searchParametersIn(join(tmpdir(), 'no-such-folder'))).toEqual({})
  })
})
