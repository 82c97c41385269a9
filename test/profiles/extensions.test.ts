/** Extensions: https://hl7.org/fhir/R4/extensibility.html. */
import { describe, expect, test } from '@jest/globals'
import type { StructureDefinitionContext } from 'fhir/r4'
import { BASE, brief, extensionOf, issuesOf, profile, US_CORE, usCore, usCorePatient } from '../support/profiles.ts'

const patient = (elements: object) => ({ resourceType: 'Patient', ...elements })
const note = { url: `${BASE}/note`, valueString: 'x' }

const at = (...context: StructureDefinitionContext[]) => extensionOf('note', 'string', { context })
const element = (expression: string): StructureDefinitionContext => ({ type: 'element', expression })

describe('an extension may stand where its context says', () => {
  test.each<[context: StructureDefinitionContext, resource: object, said: readonly string[]]>([
    [element('Patient'), patient({ extension: [note] }), []],
    [element('Patient'), patient({ name: [{ extension: [note] }] }), ['error extension Patient.name[0].extension[0]']],
    [element('Patient.name'), patient({ name: [{ extension: [note] }] }), []],
    [element('HumanName'), patient({ name: [{ extension: [note] }] }), []],
    [
      element('HumanName.family'),
      patient({ contact: [{ name: { family: 'x', _family: { extension: [note] } } }] }),
      [],
    ],
    [element('Patient.contact.name.family'), patient({ contact: [{ name: { _family: { extension: [note] } } }] }), []],
    [
      element('HumanName.given'),
      patient({ name: [{ given: ['a', null], _given: [null, { extension: [note] }] }] }),
      [],
    ],
    [element('HumanName.family'), patient({ extension: [note] }), ['error extension Patient.extension[0]']],
    [element('Resource'), patient({ extension: [note] }), []],
    [element('DomainResource'), patient({ extension: [note] }), []],
    [element('Element'), patient({ birthDate: '2020', _birthDate: { extension: [note] } }), []],
    [element('string'), patient({ name: [{ family: 'a', _family: { extension: [note] } }] }), []],
    [element('Patient.deceased[x]'), patient({ deceasedBoolean: true, _deceasedBoolean: { extension: [note] } }), []],
    [element('Observation'), patient({ contained: [{ resourceType: 'Observation', extension: [note] }] }), []],
    [
      element('Patient'),
      patient({ contained: [{ resourceType: 'Observation', extension: [note] }] }),
      ['error extension Patient.contained[0].extension[0]'],
    ],
    [element('Questionnaire.item'), { resourceType: 'Questionnaire', item: [{ item: [{ extension: [note] }] }] }, []],
    [
      { type: 'extension', expression: `${BASE}/outer` },
      patient({ extension: [{ url: `${BASE}/outer`, extension: [note] }] }),
      [],
    ],
    [
      { type: 'extension', expression: `${BASE}/other` },
      patient({ extension: [{ url: `${BASE}/outer`, extension: [note] }] }),
      ['error extension Patient.extension[0].extension[0]'],
    ],
  ])('%j in %j', async (context, resource, said) => {
    const outer = profile('outer', 'Extension', [['Extension.url', { fixedUri: `${BASE}/outer` }]])
    expect(brief(await issuesOf(resource, { definitions: [at(context), outer] }, []))).toEqual(said)
  })

  test('and the message names the places', async () => {
    const [issue] = await issuesOf(
      patient({ extension: [note] }),
      { definitions: [at(element('HumanName'), element('Address'))] },
      [],
    )
    expect(issue?.text).toContain(`${BASE}/note may only be used in HumanName, Address`)
  })
})

