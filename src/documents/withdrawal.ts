/**
 * A document is withdrawn by an update of three elements: "Writing Clinical Notes" of US Core requires servers to
 * accept {id, status: entered-in-error, subject} in place of the whole resource.
 */
import type { DocumentReference } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { addressOf } from '../fhir/reference.ts'
import { isObject } from '../fhir/resource.ts'

const ELEMENTS = ['resourceType', 'id', 'status', 'subject']

/**
 * The stored document with its new status, where exactly these elements were sent; else the body as it was sent.
 * @throws FhirError 422 where the subject is a different one
 */
export async function withdrawn(ctx: Context, body: unknown, id: string): Promise<unknown> {
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
