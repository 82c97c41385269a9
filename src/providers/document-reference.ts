/**
 * DocumentReference: checks attachments against their content, requires references to exist, and supersedes replaced
 * documents, as strictly as the clinic is configured. https://hl7.org/fhir/R4/documentreference.html
 */
import type { DocumentReference } from 'fhir/r4'
import { documentPolicies } from '../clinics/document-settings.ts'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { attachmentFacts, byReference, linkedBinary } from '../documents/attachments.ts'
import { documentFindings, supersededBy } from '../documents/document-findings.ts'
import { issuesOf } from '../documents/rules.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { addressOf } from '../fhir/reference.ts'
import { type AnyResource, isObject } from '../fhir/resource.ts'
import { documentReferenceDocref } from '../operations/document-reference-docref.ts'

export const documentReference = defineProvider('DocumentReference', {
  documentation:
    'References that must resolve when they are written, relative or with the address of this server: subject, relatesTo.target, and content.attachment.url, which is then a Binary; others may dangle. Subjects that are identifiers or on other servers may stay, unless the clinic is strict. What a current document replaces becomes superseded in the same change. Size and hash are computed and checked. An update of {id, status: entered-in-error, subject} withdraws a document. What else a document is held to depends on documents.profile of the clinic (lenient, us-core, strict); $validate explains it.',
  referencePolicy: 'enforced',
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      const document = asDocument(resource)
      await supersede(ctx, document, undefined)
      return standard.create(ctx, await toStore(ctx, document))
    },
    update: async (ctx, resource) => {
      const document = asDocument(resource)
      const before = (await ctx.find<DocumentReference>('DocumentReference', resource.id))?.resource
      await supersede(ctx, document, before)
      return standard.update(ctx, { ...(await toStore(ctx, document)), id: resource.id })
    },
  },
  findings: async (ctx, resource, before) => {
    const policies = await policiesOf(ctx)
    const found = await documentFindings(ctx, asDocument(resource), before && asDocument(before), policies)
    return issuesOf(found, policies)
  },
  completed: withdrawn,
  requiresIfMatch: async (ctx) => (await policiesOf(ctx)).profile === 'strict',
  operations: [documentReferenceDocref],
  combined: [{ equal: ['patient'], range: 'date' }],
})

const asDocument = (resource: AnyResource): DocumentReference => resource as DocumentReference

const policiesOf = async (ctx: Context) => documentPolicies((await readSettings(ctx.unit, ctx.clinic)).documents)

/** Writes them as stored, without the present requirements for documents. */
async function supersede(
  ctx: Context,
  document: DocumentReference,
  before: DocumentReference | undefined,
): Promise<void> {
  for (const replaced of await supersededBy(ctx, document, before)) await standard.update(ctx, replaced)
}

/**
 * Adds size (bytes) and hash (base64 SHA-1) of the content, and removes the content if the clinic stores it separately.
 */
async function toStore(ctx: Context, document: DocumentReference): Promise<DocumentReference> {
  const content: DocumentReference['content'] = []
  for (const item of document.content) {
    const facts = await attachmentFacts(ctx, (await linkedBinary(ctx, item.attachment, document)) ?? item.attachment)
    const measures = facts === undefined ? {} : { size: facts.size, hash: facts.sha1 }
    content.push({ ...item, attachment: { ...item.attachment, ...measures } })
  }
  const measured = { ...document, content }
  return (await policiesOf(ctx)).content === 'reference' ? byReference(ctx, measured) : measured
}

const ELEMENTS = ['resourceType', 'id', 'status', 'subject']

/**
 * A document is withdrawn by an update of three elements: "Writing Clinical Notes" of US Core requires servers to accept
 * {id, status: entered-in-error, subject} in place of the whole resource.
 * @returns the stored document with its new status, where exactly these elements were sent; else the body as it was sent.
 * @throws FhirError 422 where the subject is a different one
 */
async function withdrawn(ctx: Context, body: unknown, id: string): Promise<unknown> {
  if (!isObject(body) || body['status'] !== 'entered-in-error' || !('subject' in body)) return body
  if (body['id'] !== id || Object.keys(body).some((name) => !ELEMENTS.includes(name))) return body
  const stored = (await ctx.find<DocumentReference>('DocumentReference', id))?.resource
  if (stored === undefined) return body
  checkSubject(body['subject'], stored, ctx.baseUrl)
  return { ...stored, status: 'entered-in-error' }
}

/**
 * Compares the subjects; one with neither a reference nor an identifier is refused, as it does not identify a patient.
 */
function checkSubject(subject: unknown, { subject: own }: DocumentReference, baseUrl: string): void {
  const given = isObject(subject) ? subject : {}
  const { reference } = given
  if (typeof reference === 'string' && addressOf(reference, baseUrl) === addressOf(own?.reference ?? '', baseUrl))
    return
  if (reference === undefined && isSameIdentifier(given['identifier'], own?.identifier)) return
  throw unprocessable(
    'DocumentReference.subject is not the subject of the stored document; to withdraw it, send the subject that it has',
    { expression: 'DocumentReference.subject', reason: 'subject-differs' },
  )
}

const isSameIdentifier = (one: unknown, other: DocumentReference['identifier'] | object | undefined): boolean =>
  isObject(one) && isObject(other) && one['system'] === other['system'] && one['value'] === other['value']