describe('an extension', () => {
  const definitions = [extensionOf('note', 'string'), extensionOf('stop', 'boolean', {})]
  const said = async (elements: object) => brief(await issuesOf(patient(elements), { definitions }, []))

  test('has a value of the type that its definition says', async () => {
    expect(await said({ extension: [{ url: `${BASE}/note`, valueInteger: 1 }] })).toEqual([
      'error structure Patient.extension[0].value',
    ])
    expect(await said({ extension: [{ url: `${BASE}/note` }] })).toEqual(['error required Patient.extension[0].value'])
  })

  test('that is not known is passed over, with a word', async () => {
    expect(await said({ extension: [{ url: 'http://no/where', valueInteger: 1 }] })).toEqual([
      'information informational Patient.extension[0]',
    ])
  })

  test('that modifies must be known', async () => {
    expect(await said({ modifierExtension: [{ url: 'http://no/where', valueInteger: 1 }] })).toEqual([
      'error extension Patient.modifierExtension[0]',
    ])
  })

  test('stands among the modifiers if it is one, and only then', async () => {
    const stop = extensionOf('stop', 'boolean')
    const root = stop.differential?.element[0]
    const modifier = {
      ...stop,
      differential: {
        element: [
          { ...root, id: 'Extension', path: 'Extension', isModifier: true },
          ...(stop.differential?.element.slice(1) ?? []),
        ],
      },
    }
    const value = { url: stop.url, valueBoolean: true }
    const found = async (elements: object) => brief(await issuesOf(patient(elements), { definitions: [modifier] }, []))
    expect(await found({ modifierExtension: [value] })).toEqual([])
    expect(await found({ extension: [value] })).toEqual(['error structure Patient.extension[0]'])
    expect(await said({ modifierExtension: [note] })).toEqual(['error structure Patient.modifierExtension[0]'])
  })

  test('of R4 is known', async () => {
    const url = 'http://hl7.org/fhir/StructureDefinition/patient-birthPlace'
    expect(await said({ extension: [{ url, valueAddress: { city: 'Wien' } }] })).toEqual([])
    expect(await said({ extension: [{ url, valueString: 'Wien' }] })).toEqual([
      'error structure Patient.extension[0].value',
    ])
  })
})

describe('US Core Patient', () => {
  const { patient: corePatient, race, birthSex, raceCodes, raceSet, birthSexSet } = usCore()
  const world = { definitions: [corePatient, race, birthSex], terms: [raceCodes, raceSet, birthSexSet] }
  const said = async (change: (resource: ReturnType<typeof usCorePatient>) => object) =>
    brief(await issuesOf(change(usCorePatient()), world, []))
  const withRace =
    (...inner: object[]) =>
    (resource: ReturnType<typeof usCorePatient>) => ({
      ...resource,
      extension: [{ url: `${US_CORE}/us-core-race`, extension: inner }],
    })
  const white = { url: 'ombCategory', valueCoding: { system: 'urn:oid:2.16.840.1.113883.6.238', code: '2106-3' } }
  const text = { url: 'text', valueString: 'White' }

  test.each<[what: string, change: (resource: ReturnType<typeof usCorePatient>) => object, said: readonly string[]]>([
    ['is kept', (resource) => resource, []],
    ['needs an identifier', ({ identifier: _identifier, ...rest }) => rest, ['error required Patient.identifier']],
    [
      'needs the system of an identifier',
      (resource) => ({ ...resource, identifier: [{ value: '1' }] }),
      ['error required Patient.identifier[0].system'],
    ],
    [
      'needs a name that is one',
      (resource) => ({ ...resource, name: [{ text: 'Amy' }] }),
      ['error invariant Patient.name[0]'],
    ],
    [
      'takes one race',
      (resource) => ({ ...resource, extension: [resource.extension[0], resource.extension[0]] }),
      ['error structure Patient.extension'],
    ],
    ['needs the text of a race', withRace(white), ['error required Patient.extension[0].extension']],
    ['takes two categories', withRace(white, white, text), []],
    [
      'takes no other category',
      withRace({ ...white, valueCoding: { ...white.valueCoding, code: 'x' } }, text),
      ['error code-invalid Patient.extension[0].extension[0].value'],
    ],
    [
      'takes a text that is one',
      withRace(white, { url: 'text', valueCode: 'x' }),
      ['error structure Patient.extension[0].extension[1].value'],
    ],
    [
      'takes no value beside the parts of a race',
      (resource) => ({ ...resource, extension: [{ url: `${US_CORE}/us-core-race`, valueString: 'x' }] }),
      [
        'error required Patient.extension[0].extension',
        'error required Patient.extension[0].extension',
        'error structure Patient.extension[0].value',
      ],
    ],
    [
      'takes one of the codes of a birth sex',
      (resource) => ({ ...resource, extension: [{ url: `${US_CORE}/us-core-birthsex`, valueCode: 'X' }] }),
      ['error code-invalid Patient.extension[0].value'],
    ],
  ])('%s', async (_what, change, expected) => {
    expect(await said(change)).toEqual(expected)
  })
})
