/** Small valid resources of the types a clinic uses most, for tests that make them invalid. */
export type ValidResource = Readonly<Record<string, unknown>> & { readonly resourceType: string }

const concept = (system: string, code: string) => ({ coding: [{ system, code }] })
const reference = (to: string) => ({ reference: to })
const NARRATIVE = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"><p>Summary</p></div>' }

export const VALID_RESOURCES: readonly ValidResource[] = [
  {
    resourceType: 'Patient',
    id: 'peter',
    meta: {
      versionId: '1',
      lastUpdated: '2024-05-31T09:30:00.000Z',
      tag: [{ system: 'http://example.org/tags', code: 'demo' }],
    },
    text: NARRATIVE,
    contained: [{ resourceType: 'Practitioner', id: 'gp', name: [{ family: 'Careful' }] }],
    extension: [
      { url: 'http://example.org/birthplace', valueAddress: { city: 'Springfield' } },
      { url: 'http://example.org/nested', extension: [{ url: 'inner', valueInteger: 3 }] },
    ],
    identifier: [
      {
        use: 'usual',
        type: { text: 'MRN' },
        system: 'urn:oid:1.2.36.146',
        value: '12345',
        period: { start: '2001-05-06' },
      },
    ],
    active: true,
    name: [{ use: 'official', family: 'Chalmers', given: ['Peter', 'James'] }],
    telecom: [{ system: 'phone', value: '(03) 5555 6473', use: 'work', rank: 1 }],
    gender: 'male',
    birthDate: '1974-12-25',
    _birthDate: {
      extension: [
        {
          url: 'http://hl7.org/fhir/StructureDefinition/patient-birthTime',
          valueDateTime: '1974-12-25T14:35:45-05:00',
        },
      ],
    },
    deceasedBoolean: false,
    address: [
      {
        use: 'home',
        type: 'both',
        line: ['534 Erewhon St'],
        city: 'PleasantVille',
        period: { start: '1974', end: '2024-01' },
      },
    ],
    contact: [
      { relationship: [concept('http://terminology.hl7.org/CodeSystem/v2-0131', 'N')], name: { family: 'du Marché' } },
    ],
    communication: [{ language: { text: 'English' }, preferred: true }],
    generalPractitioner: [reference('#gp')],
    managingOrganization: reference('Organization/1'),
    link: [{ other: reference('Patient/pat2'), type: 'seealso' }],
  },
  {
    resourceType: 'Observation',
    status: 'final',
    category: [concept('http://terminology.hl7.org/CodeSystem/observation-category', 'vital-signs')],
    code: concept('http://loinc.org', '85354-9'),
    subject: reference('Patient/peter'),
    effectivePeriod: { start: '2024-05-31T09:30:00Z', end: '2024-05-31T09:35:00Z' },
    issued: '2024-05-31T09:36:00.5+02:00',
    component: [
      {
        code: concept('http://loinc.org', '8480-6'),
        valueQuantity: { value: 107.5, unit: 'mmHg', system: 'http://unitsofmeasure.org', code: 'mm[Hg]' },
        referenceRange: [{ low: { value: 90, unit: 'mmHg' }, text: 'normal' }],
      },
    ],
  },
  {
    resourceType: 'Appointment',
    status: 'booked',
    start: '2024-05-31T09:30:00Z',
    end: '2024-05-31T10:00:00Z',
    minutesDuration: 30,
    slot: [reference('Slot/1')],
    participant: [
      { actor: reference('Patient/peter'), required: 'required', status: 'accepted' },
      { type: [{ text: 'location' }], status: 'needs-action' },
    ],
  },
  {
    resourceType: 'Slot',
    schedule: reference('Schedule/1'),
    status: 'free',
    start: '2024-05-31T09:30:00Z',
    end: '2024-05-31T10:00:00Z',
    overbooked: false,
  },
  {
    resourceType: 'Organization',
    name: 'Acme',
    telecom: [{ system: 'phone', value: '555', use: 'work' }],
    contact: [{ purpose: { text: 'billing' }, address: { city: 'Acmetown' } }],
  },
  {
    resourceType: 'Condition',
    clinicalStatus: concept('http://terminology.hl7.org/CodeSystem/condition-clinical', 'resolved'),
    verificationStatus: concept('http://terminology.hl7.org/CodeSystem/condition-ver-status', 'confirmed'),
    code: { text: 'Asthma' },
    subject: reference('Patient/peter'),
    onsetAge: { value: 52, unit: 'years', system: 'http://unitsofmeasure.org', code: 'a' },
    abatementString: 'around April',
    stage: [{ summary: { text: 'mild' } }],
  },
  {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    medicationCodeableConcept: { text: 'Paracetamol' },
    subject: reference('Patient/peter'),
    dosageInstruction: [
      {
        text: 'twice a day',
        timing: { repeat: { boundsPeriod: { start: '2024-05-31' }, frequency: 2, period: 1, periodUnit: 'd' } },
        asNeededBoolean: false,
        doseAndRate: [{ doseQuantity: { value: 1, unit: 'tablet' } }],
      },
    ],
  },
  {
    resourceType: 'Coverage',
    status: 'active',
    beneficiary: reference('Patient/peter'),
    payor: [reference('Organization/1')],
    costToBeneficiary: [{ valueMoney: { value: 20, currency: 'USD' } }],
  },
  {
    resourceType: 'DocumentReference',
    status: 'current',
    type: { text: 'Letter' },
    subject: reference('Patient/peter'),
    content: [
      { attachment: { contentType: 'text/plain', data: 'SGVsbG8=', size: 5, hash: '9/+ei3uy4Jtwk1pdeF4MxdnQq/A=' } },
    ],
  },
  {
    resourceType: 'Questionnaire',
    url: 'http://example.org/Questionnaire/intake',
    status: 'draft',
    item: [
      {
        linkId: '1',
        type: 'group',
        item: [{ linkId: '1.1', type: 'choice', answerOption: [{ valueCoding: { code: 'y' } }] }],
      },
      { linkId: '2', type: 'boolean', enableWhen: [{ question: '1.1', operator: 'exists', answerBoolean: true }] },
    ],
  },
  {
    resourceType: 'Parameters',
    parameter: [
      { name: 'resource', resource: { resourceType: 'Patient', birthDate: '1974-12' } },
      { name: 'onlyCertainMatches', valueBoolean: true },
      { name: 'outer', part: [{ name: 'inner', valueDecimal: 0.5 }] },
    ],
  },
  {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [
      {
        fullUrl: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
        resource: { resourceType: 'Patient', active: true },
        request: { method: 'POST', url: 'Patient' },
      },
      { request: { method: 'DELETE', url: 'Patient/234' } },
    ],
  },
  { resourceType: 'Binary', contentType: 'application/pdf', data: 'SGVsbG8=' },
  {
    resourceType: 'Task',
    status: 'requested',
    intent: 'order',
    authoredOn: '2024-05-31T09:30:00Z',
    lastModified: '2024-05-31T09:31:00Z',
    restriction: { repetitions: 1, period: { end: '2024-06-30' } },
    input: [{ type: { text: 'reason' }, valueMarkdown: '*call back*' }],
  },
]
