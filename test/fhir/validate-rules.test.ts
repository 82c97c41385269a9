import { describe, expect, test } from '@jest/globals'
import { validate } from '../../src/fhir/validate/validate.ts'
import { extension, holding, observation, patient, questionnaire, type Refusal, refuses } from '../support/refusals.ts'

const concept = (...coding: object[]) => ({
  resourceType: 'AllergyIntolerance',
  patient: { display: 'x' },
  clinicalStatus: { coding },
})
const CLINICAL = 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical'
const AT_CLINICAL = 'AllergyIntolerance.clinicalStatus'

const BINDINGS: readonly Refusal[] = [
  [
    'a code outside its value set: the allowed ones are listed',
    patient({ gender: 'femail' }),
    'code-invalid',
    'Patient.gender',
    'allowed: male, female, other, unknown',
  ],
  ['a code of another case', patient({ gender: 'Male' }), 'code-invalid', 'Patient.gender', '"Male"'],
  [
    'a code in a data type',
    patient({ telecom: [{ system: 'telephone', value: '1' }] }),
    'code-invalid',
    'Patient.telecom[0].system',
    'phone, fax, email',
  ],
  [
    'a long list of codes is cut',
    { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'x' }] },
    'code-invalid',
    'OperationOutcome.issue[0].code',
    'more',
  ],
  [
    'a concept with a code of none of the systems',
    concept({ system: CLINICAL, code: 'sleeping' }),
    'code-invalid',
    AT_CLINICAL,
    'code one of active, inactive, resolved',
  ],
  [
    'a concept with the right code and no system',
    concept({ code: 'active' }),
    'code-invalid',
    AT_CLINICAL,
    `has no system | active, but must have a coding of`,
  ],
  [
    'a concept of text only',
    { ...concept(), clinicalStatus: { text: 'active' } },
    'code-invalid',
    AT_CLINICAL,
    'has no coding',
  ],
  [
    'a code that only groups others',
    questionnaire({ linkId: '1', type: 'question' }),
    'code-invalid',
    'Questionnaire.item[0].type',
    'item-type',
  ],
  [
    'a MIME type without a slash',
    { resourceType: 'Binary', contentType: 'pdf' },
    'code-invalid',
    'Binary.contentType',
    'application/pdf',
  ],
  [
    'a currency in words',
    { resourceType: 'Invoice', status: 'draft', totalNet: { value: 1, currency: 'dollars' } },
    'code-invalid',
    'Invoice.totalNet.currency',
    'USD',
  ],
]

const REFERENCES: readonly Refusal[] = [
  [
    'a reference to a type that the element cannot have',
    patient({ managingOrganization: { reference: 'Patient/1' } }),
    'value',
    'Patient.managingOrganization.reference',
    'must refer to Organization',
  ],
  [
    'a conditional reference to such a type',
    {
      resourceType: 'Slot',
      schedule: { reference: 'Patient?identifier=1' },
      status: 'free',
      start: '2024-05-31T09:30:00Z',
      end: '2024-05-31T10:00:00Z',
    },
    'value',
    'Slot.schedule.reference',
    'must refer to Schedule',
  ],
]

