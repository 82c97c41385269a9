/** Terminology operations, and matching. */
import { familyOf, givenOf } from '../../data-set.ts'
import { flood, gets, type HostileCase, inParallel, inSequence, send, type Target, times } from '../hostile-case.ts'
import {
  DEEP,
  DEEP_LEVELS,
  FLAT,
  flatCodeSystem,
  LARGE_MAP,
  MANY_INCLUDES,
  OUTERMOST,
  regexValueSet,
  SLOW_PATTERN,
} from '../stored/codes.ts'
import { crowdedPatient } from '../stored/records.ts'

const valueSet = (include: readonly object[], exclude: readonly object[] = []): object => ({
  resourceType: 'ValueSet',
  status: 'active',
  compose: { include, ...(exclude.length === 0 ? {} : { exclude }) },
})

const filtered = (system: string, property: string, op: string, value: string): object => ({
  system,
  filter: [{ property, op, value }],
})

const parameters = (...parameter: readonly object[]): object => ({ resourceType: 'Parameters', parameter })

const expansions: readonly HostileCase[] = [
  {
    name: 'expansion-by-regex',
    about: '$expand of a slow regex over 50,000 codes',
    stored: 'terminology',
    attack: () => inSequence(send('POST', '/ValueSet/$expand', regexValueSet(SLOW_PATTERN))),
  },
  {
    name: 'expansion-by-20-regexes',
    about: '$expand of 20 regexes with repetitions within repetitions over 50,000 codes',
    stored: 'terminology',
    attack: () => {
      const pattern = (n: number): string => `(a+|[a-z]+| )*([0-9]+|o|f){1,20}${n}`
      return inSequence(
        send('POST', '/ValueSet/$expand', valueSet(times(20, (n) => filtered(FLAT, 'display', 'regex', pattern(n))))),
      )
    },
  },
  {
    name: 'expansion-with-excludes',
    about: '$expand of 50,000 codes without those of 1,000 other value sets',
    stored: 'terminology',
    attack: () => {
      const excluded = times(1_000, (n) => ({ system: FLAT, concept: [{ code: `c${n}` }] }))
      return inSequence(send('POST', '/ValueSet/$expand?count=10&offset=40000', valueSet([{ system: FLAT }], excluded)))
    },
  },
  {
    name: 'expansion-of-a-chain',
    about: '$expand of a part of a hierarchy of 5,000 levels, nested; and with 1,000 is-a filters',
    stored: 'terminology',
    attack: () =>
      inSequence(
        send('POST', '/ValueSet/$expand', valueSet([filtered(DEEP, 'code', 'regex', 'd[1-9]?[0-9]*[02468]')])),
        send('POST', '/ValueSet/$expand', valueSet(times(1_000, (n) => filtered(DEEP, 'concept', 'is-a', `d${n}`)))),
      ),
  },
  {
    name: 'nested-imports',
    about: '$expand of 15 levels of 10 value sets each, each with all of the next level',
    stored: 'terminology',
    attack: () => gets(`/ValueSet/$expand?url=${OUTERMOST}&count=10`),
  },
  {
    name: 'many-includes',
    about: '$expand and $validate-code of a value set with 10,000 regex filters over 50,000 codes',
    stored: 'terminology',
    attack: () =>
      gets(
        `/ValueSet/$expand?url=${MANY_INCLUDES}&count=10`,
        `/ValueSet/$validate-code?url=${MANY_INCLUDES}&system=${FLAT}&code=unknown`,
      ),
  },
  {
    name: 'expansion-by-words',
    about: '$expand of 50,000 codes with a filter of 250 words, 8 connections',
    stored: 'terminology',
    attack: () => {
      const all = { resourceType: 'ValueSet', status: 'active', compose: { include: [{ system: FLAT }] } }
      return inParallel(
        8,
        times(8, (n) =>
          send('POST', '/ValueSet/$expand', {
            resourceType: 'Parameters',
            parameter: [
              { name: 'valueSet', resource: all },
              { name: 'filter', valueString: times(250, (i) => String((n + i) % 10)).join(' ') },
              { name: 'count', valueInteger: 1000 },
            ],
          }),
        ),
      )
    },
  },
]

