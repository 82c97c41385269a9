/** People: a Patient is created, found and told from others. */
import type { Bundle, BundleEntry, Patient } from 'fhir/r4'
import { create, given, matchesIn, must, mustHaveStatus, type Probe, type ProbeStep, read, resourceIn } from './step.ts'

const MATCH = 'https://hl7.org/fhir/R4/patient-operation-match.html'
const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'
const MATCHES = [{ type: 'Patient', operation: 'match' }]

const personOf = (tag: string): Patient => ({
  resourceType: 'Patient',
  name: [{ family: `Quell${tag}`, given: ['Thaddea', 'Wren'] }],
  gender: 'female',
  birthDate: '1961-02-17',
  telecom: [{ system: 'email', value: `${tag}@probe.example` }],
  address: [{ line: ['1 Probe Street'], city: 'Albany', state: 'NY', postalCode: '12207' }],
})

/** Somebody who has nothing in common with the patient of a probe. */
const strangerOf = (tag: string): Patient => ({
  resourceType: 'Patient',
  name: [{ family: `Zyx${[...tag].toReversed().join('')}`, given: ['Ubaldo'] }],
  gender: 'male',
  birthDate: '1999-12-30',
})

async function match(
  { target }: Probe,
  resource: Patient,
  more: readonly object[] = [],
): Promise<readonly BundleEntry[]> {
  const parameter = [{ name: 'resource', resource }, ...more]
  const answer = await target.ask('POST', 'Patient/$match', { body: { resourceType: 'Parameters', parameter } })
  mustHaveStatus(answer, 200)
  const { entry = [] } = resourceIn<Bundle>(answer, 'Bundle')
  return entry.filter(({ resource: found }) => found?.resourceType === 'Patient')
}

const idOf = ({ id }: { readonly id?: string | undefined }): string => id ?? ''

export const MATCHING: readonly ProbeStep[] = [
  {
    id: 'patient-create',
    title: 'Creates a Patient',
    source: 'https://hl7.org/fhir/R4/http.html#create',
    needs: [{ type: 'Patient', interaction: 'create' }],
    run: async (probe) => {
      const person = personOf(probe.tag)
      const id = await create(probe, person)
      probe.patient = { ...person, id }
      return `Patient/${id} was created.`
    },
  },
  {
    id: 'patient-read',
    title: 'Reads the Patient as it was created',
    source: 'https://hl7.org/fhir/R4/http.html#read',
    needs: [{ type: 'Patient', interaction: 'read' }],
    after: ['patient-create'],
    run: async (probe) => {
      const sent = given(probe.patient, 'no Patient')
      const { name = [], birthDate, gender } = await read<Patient>(probe, 'Patient', idOf(sent))
      must(
        name.some(({ family }) => family === sent.name?.[0]?.family),
        'The family name is another one',
      )
      must(birthDate === sent.birthDate, `The birth date is ${birthDate}, not ${sent.birthDate}`)
      must(gender === sent.gender, `The gender is ${gender}, not ${sent.gender}`)
      return 'Names, birth date and gender are as they were sent.'
    },
  },
  {
    id: 'patient-search',
    title: 'Finds the Patient by family name and birth date, and nobody else',
    source: 'https://hl7.org/fhir/R4/patient.html#search',
    needs: [{ type: 'Patient', interaction: 'search-type', parameters: ['family', 'birthdate'] }],
    after: ['patient-create'],
    run: async (probe) => {
      const { id, name, birthDate } = given(probe.patient, 'no Patient')
      const query = new URLSearchParams({ family: name?.[0]?.family ?? '', birthdate: birthDate ?? '' })
      const found = matchesIn<Patient>(await probe.target.get(`Patient?${query}`), 'Patient')
      must(found.length === 1 && found[0]?.id === id, `It finds ${found.length} patients, not Patient/${id} alone`)
      return 'The search finds the one patient.'
    },
  },
  {
    id: 'match-certain',
    title: '$match is certain of a person of whom all is known',
    source: MATCH,
    needs: MATCHES,
    after: ['patient-create'],
    run: async (probe) => {
      const { id } = given(probe.patient, 'no Patient')
      const [first] = await match(probe, personOf(probe.tag))
      must(first?.resource?.id === id, `The first match is ${first?.resource?.id ?? 'nobody'}, not Patient/${id}`)
      const { score = -1, extension = [] } = first?.search ?? {}
      must(score > 0 && score <= 1, 'The match has no search.score from 0 to 1')
      const grade = extension.find(({ url }) => url === GRADE)?.valueCode
      must(grade === 'certain', `The match-grade is ${grade ?? 'absent'}, not certain`)
      return `The match is certain, with the score ${score}.`
    },
  },
  {
    id: 'match-none',
    title: '$match finds nobody where nobody agrees',
    source: MATCH,
    needs: MATCHES,
    run: async (probe) => {
      const found = await match(probe, strangerOf(probe.tag))
      must(found.length === 0, `It finds ${found.length} patients for a person who is in no record`)
      return 'Nobody was found.'
    },
  },
  {
    id: 'match-duplicate',
    title: '$match shows both of two records of one person',
    source: MATCH,
    needs: [...MATCHES, { type: 'Patient', interaction: 'create' }],
    after: ['patient-create', 'match-certain'],
    run: async (probe) => {
      const twin = await create(probe, personOf(probe.tag))
      const ids = (await match(probe, personOf(probe.tag))).map(({ resource }) => resource?.id)
      const missing = [idOf(given(probe.patient, 'no Patient')), twin].filter((id) => !ids.includes(id))
      must(missing.length === 0, `Patient/${missing.join(' and Patient/')} is not among the ${ids.length} matches`)
      return 'Both records are among the matches.'
    },
  },
  {
    id: 'match-only-certain',
    title: '$match with onlyCertainMatches chooses neither of two that agree alike',
    source: MATCH,
    needs: MATCHES,
    after: ['match-duplicate'],
    run: async (probe) => {
      const only = [{ name: 'onlyCertainMatches', valueBoolean: true }]
      const found = await match(probe, personOf(probe.tag), only)
      must(found.length === 0, `It finds ${found.length} patients, though two agree alike`)
      return 'Nobody was chosen.'
    },
  },
]
