/**
 * IHE MHD ITI-65, Provide Document Bundle: a transaction that declares one of the profiles below is checked against it before
 * any of it is carried out. The cardinalities are those beyond R4 of version 4.2, for R4:
 * https://profiles.ihe.net/ITI/MHD/ITI-65.html, https://profiles.ihe.net/ITI/MHD/artifacts.html.
 */

import { FhirError, type Issue } from '../../fhir/outcome.ts'
import { addressOf } from '../../fhir/reference.ts'
import { isObject, itemsOf } from '../../fhir/resource.ts'

type Json = Readonly<Record<string, unknown>>

interface Entry {
  readonly at: string
  readonly part: Part | 'Binary' | undefined
  readonly fullUrl: unknown
  readonly method: unknown
  readonly resource: Json
}

/**
 * @param baseUrl the address of this server: references below it are its own
 * @throws FhirError 422 naming entry and element of each violation of the ProvideBundle that the Bundle declares
 */
export function checkProvideBundle(bundle: unknown, baseUrl: string): void {
  const { meta, type, entry } = objectOf(bundle)
  const metadata = declaredMetadata(meta)
  if (metadata === undefined) return
  const entries = itemsOf(entry).map(entryOf)
  const problems = [
    ...(type === 'transaction' ? [] : [problem('Bundle.type', 'is no transaction; all of it is stored or none')]),
    ...submissionSetProblems(entries),
    ...entries.flatMap((one) => entryProblems(one, metadata)),
    ...linkProblems(entries),
    ...subjectProblems(entries, baseUrl),
  ]
  if (problems.length === 0) return
  const profile = provideBundle(metadata)
  throw new FhirError(
    422,
    problems.slice(0, MOST_TOLD).map((issue) => ({ ...issue, diagnostics: `${issue.diagnostics} (${profile})` })),
  )
}

const MOST_TOLD = 100

function declaredMetadata(meta: unknown): Metadata | undefined {
  const declared = itemsOf(objectOf(meta)['profile']).map((profile) => String(profile).split('|')[0])
  return METADATA.findLast((metadata) => declared.includes(provideBundle(metadata)))
}

function entryOf(item: unknown, index: number): Entry {
  const { resource, request, fullUrl } = objectOf(item)
  const json = objectOf(resource)
  return {
    at: `Bundle.entry[${index}]`,
    part: partOf(json),
    fullUrl,
    method: objectOf(request)['method'],
    resource: json,
  }
}

function partOf({ resourceType, code }: Json): Entry['part'] {
  if (resourceType === 'DocumentReference' || resourceType === 'Binary') return resourceType
  if (resourceType !== 'List') return undefined
  const codes = itemsOf(objectOf(code)['coding'])
    .map(objectOf)
    .filter(({ system }) => system === LIST_TYPES)
  if (codes.some((coding) => coding['code'] === 'submissionset')) return 'SubmissionSet'
  return codes.some((coding) => coding['code'] === 'folder') ? 'Folder' : undefined
}

const problem = (expression: string, text: string): Issue => ({
  code: 'business-rule',
  diagnostics: `${expression} ${text}`,
  expression,
  reason: 'mhd-provide-bundle',
})

function submissionSetProblems(entries: readonly Entry[]): readonly Issue[] {
  const count = entries.filter(({ part }) => part === 'SubmissionSet').length
  if (count === 1) return []
  const code = `{"coding": [{"system": "${LIST_TYPES}", "code": "submissionset"}]}`
  return [problem('Bundle.entry', `has ${count} SubmissionSets; there is one, a List with "code": ${code}`)]
}

function entryProblems(entry: Entry, metadata: Metadata): readonly Issue[] {
  const { at, part, method, resource } = entry
  if (part === undefined) return []
  const isNew = part === 'SubmissionSet' || part === 'Binary'
  const methods = isNew ? ['POST'] : ['POST', 'PUT']
  const found = methods.some((one) => one === method)
    ? []
    : [problem(`${at}.request.method`, `of a ${part} is ${methods.join(' or ')}`)]
  if (part === 'Binary') return found
  return [
    ...found,
    ...cardinalityProblems(entry, part, metadata),
    ...(metadata === 'Comprehensive' ? containedProblems(entry, part) : []),
    ...(part === 'DocumentReference' ? documentProblems(at, resource) : listProblems(at, part, resource)),
  ]
}

const rank = (metadata: Metadata): number => METADATA.indexOf(metadata)

const cardinalityProblems = ({ at, resource }: Entry, part: Part, metadata: Metadata): readonly Issue[] =>
  CARDINALITIES.filter((one) => one.part === part && rank(one.since) <= rank(metadata)).flatMap(
    ({ element, min, max, example }) => {
      const count = valuesAt(resource, element).length
      if (count >= min && count <= max) return []
      const asked =
        max === 0 ? 'it must not be there' : `it is there ${max === 1 ? 'once' : 'once or more'}, e.g. ${example}`
      return [problem(`${at}.resource.${element}`, `is there ${count} times; ${asked}`)]
    },
  )

