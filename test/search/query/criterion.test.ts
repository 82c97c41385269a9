/** https://hl7.org/fhir/R4/search.html#modifiers, #chaining, #has and #errors */
import { describe, expect, test } from '@jest/globals'
import { namePrefix, refusal, search, where } from '../support.ts'

const name = namePrefix('name', 'roe')
const title = { kind: 'string', param: 'name', match: 'prefix', value: 'roe' }

describe('a chain', () => {
  test('follows a reference to the named type', () => {
    expect(where('Observation?subject:Patient.name=roe')).toEqual([
      { kind: 'chain', param: 'subject', types: ['Patient'], where: name },
    ])
  })

  test('without a type follows it to every type that has the parameter', () => {
    expect(where('Patient?general-practitioner.identifier=12')).toEqual([
      {
        kind: 'chain',
        param: 'general-practitioner',
        types: ['Organization', 'Practitioner', 'PractitionerRole'],
        where: { kind: 'token', param: 'identifier', code: '12' },
      },
    ])
    // A person's name has parts, and that of an organization has none.
    expect(where('Patient?general-practitioner.name=roe')).toEqual([
      {
        kind: 'any',
        of: [
          { kind: 'chain', param: 'general-practitioner', types: ['Organization'], where: title },
          { kind: 'chain', param: 'general-practitioner', types: ['Practitioner'], where: name },
        ],
      },
    ])
  })

  test('compares with each type by that type’s own rules', () => {
    expect(where('AuditEvent?entity:Patient.gender=male')).toEqual([
      {
        kind: 'chain',
        param: 'entity',
        types: ['Patient'],
        where: { kind: 'token', param: 'gender', system: 'http://hl7.org/fhir/administrative-gender', code: 'male' },
      },
    ])
    expect(where('Appointment?actor.address=roe')).toMatchObject([
      {
        kind: 'chain',
        types: ['Location', 'Patient', 'Practitioner', 'RelatedPerson'],
        where: namePrefix('address', 'roe'),
      },
    ])
  })

  test('may have several links and end in a modifier, an id or a date', () => {
    expect(where('Observation?patient.organization.partof.name:exact=Roe')).toEqual([
      {
        kind: 'chain',
        param: 'patient',
        types: ['Patient'],
        where: {
          kind: 'chain',
          param: 'organization',
          types: ['Organization'],
          where: {
            kind: 'chain',
            param: 'partof',
            types: ['Organization'],
            where: { ...title, match: 'exact', value: 'Roe' },
          },
        },
      },
    ])
    expect(where('Observation?patient._id=a,b')).toEqual([
      { kind: 'chain', param: 'patient', types: ['Patient'], where: { kind: 'id', ids: ['a', 'b'] } },
    ])
  })
})

describe('_has', () => {
  const code = { kind: 'token', param: 'code', code: '1234-5' }

  test('asks for what points here', () => {
    expect(where('Patient?_has:Observation:patient:code=1234-5')).toEqual([
      { kind: 'has', type: 'Observation', param: 'patient', where: code },
    ])
  })

  test('nests, and goes together with chains', () => {
    const agent = { kind: 'token', param: 'action', code: 'R', system: 'http://hl7.org/fhir/audit-event-action' }
    expect(where('Patient?_has:Observation:patient:_has:AuditEvent:entity:action=R')).toEqual([
      {
        kind: 'has',
        type: 'Observation',
        param: 'patient',
        where: { kind: 'has', type: 'AuditEvent', param: 'entity', where: agent },
      },
    ])
    expect(where('Encounter?patient._has:Observation:patient:code=1234-5')).toEqual([
      {
        kind: 'chain',
        param: 'patient',
        types: ['Patient'],
        where: { kind: 'has', type: 'Observation', param: 'patient', where: code },
      },
    ])
    expect(where('Patient?_has:Observation:patient:encounter.class=AMB')).toMatchObject([
      { kind: 'has', where: { kind: 'chain', param: 'encounter', types: ['Encounter'] } },
    ])
  })
})

describe('_id', () => {
  test('is one of the ids, or none of them', () => {
    expect(where('Patient?_id=a,b')).toEqual([{ kind: 'id', ids: ['a', 'b'] }])
    expect(where('Patient?_id:not=a')).toEqual([{ kind: 'not', of: { kind: 'id', ids: ['a'] } }])
  })

  test('and _lastUpdated are missing in no resource', () => {
    expect(where('Patient?_id:missing=true')).toEqual([{ kind: 'any', of: [] }])
    expect(where('Patient?_lastUpdated:missing=false')).toEqual([{ kind: 'all', of: [] }])
  })
})

describe('parameters that several types share', () => {
  const types = ['Patient', 'Practitioner', 'Encounter']

  test('can be searched on all of them', () => {
    expect(search('?_tag=a&_lastUpdated=ge2024', { types }).plan.where).toHaveLength(2)
    expect(search('?_type=Patient,Practitioner&family=roe', { types }).plan).toMatchObject({
      types: ['Patient', 'Practitioner'],
      where: [namePrefix('family', 'roe')],
    })
  })

  test('are those that all have', () => {
    expect(refusal('?family=roe', { types })).toBe(
      "There is no search parameter 'family' for Patient and Practitioner and Encounter; valid are _content, _filter, _has, _id, _lastUpdated, _list, _profile, _security, _source, _tag, _text, identifier",
    )
  })

  test('take the code system of none when they draw on different ones', () => {
    const statuses = { types: ['Slot', 'Appointment'] }
    const status = { kind: 'token', param: 'status', code: 'free' }
    expect(search('?status=free', statuses).plan.where).toEqual([
      { kind: 'any', of: [status, { ...status, param: 'status:case-insensitive' }] },
    ])
  })

  test('may be a point in one type and a period in another', () => {
    const dates = { types: ['Appointment', 'Encounter'] }
    expect(search('?date=ge2024', dates).plan.where).toMatchObject([{ kind: 'any' }])
    expect(search('?date=ge2024&date=lt2025', dates).plan.where).toHaveLength(1)
  })
})

