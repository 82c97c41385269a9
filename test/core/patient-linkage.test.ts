/** The patients that a linkage finds, however many others there are. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { HumanName, Patient } from 'fhir/r4'
import { type Linkage, linkPatients } from '../../src/core/patient-linkage.ts'
import { PLACEHOLDER_TAG } from '../../src/matching/placeholder.ts'
import { isListed } from '../../src/matching/score.ts'
import { randomRuns } from '../support/random-runs.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

/** How many there are of each kind: placeholders with her name, and other people with her name. */
const MANY = 300

const RUTH: Patient = {
  resourceType: 'Patient',
  id: 'ruth',
  name: [{ family: 'Abernathy', given: ['Ruth'] }],
  gender: 'female',
  birthDate: '1980-03-04',
  telecom: [
    { system: 'phone', value: '+12125550177' },
    { system: 'email', value: 'ruth@example.com' },
  ],
  address: [{ line: ['12 Elm Street'], postalCode: '12203', city: 'Albany' }],
  identifier: [{ system: 'http://example.org/mrn', value: 'MRN-0012' }],
}

const DAY = 86_400_000
const dayAfter = (days: number): string => new Date(Date.UTC(1930, 0, 1) + days * DAY).toISOString().slice(0, 10)

const placeholder = (): Patient => ({
  resourceType: 'Patient',
  meta: { tag: [PLACEHOLDER_TAG] },
  active: false,
  ...(RUTH.name === undefined ? {} : { name: RUTH.name }),
})

const namesake = (_none: unknown, index: number): Patient => ({
  resourceType: 'Patient',
  ...(RUTH.name === undefined ? {} : { name: RUTH.name }),
  birthDate: dayAfter(index * 40),
  telecom: [{ system: 'phone', value: `+1315555${1_000 + index}` }],
  address: [{ line: [`${index + 1} Oak Lane`], postalCode: `${10_000 + index}`, city: 'Troy' }],
})

let opened: TestRepository
beforeAll(async () => {
  opened = await openTestRepository()
  const others = [...Array.from({ length: MANY }, placeholder), ...Array.from({ length: MANY }, namesake)]
  await opened.access('ours').change(async (ctx) => {
    for (const one of others) await ctx.create(one)
    await ctx.update(RUTH)
  })
  await opened.access('theirs').change(async (ctx) => {
    await ctx.update({ ...RUTH, id: 'theirs' })
    for (const one of others.slice(0, 20)) await ctx.create(one)
  })
})

const link = async (asked: Partial<Patient>, clinic = 'ours'): Promise<Linkage> => {
  const found = await linkPatients(
    (await opened.access(clinic).reader()).unit,
    { resourceType: 'Patient', ...asked },
    'US',
  )
  if (found === undefined) throw new Error('nothing to look for')
  return found
}

const listed = ({ patients }: Linkage) => patients.filter((one) => isListed(one.probability, one.evidence))
const bestOf = (linkage: Linkage): string | undefined =>
  linkage.patients.find(({ isPlaceholder }) => !isPlaceholder)?.patient.id

const { name = [], birthDate = '', telecom = [], address = [], identifier = [] } = RUTH
const [phone, email] = telecom

