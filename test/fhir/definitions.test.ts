import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { namingSystems } from '../../scripts/definitions/naming-systems.ts'
import { structures } from '../../scripts/definitions/structures.ts'
import { definitionsText } from '../../scripts/definitions/text.ts'
import { valueSets } from '../../scripts/definitions/value-sets.ts'
import {
  codesOf,
  isResourceType,
  mandatoryElements,
  resourceTypes,
  structureOf,
  summaryElements,
} from '../../src/fhir/definitions.ts'

const FOLDER = join(import.meta.dirname, '../../resources/r4')

describe('resources/r4', () => {
  test.each([
    ['structures.json', structures],
    ['value-sets.json', valueSets],
    ['naming-systems.json', namingSystems],
  ])('%s is what `npm run definitions` writes today', (file, generate) => {
    expect(readFileSync(join(FOLDER, file), 'utf8') === definitionsText(generate())).toBe(true)
  })

  test('is small enough to be parsed at every start: under 600,000 bytes', () => {
    const bytes = ['structures.json', 'value-sets.json'].map((file) => statSync(join(FOLDER, file)).size)
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(600_000)
  })
})

describe('resource types', () => {
  test('are the 146 concrete ones of R4, sorted', () => {
    expect(resourceTypes).toHaveLength(146)
    expect(resourceTypes).toEqual([...resourceTypes].sort())
    expect(resourceTypes).toEqual(
      expect.arrayContaining(['Account', 'Binary', 'Bundle', 'Parameters', 'VisionPrescription']),
    )
  })

  test.each([
    'Resource',
    'DomainResource',
    'SubscriptionStatus',
    'HumanName',
    'patient',
    'constructor',
    '',
    undefined,
    7,
  ])('%p is none', (name) => {
    expect(isResourceType(name)).toBe(false)
  })
})

/** Interfaces of @types/fhir, whose authors generated them from R4 itself: name -> element -> [optional, type]. */
function typesPackage(): ReadonlyMap<string, ReadonlyMap<string, readonly [boolean, string]>> {
  const source = readFileSync(createRequire(import.meta.filename).resolve('@types/fhir/r4.d.ts'), 'utf8').replaceAll(
    '\r',
    '',
  )
  const found = [...source.matchAll(/export interface (\w+)(?:<.*?>)? (?:extends (\w+) )?\{(.*?)\n\}/gs)]
  const own = new Map(found.map(([, name = '', base, body = '']) => [name, { base, body }]))
  const elementsOf = (name: string): (readonly [string, readonly [boolean, string]])[] => {
    const { base, body = '' } = own.get(name) ?? {}
    const members = [...body.matchAll(/^ +(?:readonly )?(\w+)(\??): (.*)$/gm)]
    return [
      ...(base === undefined ? [] : elementsOf(base)),
      ...members.map(([, key = '', optional, type = '']) => [key, [optional === '?', type]] as const),
    ]
  }
  return new Map([...own.keys()].map((name) => [name, new Map(elementsOf(name))]))
}

describe('structures, judged by @types/fhir', () => {
  const judge = typesPackage()
  const interfaceOf = (type: string) =>
    judge.get(type.replace(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase()))
  const types = Object.entries(structures()).filter(([, { kind }]) => kind !== 'primitive-type')

  test('every type is found there', () => {
    expect(types.map(([name]) => name).filter((name) => interfaceOf(name) === undefined)).toEqual([])
    expect(types.length).toBeGreaterThan(600)
  })

  test('every element has the name, the cardinality and the obligation it has there', () => {
    const differences = types.flatMap(([name]) => differencesOf(name))
    expect(differences).toEqual([])
  })

  function differencesOf(name: string): readonly string[] {
    const theirs = interfaceOf(name) ?? new Map<string, readonly [boolean, string]>()
    const elements = structureOf(name)?.elements ?? []
    const ours = new Set(elements.flatMap(({ properties }) => [...properties.keys()]))
    const missing = [...theirs.keys()].filter((key) => !ours.has(key) && !isNoElement(name, key))
    const wrong = elements.flatMap(({ properties, min, max }) =>
      [...properties.keys()].flatMap((key) => {
        const [optional, type] = theirs.get(key) ?? [undefined, '']
        if (optional === undefined) return [`${name}.${key} is unknown there`]
        if (type.includes('[]') !== max > 1) return [`${name}.${key} differs in max`]
        return properties.size === 1 && optional === min > 0 ? [`${name}.${key} differs in min`] : []
      }),
    )
    return [...missing.map((key) => `${name}.${key} is missing here`), ...wrong]
  }

  /** They give modifierExtension to nested elements of data types, which R4 defines as Element, not BackboneElement. */
  const isNoElement = (name: string, key: string): boolean =>
    key.startsWith('_') ||
    (key === 'resourceType' && name !== 'ExampleScenario.instance') ||
    (key === 'modifierExtension' && name.includes('.') && structureOf(name)?.base === 'Element')
})

