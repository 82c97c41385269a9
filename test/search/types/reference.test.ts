/** https://hl7.org/fhir/R4/search.html#reference */
import { describe, expect, test } from '@jest/globals'
import { extractEntries } from '../../../src/search/index/extract.ts'
import { BASE, entriesOf, finds, refusal, search, where } from '../support.ts'

describe('a reference in a query', () => {
  test.each([
    ['subject=Patient/1', { param: 'subject', type: 'Patient', id: '1' }],
    ['subject=1', { param: 'subject', id: '1' }],
    ['subject:Patient=1', { param: 'subject', type: 'Patient', id: '1' }],
    ['subject:Patient=Patient/1', { param: 'subject', type: 'Patient', id: '1' }],
    ['patient=1', { param: 'patient', type: 'Patient', id: '1' }],
    [`subject=${BASE}/Patient/1`, { param: 'subject', type: 'Patient', id: '1' }],
    ['subject=Patient/1/_history/3', { param: 'subject', type: 'Patient', id: '1', version: '3' }],
    ['subject=http://other.org/Patient/1', { param: 'subject', type: '', id: 'http://other.org/Patient/1' }],
    ['subject=Encounter/2#p', { param: 'subject', id: 'Encounter/2#p' }],
    ['subject=urn:uuid:9b2c', { param: 'subject', type: '', id: 'urn:uuid:9b2c' }],
  ])('%s is %j', (query, expected) => {
    expect(where(`Observation?${query}`)).toEqual([{ kind: 'reference', ...expected }])
  })

  test('may be a canonical with or without version', () => {
    expect(where('QuestionnaireResponse?questionnaire=http://x.org/q|2')).toEqual([
      { kind: 'reference', param: 'questionnaire', type: '', id: 'http://x.org/q', version: '2' },
    ])
  })

  test('with :identifier is a token', () => {
    expect(where('Observation?subject:identifier=urn:mrn|12')).toEqual([
      { kind: 'token', param: 'subject:identifier', system: 'urn:mrn', code: '12' },
    ])
  })

  test.each([
    [
      'subject=Patient/',
      "subject=Patient/: 'Patient/' is not a reference; write Type/id, an id or an absolute address",
    ],
    [
      'subject=Patent/1',
      "subject=Patent/1: 'Patent/1' is not a reference; write Type/id, an id or an absolute address",
    ],
    ['subject=#p', "subject=#p: '#p' is not a reference; write Type/id, an id or an absolute address"],
    [
      'subject:Practitioner=1',
      "subject:Practitioner: the reference parameter 'subject' takes the modifiers :missing, :identifier, :above, :below, :text, or a type it refers to: Device, Group, Location, Patient, not ':Practitioner'",
    ],
  ])('%s is refused', (query, message) => {
    expect(refusal(`Observation?${query}`)).toBe(message)
  })

  test.each([
    ['patient=Group/1', 'patient=Group/1: nothing can be found, as patient refers to Patient alone'],
    ['subject:Patient=Group/1', 'subject:Patient=Group/1: nothing can be found, as subject refers to Patient alone'],
    [`patient=${BASE}/Group/1`, `patient=${BASE}/Group/1: nothing can be found, as patient refers to Patient alone`],
    [
      'encounter:below=Group/1',
      'encounter:below=Group/1: nothing can be found, as encounter refers to Encounter alone',
    ],
  ])('%s can be satisfied by none, and a warning says so', (query, diagnostics) => {
    expect(where(`Observation?${query}`)).toEqual([{ kind: 'any', of: [] }])
    expect(search(`Observation?${query}`).warnings).toEqual([{ severity: 'warning', code: 'processing', diagnostics }])
    expect(where(`Observation?${query},Patient/1`)).toHaveLength(1)
  })
})

