/** Patient/$match: https://hl7.org/fhir/R4/patient-operation-match.html and the cases of IHE PDQm ITI-119. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import type { FhirResponse } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const MATCH_GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const MRN = 'http://example.org/mrn'

type Traits = Partial<Patient> & { readonly phone?: string; readonly email?: string }

function person(given: string, family: string, { phone, email, ...more }: Traits = {}): Patient {
  const telecom = [
    ...(phone === undefined ? [] : [{ system: 'phone' as const, value: phone }]),
    ...(email === undefined ? [] : [{ system: 'email' as const, value: email }]),
  ]
  return {
    resourceType: 'Patient',
    name: [{ family, given: [given] }],
    ...(telecom.length > 0 && { telecom }),
    ...more,
  }
}

const HOME = { address: [{ line: ['1 Elm Street'], city: 'Albany', postalCode: '12203' }] }
const KNOWN: Readonly<Record<string, Patient>> = {
  // One person, well known.
  ida: person('Ida', 'Quillfeather', {
    birthDate: '1975-04-12',
    gender: 'female',
    email: 'ida@example.com',
    phone: '+1 (518) 555-0142',
    identifier: [{ system: MRN, value: 'Q-1' }],
  }),
  // Three people of one name.
  max1: person('Max', 'Ubermann', { birthDate: '1980-01-01', email: 'max1@example.com' }),
  max2: person('Max', 'Ubermann', { birthDate: '1980-01-01' }),
  max3: person('Max', 'Ubermann', { birthDate: '1991-07-30' }),
  // The same person registered twice.
  dup1: person('Nora', 'Twofold', { birthDate: '1966-06-06', email: 'nora@example.com' }),
  dup2: person('Nora', 'Twofold', { birthDate: '1966-06-06', email: 'nora@example.com' }),
  // Twins at one address with one phone.
  twin1: person('Maria', 'Gemelli', { birthDate: '2010-10-10', phone: '+15185550160', ...HOME }),
  twin2: person('Mario', 'Gemelli', { birthDate: '2010-10-10', phone: '+15185550160', ...HOME }),
  // Father and son share name, address and phone.
  senior: person('John', 'Homestead', { birthDate: '1950-05-05', phone: '+15185550170', ...HOME }),
  junior: person('John', 'Homestead', { birthDate: '1980-05-05', phone: '+15185550170', ...HOME }),
  // Deprecated: replaced by another record, or only inactive.
  replaced: person('Olga', 'Former', {
    birthDate: '1944-04-04',
    active: false,
    link: [{ other: { reference: 'Patient/ida' }, type: 'replaced-by' }],
  }),
  inactive: person('Otto', 'Dormant', { birthDate: '1945-05-04', email: 'otto@example.com', active: false }),
}

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  const entry = Object.entries(KNOWN).map(([id, patient]) => ({
    resource: { ...patient, id },
    request: { method: 'PUT', url: `Patient/${id}` },
  }))
  const { status } = await clinics.ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect(status).toBe(200)
})
afterAll(() => clinics.server.close())

interface Options {
  readonly onlyCertainMatches?: boolean
  readonly count?: number
}

const parameters = (resource: unknown, { onlyCertainMatches, count }: Options = {}) => ({
  resourceType: 'Parameters',
  parameter: [
    { name: 'resource', resource },
    ...(onlyCertainMatches === undefined ? [] : [{ name: 'onlyCertainMatches', valueBoolean: onlyCertainMatches }]),
    ...(count === undefined ? [] : [{ name: 'count', valueInteger: count }]),
  ],
})

const match = (resource: unknown, options?: Options) =>
  clinics.ours('POST', '/Patient/$match', parameters(resource, options))

interface Entry {
  readonly fullUrl: string
  readonly resource: Patient & { readonly id: string }
  readonly search: {
    readonly mode: string
    readonly score: number
    readonly extension: readonly { url: string; valueCode: string }[]
  }
}
const entriesOf = ({ status, body }: FhirResponse): readonly Entry[] => {
  expect([status, body.type]).toEqual([200, 'searchset'])
  return (body.entry ?? []).filter(({ search }: Entry) => search.mode === 'match')
}
const idsOf = (answer: FhirResponse) => entriesOf(answer).map(({ resource }) => resource.id)
const gradesOf = (answer: FhirResponse) =>
  Object.fromEntries(entriesOf(answer).map(({ resource, search }) => [resource.id, search.extension[0]?.valueCode]))

/** Scores from which a grade is given: docs/operations/patient-match.md. */
const CERTAIN_FROM = 0.99
const PROBABLE_FROM = 0.5