describe('structures', () => {
  test.each([
    ['Binary', 'url'],
    ['Meta', 'project'],
    ['HealthcareService', 'offeredIn'],
    ['ResearchStudy', 'label'],
    ['DeviceDefinition', 'classification'],
    ['EvidenceVariable.characteristic', 'linkId'],
  ])('%s has no %s, which the source of the definitions adds to R4', (type, element) => {
    expect(structureOf(type)?.elements.map(({ name }) => name)).not.toContain(element)
  })

  test('a choice lists one JSON name per type, and a profile of Quantity is named Quantity', () => {
    const properties = (type: string, element: string) =>
      Object.fromEntries(structureOf(type)?.elements.find(({ name }) => name === element)?.properties ?? [])
    expect(properties('Patient', 'deceased')).toEqual({ deceasedBoolean: 'boolean', deceasedDateTime: 'dateTime' })
    expect(properties('Dosage.doseAndRate', 'dose')).toEqual({ doseRange: 'Range', doseQuantity: 'SimpleQuantity' })
  })

  test('a content reference has the type it refers to', () => {
    const item = structureOf('Questionnaire.item')?.elements.find(({ name }) => name === 'item')
    expect([...(item?.properties ?? [])]).toEqual([['item', 'Questionnaire.item']])
    expect(item?.max).toBe(Number.POSITIVE_INFINITY)
  })

  test('rules stand once, on the type they belong to', () => {
    const keys = (type: string) => structureOf(type)?.constraints.map(({ key }) => key)
    expect(keys('Patient.contact')).toEqual(['ele-1', 'pat-1'])
    expect(keys('Age')).toEqual(['ele-1', 'qty-3', 'age-1'])
    expect(keys('Patient')).toEqual(['dom-2', 'dom-3', 'dom-4', 'dom-5', 'dom-6'])
  })

  test('an unknown type has none', () => {
    expect(structureOf('Patiens')).toBeUndefined()
    expect(structureOf('constructor')).toBeUndefined()
  })
})

describe('summary and mandatory elements', () => {
  test('the summary of a Patient is that of the specification, with choices expanded', () => {
    expect([...summaryElements('Patient')].sort()).toEqual([
      'active',
      'address',
      'birthDate',
      'deceasedBoolean',
      'deceasedDateTime',
      'gender',
      'id',
      'identifier',
      'implicitRules',
      'link',
      'managingOrganization',
      'meta',
      'name',
      'resourceType',
      'telecom',
    ])
  })

  test.each([
    ['Patient', []],
    ['Observation', ['status', 'code']],
    ['Appointment', ['status', 'participant']],
    ['MedicationRequest', ['status', 'intent', 'medicationCodeableConcept', 'medicationReference', 'subject']],
  ])('%s must have %p', (type, names) => {
    expect([...mandatoryElements(type)]).toEqual(names)
  })
})

describe('codesOf', () => {
  test('lists the codes of a value set by system', () => {
    expect([...(codesOf('http://hl7.org/fhir/ValueSet/administrative-gender') ?? [])]).toEqual([
      ['http://hl7.org/fhir/administrative-gender', ['male', 'female', 'other', 'unknown']],
    ])
  })

  test('joins the systems of a value set, and leaves out concepts that only group others', () => {
    expect([...(codesOf('http://hl7.org/fhir/ValueSet/defined-types')?.keys() ?? [])]).toHaveLength(2)
    expect([...(codesOf('http://hl7.org/fhir/ValueSet/item-type')?.values() ?? [])].flat()).not.toContain('question')
  })

  test.each(['mimetypes', 'currencies', 'ucum-units'])('%s has no end and so no list', (id) => {
    expect(codesOf(`http://hl7.org/fhir/ValueSet/${id}`)).toBeUndefined()
  })
})