const containedProblems = ({ at, resource }: Entry, part: Part): readonly Issue[] =>
  CONTAINED.filter((one) => one.part === part).flatMap(({ element }) =>
    valuesAt(resource, element).every((value) => String(objectOf(value)['reference']).startsWith('#'))
      ? []
      : [problem(`${at}.resource.${element}`, 'refers to no contained resource; e.g. {"reference": "#author"}')],
  )

const documentProblems = (at: string, { status }: Json): readonly Issue[] =>
  status === 'entered-in-error' ? [problem(`${at}.resource.status`, 'is entered-in-error; it is current')] : []

function listProblems(at: string, part: 'SubmissionSet' | 'Folder', resource: Json): readonly Issue[] {
  const usual = itemsOf(resource['identifier'])
    .map(objectOf)
    .filter(({ use }) => use === 'usual')
  return [
    ...(resource['mode'] === 'working' ? [] : [problem(`${at}.resource.mode`, `of a ${part} is working`)]),
    ...(usual.length === 1
      ? []
      : [problem(`${at}.resource.identifier`, `of a ${part} has one of use usual, its uniqueId, not ${usual.length}`)]),
  ]
}

/** Each document must belong to the SubmissionSet, and its content must be in the Bundle where it refers to it. */
function linkProblems(entries: readonly Entry[]): readonly Issue[] {
  const set = entries.find(({ part }) => part === 'SubmissionSet')
  const listed = new Set(valuesAt(set?.resource ?? {}, 'entry.item.reference'))
  const named = new Map(entries.map((entry) => [entry.fullUrl, entry]))
  return entries.flatMap((entry) => {
    const { at, part, method, fullUrl, resource } = entry
    const isNew = method === 'POST' && (part === 'DocumentReference' || part === 'Folder')
    const unlisted =
      isNew && !listed.has(fullUrl)
        ? [problem(`${at}.fullUrl`, `of a new ${part} is in no entry.item of the SubmissionSet`)]
        : []
    if (part !== 'DocumentReference') return unlisted
    const lost = valuesAt(resource, 'content.attachment.url').filter(
      (url) => String(url).startsWith('urn:') && named.get(url)?.part !== 'Binary',
    )
    return [
      ...unlisted,
      ...lost.map(() =>
        problem(`${at}.resource.content[0].attachment.url`, 'is the fullUrl of no Binary in the Bundle'),
      ),
    ]
  })
}

/** All parts of one submission must have the same subject. */
function subjectProblems(entries: readonly Entry[], baseUrl: string): readonly Issue[] {
  const subjects = entries.flatMap(({ at, part, resource }) =>
    part === undefined || part === 'Binary'
      ? []
      : valuesAt(resource, 'subject.reference').map((reference) => ({
          at,
          reference: addressOf(String(reference), baseUrl),
        })),
  )
  const [first] = subjects
  return subjects
    .filter(({ reference }) => reference !== first?.reference)
    .map(({ at }) => problem(`${at}.resource.subject`, `is another than that of ${first?.at}; all are of one patient`))
}

/** All values at a path, including those within lists. */
function valuesAt(resource: Json, path: string): readonly unknown[] {
  const extension = /^extension\('(.*)'\)$/.exec(path)?.[1]
  if (extension !== undefined) return itemsOf(resource['extension']).filter((one) => objectOf(one)['url'] === extension)
  return path
    .split('.')
    .reduce<readonly unknown[]>(
      (values, name) => values.flatMap((value) => valuesOf(objectOf(value), name)),
      [resource],
    )
}

/** A primitive may have an extension in place of its value. */
function valuesOf(object: Json, name: string): readonly unknown[] {
  const value = object[name] ?? object[`_${name}`]
  return value === undefined ? [] : [value].flat()
}

const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

/** The role of a resource in the Bundle, in MHD's terms. */
export type Part = 'SubmissionSet' | 'Folder' | 'DocumentReference'

/** From the weakest to the strictest: each includes the requirements of those before it. */
export const METADATA = ['Minimal', 'UnContained.Comprehensive', 'Comprehensive'] as const
export type Metadata = (typeof METADATA)[number]

const STRUCTURES = 'https://profiles.ihe.net/ITI/MHD/StructureDefinition/'
export const provideBundle = (metadata: Metadata): string => `${STRUCTURES}IHE.MHD.${metadata}.ProvideBundle`
export const SIMPLIFIED_PUBLISH = `${STRUCTURES}IHE.MHD.SimplifiedPublish.DocumentReference`

export const LIST_TYPES = 'https://profiles.ihe.net/ITI/MHD/CodeSystem/MHDlistTypes'
const SOURCE_ID = `extension('${STRUCTURES}ihe-sourceId')`
const DESIGNATION = `extension('${STRUCTURES}ihe-designationType')`