const CERTAIN = { onlyCertainMatches: true }
const ASKED_IDA = person('Ida', 'Quillfeather', { birthDate: '1975-04-12', email: 'ida@example.com' })
const ASKED_MAX = person('Max', 'Ubermann')
const ASKED_NORA = person('Nora', 'Twofold', { birthDate: '1966-06-06', email: 'nora@example.com' })

describe('the cases of ITI-119', () => {
  test('one match: the patient, certain', async () => {
    const answer = await match(ASKED_IDA)
    expect(gradesOf(answer)).toEqual({ ida: 'certain' })
    expect(answer.body.total).toBe(1)
  })

  test('many matches come ordered by their score, then by id, the same each time', async () => {
    const born = { birthDate: '1980-01-01' }
    const answer = await match(person('Max', 'Ubermann', { ...born, email: 'max1@example.com' }))
    expect(gradesOf(answer)).toEqual({ max1: 'certain', max2: 'probable' })
    const [best, second] = entriesOf(answer).map(({ search }) => search.score)
    expect(best).toBeGreaterThan(second ?? 1)
    expect(idsOf(await match(person('Max', 'Ubermann', born)))).toEqual(['max1', 'max2'])
    expect(idsOf(await match(ASKED_MAX))).toEqual(['max1', 'max2', 'max3'])
  })

  test('onlyCertainMatches with a certain one gives that one alone', async () => {
    expect(gradesOf(await match(ASKED_IDA, CERTAIN))).toEqual({ ida: 'certain' })
  })

  test('onlyCertainMatches, found but not certain: empty', async () => {
    const asked = person('Max', 'Ubermann', { birthDate: '1991-07-30' })
    expect(idsOf(await match(asked))).toContain('max3')
    const answer = await match(asked, CERTAIN)
    expect(answer.body).toMatchObject({ type: 'searchset', total: 0 })
    expect(answer.body).not.toHaveProperty('entry')
  })

  test('onlyCertainMatches, several that cannot be confirmed as one person: empty', async () => {
    expect(gradesOf(await match(ASKED_NORA))).toEqual({ dup1: 'probable', dup2: 'probable' })
    expect(idsOf(await match(ASKED_NORA, CERTAIN))).toEqual([])
    expect(idsOf(await match(ASKED_NORA, { ...CERTAIN, count: 1 }))).toEqual([])
  })

  test('onlyCertainMatches=false is as if it were absent', async () => {
    expect(idsOf(await match(ASKED_MAX, { onlyCertainMatches: false }))).toEqual(['max1', 'max2', 'max3'])
  })

  test.each([1, 2, 3, 50])('count=%d gives the best ones', async (count) => {
    expect(idsOf(await match(ASKED_MAX, { count }))).toEqual(['max1', 'max2', 'max3'].slice(0, count))
  })

  test.each([0, -1])('count=%d is 400', async (count) => {
    expect((await match(ASKED_MAX, { count })).status).toBe(400)
  })

  test('no match: an empty searchset, 200, without an error', async () => {
    const { status, body } = await match(person('Nobody', 'Knowsme', { birthDate: '1900-01-01' }))
    expect(status).toBe(200)
    expect(body).toEqual({ resourceType: 'Bundle', type: 'searchset', total: 0 })
  })

  test('a deprecated record is left out where it is replaced, and shows active=false where it is not', async () => {
    expect(idsOf(await match(person('Olga', 'Former', { birthDate: '1944-04-04' })))).toEqual([])
    const answer = await match(person('Otto', 'Dormant', { birthDate: '1945-05-04', email: 'otto@example.com' }))
    expect(entriesOf(answer)[0]?.resource).toMatchObject({ id: 'inactive', active: false })
  })

  test('a deleted patient is not found', async () => {
    const asked = person('Dina', 'Deleted', { birthDate: '1999-09-09' })
    const { id } = (await clinics.ours('POST', '/Patient', asked)).body
    expect(idsOf(await match(asked))).toEqual([id])
    await clinics.ours('DELETE', `/Patient/${id}`)
    expect(idsOf(await match(asked))).toEqual([])
  })

  test('every entry has its address, a score from 0 to 1 and a grade that agrees with it', async () => {
    for (const asked of [ASKED_IDA, ASKED_MAX, ASKED_NORA, KNOWN.twin1, KNOWN.senior]) {
      const entries = entriesOf(await match(asked))
      expect(entries.length).toBeGreaterThan(0)
      for (const { fullUrl, resource, search } of entries) {
        expect(fullUrl).toBe(`${clinics.server.url}/Patient/${resource.id}`)
        expect(search).toMatchObject({ mode: 'match' })
        expect(search.score).toBeGreaterThan(0)
        expect(search.score).toBeLessThanOrEqual(1)
        expect(search.extension).toEqual([
          { url: MATCH_GRADE, valueCode: expect.stringMatching(/^(certain|probable|possible)$/) },
        ])
        const grade = search.extension[0]?.valueCode
        if (grade === 'certain') expect(search.score).toBeGreaterThanOrEqual(CERTAIN_FROM)
        if (grade === 'probable') expect(search.score).toBeGreaterThanOrEqual(PROBABLE_FROM)
      }
    }
  })
})

