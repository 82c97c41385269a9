/** Bodies that are large, or become so. */
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { QuestionnaireItem } from 'fhir/r4'
import { type Attack, flood, type HostileCase, inParallel, inSequence, send, times } from '../hostile-case.ts'
import { manyNames, names } from '../stored/records.ts'
import { packageOf } from './package-file.ts'

const MEBIBYTE = 1024 * 1024
const FHIR_XML = 'application/fhir+xml'
/** Just below the limit of 16 MiB. */
const LARGE = 14.8 * MEBIBYTE

/** `item` as often as fits between the two, joined by `separator`. */
const repeated = (before: string, item: string, after: string, separator = ',', bytes = LARGE): string =>
  before + `${item}${separator}`.repeat(Math.floor(bytes / (item.length + separator.length)) - 1) + item + after

const NAME = '{"family":"Abernathy","given":["Ruth"]}'
const largePatient = (bytes = LARGE): string => repeated('{"resourceType":"Patient","name":[', NAME, ']}', ',', bytes)

const xmlPatient = (inside: string, bytes = LARGE): string =>
  repeated('<Patient xmlns="http://hl7.org/fhir">', inside, '</Patient>', '', bytes)

const post = (path: string, ...texts: readonly string[]): Attack =>
  inSequence(...texts.map((text) => send('POST', path, text)))

const install = (files: Parameters<typeof packageOf>[0]): Attack =>
  inSequence({
    method: 'POST',
    path: '/ImplementationGuide/$install',
    headers: { 'content-type': 'application/gzip' },
    body: gzipSync(packageOf(files), { level: 9 }),
  })

/** Items within items, as deep as a body may be. */
const items = (count: number, levels: number): QuestionnaireItem[] =>
  times(count, (n) => ({
    linkId: `${levels}.${n}`,
    type: levels === 0 ? ('boolean' as const) : ('group' as const),
    text: `Question ${n}`,
    enableWhen: [{ question: `${levels}.${(n * 7) % count}`, operator: '=' as const, answerBoolean: true }],
    ...(levels === 0 ? {} : { item: items(3, levels - 1) }),
  })).slice()

const EMPTY = Buffer.alloc(64 * 1024)
const TO_PATIENT = { method: 'POST', path: '/Patient' }
const TO_BINARY = { method: 'POST', path: '/Binary' }

const packages: readonly HostileCase[] = [
  {
    name: 'package-of-empty-objects',
    about: '$install of a package of 120 kB that unpacks to 126 MB of {}',
    stored: 'nothing',
    attack: () =>
      install([
        {
          path: 'package/StructureDefinition-large.json',
          text: repeated('[', '{}', ']', ',', 126 * MEBIBYTE),
        },
      ]),
  },
  {
    name: 'package-of-20000-files',
    about: '$install of a package of 5,000 profiles, of which none is valid',
    stored: 'nothing',
    attack: () =>
      install(
        times(4_990, (n) => ({
          path: `package/StructureDefinition-${n}.json`,
          text: JSON.stringify({
            resourceType: 'StructureDefinition',
            id: `p${n}`,
            url: `http://hostile.example/p${n}`,
            differential: { element: times(20, (i) => ({ id: `Patient.x${i}`, path: `Patient.x${i}` })) },
          }),
        })),
      ),
  },
  {
    name: 'gzip-bombs',
    about: '64 bodies that say they are gzipped, and would unpack to 200 MB each',
    stored: 'nothing',
    attack: () => {
      const body = gzipSync(Buffer.alloc(200 * MEBIBYTE, 32), { level: 9 })
      const headers = { 'content-type': 'application/fhir+json', 'content-encoding': 'gzip' }
      return inParallel(
        16,
        times(64, () => ({ method: 'POST', path: '/Patient', headers, body })),
      )
    },
  },
  {
    name: 'gzip-of-most-bytes',
    about: '32 gzipped bodies of 17 kB that inflate to 75 times as much, and 32 Binaries that inflate to 20 MB',
    stored: 'nothing',
    attack: () => {
      const text = gzipSync(Buffer.from(`${randomBytes(14_000).toString('hex')}${' '.repeat(1_300_000)}`), { level: 9 })
      const file = gzipSync(Buffer.concat(times(320, () => Buffer.concat([randomBytes(800), EMPTY]))), { level: 9 })
      const gzip = { 'content-encoding': 'gzip' }
      return inParallel(16, [
        ...times(32, () => ({
          ...TO_PATIENT,
          headers: { 'content-type': 'application/fhir+json', ...gzip },
          body: text,
        })),
        ...times(32, () => ({ ...TO_BINARY, headers: { 'content-type': 'image/png', ...gzip }, body: file })),
      ])
    },
  },
]