const codes: readonly HostileCase[] = [
  {
    name: 'deep-hierarchy',
    about: '$subsumes, is-a and :below in a hierarchy of 5,000 levels, 16 connections for 3 s',
    stored: 'terminology',
    attack: () => {
      const isA = {
        resourceType: 'ValueSet',
        status: 'active',
        compose: { include: [{ system: DEEP, filter: [{ property: 'concept', op: 'is-a', value: 'd0' }] }] },
      }
      return flood(16, 3, [
        { method: 'GET', path: `/CodeSystem/$subsumes?system=${DEEP}&codeA=d0&codeB=d${DEEP_LEVELS - 1}` },
        send('POST', '/ValueSet/$expand', isA),
      ])
    },
  },
  {
    name: 'lookups-of-changing-codes',
    about: 'a code system of 50,000 codes is replaced while 8 connections look codes up in it, for 3 s',
    stored: 'terminology',
    attack: () => {
      const replacement = send('PUT', '/CodeSystem/flat', flatCodeSystem())
      const lookups = times(4, (n) => ({ method: 'GET', path: `/CodeSystem/$lookup?system=${FLAT}&code=c${n}` }))
      return flood(8, 3, [replacement, ...lookups])
    },
  },
  {
    name: 'translations',
    about: '$translate in both directions in a map of 20,000 codes, 16 connections for 3 s',
    stored: 'terminology',
    attack: () =>
      flood(16, 3, [
        { method: 'GET', path: `/ConceptMap/$translate?url=${LARGE_MAP}&system=${FLAT}&code=c19999` },
        { method: 'GET', path: `/ConceptMap/$translate?url=${LARGE_MAP}&system=${DEEP}&code=d0&reverse=true` },
        { method: 'GET', path: `/ConceptMap/$translate?system=${FLAT}&code=c1` },
      ]),
  },
  {
    name: 'hundred-codings',
    about: '$validate-code of 100 codings in a value set of value sets, 8 connections',
    stored: 'terminology',
    attack: () => {
      const codings = times(100, (n) => ({ system: FLAT, code: `unknown-${n}` }))
      const parameters = {
        resourceType: 'Parameters',
        parameter: [
          { name: 'url', valueUri: OUTERMOST },
          { name: 'codeableConcept', valueCodeableConcept: { coding: codings } },
        ],
      }
      return inParallel(
        8,
        times(8, () => send('POST', '/ValueSet/$validate-code', parameters)),
      )
    },
  },
  {
    name: 'hundred-codings-in-20000-includes',
    about: '$validate-code of 100 codings in a value set of 20,000 includes',
    stored: 'nothing',
    attack: () => {
      const includes = times(20_000, (n) => ({ system: FLAT, concept: [{ code: `c${n}` }] }))
      const coding = times(100, (n) => ({ system: FLAT, code: `unknown-${n}` }))
      return inSequence(
        send(
          'POST',
          '/ValueSet/$validate-code',
          parameters(
            { name: 'valueSet', resource: valueSet(includes) },
            { name: 'codeableConcept', valueCodeableConcept: { coding } },
          ),
        ),
      )
    },
  },
  {
    name: 'translation-to-80000-codes',
    about: '$translate of 100 codings by a map with 80,000 targets for their code',
    stored: 'nothing',
    attack: () => {
      const target = times(800, (n) => ({ code: `t${n}`, equivalence: 'equal' }))
      const group = times(100, () => ({ source: FLAT, target: DEEP, element: [{ code: 'a', target }] }))
      const coding = times(100, () => ({ system: FLAT, code: 'a' }))
      return inSequence(
        send(
          'POST',
          '/ConceptMap/$translate',
          parameters(
            { name: 'conceptMap', resource: { resourceType: 'ConceptMap', status: 'active', group } },
            { name: 'codeableConcept', valueCodeableConcept: { coding } },
          ),
        ),
      )
    },
  },
]

const matches: readonly HostileCase[] = [
  {
    name: 'match-of-100-names',
    about: '$match of a Patient with 100 names',
    stored: 'records',
    attack: () =>
      inSequence(
        send('POST', '/Patient/$match', {
          resourceType: 'Patient',
          name: times(100, (n) => ({ family: familyOf(n), given: [givenOf(n)] })),
        }),
      ),
  },
  {
    name: 'match-among-crowded-patients',
    about: '$match among 100 Patients of 300 names, phone numbers and addresses each',
    stored: 'crowded patients',
    attack: () => inSequence(send('POST', '/Patient/$match', { ...crowdedPatient(25), id: undefined })),
  },
  {
    name: 'match-of-everything',
    about: '$match of a Patient with 100 names, identifiers, addresses and phone numbers, 4 connections',
    stored: 'records',
    attack: () => {
      const patient = {
        resourceType: 'Patient',
        name: times(100, (n) => ({ family: familyOf(n), given: [givenOf(n), givenOf(n + 1)] })),
        identifier: times(100, (n) => ({ system: 'https://clinic.example/patients', value: `P-${n}` })),
        telecom: times(100, (n) => ({ system: 'phone', value: `+1646200${1000 + n}` })),
        address: times(100, (n) => ({ city: 'Springfield', postalCode: `${10_000 + n}` })),
        birthDate: '1935-01-01',
      }
      return inParallel(
        4,
        times(4, () => send('POST', '/Patient/$match', patient)),
      )
    },
  },
  {
    name: 'duplicates-of-crowded-patients',
    about:
      'a search for duplicates among 100 Patients of 300 names, phone numbers and addresses each, whose state 8 connections read',
    stored: 'crowded patients',
    attack: () => ({
      kind: 'program' as const,
      run: async ({ url, authorization, send, signal }: Target): Promise<void> => {
        const headers = { authorization, prefer: 'respond-async' }
        await fetch(`${url}/Patient/$find-duplicates`, { headers, signal })
        while (!signal.aborted) {
          await Promise.all(times(8, () => send({ method: 'GET', path: '/Patient/$find-duplicates' })))
        }
      },
    }),
  },
]

export const terminology: readonly HostileCase[] = [...expansions, ...codes, ...matches]