describe('a problem is an HTTP failure with an OperationOutcome', () => {
  const post = (body: unknown) => clinics.ours('POST', '/Patient/$match', body)

  test.each<[string, unknown, number, RegExp]>([
    ['nothing matchable', parameters({ resourceType: 'Patient', gender: 'female' }), 400, /nothing to match by.*name/],
    ['an empty Patient', { resourceType: 'Patient' }, 400, /nothing to match by/],
    ['a name without a letter', parameters(person('-', '…')), 400, /nothing to match by/],
    [
      'no resource',
      { resourceType: 'Parameters', parameter: [{ name: 'count', valueInteger: 1 }] },
      400,
      /resource is missing/,
    ],
    ['no body', undefined, 400, /resource is missing/],
    ['another resource', parameters({ resourceType: 'Person' }), 400, /resource must be a Patient/],
    ['a bare resource of another type', { resourceType: 'Person' }, 400, /Person/],
    ['a Patient that is not valid', parameters({ resourceType: 'Patient', name: 'Ida' }), 422, /Patient\.name/],
    [
      'an unknown parameter',
      { ...parameters(ASKED_IDA), parameter: [...parameters(ASKED_IDA).parameter, { name: 'limit', valueInteger: 1 }] },
      400,
      /limit.*resource, onlyCertainMatches, onlySingleMatch, count, explain/,
    ],
    [
      'a parameter of a wrong type',
      {
        ...parameters(ASKED_IDA),
        parameter: [...parameters(ASKED_IDA).parameter, { name: 'count', valueString: 'one' }],
      },
      400,
      /count must be/,
    ],
    [
      'a parameter given twice',
      { ...parameters(ASKED_IDA), parameter: [...parameters(ASKED_IDA).parameter, ...parameters(ASKED_IDA).parameter] },
      400,
      /resource is given 2 times/,
    ],
  ])('%s', async (_name, body, status, message) => {
    const answer = await post(body)
    expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect(answer.body.issue[0].diagnostics).toMatch(message)
  })

  test('at instance level there is no $match: 404 that says so', async () => {
    const answer = await clinics.ours('POST', '/Patient/ida/$match', parameters(ASKED_IDA))
    expect([answer.status, answer.body.resourceType]).toEqual([404, 'OperationOutcome'])
  })
})

