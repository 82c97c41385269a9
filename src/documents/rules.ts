/**
 * Rules for a DocumentReference beyond R4, by the strictness that its clinic has chosen. `us-core` is the US Core
 * DocumentReference profile with "Writing Clinical Notes"
 * (https://build.fhir.org/ig/HL7/US-Core/writing-clinical-notes.html); `strict` is what commercial records require.
 * docs/document-reference.md lists them.
 */
import type { DocumentPolicies, Strictness } from '../clinics/document-settings.ts'
import type { Issue } from '../fhir/outcome.ts'

type Severity = 'error' | 'warning'

interface DocumentRule {
  /** A rule does not apply under a strictness that is not listed. */
  readonly severity: Partial<Readonly<Record<Strictness, Severity>>>
  /** The instruction for a valid document. */
  readonly asks: string
  readonly example: string
}

const ERROR = { lenient: 'error', 'us-core': 'error', strict: 'error' } as const
const WARNING = { lenient: 'warning', 'us-core': 'warning', strict: 'warning' } as const
const PROFILED = { 'us-core': 'error', strict: 'error' } as const
const STRICT = { strict: 'error' } as const

const SUBJECT = '"subject": {"reference": "Patient/<id>"}'
const NOTE = '{"contentType": "text/plain;charset=utf-8", "data": "<base64>"}'
const REPLACES = '"relatesTo": [{"code": "replaces", "target": {"reference": "DocumentReference/<id>"}}]'

export const DOCUMENT_RULES = {
  'too-many': { severity: ERROR, asks: 'send them as several documents', example: '100 of them at most' },
  'subject-missing': {
    severity: { ...ERROR, lenient: 'warning' },
    asks: 'name the patient, else no search by patient finds the document',
    example: SUBJECT,
  },
  'subject-not-found': {
    severity: ERROR,
    asks: 'create the patient first, or in the same transaction',
    example: SUBJECT,
  },
  'subject-not-patient': { severity: PROFILED, asks: 'it is a Patient', example: SUBJECT },
  'subject-elsewhere': {
    severity: { 'us-core': 'warning', strict: 'error' },
    asks: 'refer to a Patient of this clinic, else no search by patient finds the document',
    example: SUBJECT,
  },
  'type-missing': {
    severity: PROFILED,
    asks: 'say what kind of document it is',
    example: '"type": {"coding": [{"system": "http://loinc.org", "code": "11506-3"}]}',
  },
  'category-missing': {
    severity: PROFILED,
    asks: 'say what category it is of',
    example:
      '"category": [{"coding": [{"system": "http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category", "code": "clinical-note"}]}]',
  },
  'time-missing': {
    severity: STRICT,
    asks: 'give the time of day and the zone with the date',
    example: '"2026-03-01T09:00:00-05:00"',
  },
  'content-missing': {
    severity: { ...ERROR, lenient: 'warning' },
    asks: 'give data or url',
    example: `"attachment": ${NOTE}`,
  },
  'content-not-inline': {
    severity: STRICT,
    asks: 'send the content itself; links to other servers are not followed',
    example: `"attachment": ${NOTE}`,
  },
  'publish-not-inline': {
    severity: ERROR,
    asks: 'the profile of Simplified Publish that it declares asks for one',
    example: `"content": [{"attachment": ${NOTE}}]`,
  },
  'content-empty': { severity: ERROR, asks: 'send the content', example: `"attachment": ${NOTE}` },
  'content-too-long': { severity: ERROR, asks: 'send less', example: 'settings: "documents": {"maxBytes": 10485760}' },
  'size-wrong': {
    severity: ERROR,
    asks: 'leave it out, or send the number of bytes of the decoded content',
    example: '"size": 19',
  },
  'hash-wrong': {
    severity: ERROR,
    asks: 'leave it out, or send the SHA-1 of the decoded content as base64',
    example: '"hash": "fNoKyFyYgQGVKa51ALmMt3C4uOI="',
  },
  'content-type-missing': {
    severity: { ...ERROR, lenient: 'warning' },
    asks: 'say what the content is',
    example: '"contentType": "application/pdf"',
  },
  'content-type-refused': {
    severity: ERROR,
    asks: 'send one that the clinic takes',
    example: '"contentType": "application/pdf"',
  },
  'content-type-wrong': {
    severity: ERROR,
    asks: 'send the content, or the type, that is meant',
    example: '"contentType": "application/pdf", "data": "JVBERi0…"',
  },
  'charset-other': {
    severity: { ...ERROR, lenient: 'warning' },
    asks: 'send text in UTF-8',
    example: '"contentType": "text/plain;charset=utf-8"',
  },
  'content-not-utf8': { severity: ERROR, asks: 'encode the text in UTF-8', example: `"attachment": ${NOTE}` },
  'pdf-cut-off': {
    severity: { ...WARNING, strict: 'error' },
    asks: 'send the whole file, which ends with %%EOF',
    example: '"data": "JVBERi0…"',
  },
  'xml-broken': {
    severity: ERROR,
    asks: 'send well-formed XML',
    example: '<?xml version="1.0" encoding="UTF-8"?><ClinicalDocument xmlns="urn:hl7-org:v3">…',
  },
  'xml-doctype': {
    severity: ERROR,
    asks: 'leave the DOCTYPE and its entities out',
    example: '<?xml version="1.0" encoding="UTF-8"?><ClinicalDocument xmlns="urn:hl7-org:v3">…',
  },
  'xml-not-checked': {
    severity: WARNING,
    asks: 'send UTF-8, 20 MiB, 200,000 elements and 500 levels of them at most, to have it checked',
    example: '<?xml version="1.0" encoding="UTF-8"?>',
  },
  'cda-root': {
    severity: ERROR,
    asks: 'the root of CDA is ClinicalDocument',
    example: '<ClinicalDocument xmlns="urn:hl7-org:v3">',
  },
  'link-unsafe': {
    severity: ERROR,
    asks: 'link by http, https or urn',
    example: '"url": "https://files.example/note.pdf"',
  },
  'link-not-found': {
    severity: ERROR,
    asks: 'a relative link leads to a Binary of this clinic',
    example: '"url": "Binary/<id>"',
  },
  'link-type': {
    severity: ERROR,
    asks: 'give the contentType of the Binary',
    example: '"contentType": "application/pdf", "url": "Binary/<id>"',
  },
  'relation-not-found': { severity: ERROR, asks: 'name a document of this clinic', example: REPLACES },
  'relation-to-itself': {
    severity: { ...ERROR, lenient: 'warning' },
    asks: 'name another document',
    example: REPLACES,
  },
  'relation-of-other-subject': {
    severity: ERROR,
    asks: 'a document replaces, appends to or transforms one of the same patient',
    example: REPLACES,
  },
  'replaced-already': {
    severity: { ...WARNING, strict: 'error' },
    asks: 'replace the document that took its place',
    example: REPLACES,
  },
  'replaced-in-error': {
    severity: { ...WARNING, strict: 'error' },
    asks: 'create the document without relatesTo',
    example: REPLACES,
  },
  // The severity of this rule depends on the setting `duplicates`.
  'identifier-taken': {
    severity: WARNING,
    asks: 'give it an identifier of its own, or update or replace the other document',
    example: REPLACES,
  },
} as const satisfies Readonly<Record<string, DocumentRule>>

