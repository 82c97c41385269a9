/** relatesTo: the related documents, and the status of a document that another one replaces. */
import type { DocumentReference, DocumentReferenceRelatesTo } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { isRelative, localReference } from '../fhir/reference.ts'
import type { DocumentRuleId, Finding } from './rules.ts'

/** A signature may be about another's document. */
const OF_ONE_SUBJECT: readonly string[] = ['replaces', 'appends', 'transforms']

interface Relation {
  readonly code: DocumentReferenceRelatesTo['code']
  readonly index: number
  /** As it is written. */
  readonly reference: string
  /** Undefined where a relative reference names no document. */
  readonly id: string | undefined
}

/** The relations to documents of this clinic that a write adds: earlier ones have been checked already. */
function newRelations(
  { relatesTo = [] }: DocumentReference,
  before: DocumentReference | undefined,
  baseUrl: string,
): readonly Relation[] {
  const known = new Set((before?.relatesTo ?? []).map(({ code, target }) => `${code} ${target.reference}`))
  return relatesTo.flatMap(({ code, target: { reference = '' } }, index) => {
    const local = localReference(reference, baseUrl)
    const isHere = local === undefined ? isRelative(reference) : local.type === 'DocumentReference'
    const id = local?.type === 'DocumentReference' ? local.id : undefined
    return isHere && !known.has(`${code} ${reference}`) ? [{ code, index, reference, id }] : []
  })
}

export async function relationFindings(
  ctx: Context,
  document: DocumentReference,
  before: DocumentReference | undefined,
): Promise<readonly Finding[]> {
  const relations = newRelations(document, before, ctx.baseUrl)
  return (await Promise.all(relations.map((relation) => findingsOf(ctx, document, relation)))).flat()
}

async function findingsOf(
  ctx: Context,
  document: DocumentReference,
  { code, index, reference, id }: Relation,
): Promise<readonly Finding[]> {
  const finding = (rule: DocumentRuleId, problem: string): readonly Finding[] => [
    { rule, element: `relatesTo[${index}].target`, problem },
  ]
  if (id === undefined)
    return finding('relation-not-found', `is ${reference.slice(0, 100)}, which names no document of this clinic`)
  if (id === document.id) return finding('relation-to-itself', 'is the document itself')
  const other = (await ctx.find<DocumentReference>('DocumentReference', id))?.resource
  if (other === undefined)
    return finding('relation-not-found', `is DocumentReference/${id}, which there is not in this clinic`)
  if (code !== undefined && OF_ONE_SUBJECT.includes(code) && !isOfOneSubject(document, other, ctx.baseUrl))
    return finding('relation-of-other-subject', `is DocumentReference/${id}, which has another subject`)
  if (code !== 'replaces') return []
  if (other.status === 'superseded')
    return finding('replaced-already', `is DocumentReference/${id}, which is superseded already`)
  return other.status === 'entered-in-error'
    ? finding('replaced-in-error', `is DocumentReference/${id}, which is withdrawn (entered-in-error)`)
    : []
}

/** A document without a subject, or with one known only by an identifier, contradicts no other. */
function isOfOneSubject(one: DocumentReference, other: DocumentReference, baseUrl: string): boolean {
  const [subject, otherSubject] = [one, other].map(({ subject: { reference = '' } = {} }) => {
    const local = localReference(reference, baseUrl)
    return local === undefined ? reference : `${local.type}/${local.id}`
  })
  return subject === '' || otherSubject === '' || subject === otherSubject
}

/**
 * The documents that a current one replaces, as they are to be stored beside it. Each was read in this change: where two
 * replace one at once, the store lets one of them come first, and the other finds it superseded.
 */
export async function supersededBy(
  ctx: Context,
  document: DocumentReference,
  before: DocumentReference | undefined,
): Promise<readonly (DocumentReference & { id: string })[]> {
  // A withdrawn document that becomes current again also replaces what it replaced before.
  const known = before?.status === document.status ? before : undefined
  if (document.status !== 'current') return []
  const replaced = newRelations(document, known, ctx.baseUrl).flatMap(({ code, id }) =>
    code === 'replaces' && id !== undefined && id !== document.id ? [id] : [],
  )
  const found = await Promise.all(replaced.map((id) => ctx.find<DocumentReference>('DocumentReference', id)))
  return found.flatMap((other) =>
    other?.resource.status === 'current' ? [{ ...other.resource, id: other.id, status: 'superseded' as const }] : [],
  )
}
