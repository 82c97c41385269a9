import { describe } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { extension, holding, observation, patient, questionnaire, type Refusal, refuses } from '../support/refusals.ts'

const STRUCTURE: readonly Refusal[] = [
  [
    'a list where a choice has one value',
    patient({ extension: [{ url: 'x', valueString: ['x'] }] }),
    'structure',
    'Patient.extension[0].value',
    'a single string',
  ],
  [
    'an unknown element: the nearest name is offered',
    patient({ nmae: [{ family: 'x' }] }),
    'structure',
    'Patient.nmae',
    'did you mean name?',
  ],
  [
    'an unknown element of a backbone',
    patient({ contact: [{ name: { text: 'x' }, phone: 1 }] }),
    'structure',
    'Patient.contact[0].phone',
    'not an element of Patient.contact; its elements are',
  ],
  [
    'a choice without its type: the names are offered',
    patient({ deceased: true }),
    'structure',
    'Patient.deceased',
    'deceasedBoolean, deceasedDateTime',
  ],
  [
    'a choice of a type it cannot have',
    patient({ deceasedString: 'yes' }),
    'structure',
    'Patient.deceasedString',
    'not an element',
  ],
  [
    'two types of one choice',
    observation({ valueString: 'x', valueInteger: 1 }),
    'structure',
    'Observation.value',
    'as valueString and as valueInteger',
  ],
  [
    'a type of a choice and the extension of another',
    observation({ valueString: 'x', _valueInteger: { extension: [extension] } }),
    'structure',
    'Observation.value',
    'only one type',
  ],
  [
    'one object where there is a list',
    patient({ name: { family: 'x' } }),
    'structure',
    'Patient.name',
    'an array of HumanName, e.g. [{"family":',
  ],
  [
    'a list where there is one',
    patient({ gender: ['male'] }),
    'structure',
    'Patient.gender',
    'a single code, not an array',
  ],
  [
    'text where there is an object',
    patient({ name: ['Ada'] }),
    'structure',
    'Patient.name[0]',
    'an object of type HumanName, e.g. {"family":',
  ],
  ['an empty list', patient({ name: [] }), 'structure', 'Patient.name', 'empty array'],
  ['null as a value', patient({ birthDate: null }), 'structure', 'Patient.birthDate', 'must not be null'],
  ['null as an object in a list', patient({ name: [null] }), 'structure', 'Patient.name[0]', 'got null'],
  [
    'null in a list of primitives without an extension for it',
    patient({ name: [{ given: ['Ada', null] }] }),
    'structure',
    'Patient.name[0].given[1]',
    'must not be null',
  ],
  [
    'null in both lists of a primitive',
    patient({ name: [{ given: ['Ada', null], _given: [null, null] }] }),
    'structure',
    'Patient.name[0].given[1]',
    'under _given',
  ],
  [
    'an underscore list for a single value',
    patient({ _birthDate: [{ extension: [extension] }] }),
    'structure',
    'Patient.birthDate',
    'a single Element',
  ],
  [
    'an underscore value that is no object',
    patient({ _birthDate: 'x' }),
    'structure',
    'Patient.birthDate',
    'an object with id or extension under _birthDate',
  ],
  [
    'an underscore for an element that is no primitive',
    patient({ _name: [{ id: 'x' }] }),
    'structure',
    'Patient._name',
    'not an element',
  ],
  [
    'an underscore for Extension.url, which is a plain value',
    patient({ extension: [{ ...extension, _url: { id: 'x' } }] }),
    'structure',
    'Patient.extension[0]._url',
    'not an element',
  ],
  [
    'an underscore for the div of a narrative, which XML has no place for',
    patient({
      text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>', _div: { id: 'x' } },
    }),
    'structure',
    'Patient.text._div',
    'not an element',
  ],
  [
    'resourceType in a data type',
    patient({ name: [{ resourceType: 'HumanName', family: 'x' }] }),
    'structure',
    'Patient.name[0].resourceType',
    'not an element of HumanName',
  ],
  [
    'an entry whose resource is of no known type',
    { resourceType: 'Bundle', type: 'collection', entry: [{ resource: { resourceType: 'Pateint' } }] },
    'structure',
    'Bundle.entry[0].resource',
    'did you mean Patient?',
  ],
  [
    'an entry whose resource has no type',
    { resourceType: 'Bundle', type: 'collection', entry: [{ resource: { id: 'x' } }] },
    'structure',
    'Bundle.entry[0].resource',
    'must have a resourceType',
  ],
  ['a name that is no identifier is quoted', patient({ 'a b': 1 }), 'structure', 'Patient.`a b`', 'not an element'],
  [
    '__proto__ as a name',
    parseJson('{"resourceType":"Patient","__proto__":{"name":1}}'),
    'structure',
    'Patient.__proto__',
    'not an element',
  ],
  [
    'constructor as a name',
    parseJson('{"resourceType":"Patient","constructor":{"name":1}}'),
    'structure',
    'Patient.constructor',
    'not an element',
  ],
]

const CARDINALITY: readonly Refusal[] = [
  [
    'a missing mandatory code: the codes are listed',
    { resourceType: 'Observation', code: { text: 'x' } },
    'required',
    'Observation.status',
    'one of registered, preliminary, final',
  ],
  [
    'a missing mandatory object',
    { resourceType: 'Observation', status: 'final' },
    'required',
    'Observation.code',
    'of type CodeableConcept',
  ],
  [
    'a missing mandatory choice',
    { resourceType: 'MedicationRequest', status: 'active', intent: 'order', subject: { display: 'x' } },
    'required',
    'MedicationRequest.medication',
    'as medicationCodeableConcept or medicationReference',
  ],
  [
    'a missing mandatory list',
    { resourceType: 'Appointment', status: 'proposed' },
    'required',
    'Appointment.participant',
    'is missing',
  ],
  [
    'a missing element of a data type',
    patient({ text: { status: 'empty' } }),
    'required',
    'Patient.text.div',
    'Narrative needs it',
  ],
  [
    'a missing Extension.url',
    patient({ extension: [{ valueString: 'x' }] }),
    'required',
    'Patient.extension[0].url',
    'of type uri',
  ],
  [
    'a missing element deep in a content reference',
    questionnaire({ linkId: '1', type: 'group', item: [{ type: 'string' }] }),
    'required',
    'Questionnaire.item[0].item[0].linkId',
    'is missing',
  ],
]

const WITHIN: readonly Refusal[] = [
  ['a contained resource', holding({ active: 'yes' }), 'value', 'Patient.contained[0].active', 'true or false'],
  [
    'the resource of an entry',
    {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [{ resource: patient({}) }, { resource: patient({ name: [{ family: '' }] }) }],
    },
    'value',
    'Bundle.entry[1].resource.name[0].family',
    'must be text',
  ],
  [
    'the resource of a parameter',
    { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: patient({ gender: 'x' }) }] },
    'code-invalid',
    'Parameters.parameter[0].resource.gender',
    'allowed',
  ],
  [
    'an extension of a primitive in a list',
    patient({ name: [{ given: ['Ada'], _given: [{ extension: [{ url: 'x', valueBoolean: 1 }] }] }] }),
    'value',
    'Patient.name[0].given[0].extension[0].value',
    'true or false',
  ],
]

describe('structure:', () => refuses(STRUCTURE))
describe('cardinality:', () => refuses(CARDINALITY))
describe('resources and elements within:', () => refuses(WITHIN))
