/** Profiles, FHIRPath and search parameters that clinics write themselves. */
import type { Patient } from 'fhir/r4'
import { flood, type HostileCase, inParallel, inSequence, send, times } from '../hostile-case.ts'
import { type ProfileName, urlOf } from '../stored/profiles.ts'
import { names, observation, searchParameter, widePatient } from '../stored/records.ts'
import { creation, post } from './bundles.ts'

const declared = (profile: ProfileName, patient: Partial<Patient>): Patient => ({
  resourceType: 'Patient',
  meta: { profile: [urlOf(profile)] },
  ...patient,
})

const withExtensions = (): Patient =>
  declared('slow-patterns', {
    extension: times(500, () => ({ url: 'http://hostile.example/text', valueString: 'a'.repeat(200) })).slice(),
  })

const patterns: readonly HostileCase[] = [
  {
    name: 'slow-patterns',
    about: 'ten invariants with matches() of a slow pattern, on 500 extensions',
    stored: 'profiles',
    attack: () => inSequence(send('POST', '/Patient', withExtensions())),
  },
  {
    name: 'slow-patterns-in-transaction',
    about: 'three such Patients in a transaction',
    stored: 'profiles',
    attack: () =>
      post(
        'transaction',
        times(3, () => creation(withExtensions())),
      ),
  },
  {
    name: 'slow-patterns-by-16-clients',
    about: '16 connections $validate such a Patient',
    stored: 'profiles',
    attack: () =>
      inParallel(
        16,
        times(16, () => send('POST', '/Patient/$validate', withExtensions())),
      ),
  },
]

const entangledDocument = () => {
  const url = (n: number): string => `http://hostile.example/fhir/List/${n % 2_000}`
  return {
    resourceType: 'Bundle',
    type: 'document',
    entry: times(2_000, (n) => ({
      fullUrl: url(n),
      resource: {
        resourceType: 'List',
        id: String(n),
        status: 'current',
        mode: 'working',
        entry: times(40, (m) => ({ item: { reference: url(n + m * m + 1) } })),
      },
    })),
  }
}

const profiles: readonly HostileCase[] = [
  {
    name: 'invariants-of-pairs',
    about: 'ten invariants that compare each of 5,000 names with all others',
    stored: 'profiles',
    attack: () => inSequence(send('POST', '/Patient', declared('pairs', { name: names(5_000) }))),
  },
  {
    name: 'invariants-with-repeat',
    about: 'ten invariants with repeat() of descendants() on 5,000 names',
    stored: 'profiles',
    attack: () => inSequence(send('POST', '/Patient', declared('repeat', { name: names(5_000) }))),
  },
  {
    name: 'many-slices',
    about: '300 slices and 5,000 components',
    stored: 'profiles',
    attack: () =>
      inSequence(
        send('POST', '/Observation', {
          ...observation(0),
          meta: { profile: [urlOf('many-slices')] },
          component: times(5_000, (n) => ({
            code: { coding: [{ system: 'http://hostile.example', code: `code-${n % 600}` }] },
            valueString: 'x',
          })),
        }),
      ),
  },
  {
    name: 'many-elements',
    about: 'a profile of 5,000 elements, by 16 connections for 3 s',
    stored: 'profiles',
    attack: () =>
      flood(16, 3, [
        send(
          'POST',
          '/Patient/$validate',
          declared('many-elements', {
            extension: times(500, (n) => ({
              url: `http://hostile.example/extension-${(n % 100) * 25}`,
              valueString: 'x',
            })).slice(),
          }),
        ),
      ]),
  },
  {
    name: 'many-extension-urls',
    about: '$validate of 20,000 extensions, each of a definition of its own that is not stored',
    stored: 'profiles',
    attack: () =>
      inSequence(
        send(
          'POST',
          '/Patient/$validate',
          declared('many-elements', {
            extension: times(20_000, (n) => ({ url: `http://hostile.example/unknown-${n}`, valueString: 'x' })).slice(),
          }),
        ),
      ),
  },
  {
    name: 'entangled-document',
    about: '$validate of a document of 2,000 entries, each with 40 references to others',
    stored: 'profiles',
    attack: () => inSequence(send('POST', '/Bundle/$validate', entangledDocument())),
  },
  {
    name: 'recursive-profiles',
    about: 'profiles that are their own base, and that contain themselves, 1,000 contained resources',
    stored: 'profiles',
    attack: () => {
      const contained = times(1_000, (n) => ({ ...declared('contains-itself', {}), id: `c${n}` })).slice()
      return inSequence(
        send('POST', '/Patient', declared('own-base', { name: names(10) })),
        send('POST', '/Patient', declared('contains-itself', { contained })),
      )
    },
  },
  {
    name: 'changing-profiles',
    about: 'a profile of 5,000 elements is replaced while 8 connections declare it, for 3 s',
    stored: 'profiles',
    attack: () => {
      const replaced = {
        resourceType: 'StructureDefinition',
        id: 'many-elements',
        url: urlOf('many-elements'),
        name: 'x',
        status: 'active',
        kind: 'resource',
        abstract: false,
        type: 'Patient',
        baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
        derivation: 'constraint',
        differential: {
          element: times(4_000, (n) => ({
            id: `Patient.extension:s${n}`,
            path: 'Patient.extension',
            sliceName: `s${n}`,
          })),
        },
      }
      return flood(8, 3, [
        send('PUT', '/StructureDefinition/many-elements', replaced),
        send('POST', '/Patient', declared('many-elements', { name: names(1) })),
      ])
    },
  },
]

const parameters: readonly HostileCase[] = [
  {
    name: 'hundred-search-parameters',
    about: '200 Patients under 100 custom search parameters with descendants()',
    stored: 'search parameters',
    attack: () =>
      post(
        'transaction',
        times(200, (n) => creation(widePatient(n))),
      ),
  },
  {
    name: 'reindexing',
    about: '20 search parameters with descendants() are added to 10,000 Patients, and changed again',
    stored: 'records',
    attack: () =>
      inSequence(
        ...times(40, (n) =>
          send('PUT', `/SearchParameter/hostile-${n % 20}`, {
            ...searchParameter(n % 20),
            expression: `Patient.descendants().where($this is string and length() > ${n})`,
          }),
        ),
        ...times(20, () => ({ method: 'GET', path: '/$reindex-status' })),
      ),
  },
]

export const rules: readonly HostileCase[] = [...patterns, ...profiles, ...parameters]
