/** Searches that make the store do much. */
import { flood, gets, type HostileCase, type HostileRequest, inParallel, inSequence, times } from '../hostile-case.ts'
import { FLAT } from '../stored/codes.ts'
import { ONE_PATIENT } from '../stored/records.ts'

const encoded = (filter: string): string => encodeURIComponent(filter)
const ACCURATE = '_total=accurate&_count=0'
const CODE = 'http://loinc.org%7C85354-9'
/** From each Observation to its subject, back to all Observations of the subject, and so on. */
const nested = (levels: number): string =>
  `subject:Patient.${times(levels, () => '_has:Observation:subject:subject:Patient.').join('')}name=abe`

/** A search as a form, which may be longer than an address. */
const form = (type: string, content: string): HostileRequest => ({
  method: 'POST',
  path: `/${type}/_search`,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: content,
})

const chained: readonly HostileCase[] = [
  {
    name: 'has-of-own-subject',
    about: 'Observation?subject:Patient._has:Observation:subject:code=…&_total=accurate, 20,000 of one Patient',
    stored: 'records',
    attack: () => gets(`/Observation?subject:Patient._has:Observation:subject:code=${CODE}&_total=accurate`),
  },
  {
    name: 'nested-has',
    about: 'four nested _has and chains, _total=accurate',
    stored: 'records',
    attack: () => gets(`/Observation?${nested(4)}&_total=accurate`),
  },
  {
    name: 'filter-of-60-chains',
    about: '_filter of 60 × subject.name co "zN", joined by or',
    stored: 'records',
    attack: () => {
      const filter = times(60, (n) => `subject:Patient.name co "z${n}"`).join(' or ')
      return gets(`/Observation?_filter=${encoded(filter)}&_total=accurate`)
    },
  },
  {
    name: 'contains-20-chains',
    about: '20 × subject:Patient.name:contains=am',
    stored: 'records',
    attack: () => gets(`/Observation?${times(20, () => 'subject:Patient.name:contains=am').join('&')}&_total=accurate`),
  },
  {
    name: 'chains-by-50-connections',
    about: '50 connections send chains and _has for 3 s',
    stored: 'records',
    attack: () =>
      flood(50, 3, [
        { method: 'GET', path: `/Observation?subject:Patient.name:contains=er&${ACCURATE}` },
        { method: 'GET', path: `/Patient?_has:Observation:subject:code=${CODE}&${ACCURATE}` },
      ]),
  },
  {
    name: 'chains-of-every-type',
    about: 'chains over references to any type',
    stored: 'records',
    attack: () =>
      gets(
        `/Observation?focus._lastUpdated=gt2000&focus._profile=x&${ACCURATE}`,
        `/Observation?has-member:Observation.has-member:Observation.focus._tag=x&${ACCURATE}`,
        `/Provenance?target._content=${encoded('a* OR e*')}&${ACCURATE}`,
      ),
  },
]