describe('refused with a sentence that says what would be right', () => {
  test.each([
    [
      'Slot?stat=free',
      "There is no search parameter 'stat' for Slot; did you mean 'start'? Valid too: _content, _filter, _has, _id, _lastUpdated, _list, _profile, _security, _source, _tag, _text, appointment-type, identifier, schedule, service-category, service-type, specialty, status",
    ],
    ['Patient?phonetic=7', "phonetic=7: '7' has a word without a letter that sounds; write a name, e.g. Smyth"],
    ['Patient?phonetic:exact=Smith', "phonetic:exact: the string parameter 'phonetic' takes the modifiers :missing"],
    ['Patient?_filer=x', "There is no search parameter '_filer' for Patient; did you mean '_filter'?"],
    ['Patient?_has=x', '_has: write _has:Type:reference:parameter, e.g. _has:Observation:patient:code'],
    ['Patient?=x', "There is no search parameter '' for Patient"],
    ['Patient?given=a,,b', "given=a,,b has an empty value; write '\\,' for a comma that belongs to a value"],
    [
      'Patient?family:like=x',
      "family:like: the string parameter 'family' takes the modifiers :missing, :exact, :contains, not ':like'",
    ],
    [
      'Patient?birthdate:exact=2020',
      "birthdate:exact: the date parameter 'birthdate' takes the modifiers :missing, not ':exact'",
    ],
    [
      'Patient?_lastUpdated:exact=2020',
      "_lastUpdated:exact: the date parameter '_lastUpdated' takes the modifiers :missing, not ':exact'",
    ],
    [
      'Patient?family:exact:contains=x',
      "family:exact:contains: 'family:exact:contains' has two modifiers; a parameter takes one",
    ],
    ['Patient?_id=a/b', "_id=a/b: 'a/b' is not an id (1 to 64 letters, digits, hyphens and points)"],
    [
      'Patient?gender.name=x',
      "gender.name: 'gender' of Patient is a token parameter; only a reference can be followed",
    ],
    ['Patient?organization.nam=x', "There is no search parameter 'nam' for Organization; did you mean 'name'?"],
    [
      'Patient?organization:Patient.name=x',
      "organization:Patient.name: 'organization' refers to Organization, not to Patient",
    ],
    [
      'Patient?organization:Organisation.name=x',
      "organization:Organisation.name: there is no resource type 'Organisation'; did you mean Organization?",
    ],
    [
      'Patient?_has:Observation:patient=x',
      '_has:Observation:patient: write _has:Type:reference:parameter, e.g. _has:Observation:patient:code',
    ],
    [
      'Patient?_has:Observatoin:patient:code=x',
      "_has:Observatoin:patient:code: there is no resource type 'Observatoin'; did you mean Observation?",
    ],
    [
      'Patient?_has:Observation:encounter:code=x',
      '_has:Observation:encounter:code: encounter of Observation refers to Encounter, never to Patient',
    ],
    [
      'Patient?_has:Observation:code:code=x',
      "_has:Observation:code:code: 'code' of Observation is a token parameter; only a reference can be followed",
    ],
  ])('%s', (query, message) => {
    expect(refusal(query)).toContain(message)
  })

  test('200 values in one parameter are the most', () => {
    const values = (number: number) => Array.from({ length: number }, (_, at) => `a${at}`).join()
    expect(where(`Patient?_id=${values(200)}`)).toHaveLength(1)
    expect(refusal(`Patient?_id=${values(201)}`)).toBe('_id has 201 values; 200 are the most')
  })

  test('10 links of a chain are the most, _has among them', () => {
    const partOf = (number: number) => 'partof.'.repeat(number)
    expect(where(`Organization?${partOf(10)}name=x`)).toHaveLength(1)
    expect(refusal(`Organization?${partOf(11)}name=x`)).toContain('follows more than 10 references')
    const has = '_has:Organization:partof:'
    expect(where(`Organization?${has.repeat(10)}name=x`)).toHaveLength(1)
    expect(refusal(`Organization?${has.repeat(11)}name=x`)).toContain('follows more than 10 references')
    expect(refusal(`Organization?${partOf(6)}${has.repeat(5)}name=x`)).toContain('follows more than 10 references')
  })
})

test('a chain that names no types is refused when it leads to more than 2,000', () => {
  expect(where('Provenance?target.subject.identifier=x')).toHaveLength(1)
  expect(refusal('Provenance?target.subject.subject.subject._id=x')).toBe(
    'target.subject.subject.subject._id leads to too many types; name them, as in subject:Patient.name',
  )
})

test('a chain leaves out the types on which its rest means nothing', () => {
  const chains = where('Provenance?target.focus._id=x').flatMap((one) => (one.kind === 'any' ? one.of : [one]))
  const types = chains.flatMap((chain) => (chain.kind === 'chain' ? chain.types : []))
  // `focus` is a reference of Observation, and a token of MessageDefinition.
  expect(types).toContain('Observation')
  expect(types).not.toContain('MessageDefinition')
})

test.each(['phone', 'family', 'family:exact', '_profile:above', 'identifier'])(
  'a value of more than 4,096 characters is refused: %s',
  (name) => {
    expect(where(`Patient?${name}=${'1'.repeat(4096)}`)).toHaveLength(1)
    expect(refusal(`Patient?${name}=${'1'.repeat(4097)}`)).toBe(
      `${name} has a value of more than 4096 characters, the most a search takes`,
    )
  },
)
