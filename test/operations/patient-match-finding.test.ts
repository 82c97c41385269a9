/** Patient/$match finds the patient: among placeholders and namesakes, by any spelling, and explains itself. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Extension, OperationOutcome, Patient } from 'fhir/r4'
import { readXml } from '../../src/fhir/xml/read.ts'
import { PLACEHOLDER_TAG } from '../../src/matching/placeholder.ts'
import type { FhirResponse } from '../support/server.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

const MRN = 'http://example.org/mrn'
const EXPLANATION = 'https://sandbox-emr.example/fhir/StructureDefinition/match-explanation'
const XML = 'application/fhir+xml'

const person = (given: string, family: string, more: Partial<Patient> = {}): Patient => ({
  resourceType: 'Patient',
  name: [{ family, given: [given] }],
  ...more,
})
const phone = (value: string): Partial<Patient> => ({ telecom: [{ system: 'phone', value }] })
const address = (line: string, postalCode: string): Partial<Patient> => ({ address: [{ line: [line], postalCode }] })
const placeholder = (given: string, family: string): Patient =>
  person(given, family, { active: false, meta: { tag: [PLACEHOLDER_TAG] } })

const SHARED_HOME: Partial<Patient> = { ...phone('+13155550123'), ...address('77 Shared Lane', '12999') }

/** More than a page, or than a search looks at, used to hold. */
const PLACEHOLDERS = 205
const NAMESAKES = 130

const KNOWN: Readonly<Record<string, Patient>> = {
  tamsin: person('Tamsin', 'Zabriskie', { birthDate: '1971-08-09', ...phone('+12125550177') }),
  elmer: person('Elmer', 'Common', address('12 Elm Street', '12203')),
  grace: person('Grace', "O'Brien", { birthDate: '1969-03-02' }),
  samuel: person('Samuel', 'Whitlock'),
  james: person('James', 'Featherstone'),
  sean: person('Sean', 'Quigley'),
  ruth: person('Ruthanne', 'Abernathy', { identifier: [{ system: MRN, value: 'MRN-4711' }] }),
  sharing: person('Wanda', 'Sharing', SHARED_HOME),
  stopgap: person('Wilma', 'Stopgap'),
  twofold1: person('Nora', 'Twofold', {
    birthDate: '1966-06-06',
    telecom: [{ system: 'email', value: 'n@example.com' }],
  }),
  twofold2: person('Nora', 'Twofold', {
    birthDate: '1966-06-06',
    telecom: [{ system: 'email', value: 'n@example.com' }],
  }),
}

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  const known = Object.entries(KNOWN).map(([id, patient]) => ({ ...patient, id }))
  const others = [
    ...Array.from({ length: PLACEHOLDERS }, (_none, n) => ({ ...placeholder('Tamsin', 'Zabriskie'), id: `p${n}` })),
    ...Array.from({ length: 3 }, (_none, n) => ({ ...placeholder('Wilma', 'Stopgap'), id: `a-stopgap-${n}` })),
    ...Array.from({ length: NAMESAKES }, (_none, n) => ({
      ...person('Elmer', 'Common', address(`${n} Oak Lane`, `${20_000 + n}`)),
      id: `n${n}`,
    })),
  ]
  const entry = [...known, ...others].map((resource) => ({
    resource,
    request: { method: 'PUT', url: `Patient/${resource.id}` },
  }))
  expect((await clinics.ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200)
})
afterAll(() => clinics.server.close())

const match = (resource: Patient, ...more: readonly object[]): Promise<FhirResponse> =>
  clinics.ours('POST', '/Patient/$match', {
    resourceType: 'Parameters',
    parameter: [{ name: 'resource', resource }, ...more],
  })

interface Entry {
  readonly resource: Patient & { readonly id: string }
  readonly search: { readonly mode: string; readonly score: number; readonly extension: readonly Extension[] }
}