const conditions: readonly HostileCase[] = [
  {
    name: 'contains-200-values',
    about: 'name:contains= of 200 values',
    stored: 'records',
    attack: () => gets(`/Patient?name:contains=${times(200, (n) => `zq${n}`).join(',')}&_total=accurate`),
  },
  {
    name: 'not-and-missing',
    about: ':not and :missing of ten parameters over 30,000 Observations',
    stored: 'records',
    attack: () => {
      const absent = ['value-quantity', 'device', 'specimen', 'focus', 'derived-from', 'method']
      const missing = absent.map((name) => `${name}:missing=true`).join('&')
      return gets(
        `/Observation?code:not=x&category:not=x&status:not=amended&combo-code:not=x&${missing}&${ACCURATE}`,
        `/Observation?_filter=${encoded(absent.map((name) => `not (${name} pr true)`).join(' and '))}&${ACCURATE}`,
      )
    },
  },
  {
    name: 'five-sort-keys',
    about: '_sort by five keys over 30,000 Observations, 4 at a time',
    stored: 'records',
    attack: () =>
      inParallel(
        4,
        times(8, (n) => ({
          method: 'GET',
          path: `/Observation?_sort=status,code,-combo-value-quantity,performer,${n % 2 === 0 ? '-' : ''}date&_count=50`,
        })),
      ),
  },
  {
    name: 'near-everywhere',
    about: 'near with the radius of the Earth, 200 places',
    stored: 'records',
    attack: () =>
      gets(
        `/Location?near=0%7C0%7C20015%7Ckm&${ACCURATE}`,
        `/Location?near=${times(200, (n) => `${n % 90}%7C${n % 180}%7C9000%7Ckm`).join(',')}&${ACCURATE}`,
      ),
  },
  {
    name: 'word-prefixes',
    about: '_text and _content with 14 prefixes of one letter',
    stored: 'records',
    attack: () => {
      const words = times(14, (n) => `${String.fromCharCode(97 + n)}*`).join(' OR ')
      return gets(
        `/Patient?_text=${encoded(words)}&${ACCURATE}`,
        `/Patient?_content=${encoded(words)}&${ACCURATE}`,
        `/Patient?_content=${encoded(`NOT (${words})`)}&${ACCURATE}`,
      )
    },
  },
  {
    name: 'composite-alternatives',
    about: 'component-code-value-quantity with 200 alternatives, twice',
    stored: 'records',
    attack: () => {
      const values = times(200, (n) => `http://loinc.org%7C8480-6$gt${n}`).join(',')
      const parameter = `component-code-value-quantity=${values}`
      return inSequence(form('Observation', `${parameter}&${parameter}&${ACCURATE}`))
    },
  },
  {
    name: 'overlapping-dates',
    about: '200 overlapping ranges of dates, and of quantities',
    stored: 'records',
    attack: () =>
      inSequence(
        form('Observation', `date=${times(200, (n) => `ne20${10 + (n % 40)}`).join(',')}&${ACCURATE}`),
        form('Observation', `combo-value-quantity=${times(200, (n) => `ap${n}`).join(',')}&${ACCURATE}`),
      ),
  },
  {
    name: 'filter-of-100-tests',
    about: '_filter of 100 tests, in 19 parentheses',
    stored: 'records',
    attack: () => {
      const tests = times(
        80,
        (n) => `(component-code-value-quantity pr true and not (combo-value-quantity gt ${n}))`,
      ).slice(0, 45)
      const deep = `${'not ('.repeat(17)}${tests.join(' or ')}${')'.repeat(17)}`
      return gets(`/Observation?_filter=${encoded(deep)}&${ACCURATE}`)
    },
  },
  {
    name: 'form-of-1-mb',
    about: 'a search form of almost 1 MB: 200 values of 4,096 characters for :contains',
    stored: 'records',
    attack: () =>
      inSequence(
        form('Patient', `name:contains=${times(200, (n) => `${'a'.repeat(4_080)}${n}`).join(',')}&${ACCURATE}`),
      ),
  },
  {
    name: 'every-type-by-word',
    about: 'searches across all types, sorted, by word and time',
    stored: 'records',
    attack: () =>
      gets(
        '/?_lastUpdated=gt2000&_sort=-_lastUpdated&_count=1000&_total=accurate',
        `/?_content=${encoded('a* OR e* OR p*')}&_total=accurate`,
      ),
  },
  {
    name: 'codes-of-a-large-value-set',
    about: 'code:in a value set of 10,000 regex filters over 50,000 codes',
    stored: 'terminology',
    attack: () => gets(`/Observation?code:in=http://hostile.example/ValueSet/many-includes&${ACCURATE}`),
  },
  {
    name: 'codes-below',
    about: 'code:below and :above in a hierarchy of 5,000 levels',
    stored: 'terminology',
    attack: () =>
      gets(
        `/Observation?code:below=${FLAT.replace('flat', 'deep')}%7Cd0&${ACCURATE}`,
        `/Observation?code:above=${FLAT.replace('flat', 'deep')}%7Cd4999&${ACCURATE}`,
      ),
  },
  {
    name: 'totals-by-50-connections',
    about: '50 connections have all Observations of one Patient counted for 3 s',
    stored: 'records',
    attack: () => flood(50, 3, [{ method: 'GET', path: `/Observation?subject=Patient/${ONE_PATIENT}&${ACCURATE}` }]),
  },
  {
    name: 'sort-by-many-names',
    about: 'Patient?_sort=-family, one of them with 40,000 names',
    stored: 'many names',
    attack: () => gets('/Patient?_sort=-family'),
  },
  {
    name: 'contains-in-many-names',
    about: 'family:contains and name:missing over Patients of which two have 60,000 names',
    stored: 'many names',
    attack: () =>
      gets(
        `/Patient?family:contains=z1&given:contains=1&phonetic=family&${ACCURATE}`,
        `/Patient?family:missing=false&given:missing=false&_sort=given,-name,family&_total=accurate`,
      ),
  },
]

export const searches: readonly HostileCase[] = [...chained, ...conditions]