const INVARIANTS: readonly Refusal[] = [
  ['ele-1: an empty object', patient({ contact: [{}] }), 'invariant', 'Patient.contact[0]', 'is empty'],
  [
    'ele-1: an object with an id only',
    patient({ maritalStatus: { id: 'm' } }),
    'invariant',
    'Patient.maritalStatus',
    '(ele-1)',
  ],
  [
    'ele-1: an id in place of a value',
    patient({ _birthDate: { id: 'b' } }),
    'invariant',
    'Patient.birthDate',
    '(ele-1)',
  ],
  [
    'ext-1: an extension without value',
    patient({ extension: [{ url: 'http://example.org/x' }] }),
    'invariant',
    'Patient.extension[0]',
    'ext-1',
  ],
  [
    'ext-1: an extension with value and extensions',
    patient({ extension: [{ ...extension, extension: [extension] }] }),
    'invariant',
    'Patient.extension[0]',
    'ext-1',
  ],
  [
    'ext-1: in the extension of a primitive',
    patient({ _birthDate: { extension: [{ url: 'x' }] } }),
    'invariant',
    'Patient.birthDate.extension[0]',
    'ext-1',
  ],
  [
    'dom-2: a contained resource that contains others',
    holding({ contained: [{ resourceType: 'Organization', id: 'p', name: 'y' }], partOf: { reference: '#p' } }),
    'invariant',
    'Patient.contained[0].contained',
    '(dom-2)',
  ],
  [
    'dom-3: a contained resource that nothing refers to',
    holding({}, { managingOrganization: undefined }),
    'invariant',
    'Patient.contained[0]',
    '(dom-3)',
  ],
  [
    'dom-4: a contained resource with a version',
    holding({ meta: { versionId: '1' } }),
    'invariant',
    'Patient.contained[0].meta.versionId',
    '(dom-4)',
  ],
  [
    'dom-4: a contained resource with a time of change',
    holding({ meta: { lastUpdated: '2024-05-31T09:30:00Z' } }),
    'invariant',
    'Patient.contained[0].meta.lastUpdated',
    '(dom-4)',
  ],
  [
    'dom-5: a contained resource with a security label',
    holding({ meta: { security: [{ code: 'R' }] } }),
    'invariant',
    'Patient.contained[0].meta.security',
    '(dom-5)',
  ],
  [
    'ref-1: a local reference to nothing',
    patient({ managingOrganization: { reference: '#o' } }),
    'invariant',
    'Patient.managingOrganization',
    'ref-1',
  ],
  [
    'txt-1: a script in the narrative',
    patient({
      text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"><script>x</script></div>' },
    }),
    'invariant',
    'Patient.text.div',
    'txt-1',
  ],
  [
    'txt-1: narrative that is no XML',
    patient({ text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"><p>x</div>' } }),
    'invariant',
    'Patient.text.div',
    'txt-1',
  ],
  [
    'txt-2: narrative without content',
    patient({ text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"> </div>' } }),
    'invariant',
    'Patient.text.div',
    'txt-2',
  ],
  [
    'cpt-2: a phone number without system',
    patient({ telecom: [{ value: '1' }] }),
    'invariant',
    'Patient.telecom[0]',
    'cpt-2',
  ],
  [
    'per-1: a period that ends before it starts',
    patient({ address: [{ city: 'x', period: { start: '2024-02', end: '2024-01' } }] }),
    'invariant',
    'Patient.address[0].period',
    'per-1',
  ],
  [
    'qty-3: a unit code without system',
    observation({ valueQuantity: { value: 1, code: 'kg' } }),
    'invariant',
    'Observation.value',
    'qty-3',
  ],
  [
    'sqty-1: a comparator in a SimpleQuantity',
    observation({ referenceRange: [{ low: { value: 1, comparator: '<' } }] }),
    'invariant',
    'Observation.referenceRange[0].low',
    'sqty-1',
  ],
  [
    'age-1: an age that is not one of time',
    {
      resourceType: 'Condition',
      subject: { display: 'x' },
      onsetAge: { value: 5, system: 'http://example.org', code: 'x' },
    },
    'invariant',
    'Condition.onset',
    'age-1',
  ],
  [
    'att-1: an attachment of no type',
    patient({ photo: [{ data: 'SGVsbG8=' }] }),
    'invariant',
    'Patient.photo[0]',
    'att-1',
  ],
  [
    'rat-1: a ratio with half its parts',
    observation({ valueRatio: { numerator: { value: 1 } } }),
    'invariant',
    'Observation.value',
    'rat-1',
  ],
  [
    'tim-1: a duration without unit',
    {
      resourceType: 'MedicationRequest',
      status: 'active',
      intent: 'order',
      medicationCodeableConcept: { text: 'x' },
      subject: { display: 'x' },
      dosageInstruction: [{ timing: { repeat: { duration: 1 } } }],
    },
    'invariant',
    'MedicationRequest.dosageInstruction[0].timing.repeat',
    'tim-1',
  ],
  [
    'pat-1: a contact without details',
    patient({ contact: [{ gender: 'male' }] }),
    'invariant',
    'Patient.contact[0]',
    "SHALL at least contain a contact's details",
  ],
  [
    'org-1: an organization without name and identifier',
    { resourceType: 'Organization', active: true },
    'invariant',
    'Organization',
    'org-1',
  ],
  [
    'org-2: a home address of an organization',
    {
      resourceType: 'Organization',
      name: 'x',
      address: [
        { use: 'work', city: 'x' },
        { use: 'home', city: 'x' },
      ],
    },
    'invariant',
    'Organization.address[1]',
    'org-2',
  ],
  [
    'app-1: a participant of no kind',
    { resourceType: 'Appointment', status: 'proposed', participant: [{ status: 'accepted' }] },
    'invariant',
    'Appointment.participant[0]',
    'app-1',
  ],
  [
    'app-3: a booked appointment without time',
    { resourceType: 'Appointment', status: 'booked', participant: [{ actor: { display: 'x' }, status: 'accepted' }] },
    'invariant',
    'Appointment',
    'app-3',
  ],
  [
    'obs-6: a value and the reason why there is none',
    observation({ valueString: 'x', dataAbsentReason: { text: 'x' } }),
    'invariant',
    'Observation',
    'obs-6',
  ],
  [
    'obs-7: the value of a component said twice',
    observation({
      valueString: 'x',
      code: { coding: [{ code: 'c', system: 's' }] },
      component: [{ code: { coding: [{ system: 's', code: 'c' }] } }],
    }),
    'invariant',
    'Observation',
    'obs-7',
  ],
  [
    'con-5: a clinical status of an error',
    {
      resourceType: 'Condition',
      subject: { display: 'x' },
      clinicalStatus: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
      },
      verificationStatus: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'entered-in-error' }],
      },
    },
    'invariant',
    'Condition',
    'con-5',
  ],
  [
    'que-2: two items of one link id',
    questionnaire({ linkId: '1', type: 'string' }, { linkId: '1', type: 'string' }),
    'invariant',
    'Questionnaire',
    'que-2',
  ],
  [
    'que-1: in an item by content reference',
    questionnaire({ linkId: '1', type: 'group', item: [{ linkId: '2', type: 'group' }] }),
    'invariant',
    'Questionnaire.item[0].item[0]',
    'que-1',
  ],
  [
    'bdl-3: a transaction entry without request',
    { resourceType: 'Bundle', type: 'transaction', entry: [{ resource: patient({}) }] },
    'invariant',
    'Bundle',
    'bdl-3',
  ],
  [
    'bdl-5: an entry with nothing in it',
    { resourceType: 'Bundle', type: 'collection', entry: [{ fullUrl: 'http://example.org/Patient/1' }] },
    'invariant',
    'Bundle.entry[0]',
    'bdl-5',
  ],
  [
    'inv-1: a parameter with value and parts',
    {
      resourceType: 'Parameters',
      parameter: [{ name: 'a', valueString: 'x', part: [{ name: 'b', valueString: 'y' }] }],
    },
    'invariant',
    'Parameters.parameter[0]',
    'inv-1',
  ],
]

describe('required bindings:', () => refuses(BINDINGS))
describe('reference targets:', () => refuses(REFERENCES))
describe('invariants:', () => refuses(INVARIANTS))

/** "txt-2: The narrative SHALL have some non-whitespace content": https://hl7.org/fhir/R4/narrative.html. */
describe('narrative', () => {
  const broken = (div: string) =>
    validate(patient({ text: { status: 'generated', div } })).map(({ diagnostics }) => /txt-\d/.exec(diagnostics)?.[0])
  const div = (content: string) => `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>`

  test.each([
    ['without content breaks txt-2 alone', div(' <p>\n</p> '), ['txt-2']],
    ['with a comment only breaks txt-2 alone', div('<!-- x -->'), ['txt-2']],
    ['with what is not allowed breaks txt-1 alone', div('x<script>y</script>'), ['txt-1']],
    ['with an empty script breaks both', div('<script></script>'), ['txt-1', 'txt-2']],
    ['with an image alone breaks none', div('<img src="#x"/>'), []],
    ['with lang, xml:lang and xml:space breaks none', div('<p lang="de" xml:lang="de" xml:space="preserve">x</p>'), []],
  ])('%s', (_what, text, keys) => expect(broken(text)).toEqual(keys))
})