describe('the references of a resource', () => {
  const none = { type: '', id: '' }
  test.each([
    [{ reference: 'Patient/1' }, { type: 'Patient', id: '1' }],
    [{ reference: `${BASE}/Patient/1` }, { type: 'Patient', id: '1' }],
    [{ reference: 'Patient/1/_history/2' }, { type: 'Patient', id: '1', version: '2' }],
    [{ reference: 'http://other.org/Patient/1' }, { type: '', id: 'http://other.org/Patient/1' }],
    [{ reference: 'urn:uuid:9b2c' }, { type: '', id: 'urn:uuid:9b2c' }],
    [{ reference: '#p' }, none],
    [{ display: 'The neighbour' }, none],
    [{ identifier: { system: 'urn:mrn', value: '12' } }, none],
  ])('%j', (subject, expected) => {
    expect(entriesOf('subject', { resourceType: 'Observation', subject })).toEqual([
      { kind: 'reference', param: 'subject', ...expected },
    ])
  })

  test('give their identifier as a token', () => {
    const subject = { identifier: { system: 'urn:mrn', value: '12' } }
    expect(entriesOf('subject:identifier', { resourceType: 'Observation', subject })).toEqual([
      { kind: 'token', param: 'subject:identifier', system: 'urn:mrn', code: '12' },
    ])
  })

  test('include canonicals, their version apart', () => {
    const response = { resourceType: 'QuestionnaireResponse', questionnaire: 'http://x.org/q|2' }
    expect(entriesOf('questionnaire', response)).toEqual([
      { kind: 'reference', param: 'questionnaire', type: '', id: 'http://x.org/q', version: '2' },
    ])
  })

  test('count only with the type that the parameter asks for', () => {
    const participant = [{ actor: { reference: 'Patient/1' } }, { actor: { reference: 'Practitioner/2' } }]
    const appointment = { resourceType: 'Appointment', participant }
    expect(entriesOf('patient', appointment)).toEqual([
      { kind: 'reference', param: 'patient', type: 'Patient', id: '1' },
    ])
    expect(entriesOf('actor', appointment)).toHaveLength(2)
  })

  test('to two versions of one resource are two', () => {
    const target = [{ reference: 'Patient/1/_history/1' }, { reference: 'Patient/1/_history/2' }]
    const provenance = { resourceType: 'Provenance', target: [...target, ...target] }
    expect(entriesOf('target', provenance)).toEqual([
      { kind: 'reference', param: 'target', type: 'Patient', id: '1', version: '1' },
      { kind: 'reference', param: 'target', type: 'Patient', id: '1', version: '2' },
    ])
    const versions = ['', '/_history/1', '/_history/2', '/_history/3']
    expect(versions.map((version) => finds(`Provenance?target=Patient/1${version}`, provenance))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test('do not include an attachment that stands where a reference may', () => {
    const consent = { resourceType: 'Consent', sourceAttachment: { title: 'scan', url: 'http://x.org/scan' } }
    expect(entriesOf('source-reference', consent)).toEqual([])
  })

  test('include the first resource of a document, and of no other Bundle', () => {
    const entry = [{ resource: { resourceType: 'Composition', id: 'c' } }]
    const bundle = { resourceType: 'Bundle', id: 'b', entry }
    expect(entriesOf('composition', { ...bundle, type: 'document' })).toEqual([
      { kind: 'reference', param: 'composition', type: 'Bundle#Composition', id: 'Bundle/b#0' },
    ])
    expect(entriesOf('composition', { ...bundle, type: 'message' })).toEqual([])
    expect(entriesOf('composition', { ...bundle, type: 'collection' })).toEqual([])
  })

  test('lead to 1,000 contained resources at most', () => {
    const contained = Array.from({ length: 1_001 }, (_, at) => ({ resourceType: 'Basic', id: `b${at}` }))
    const list = { resourceType: 'List', id: 'l', contained, entry: [{ item: { reference: '#b1000' } }] }
    expect(entriesOf('_contained', list).filter(({ kind }) => kind === 'inner')).toHaveLength(1_000)
    expect(entriesOf('item', list)).toEqual([{ kind: 'reference', param: 'item', type: '', id: '' }])
  })

  test('lead to what the resource contains, from there to the others, and back', () => {
    const contained = [
      { resourceType: 'Patient', id: 'p', link: [{ other: { reference: '#' } }] },
      { resourceType: 'RelatedPerson', id: 'r', patient: { reference: '#p' } },
    ]
    const observation = { resourceType: 'Observation', id: 'o', contained, subject: { reference: '#p' } }
    const patient = { kind: 'reference', type: '#Patient', id: 'Observation/o#p' }
    expect(entriesOf('subject', observation)).toEqual([{ ...patient, param: 'subject' }])
    expect(entriesOf('patient', observation)).toEqual([{ ...patient, param: 'patient' }])
    const inner = extractEntries(observation, BASE).flatMap((entry) => (entry.kind === 'inner' ? entry : []))
    expect(inner.map(({ type, id }) => `${type} ${id}`)).toEqual([
      '#Patient Observation/o#p',
      '#RelatedPerson Observation/o#r',
    ])
    expect(inner.flatMap(({ entries }) => entries.filter(({ kind }) => kind === 'reference'))).toEqual([
      { kind: 'reference', param: 'link', type: 'Observation', id: 'o' },
      { ...patient, param: 'patient' },
    ])
  })
})

describe('a search by reference', () => {
  const observation = {
    resourceType: 'Observation',
    subject: { reference: 'Patient/1', identifier: { value: '12' } },
    performer: [{ display: 'Dr. No' }],
  }
  test.each([
    ['subject=Patient/1', true],
    ['subject=1', true],
    ['patient=1', true],
    ['subject:Group=1', false],
    [`subject=${BASE}/Patient/1`, true],
    ['subject=http://other.org/Patient/1', false],
    ['subject:identifier=12', true],
    ['performer:missing=false', true],
    ['encounter:missing=true', true],
  ])('%s finds it: %p', (query, found) => {
    expect(finds(`Observation?${query}`, observation)).toBe(found)
  })
})

describe(':above and :below', () => {
  const asked = (query: string) => {
    const [condition] = where(query)
    return condition?.kind === 'missing' ? JSON.parse(condition.param) : condition
  }

  test('of resources that are part of each other ask for them', () => {
    expect(asked('Procedure?location:below=a1')).toMatchObject({
      ...{ kind: 'resource', direction: 'below', param: 'location', type: 'Location', id: 'a1', parent: 'partof' },
    })
    expect(asked('Observation?encounter:above=Encounter/e1')).toMatchObject({ type: 'Encounter', parent: 'part-of' })
  })

  test('of a canonical compare the parts of its version', () => {
    const to = { kind: 'reference', param: 'questionnaire', type: '', id: 'http://x.org/q' }
    const at = 'QuestionnaireResponse?questionnaire'
    expect(where(`${at}:below=http://x.org/q|2.1`)).toEqual([{ ...to, version: '2.1', versions: 'below' }])
    expect(where(`${at}:below=http://x.org/q`)).toEqual([to])
    expect(where(`${at}:above=http://x.org/q|2.1`)).toEqual([
      {
        kind: 'any',
        of: [
          { ...to, version: '2.1' },
          { ...to, version: '2' },
        ],
      },
    ])
  })

  test.each([
    ['2.1', true],
    ['2.1.3', true],
    ['2.1-ballot', false],
    ['2.10', false],
    ['2', false],
    [undefined, false],
  ])('a canonical of the version %s is below |2.1: %p', (version, found) => {
    const questionnaire = version === undefined ? 'http://x.org/q' : `http://x.org/q|${version}`
    const response = { resourceType: 'QuestionnaireResponse', questionnaire }
    expect(finds('QuestionnaireResponse?questionnaire:below=http://x.org/q|2.1', response)).toBe(found)
  })

  test.each([
    ['Observation?performer:below=Patient/1', "'Patient/1' has nothing below"],
    ['Observation?patient:below=1', "'1' has nothing below: Patient form no hierarchy"],
    ['Observation?subject:below=Location/1/_history/2', 'names one version, which has nothing below'],
    ['Procedure?part-of:below=1', undefined],
  ])('%s: %s', (query, message) => {
    if (message === undefined) expect(where(query)).toHaveLength(1)
    else expect(refusal(query)).toContain(message)
  })
})

test(':text is the display of the reference', () => {
  const one = { resourceType: 'Observation', subject: { reference: 'Patient/1', display: 'Ada Lovelace' } }
  expect(finds('Observation?subject:text=ada', one)).toBe(true)
  expect(finds('Observation?subject:text=lovelace', one)).toBe(false)
})