export type DocumentRuleId = keyof typeof DOCUMENT_RULES

export const documentRule = (id: DocumentRuleId): DocumentRule => DOCUMENT_RULES[id]

/** A finding about a document: element, problem, valid form, example, rule. */
export interface Finding {
  readonly rule: DocumentRuleId
  /** The element below the DocumentReference: `content[0].attachment.data`. */
  readonly element: string
  /** The problem, as the end of a sentence that begins with the element: `is missing`. */
  readonly problem: string
}

/** Errors first; findings without a severity under the strictness of the clinic are left out. */
export function issuesOf(findings: readonly Finding[], policies: DocumentPolicies): readonly Issue[] {
  const issues = findings.flatMap((finding) => issueOf(finding, policies))
  return issues.toSorted((one, other) => rank(one) - rank(other))
}

const rank = ({ severity }: Issue): number => (severity === 'error' ? 0 : 1)

function issueOf({ rule, element, problem }: Finding, policies: DocumentPolicies): readonly Issue[] {
  const severity = severityOf(rule, policies)
  if (severity === undefined) return []
  const { asks, example } = documentRule(rule)
  const expression = `DocumentReference.${element}`
  return [
    {
      severity,
      code: 'business-rule',
      diagnostics: `${expression} ${problem}; ${asks}, e.g. ${example} (rule ${rule} of documents, ${policies.profile})`,
      expression,
      reason: rule,
    },
  ]
}

function severityOf(rule: DocumentRuleId, { profile, duplicates }: DocumentPolicies): Issue['severity'] {
  if (rule !== 'identifier-taken') return documentRule(rule).severity[profile]
  return ({ allow: undefined, warn: 'warning', refuse: 'error' } as const)[duplicates]
}