const entriesOf = ({ status, body }: FhirResponse): readonly Entry[] => {
  expect([status, body.type]).toEqual([200, 'searchset'])
  return (body.entry ?? []).filter(({ search }: Entry) => search.mode === 'match')
}
const idsOf = (answer: FhirResponse) => entriesOf(answer).map(({ resource }) => resource.id)
const gradesOf = (answer: FhirResponse) => entriesOf(answer).map(({ search }) => search.extension[0]?.valueCode)
const issuesOf = ({ body }: FhirResponse) =>
  (body.entry ?? []).flatMap(({ resource, search }: { resource: OperationOutcome; search: { mode: string } }) =>
    search.mode === 'outcome' ? resource.issue : [],
  )

describe(`among ${PLACEHOLDERS} placeholders of the name`, () => {
  test('the name alone finds the patient, and the answer says that not all who have it were compared', async () => {
    const answer = await match(person('Tamsin', 'Zabriskie'))
    expect(idsOf(answer)).toEqual(['tamsin'])
    expect(gradesOf(answer)).toEqual(['probable'])
    expect(issuesOf(answer)).toEqual([expect.objectContaining({ severity: 'information', code: 'incomplete' })])
  })

  test('of a few the patient comes first', async () => {
    const answer = await match(person('Wilma', 'Stopgap'))
    const [first, ...rest] = idsOf(answer)
    expect(first).toBe('stopgap')
    expect(rest.toSorted()).toEqual(['a-stopgap-0', 'a-stopgap-1', 'a-stopgap-2'])
    expect(gradesOf(answer)[0]).toBe('probable')
  })

  test('count leaves placeholders out before it leaves out the patient', async () => {
    expect(idsOf(await match(person('Tamsin', 'Zabriskie'), { name: 'count', valueInteger: 1 }))).toEqual(['tamsin'])
    expect(idsOf(await match(person('Wilma', 'Stopgap'), { name: 'count', valueInteger: 1 }))).toEqual(['stopgap'])
  })

  test('onlySingleMatch is the patient', async () => {
    const answer = await match(person('Tamsin', 'Zabriskie'), { name: 'onlySingleMatch', valueBoolean: true })
    expect(idsOf(answer)).toEqual(['tamsin'])
    expect(answer.body.total).toBe(1)
  })

  test('they do not make a match uncertain', async () => {
    const asked = person('Tamsin', 'Zabriskie', { birthDate: '1971-08-09', ...phone('212-555-0177') })
    expect(entriesOf(await match(asked))[0]).toMatchObject({ resource: { id: 'tamsin' } })
    expect(entriesOf(await match(asked))[0]?.search.score).toBeGreaterThan(0.99)
  })

  test('resolve_patient_identity answers EXISTING', async () => {
    const headers = { 'x-call-id': 'finding-placeholders' }
    const answer = await clinics.server.tool(
      '/patient-journey/resolve_patient_identity',
      { statedName: 'Tamsin Zabriskie' },
      headers,
    )
    expect(answer).toMatchObject({ patientType: 'EXISTING' })
  })
})

describe(`among ${NAMESAKES} namesakes`, () => {
  test('the exact address makes her the first', async () => {
    const answer = await match(person('Elmer', 'Common', address('12 Elm Street', '12203')))
    expect(idsOf(answer)[0]).toBe('elmer')
    expect(gradesOf(answer)[0]).toBe('probable')
  })

  test('the name alone gives all of them, none certain or probable, and says that it narrowed', async () => {
    const answer = await match(person('Elmer', 'Common'))
    expect(idsOf(answer)).toHaveLength(NAMESAKES + 1)
    expect(new Set(gradesOf(answer))).toEqual(new Set(['possible']))
    expect(issuesOf(answer)).toEqual([
      expect.objectContaining({
        severity: 'information',
        code: 'incomplete',
        diagnostics: expect.stringMatching(/too common/),
      }),
    ])
    const sum = entriesOf(answer).reduce((all, { search }) => all + search.score, 0)
    expect(sum).toBeLessThanOrEqual(1.1)
  })

  test('what is rare finds her without a word of that', async () => {
    expect(issuesOf(await match(person('Ruthanne', 'Abernathy')))).toEqual([])
  })
})

