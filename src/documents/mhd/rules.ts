/**
 * Cardinalities of IHE MHD for the resources in a Provide Document Bundle (ITI-65), beyond R4. The profiles of version
 * 4.2, for R4: https://profiles.ihe.net/ITI/MHD/artifacts.html.
 */

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

export const CARDINALITIES: readonly Cardinality[] = [
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
export const CONTAINED: readonly { readonly part: Part; readonly element: string }[] = [
  { part: 'SubmissionSet', element: 'source' },
  { part: 'DocumentReference', element: 'author' },
  { part: 'DocumentReference', element: 'authenticator' },
  { part: 'DocumentReference', element: 'context.sourcePatientInfo' },
]