const large: readonly HostileCase[] = [
  {
    name: 'xml-of-15-mb',
    about: 'a Patient of 15 MB in XML',
    stored: 'nothing',
    attack: () =>
      inSequence(
        send('POST', '/Patient', xmlPatient('<name><family value="Abernathy"/><given value="Ruth"/></name>'), FHIR_XML),
      ),
  },
  {
    name: 'xml-of-unknown-elements',
    about: '15 MB of empty elements, of attributes, of entities and comments in XML',
    stored: 'nothing',
    attack: () => {
      const attributes = times(60, (n) => `a${n}=""`).join(' ')
      return inSequence(
        ...['<x/>', `<name ${attributes}/>`, '<!--&amp;-->', '&amp;&lt;&#65;'].map((one) =>
          send('POST', '/Patient', xmlPatient(one), FHIR_XML),
        ),
      )
    },
  },
  {
    name: 'json-of-200000-names',
    about: 'a Patient with 200,000 names in JSON',
    stored: 'nothing',
    attack: () => inSequence(send('POST', '/Patient', { resourceType: 'Patient', name: names(200_000) })),
  },
  {
    name: 'forty-large-bodies',
    about: '40 parallel bodies of 14.8 MB',
    stored: 'nothing',
    attack: () => {
      const one = send('POST', '/Patient', largePatient())
      return inParallel(
        40,
        times(40, () => one),
      )
    },
  },
  {
    name: 'forty-large-forms',
    about: '40 parallel searches as forms of 1 MB',
    stored: 'nothing',
    attack: () => {
      const one = {
        method: 'POST',
        path: '/Patient/_search',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from('name=a&'.repeat(145_000)),
      }
      return inParallel(
        40,
        times(80, () => one),
      )
    },
  },
  {
    name: 'large-binaries',
    about: 'Binaries with 14 MB of base64 and their reads, 16 connections for 4 s',
    stored: 'nothing',
    attack: () => {
      const data = Buffer.alloc(10.5 * MEBIBYTE, 'sandbox').toString('base64')
      const binary = (n: number) => ({ resourceType: 'Binary', id: `b${n}`, contentType: 'image/png', data })
      return flood(16, 4, [
        ...times(4, (n) => send('PUT', `/Binary/b${n}`, binary(n))),
        ...times(32, (n) => ({ method: 'GET', path: `/Binary/b${n % 4}?_format=${n % 2 === 0 ? 'xml' : 'json'}` })),
      ])
    },
  },
  {
    name: 'narrative-of-10-mb',
    about: 'a narrative of 10 MB of nested elements, and one of 10 MB of words',
    stored: 'nothing',
    attack: () => {
      const words = times(1_200_000, (n) => `w${n.toString(36)}`).join(' ')
      const patient = (inside: string): object => ({
        resourceType: 'Patient',
        text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${inside}</div>` },
      })
      return inSequence(
        send('POST', '/Patient', patient(words)),
        send('POST', '/Patient', patient('<p><b><i>x</i></b>&#169;</p>'.repeat(350_000))),
        send('POST', '/Patient', patient(`${'<div>'.repeat(500_000)}${'</div>'.repeat(500_000)}`)),
      )
    },
  },
]

const odd: readonly HostileCase[] = [
  {
    name: 'million-empty-objects',
    about: '15 MB of {}, of [], of null and of empty texts in JSON',
    stored: 'nothing',
    attack: () =>
      post(
        '/Patient',
        ...['{}', '[]', 'null', '""', '{"a":{}}'].map((one) =>
          repeated('{"resourceType":"Patient","name":[', one, ']}'),
        ),
      ),
  },
  {
    name: 'deep-arrays',
    about: 'arrays within arrays: 7 million levels, and 60 levels a hundred thousand times',
    stored: 'nothing',
    attack: () =>
      post(
        '/Patient',
        `${'['.repeat(7 * MEBIBYTE)}${']'.repeat(7 * MEBIBYTE)}`,
        repeated('{"resourceType":"Patient","name":[', `${'['.repeat(60)}${']'.repeat(60)}`, ']}'),
        `{"resourceType":"Patient","extension":${'[{"extension":'.repeat(25)}[]${'}]'.repeat(25)}}`,
      ),
  },
  {
    name: 'repeated-properties',
    about: 'objects with a million properties, of which two have the same name',
    stored: 'nothing',
    attack: () => {
      const distinct = times(900_000, (n) => `"p${n}":1`).join(',')
      return post(
        '/Patient',
        `{"resourceType":"Patient",${distinct},"p0":1}`,
        `{"resourceType":"Patient",${distinct}}`,
        repeated('{"resourceType":"Patient",', '"name":1', '}'),
      )
    },
  },
  {
    name: 'long-numbers',
    about: 'decimals of 14 million digits, exponents, and 500,000 decimals',
    stored: 'nothing',
    attack: () => {
      const observation = (value: string): string =>
        `{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":${value}}}`
      const component = '{"code":{"text":"x"},"valueQuantity":{"value":1.234567890123456789e-30}}'
      return post(
        '/Observation',
        observation(`1.${'3'.repeat(14_000_000)}`),
        observation('1e999999999'),
        observation(`1e-${'9'.repeat(1000)}`),
        repeated('{"resourceType":"Observation","status":"final","code":{"text":"x"},"component":[', component, ']}'),
      )
    },
  },
  {
    name: 'unicode',
    about: 'texts that grow when they are normalised, combining marks, and 15 MB of escapes',
    stored: 'nothing',
    attack: () => {
      const name = (text: string): string => `{"resourceType":"Patient","name":[{"family":"${text}"}]}`
      const growing = `{"family":"${'\uFDFA'.repeat(300)}","given":["${'a\u0300\u0301\u0302'.repeat(200)}"]}`
      return post(
        '/Patient',
        name('\uFDFA'.repeat(340_000)),
        name(`a${'\u0300'.repeat(500_000)}`),
        name('\\u0041'.repeat(170_000)),
        repeated('{"resourceType":"Patient","name":[', growing, ']}', ',', MEBIBYTE),
        repeated('{"resourceType":"Patient","name":[', '{"family":"\\u0041\\ud83d\\ude00"}', ']}'),
      )
    },
  },
  {
    name: 'large-questionnaires',
    about: '$validate and create of a Questionnaire of 33,000 nested items',
    stored: 'nothing',
    attack: () => {
      const questionnaire = { resourceType: 'Questionnaire', status: 'draft', item: items(30, 6) }
      return inSequence(
        send('POST', '/Questionnaire/$validate', questionnaire),
        send('POST', '/Questionnaire', questionnaire),
      )
    },
  },
  {
    name: 'updates-of-many-names',
    about: 'four connections replace a Patient with 40,000 names for 3 s',
    stored: 'many names',
    attack: () => flood(4, 3, [send('PUT', '/Patient/names-40000', manyNames(40_000))]),
  },
  {
    name: 'contained-resources',
    about: 'a Patient that contains 20,000 resources, each of which refers to the next',
    stored: 'nothing',
    attack: () =>
      inSequence(
        send('POST', '/Patient', {
          resourceType: 'Patient',
          contained: times(20_000, (n) => ({
            resourceType: 'Patient',
            id: `c${n}`,
            link: [{ other: { reference: `#c${(n + 1) % 20_000}` }, type: 'seealso' }],
          })),
          link: times(20_000, (n) => ({ other: { reference: `#c${n}` }, type: 'seealso' })),
        }),
      ),
  },
]

export const bodies: readonly HostileCase[] = [...packages, ...large, ...odd]