interface Cardinality {
  readonly part: Part
  /** Names joined by dots; `extension('url')` for extensions with that url. */
  readonly element: string
  readonly min: number
  readonly max: number
  /** The weakest profile that requires it. */
  readonly since: Metadata
  readonly example: string
}

const MANY = Number.POSITIVE_INFINITY
const IDENTIFIER = '{"use": "usual", "system": "urn:ietf:rfc:3986", "value": "urn:oid:1.2.3"}'
const CODE = '{"coding": [{"system": "http://loinc.org", "code": "11506-3"}]}'
const PATIENT = '{"reference": "Patient/<id>"}'

const required = (part: Part, element: string, since: Metadata, example: string, max = 1): Cardinality => ({
  ...{ part, element, since, example, min: 1, max },
})
const absent = (part: Part, element: string): Cardinality => ({
  ...{ part, element, since: 'Minimal', example: 'no such element', min: 0, max: 0 },
})

const CARDINALITIES: readonly Cardinality[] = [
  required(
    'SubmissionSet',
    SOURCE_ID,
    'Minimal',
    '{"url": "…/ihe-sourceId", "valueIdentifier": {"value": "urn:oid:1.2.3"}}',
  ),
  required('SubmissionSet', 'identifier', 'Minimal', IDENTIFIER, MANY),
  required('SubmissionSet', 'date', 'Minimal', '"2026-03-01T09:00:00Z"'),
  required('SubmissionSet', 'subject', 'UnContained.Comprehensive', PATIENT),
  required(
    'SubmissionSet',
    DESIGNATION,
    'UnContained.Comprehensive',
    `{"url": "…/ihe-designationType", "valueCodeableConcept": ${CODE}}`,
  ),
  ...[
    'modifierExtension',
    'encounter',
    'orderedBy',
    'emptyReason',
    'entry.flag',
    'entry.deleted',
    'entry.date',
  ].flatMap((element) => [absent('SubmissionSet', element), absent('Folder', element)]),
  required('Folder', 'identifier', 'Minimal', IDENTIFIER, MANY),
  required('Folder', 'subject', 'UnContained.Comprehensive', PATIENT),
  required('Folder', 'title', 'UnContained.Comprehensive', '"Cardiology"'),
  required(
    'Folder',
    DESIGNATION,
    'UnContained.Comprehensive',
    `{"url": "…/ihe-designationType", "valueCodeableConcept": ${CODE}}`,
    MANY,
  ),
  absent('Folder', 'source'),
  required('DocumentReference', 'masterIdentifier.system', 'Minimal', IDENTIFIER),
  required('DocumentReference', 'masterIdentifier.value', 'Minimal', IDENTIFIER),
  required('DocumentReference', 'subject', 'Minimal', PATIENT),
  required(
    'DocumentReference',
    'content',
    'Minimal',
    '[{"attachment": {"contentType": "application/pdf", "url": "urn:uuid:…"}}]',
  ),
  required('DocumentReference', 'content.attachment.contentType', 'Minimal', '"application/pdf"'),
  required('DocumentReference', 'content.attachment.url', 'Minimal', '"urn:uuid:…", the fullUrl of the Binary'),
  absent('DocumentReference', 'content.attachment.data'),
  absent('DocumentReference', 'docStatus'),
  absent('DocumentReference', 'modifierExtension'),
  required('DocumentReference', 'type', 'UnContained.Comprehensive', CODE),
  required('DocumentReference', 'category', 'UnContained.Comprehensive', `[${CODE}]`),
  required(
    'DocumentReference',
    'securityLabel',
    'UnContained.Comprehensive',
    '[{"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v3-Confidentiality", "code": "N"}]}]',
    MANY,
  ),
  required('DocumentReference', 'content.attachment.language', 'UnContained.Comprehensive', '"en-US"'),
  required('DocumentReference', 'content.attachment.creation', 'UnContained.Comprehensive', '"2026-03-01T09:00:00Z"'),
  required(
    'DocumentReference',
    'content.format',
    'UnContained.Comprehensive',
    '{"system": "http://ihe.net/fhir/ihe.formatcode.fhir/CodeSystem/formatcode", "code": "urn:ihe:iti:xds:2017:mimeTypeSufficient"}',
  ),
  required('DocumentReference', 'context.facilityType', 'UnContained.Comprehensive', CODE),
  required('DocumentReference', 'context.practiceSetting', 'UnContained.Comprehensive', CODE),
  required('DocumentReference', 'context.sourcePatientInfo', 'UnContained.Comprehensive', '{"reference": "#patient"}'),
]

/** References to resources that must be contained, under Comprehensive. */
const CONTAINED: readonly { readonly part: Part; readonly element: string }[] = [
  { part: 'SubmissionSet', element: 'source' },
  { part: 'DocumentReference', element: 'author' },
  { part: 'DocumentReference', element: 'authenticator' },
  { part: 'DocumentReference', element: 'context.sourcePatientInfo' },
]
