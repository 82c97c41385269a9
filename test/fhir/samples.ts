/**
 * Resources of many types as clinics send them, with what is easy to get wrong: primitives that have only an
 * extension, contained resources, every kind of choice element, partial dates, decimals with their zeros.
 */
import { parseJson } from '../../src/fhir/json.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'

type Sample = AnyResource & Record<string, unknown>

const concept = (system: string, code: string, text?: string) => ({
  coding: [{ system, code }],
  ...(text === undefined ? {} : { text }),
})
const loinc = (code: string, text?: string) => concept('http://loinc.org', code, text)
const snomed = (code: string, text?: string) => concept('http://snomed.info/sct', code, text)
const ucum = (value: unknown, code: string) => ({ value, unit: code, system: 'http://unitsofmeasure.org', code })
const reference = (text: string) => ({ reference: text })
const narrative = (text: string) => ({
  status: 'generated',
  div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>${text}</p></div>`,
})
const decimal = (text: string) => parseJson(text)
const absent = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
}

const people: readonly Sample[] = [
  {
    resourceType: 'Patient',
    id: 'ada',
    meta: {
      versionId: '3',
      lastUpdated: '2024-05-06T07:08:09.010Z',
      profile: ['http://example.org/p'],
      tag: [{ code: 't' }],
    },
    text: narrative('Ada &amp; family'),
    extension: [
      { url: 'http://example.org/birthPlace', valueAddress: { city: 'Springfield', state: 'IL' } },
      {
        url: 'http://example.org/nested',
        extension: [
          { url: 'inner', valueBoolean: true },
          { url: 'other', valueCoding: { code: 'x' } },
        ],
      },
    ],
    identifier: [
      {
        use: 'usual',
        type: concept('http://terminology.hl7.org/CodeSystem/v2-0203', 'MR'),
        system: 'urn:mrn',
        value: '12345',
      },
      { system: 'http://hl7.org/fhir/sid/us-ssn', value: '999-99-9999', period: { start: '2001', end: '2001-05' } },
    ],
    active: true,
    name: [
      { use: 'official', family: 'Lovelace', given: ['Ada', 'Augusta'], _given: [null, { id: 'second', ...absent }] },
      { use: 'maiden', family: 'Byron', period: { end: '1835-07-08' } },
    ],
    telecom: [
      { system: 'phone', value: '+1 555 0100', use: 'home', rank: 1 },
      { system: 'email', value: 'ada@example.org' },
      { system: 'phone', value: '+1 555 0101', use: 'mobile' },
    ],
    gender: 'female',
    birthDate: '1815-12-10',
    _birthDate: {
      extension: [
        { url: 'http://hl7.org/fhir/StructureDefinition/patient-birthTime', valueDateTime: '1815-12-10T04:30:00Z' },
      ],
    },
    deceasedDateTime: '1852-11-27T10:00:00+01:00',
    address: [
      {
        use: 'home',
        line: ['1 Main St', 'Apt 2'],
        city: 'Springfield',
        state: 'IL',
        postalCode: '62701',
        country: 'US',
      },
    ],
    maritalStatus: concept('http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', 'M'),
    multipleBirthInteger: 2,
    contact: [{ relationship: [concept('http://example.org', 'N')], name: { family: 'King' } }, { gender: 'male' }],
    communication: [{ language: concept('urn:ietf:bcp:47', 'en'), preferred: true }],
    generalPractitioner: [
      reference('Practitioner/house'),
      reference('http://other.example/fhir/Organization/o-1/_history/2'),
    ],
    managingOrganization: { reference: '#clinic', display: 'The clinic' },
    link: [{ other: reference('RelatedPerson/r-1'), type: 'seealso' }],
    contained: [
      {
        resourceType: 'Organization',
        id: 'clinic',
        name: 'Clinic',
        telecom: [{ system: 'phone', value: '1', use: 'home' }],
      },
      { resourceType: 'Practitioner', id: 'nobody-refers-to-me', name: [{ text: 'X' }] },
    ],
  },
  {
    resourceType: 'Patient',
    id: 'unborn',
    _birthDate: absent,
    deceasedBoolean: false,
    multipleBirthBoolean: true,
    _gender: { id: 'g', ...absent },
    name: [{ _family: absent, _given: [absent, absent] }],
    contact: [{ period: { start: '2024-03-05', end: '2024-03-04' } }],
    generalPractitioner: [{ type: 'Practitioner', identifier: { value: '7' } }, { display: 'Dr. Who' }],
  },
  {
    resourceType: 'Practitioner',
    id: 'house',
    identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '1234567893' }],
    name: [{ family: 'House', given: ['Gregory'], prefix: ['Dr.'] }],
    telecom: [{ system: 'email', value: 'house@example.org' }],
    qualification: [{ code: snomed('1'), period: { start: '1990' }, issuer: reference('Organization/o-1') }],
    communication: [concept('urn:ietf:bcp:47', 'en')],
  },
  {
    resourceType: 'PractitionerRole',
    practitioner: reference('Practitioner/house'),
    organization: reference('Organization/o-1'),
    specialty: [snomed('394802001', 'General medicine')],
    location: [reference('Location/l-1')],
    telecom: [{ system: 'phone', value: '2' }],
    availableTime: [{ daysOfWeek: ['mon', 'tue'], availableStartTime: '08:00:00', availableEndTime: '17:30:00' }],
  },
  {
    resourceType: 'Person',
    name: [{ text: 'Ada' }],
    link: [{ target: reference('Patient/ada') }, { target: reference('Practitioner/house'), assurance: 'level2' }],
  },
  { resourceType: 'RelatedPerson', id: 'r-1', patient: reference('Patient/ada'), relationship: [concept('x', 'SPS')] },
  {
    resourceType: 'Organization',
    id: 'o-1',
    address: [{ use: 'home', city: 'X' }],
    contact: [{ telecom: [{ value: '1' }] }],
  },
  {
    resourceType: 'Location',
    id: 'l-1',
    name: 'Main',
    alias: ['First', 'Old'],
    position: { longitude: decimal('-83.6900'), latitude: decimal('42.250') },
    address: { city: 'Ann Arbor' },
    managingOrganization: reference('Organization/o-1'),
  },
]

const clinical: readonly Sample[] = [
  {
    resourceType: 'Observation',
    id: 'pressure',
    status: 'final',
    category: [concept('http://terminology.hl7.org/CodeSystem/observation-category', 'vital-signs')],
    code: loinc('85354-9', 'Blood pressure'),
    subject: reference('Patient/ada'),
    encounter: reference('Encounter/e-1'),
    effectiveDateTime: '2024-02-03T10:11:12.5-05:00',
    performer: [reference('Practitioner/house'), reference('#me')],
    component: [
      { code: loinc('8480-6'), valueQuantity: ucum(decimal('120.0'), 'mm[Hg]') },
      { code: loinc('8462-4'), valueQuantity: ucum(80, 'mm[Hg]'), interpretation: [concept('x', 'N')] },
      { code: loinc('85354-9'), dataAbsentReason: concept('x', 'unknown') },
    ],
    referenceRange: [
      { low: ucum(90, 'mm[Hg]'), high: ucum(120, 'mm[Hg]') },
      { high: ucum(1, 'g'), age: { low: ucum(2, 'mo'), high: ucum(1, 'a') } },
      { type: concept('x', 'normal') },
    ],
    contained: [{ resourceType: 'PractitionerRole', id: 'me', practitioner: reference('Practitioner/house') }],
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: loinc('29463-7', 'Weight'),
    subject: reference('Group/g-1'),
    effectivePeriod: { start: '2024', end: '2024-06' },
    valueQuantity: ucum(decimal('71.50'), 'kg'),
    dataAbsentReason: concept('x', 'error'),
    component: [{ code: loinc('29463-7'), valueString: 'same code as the observation' }],
    derivedFrom: [reference('QuestionnaireResponse/q'), reference('Observation/pressure')],
    focus: [reference('Device/d')],
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: loinc('1'),
    valueCodeableConcept: snomed('2', 'Red'),
    effectiveInstant: '2024-01-01T00:00:00Z',
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'free' },
    valueString: 'text',
    effectiveTiming: { event: ['2024-01-01'] },
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: loinc('3'),
    valueSampledData: { origin: { value: 0 }, period: 10, dimensions: 1 },
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: loinc('4'),
    _valueDateTime: absent,
    valueRatio: { numerator: { value: 1 } },
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: loinc('5'),
    valueRange: { low: { value: 5 }, high: { value: 4 } },
    issued: '2024-01-01T00:00:00Z',
  },
  {
    resourceType: 'Condition',
    clinicalStatus: concept('http://terminology.hl7.org/CodeSystem/condition-clinical', 'active'),
    verificationStatus: concept('http://terminology.hl7.org/CodeSystem/condition-ver-status', 'entered-in-error'),
    category: [concept('x', 'problem-list-item')],
    code: snomed('386661006', 'Fever'),
    subject: reference('Patient/ada'),
    onsetAge: ucum(52, 'a'),
    abatementString: 'last week',
    stage: [{ type: snomed('1') }],
    evidence: [{ detail: [reference('Observation/pressure')] }],
  },
  {
    resourceType: 'Condition',
    code: snomed('1'),
    subject: { reference: 'urn:uuid:0b7b3c0e-1f5e-4a53-9e50-6d2b7c0d5f00', type: 'Patient' },
    onsetPeriod: { start: '2020-02-30' },
    abatementDateTime: '2023',
  },
  {
    resourceType: 'AllergyIntolerance',
    verificationStatus: concept(
      'http://terminology.hl7.org/CodeSystem/allergyintolerance-verification',
      'entered-in-error',
    ),
    clinicalStatus: concept('http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', 'active'),
    code: snomed('227037002', 'Fish'),
    patient: reference('Patient/ada'),
    onsetDateTime: '2020-05',
    reaction: [{ substance: snomed('227037002', 'Fish'), manifestation: [snomed('39579001')], severity: 'mild' }],
  },
  {
    resourceType: 'Immunization',
    status: 'completed',
    vaccineCode: concept('http://hl7.org/fhir/sid/cvx', '207'),
    patient: reference('Patient/ada'),
    occurrenceString: 'as a child',
    protocolApplied: [{ doseNumberPositiveInt: 1, seriesDosesString: 'two' }],
    education: [{ publicationDate: '2020' }],
  },
  {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    medicationCodeableConcept: concept('http://www.nlm.nih.gov/research/umls/rxnorm', '1049502', 'Oxycodone'),
    subject: reference('https://emr.example/fhir/Patient/ada'),
    authoredOn: '2024-01-15T08:00:00+02:00',
    requester: reference('PractitionerRole/pr'),
    reportedBoolean: false,
    dosageInstruction: [
      {
        asNeededBoolean: true,
        timing: {
          repeat: {
            frequency: 2,
            period: decimal('1.0'),
            periodUnit: 'd',
            offset: 30,
            when: ['PCM', 'PCV'],
            boundsPeriod: { start: '2024-01-15' },
          },
        },
        doseAndRate: [
          { doseQuantity: ucum(1, '{tbl}'), rateRatio: { numerator: ucum(1, 'mg'), denominator: ucum(1, 'h') } },
        ],
      },
      {
        timing: {
          event: ['2024-01-16'],
          repeat: {
            duration: -1,
            boundsDuration: { value: 3, system: 'http://unitsofmeasure.org' },
            timeOfDay: ['08:00:00'],
            when: ['C'],
          },
        },
      },
    ],
  },
  {
    resourceType: 'MedicationRequest',
    status: 'draft',
    intent: 'plan',
    contained: [
      {
        resourceType: 'Medication',
        id: 'm',
        code: snomed('1'),
        ingredient: [{ itemReference: reference('#'), strength: { extension: [], numerator: ucum(1, 'mg') } }],
        meta: { versionId: '1', security: [{ code: 'R' }] },
      },
    ],
    medicationReference: reference('#m'),
    subject: reference('Patient/ada'),
  },
  {
    resourceType: 'MedicationDispense',
    status: 'completed',
    medicationReference: reference('Medication/m'),
    whenPrepared: '2024-03-02T10:00:00Z',
    whenHandedOver: '2024-03-02T09:59:00Z',
    performer: [{ actor: reference('Organization/o-1') }],
  },
  {
    resourceType: 'MedicationAdministration',
    status: 'completed',
    medicationCodeableConcept: snomed('1'),
    subject: reference('Patient/ada'),
    effectiveDateTime: '2024-01-01T10:00',
    dosage: { text: 'one', site: snomed('2') },
  },
  {
    resourceType: 'DiagnosticReport',
    status: 'final',
    code: loinc('58410-2'),
    subject: reference('Location/l-1'),
    effectivePeriod: { start: '2024-01-01T00:00:00Z', end: '2024-01-01T01:00:00+01:00' },
    result: [reference('Observation/pressure')],
    presentedForm: [{ data: 'aGVsbG8=' }, { contentType: 'text/plain', url: 'http://x.example' }],
  },
  {
    resourceType: 'ServiceRequest',
    status: 'active',
    intent: 'order',
    orderDetail: [snomed('1')],
    subject: reference('Patient/ada'),
    occurrenceTiming: { repeat: { count: 1, countMax: 3, periodMax: 2 } },
    quantityRange: { low: ucum(1, 'kg'), high: ucum(900, 'g') },
    asNeededCodeableConcept: snomed('2'),
  },
  {
    resourceType: 'FamilyMemberHistory',
    status: 'completed',
    patient: reference('Patient/ada'),
    relationship: concept('x', 'MTH'),
    bornDate: '1960',
    ageRange: { low: ucum(50, 'a') },
    estimatedAge: true,
    deceasedAge: ucum(80, 'a'),
    condition: [{ code: snomed('1'), onsetRange: { high: ucum(70, 'a') } }],
  },
  {
    resourceType: 'Goal',
    lifecycleStatus: 'active',
    description: { text: 'walk' },
    subject: reference('Patient/ada'),
    startDate: '2024-01-01',
    target: [{ detailInteger: 5 }, { measure: loinc('1'), detailQuantity: ucum(5, 'km'), dueDate: '2024-12-31' }],
  },
  {
    resourceType: 'RiskAssessment',
    status: 'final',
    subject: reference('Patient/ada'),
    occurrenceDateTime: '2024',
    prediction: [
      { probabilityDecimal: decimal('100.50') },
      { probabilityRange: { low: ucum(1, '%'), high: { value: 2 } } },
      { probabilityDecimal: 5 },
    ],
  },
]

const administrative: readonly Sample[] = [
  {
    resourceType: 'Encounter',
    id: 'e-1',
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'VR' },
    subject: reference('Patient/ada/_history/2'),
    participant: [{ individual: reference('Practitioner/house') }, { individual: reference('RelatedPerson/r-1') }],
    period: { start: '2024-01-01T10:00:00Z', end: '2024-01-01' },
    length: ucum(30, 'min'),
    diagnosis: [{ condition: reference('Condition/c'), rank: 1 }],
    location: [{ location: reference('Location/l-1') }],
  },
  {
    resourceType: 'Appointment',
    status: 'proposed',
    cancelationReason: concept('x', 'pat'),
    start: '2024-06-01T09:00:00-04:00',
    participant: [
      { actor: reference('Patient/ada'), status: 'accepted' },
      { actor: reference('Practitioner/house'), status: 'needs-action', type: [concept('x', 'PPRF')] },
      { actor: reference('Location/l-1'), status: 'accepted' },
      { status: 'tentative' },
    ],
  },
  {
    resourceType: 'Schedule',
    actor: [reference('Practitioner/house')],
    planningHorizon: { start: '2024-01-01' },
    active: true,
  },
  {
    resourceType: 'Slot',
    schedule: reference('Schedule/s'),
    status: 'free',
    start: '2024-06-01T09:00:00Z',
    end: '2024-06-01T09:30:00Z',
    serviceType: [snomed('1')],
  },
  {
    resourceType: 'Task',
    status: 'requested',
    intent: 'order',
    for: reference('Patient/ada'),
    owner: reference('Practitioner/house'),
    authoredOn: '2024-01-02',
    lastModified: '2024-01-01',
    input: [
      { type: { text: 'a' }, valueReference: reference('Patient/ada') },
      { type: { text: 'b' }, valueInteger: 3 },
    ],
    output: [{ type: { text: 'c' }, valuePeriod: { start: '2024-02', end: '2024-01' } }],
  },
  {
    resourceType: 'Consent',
    status: 'active',
    scope: { coding: [{ system: 'something', code: 'treatment' }] },
    category: [loinc('59284-0')],
    patient: reference('Patient/ada'),
    dateTime: '2024',
    sourceReference: reference('DocumentReference/d'),
    provision: { period: { start: '2024' }, data: [{ meaning: 'instance', reference: reference('Patient/ada') }] },
  },
  {
    resourceType: 'Coverage',
    status: 'active',
    beneficiary: reference('Patient/ada'),
    payor: [reference('Organization/o-1'), reference('Patient/ada')],
    class: [{ type: concept('x', 'group'), value: 'G1' }],
    costToBeneficiary: [{ valueMoney: { value: decimal('20.00'), currency: 'USD' } }],
  },
  {
    resourceType: 'CoverageEligibilityResponse',
    status: 'active',
    purpose: ['benefits'],
    patient: reference('Patient/ada'),
    servicedDate: '2024-01-01',
    created: '2024-01-01T00:00:00Z',
    outcome: 'complete',
    insurance: [
      {
        coverage: reference('Coverage/c'),
        item: [{ category: concept('x', '1'), productOrService: concept('x', '2') }, { category: concept('x', '3') }],
      },
    ],
  },
  {
    resourceType: 'Claim',
    status: 'active',
    use: 'claim',
    type: concept('x', 'professional'),
    patient: reference('Patient/ada'),
    created: '2024-01-01',
    provider: reference('Organization/o-1'),
    insurance: [{ sequence: 1, focal: true, coverage: reference('Coverage/c') }],
    diagnosis: [{ sequence: 1, diagnosisCodeableConcept: snomed('1') }],
    item: [
      {
        sequence: 1,
        productOrService: concept('x', '99213'),
        encounter: [reference('Encounter/e-1')],
        unitPrice: { value: 75, currency: 'USD' },
        detail: [{ sequence: 1, udi: [reference('Device/d')], productOrService: concept('x', 'y') }],
      },
    ],
  },
  {
    resourceType: 'DocumentReference',
    status: 'current',
    type: loinc('34133-9'),
    subject: reference('Patient/ada'),
    date: '2024-01-01T00:00:00Z',
    masterIdentifier: { system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2.3' },
    author: [reference('Device/d')],
    relatesTo: [{ code: 'replaces', target: reference('DocumentReference/old') }],
    content: [{ attachment: { contentType: 'application/pdf', url: 'Binary/b', size: 1, hash: 'aGk=' } }],
    context: { related: [reference('Task/t')], period: { start: '2024' } },
  },
  {
    resourceType: 'Provenance',
    target: [reference('Patient/ada'), reference('Encounter/e-1')],
    occurredPeriod: { start: '2024-01-01' },
    recorded: '2024-01-01T00:00:00Z',
    agent: [{ who: reference('Practitioner/house') }],
    entity: [{ role: 'source', what: reference('DocumentReference/d') }],
  },
  {
    resourceType: 'AuditEvent',
    type: { code: 'rest' },
    recorded: '2024-01-01T00:00:00Z',
    agent: [{ requestor: true, who: reference('Patient/ada'), network: { address: '127.0.0.1' } }],
    source: { observer: reference('Device/d') },
    entity: [{ what: reference('Patient/ada'), name: 'n', query: 'cQ==' }],
  },
  {
    resourceType: 'Group',
    type: 'person',
    actual: false,
    characteristic: [
      { code: snomed('1'), valueBoolean: true, exclude: false },
      { code: snomed('2'), valueCodeableConcept: snomed('3'), exclude: true },
    ],
    member: [{ entity: reference('Patient/ada') }],
  },
]

const definitions: readonly Sample[] = [
  {
    resourceType: 'Questionnaire',
    url: 'http://example.org/q',
    name: 'not a name',
    status: 'draft',
    useContext: [
      { code: { code: 'age' }, valueRange: { low: ucum(1, 'a') } },
      { code: { code: 'focus' }, valueCodeableConcept: snomed('1') },
    ],
    item: [
      {
        linkId: '1',
        type: 'group',
        item: [{ linkId: '1.1', type: 'display', text: 'Hello', required: true, code: [{ code: 'c' }] }],
      },
      {
        linkId: '2',
        type: 'choice',
        answerOption: [{ valueCoding: { code: 'y' } }],
        answerValueSet: 'http://example.org/vs',
        initial: [{ valueString: 'a' }, { valueString: 'b' }],
      },
      {
        linkId: '1',
        type: 'string',
        maxLength: 5,
        enableWhen: [
          { question: '2', operator: 'exists', answerBoolean: true },
          { question: '1', operator: '=', answerString: 'x' },
          { question: '1', operator: '>', answerDecimal: decimal('1.0') },
        ],
      },
      { linkId: '3', type: 'group', repeats: true },
      {
        linkId: '4',
        type: 'integer',
        enableWhen: [{ question: '2', operator: 'exists', answerString: 'x' }],
        maxLength: 2,
      },
    ],
  },
  {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: 'http://example.org/q|1',
    subject: reference('Patient/ada'),
    source: reference('RelatedPerson/r-1'),
    author: reference('Patient/ada'),
    item: [
      { linkId: '1', answer: [{ valueString: 'x', item: [{ linkId: '1.1' }] }], item: [{ linkId: '1.2' }] },
      { linkId: '2', answer: [{ _valueDate: absent }] },
    ],
  },
  {
    resourceType: 'ValueSet',
    url: 'http://example.org/vs',
    name: 'Colours',
    status: 'active',
    date: '2024-01',
    compose: {
      include: [
        { system: 'http://c', concept: [{ code: 'a' }], filter: [{ property: 'p', op: '=', value: 'v' }] },
        { valueSet: ['http://v'] },
        { version: '1' },
        { concept: [{ code: 'b' }] },
      ],
    },
    expansion: {
      timestamp: '2024-01-01',
      contains: [{ code: 'a' }, { system: 'http://c', abstract: true, contains: [{ display: 'd' }] }],
      parameter: [{ name: 'n', valueUri: 'http://u' }],
    },
  },
  {
    resourceType: 'CodeSystem',
    url: 'http://c',
    status: 'active',
    content: 'complete',
    caseSensitive: true,
    concept: [{ code: 'a', concept: [{ code: 'b', property: [{ code: 'p', valueCode: 'a' }] }] }, { code: 'b' }],
  },
  {
    resourceType: 'ConceptMap',
    status: 'active',
    sourceUri: 'http://a',
    targetCanonical: 'http://b|2',
    group: [
      {
        source: 'http://c',
        element: [
          {
            code: 'a',
            target: [{ equivalence: 'narrower' }, { equivalence: 'equal', dependsOn: [{ property: 'p', value: 'v' }] }],
          },
        ],
        unmapped: { mode: 'fixed' },
      },
    ],
  },
  {
    resourceType: 'ActivityDefinition',
    status: 'active',
    subjectCodeableConcept: concept('x', 'Patient'),
    timingTiming: { repeat: { offset: 1, when: ['C'] } },
    relatedArtifact: [
      { type: 'depends-on', resource: 'http://d' },
      { type: 'composed-of', resource: 'http://e|1' },
      { type: 'successor', document: { url: 'http://f' } },
    ],
    library: ['http://l'],
    useContext: [
      { code: { code: 'a' }, valueQuantity: ucum(3, 'kg') },
      { code: { code: 'b' }, valueReference: reference('Group/g') },
    ],
  },
  {
    resourceType: 'SearchParameter',
    url: 'http://example.org/sp',
    name: 'Sp',
    status: 'active',
    code: 'sp',
    base: ['Patient'],
    type: 'string',
    description: 'd',
    expression: 'Patient.name',
    xpath: 'f:Patient',
    chain: ['a'],
    component: [{ definition: 'http://example.org/other', expression: 'x' }],
  },
  {
    resourceType: 'StructureDefinition',
    url: 'http://hl7.org/fhir/StructureDefinition/thing',
    name: 'Thing',
    status: 'draft',
    kind: 'resource',
    abstract: false,
    type: 'Patient',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
    derivation: 'constraint',
    snapshot: {
      element: [
        {
          id: 'Patient',
          path: 'Patient',
          definition: 'd',
          min: 0,
          max: '*',
          base: { path: 'Patient', min: 0, max: '*' },
        },
        {
          id: 'Patient.name',
          path: 'Patient.name',
          definition: 'd',
          min: 2,
          max: '1',
          type: [{ code: 'HumanName' }, { code: 'HumanName' }],
          sliceName: 'a/b-c',
          isModifier: true,
          slicing: { rules: 'open' },
        },
        {
          path: 'Person.gender',
          min: 0,
          max: 'x',
          binding: { strength: 'required', valueSet: 'mailto:x' },
          type: [{ code: 'http://hl7.org/fhirpath/System.String', aggregation: ['bundled'] }],
          fixedCode: 'a',
          patternString: 'b',
          defaultValueString: 'c',
        },
      ],
    },
    differential: {
      element: [
        {
          id: 'Patient',
          path: 'Patient',
          type: [{ code: 'Patient' }],
          constraint: [
            { key: 'k', severity: 'error', human: 'h' },
            { key: 'k', severity: 'error', human: 'h', expression: 'e' },
          ],
        },
      ],
    },
  },
  {
    resourceType: 'CapabilityStatement',
    name: 'Server',
    status: 'active',
    date: '2024-01-01',
    kind: 'instance',
    fhirVersion: '4.0.1',
    format: ['json'],
    rest: [
      {
        mode: 'server',
        resource: [
          {
            type: 'Patient',
            searchParam: [
              { name: 'a', type: 'string' },
              { name: 'a', type: 'token' },
            ],
          },
          { type: 'Patient' },
        ],
      },
    ],
    document: [
      { mode: 'producer', profile: 'http://p' },
      { mode: 'producer', profile: 'http://p' },
    ],
  },
  {
    resourceType: 'Parameters',
    parameter: [
      { name: 'a', valueString: 'x', part: [{ name: 'b' }] },
      { name: 'c', resource: { resourceType: 'Patient', id: 'p', name: [{ family: 'F' }] } },
      { name: 'd', valueDate: '2024-01-01', resource: { resourceType: 'Basic', code: { text: 'x' } } },
    ],
  },
]

const bundles: readonly Sample[] = [
  {
    resourceType: 'Bundle',
    id: 'document',
    type: 'document',
    identifier: { system: 'urn:ietf:rfc:3986', value: 'urn:uuid:1' },
    timestamp: '2024-01-01T00:00:00Z',
    entry: [
      {
        fullUrl: 'urn:uuid:0b7b3c0e-1f5e-4a53-9e50-6d2b7c0d5f01',
        resource: {
          resourceType: 'Composition',
          status: 'final',
          type: loinc('60591-5'),
          date: '2024-01-01',
          author: [reference('Practitioner/house')],
          title: 'Summary',
          relatesTo: [
            { code: 'replaces', targetIdentifier: { value: '1' } },
            { code: 'appends', targetReference: reference('Composition/c') },
          ],
          section: [
            { title: 'a' },
            {
              text: narrative('b'),
              emptyReason: concept('x', 'y'),
              entry: [reference('Patient/ada')],
              section: [{ title: 'c' }],
            },
          ],
        },
      },
      {
        fullUrl: 'http://x.example/Patient/1/_history/2',
        resource: { resourceType: 'Patient', id: '1', meta: { versionId: '2' }, active: false },
      },
    ],
  },
  {
    resourceType: 'Bundle',
    type: 'transaction',
    total: 1,
    entry: [
      {
        fullUrl: 'urn:uuid:1',
        request: { method: 'POST', url: 'Patient' },
        resource: { resourceType: 'Patient', text: { status: 'generated', div: '<div><script/></div>' } },
      },
      {
        fullUrl: 'urn:uuid:1',
        resource: {
          resourceType: 'List',
          status: 'current',
          mode: 'working',
          entry: [
            { item: reference('Patient/1'), deleted: true },
            { date: '2024', item: reference('#x') },
          ],
          emptyReason: { text: 'x' },
        },
      },
      { link: [{ relation: 'self', url: 'http://x' }] },
    ],
  },
  {
    resourceType: 'Bundle',
    type: 'message',
    entry: [
      {
        resource: {
          resourceType: 'MessageHeader',
          eventUri: 'http://e',
          source: { endpoint: 'http://s' },
          focus: [reference('Patient/1')],
        },
      },
    ],
  },
]

export const SAMPLES: readonly Sample[] = [...people, ...clinical, ...administrative, ...definitions, ...bundles]