const SPELLINGS: readonly (readonly [string, Patient, string])[] = [
  ['a national telephone number', { resourceType: 'Patient', ...phone('212-555-0177') }, 'tamsin'],
  ['a name without its apostrophe', person('Grace', 'OBrien'), 'grace'],
  ['a space for the apostrophe', person('Grace', 'O Brien'), 'grace'],
  ['the nickname Sam', person('Sam', 'Whitlock'), 'samuel'],
  ['the nickname Jim', person('Jim', 'Featherstone'), 'james'],
  ['Shawn for Sean', person('Shawn', 'Quigley'), 'sean'],
  ['Abernathey for Abernathy', person('Ruthanne', 'Abernathey'), 'ruth'],
  ['an identifier without system', { resourceType: 'Patient', identifier: [{ value: 'mrn 4711' }] }, 'ruth'],
]

test.each(SPELLINGS)('%s finds the patient', async (_what, asked, id) => {
  expect(idsOf(await match(asked))[0]).toBe(id)
})

test.each(SPELLINGS.filter(([, { name }]) => name !== undefined))(
  '%s: a caller is known by it',
  async (_what, asked) => {
    const [{ given = [], family = '' } = {}] = asked.name ?? []
    const answer = await clinics.server.tool(
      '/patient-journey/resolve_patient_identity',
      { statedName: `${given[0]} ${family}` },
      { 'x-call-id': `finding-${given[0]}-${family.length}` },
    )
    expect(answer).toMatchObject({ patientType: 'EXISTING' })
  },
)

test('of two exact duplicates each is probable, and the answer says that they may be the same person', async () => {
  const answer = await match(KNOWN['twofold1'] as Patient)
  expect(gradesOf(answer)).toEqual(['probable', 'probable'])
  const [issue, ...more] = issuesOf(answer)
  expect(more).toEqual([])
  expect(issue).toMatchObject({ severity: 'information', code: 'duplicate' })
  expect(issue?.diagnostics).toMatch(/Patient\/twofold1, Patient\/twofold2/)
  expect(issue?.extension).toEqual(
    ['twofold1', 'twofold2'].map((id) => ({
      url: 'https://sandbox-emr.example/fhir/StructureDefinition/possible-duplicate',
      valueReference: { reference: `Patient/${id}` },
    })),
  )
  const { status, body } = await clinics.ours('POST', '/Bundle/$validate', answer.body)
  expect([status, body.issue.filter(({ severity }: { severity: string }) => severity === 'error')]).toEqual([200, []])
})