describe(`among ${MANY} placeholders and ${MANY} other people of her name`, () => {
  test('the name alone lists her with all of them, and the answer says that it narrowed', async () => {
    const linkage = await link({ name })
    const patients = listed(linkage)
    expect(patients.filter(({ isPlaceholder }) => !isPlaceholder)).toHaveLength(MANY + 1)
    expect(patients.map(({ patient }) => patient.id)).toContain('ruth')
    expect(linkage.narrowed).toBe(true)
  })

  test.each<[string, Partial<Patient>]>([
    ['birth date', { name, birthDate }],
    ['birth date with a digit off', { name, birthDate: '1980-03-05' }],
    ['telephone', { name, telecom: phone === undefined ? [] : [phone] }],
    ['telephone in national spelling', { name, telecom: [{ system: 'phone', value: '212-555-0177' }] }],
    ['e-mail', { name, telecom: email === undefined ? [] : [email] }],
    ['address', { name, address }],
    ['street', { name, address: [{ line: ['12 Elm Street'] }] }],
    ['postal code', { name, address: [{ postalCode: '12203' }] }],
    ['identifier', { name, identifier }],
    ['identifier without system', { name, identifier: [{ value: 'mrn 0012' }] }],
    ['everything', RUTH],
  ])('with the %s she is the first', async (_what, asked) => {
    expect(bestOf(await link(asked))).toBe('ruth')
  })

  test('with anything more than the name she is in the answer, whatever of it and in whichever spelling', async () => {
    const asked = fc
      .record(
        {
          name: fc.constantFrom<HumanName[][]>(
            [{ family: 'Abernathy', given: ['Ruth'] }],
            [{ family: 'Ruth', given: ['Abernathy'] }],
            [{ family: 'Abernathey', given: ['Ruth'] }],
            [{ family: 'ABERNATHY', given: ['Ruthie'] }],
            [{ text: 'Ruth Abernathy' }],
            [{ family: 'Abernathy' }],
          ),
          birthDate: fc.constantFrom('1980-03-04', '1980-04-03', '1980-03-05', '1980'),
          telecom: fc.constantFrom(telecom, telecom.slice(0, 1), telecom.slice(1)),
          address: fc.constantFrom(address, [{ line: ['12 Elm Stret'], postalCode: '12203' }]),
          identifier: fc.constantFrom(identifier, [{ value: 'MRN-0012' }]),
          gender: fc.constant('female' as const),
        },
        { requiredKeys: ['name'] },
      )
      .filter(({ gender: _gender, ...more }) => Object.keys(more).length > 1)
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        expect(listed(await link(one)).map(({ patient }) => patient.id)).toContain('ruth')
      }),
      { numRuns: randomRuns(100) },
    )
  })
})

describe('another clinic', () => {
  test('is never in an answer, with no field', async () => {
    for (const asked of [RUTH, { name }, { identifier }, { telecom: [...telecom] }, { birthDate }]) {
      const ours = listed(await link(asked))
      const theirs = listed(await link(asked, 'theirs'))
      expect(ours.map(({ patient }) => patient.id)).not.toContain('theirs')
      expect(theirs.map(({ patient }) => patient.id)).not.toContain('ruth')
      expect(bestOf(await link(asked, 'theirs'))).toBe('theirs')
    }
  })

  test('changes no probability: beside clinics that hold her and her namesakes they are as where there is no other', async () => {
    const asks: readonly Partial<Patient>[] = [RUTH, { name }, { name, birthDate }, { name, telecom: [...telecom] }]
    const rated = async (repository: TestRepository) => {
      await repository.access('small').change(async (ctx) => {
        await ctx.update(RUTH)
        for (const index of [1, 2]) await ctx.update({ ...namesake(undefined, index), id: `namesake-${index}` })
      })
      const { unit } = await repository.access('small').reader()
      const linkages = await Promise.all(
        asks.map((asked) => linkPatients(unit, { resourceType: 'Patient', ...asked }, 'US')),
      )
      return linkages.map((linkage) =>
        linkage?.patients.map(({ patient, weight, probability }) => [patient.id, weight, probability]),
      )
    }
    const alone = await rated(await openTestRepository())
    expect(alone.map((patients) => patients?.some(([id]) => id === 'ruth'))).toEqual(asks.map(() => true))
    expect(alone[1]).toHaveLength(3)
    expect(await rated(opened)).toEqual(alone)
  })

  test('that has nobody finds nobody', async () => {
    expect((await link(RUTH, 'empty')).patients).toEqual([])
  })
})

test('what holds nothing to look for is no search', async () => {
  const { unit } = await opened.access('ours').reader()
  expect(await linkPatients(unit, { resourceType: 'Patient', gender: 'female' })).toBeUndefined()
})

test('a record that another one has replaced is nobody', async () => {
  const asked: Patient = { resourceType: 'Patient', name: [{ family: 'Former', given: ['Olga'] }] }
  const replaced: Patient = { ...asked, link: [{ type: 'replaced-by', other: { reference: 'Patient/ruth' } }] }
  await opened.access('merged').change(async (ctx) => {
    await ctx.update({ ...RUTH })
    await ctx.create(replaced)
  })
  expect((await link(asked, 'merged')).patients).toEqual([])
})