describe('what is asked', () => {
  test('a bare Patient as body is the same as Parameters with it', async () => {
    const bare = await clinics.ours('POST', '/Patient/$match', ASKED_MAX)
    expect(bare.body).toEqual((await match(ASKED_MAX)).body)
  })

  test.each<[string, Patient]>([
    ['names in swapped order', person('Quillfeather', 'Ida', { birthDate: '1975-04-12' })],
    [
      'a name that is only a text',
      { resourceType: 'Patient', name: [{ text: 'Ida Quillfeather' }], birthDate: '1975-04-12' },
    ],
    ['other case and accents', person('ÍDA', 'quillfeather', { birthDate: '1975-04-12' })],
    ['a typing mistake in the given name', person('Idda', 'Quillfeather', { birthDate: '1975-04-12' })],
    ['a typing mistake in the family name', person('Ida', 'Quilfeather', { birthDate: '1975-04-12' })],
    ['day and month exchanged', person('Ida', 'Quillfeather', { birthDate: '1975-12-04' })],
    [
      'a phone number in another format',
      { resourceType: 'Patient', telecom: [{ system: 'phone', value: '+15185550142' }] },
    ],
    [
      'an e-mail address in capitals',
      { resourceType: 'Patient', telecom: [{ system: 'email', value: 'IDA@EXAMPLE.COM' }] },
    ],
    ['an identifier', { resourceType: 'Patient', identifier: [{ system: MRN, value: 'Q-1' }] }],
    [
      'a name with characters that search gives a meaning',
      person('Ida', 'Quillfeather', { identifier: [{ value: 'a,b|c$d\\e' }] }),
    ],
  ])('%s finds her', async (_name, asked) => {
    expect(idsOf(await match(asked))).toContain('ida')
  })

  test('an address with the birth date is something to match by; a date may differ by a digit', async () => {
    const asked: Patient = { resourceType: 'Patient', birthDate: '1950-05-05', ...HOME }
    expect(gradesOf(await match(asked))).toEqual({ senior: 'possible', junior: 'possible' })
  })

  test('a record whose name is only a text is found by the name', async () => {
    const known: Patient = { resourceType: 'Patient', name: [{ text: 'Wendeline Textor' }] }
    const { body } = await clinics.ours('POST', '/Patient', known)
    for (const asked of [person('Wendeline', 'Textor'), person('Textor', 'Wendeline')]) {
      expect(idsOf(await match(asked))).toEqual([body.id])
    }
  })

  test('an identifier with the name is certain, with another person’s name it is not', async () => {
    const identifier = [{ system: MRN, value: 'Q-1' }]
    expect(gradesOf(await match(person('Ida', 'Quillfeather', { identifier })))).toEqual({ ida: 'certain' })
    expect(gradesOf(await match(person('Bertha', 'Stranger', { identifier })))).toEqual({ ida: 'possible' })
  })

  test('another identifier of the same system speaks against', async () => {
    const asked = { ...ASKED_IDA, identifier: [{ system: MRN, value: 'Q-2' }] }
    expect(gradesOf(await match(asked))).toEqual({ ida: 'probable' })
  })

  test.each([
    ['twins', KNOWN.twin1, 'twin1', 'twin2'],
    ['twins the other way round', KNOWN.twin2, 'twin2', 'twin1'],
    ['father and son', KNOWN.senior, 'senior', 'junior'],
    ['son and father', KNOWN.junior, 'junior', 'senior'],
  ])('%s are told apart: the one is certain, the other probable', async (_name, asked, right, wrong) => {
    expect(gradesOf(await match(asked))).toEqual({ [right]: 'certain', [wrong]: 'probable' })
    expect(idsOf(await match(asked, CERTAIN))).toEqual([right])
  })

  test('a shared phone number makes nobody certain', async () => {
    const asked: Patient = { resourceType: 'Patient', telecom: [{ system: 'phone', value: '+15185550170' }] }
    expect(gradesOf(await match(asked))).toEqual({ senior: 'possible', junior: 'possible' })
    // Another given name outweighs the shared fields: a person may have changed it, but that is unlikely.
    expect(gradesOf(await match(person('Wilma', 'Homestead', { phone: '+15185550170' })))).toEqual({
      senior: 'possible',
      junior: 'possible',
    })
    expect(gradesOf(await match(person('John', 'Homestead', { phone: '+15185550170' })))).toEqual({
      senior: 'probable',
      junior: 'probable',
    })
  })
})

describe('one set of data, one clinic', () => {
  test('a patient registered by a caller is found a moment later, and certain once the birth date is known', async () => {
    const headers = { 'x-call-id': 'match-call', 'x-call-to': '+12125550100', 'x-call-from': '+15185550190' }
    const said = { firstName: 'Phoebe', lastName: 'Callaghan', phone: '518-555-0190', email: 'phoebe@example.com' }
    const tell = (tool: string, args: object) => clinics.server.tool(tool, args, headers)
    expect(await tell('/patient-journey/update_registration_field', said)).toMatchObject({ success: true })
    const asked = person('Phoebe', 'Callaghan', { birthDate: '1988-08-08', email: 'phoebe@example.com' })
    expect(Object.values(gradesOf(await match(asked)))).toEqual(['probable'])
    const intake = { ...said, dateOfBirth: '1988-08-08', address: '1 Elm Street, Albany', reasonForVisit: 'check-up' }
    expect(await tell('/patient-intake/submit_intake', intake)).toMatchObject({ success: true })
    expect(Object.values(gradesOf(await match(asked)))).toEqual(['certain'])
  })

  test('patients of another clinic are not matched, and change no answer', async () => {
    const before = await match(ASKED_IDA)
    const theirs = await clinics.theirs('POST', '/Patient/$match', parameters(ASKED_IDA))
    expect(idsOf(theirs)).toEqual([])
    await clinics.theirs('POST', '/Patient', KNOWN.ida)
    expect((await match(ASKED_IDA)).body).toEqual(before.body)
    expect(idsOf(await match(ASKED_IDA, CERTAIN))).toEqual(['ida'])
    expect(idsOf(await clinics.theirs('POST', '/Patient/$match', parameters(ASKED_IDA)))).toHaveLength(1)
  })
})