describe('explain', () => {
  const asked = person('Grace', 'OBrien', { birthDate: '1969-03-03' })
  const EXPLAIN = { name: 'explain', valueBoolean: true }

  test('gives what each field contributes, and the level of the identity matching guide', async () => {
    const same = await match(person('Grace', "O'Brien", { birthDate: '1969-03-02' }), EXPLAIN)
    const [grade, explanation] = entriesOf(same)[0]?.search.extension ?? []
    expect(grade?.url).toBe('http://hl7.org/fhir/StructureDefinition/match-grade')
    expect(explanation?.url).toBe(EXPLANATION)
    expect(explanation?.extension?.find(({ url }) => url === 'identityLevel')?.valueDecimal).toBe(0.6)
    const contributions = (explanation?.extension ?? []).filter(({ url }) => url === 'contribution')
    const fields = contributions.map(({ extension = [] }) =>
      extension.flatMap(({ valueCode, valueString }) => valueCode ?? valueString ?? []).join(' '),
    )
    expect(fields.slice(0, 3)).toEqual(['family same', 'given same', 'birthDate same'])
    expect(fields.at(-1)).toBe('prior')
    for (const { extension = [] } of contributions.slice(0, 3)) expect(extension[2]?.valueDecimal).toBeGreaterThan(0)
  })

  test.each<[string, Patient, readonly string[]]>([
    ['one who agrees in little', person('Samuel', 'Whitlok'), ['prior']],
    ['namesakes', person('Elmer', 'Common'), ['others', 'prior']],
    ['a household', person('Walter', 'Sharing', SHARED_HOME), ['household', 'prior']],
  ])('adds up to the odds of the score: %s', async (_what, one, besides) => {
    const [best] = entriesOf(await match(one, EXPLAIN))
    const contributions = (best?.search.extension[1]?.extension ?? []).filter(({ url }) => url === 'contribution')
    const bits = contributions.map(
      ({ extension = [] }) => extension.find(({ url }) => url === 'bits')?.valueDecimal ?? Number.NaN,
    )
    const score = best?.search.score ?? Number.NaN
    const odds = bits.reduce((sum, some) => sum + some, 0)
    expect(score).toBeLessThan(0.9999)
    expect(1 / (1 + 2 ** -odds)).toBeCloseTo(score, 2)
    const names = contributions.map(({ extension = [] }) => extension[0]?.valueCode)
    expect(names).toEqual(expect.arrayContaining([...besides]))
  })

  test('has no level where the fields that agree reach none, and bits below zero for what differs', async () => {
    const other = await match({ ...asked, gender: 'female', birthDate: '1931-11-20' }, EXPLAIN)
    const explained =
      entriesOf(other).find(({ resource }) => resource.id === 'grace')?.search.extension[1]?.extension ?? []
    expect(explained.some(({ url }) => url === 'identityLevel')).toBe(false)
    const birthDate = explained.find(({ extension }) => extension?.[0]?.valueCode === 'birthDate')
    expect(birthDate?.extension?.[1]?.valueString).toBe('differ')
    expect(birthDate?.extension?.[2]?.valueDecimal).toBeLessThan(0)
  })

  test('is as its StructureDefinition says, and is absent where nobody asks', async () => {
    const { body } = await match(asked, EXPLAIN)
    const definition = await clinics.ours('GET', `/StructureDefinition?url=${EXPLANATION}`)
    expect(definition.body.total).toBe(1)
    const { issue } = (await clinics.ours('POST', '/Bundle/$validate', body)).body
    const errors = issue.filter(({ severity }: { severity: string }) => severity === 'error' || severity === 'fatal')
    expect(errors).toEqual([])
    const wrong = structuredClone(body)
    wrong.entry[0].search.extension[1].extension.push({ url: 'other', valueString: 'x' })
    const refused = (await clinics.ours('POST', '/Bundle/$validate', wrong)).body
    expect(refused.issue.some(({ severity }: { severity: string }) => severity === 'error')).toBe(true)
    expect(entriesOf(await match(asked))[0]?.search.extension).toHaveLength(1)
  })
})

test('XML in and out: the same answer as in JSON', async () => {
  const body = `<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="resource"/><resource><Patient><name><family value="O'Brien"/><given value="Grace"/></name><birthDate value="1969-03-02"/></Patient></resource></parameter><parameter><name value="explain"/><valueBoolean value="true"/></parameter></Parameters>`
  const headers = { accept: XML, 'content-type': XML }
  const answer = await clinics.ours('POST', '/Patient/$match', body, headers)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain(XML)
  const asked = person('Grace', "O'Brien", { birthDate: '1969-03-02' })
  const json = await match(asked, { name: 'explain', valueBoolean: true })
  expect(readXml(answer.text)).toEqual(json.body)
})

test('a bare Patient in XML is asked for alike', async () => {
  const body = `<Patient xmlns="http://hl7.org/fhir"><name><family value="Whitlock"/><given value="Sam"/></name></Patient>`
  const answer = await clinics.ours('POST', '/Patient/$match', body, { 'content-type': XML })
  expect(idsOf(answer)[0]).toBe('samuel')
})

test('every patient in an answer is disclosed by an AuditEvent, and nobody else', async () => {
  const token = await logInAs(clinics.server, { username: 'finding-admin', clinic: 'demo-clinic', role: 'admin' })
  const admin = withToken(clinics.server, token).fhir
  const matches = async (id: string): Promise<number> =>
    (await admin('GET', `/AuditEvent?patient=Patient/${id}&subtype=operation&_count=1000`)).body.entry?.length ?? 0
  const before = [await matches('twofold1'), await matches('twofold2'), await matches('james')]
  expect(idsOf(await match(KNOWN['twofold1'] as Patient))).toHaveLength(2)
  expect([await matches('twofold1'), await matches('twofold2'), await matches('james')]).toEqual(
    [1, 1, 0].map((more, index) => (before[index] ?? 0) + more),
  )
})
