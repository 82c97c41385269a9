/**
 * All findings about a DocumentReference, and the documents to which it is related by relatesTo: the status of a document that
 * another one replaces.
 */
import type { DocumentReference, DocumentReferenceRelatesTo, Identifier } from 'fhir/r4'
import type { DocumentPolicies } from '../clinics/document-settings.ts'
import type { Context } from '../core/context.ts'
import { isRelative, localReference } from '../fhir/reference.ts'
import { valuesIn } from '../fhir/resource.ts'
import { tokenText } from '../search/value.ts'
import { attachmentFindings, type Find, hasContent, timeFinding } from './attachments.ts'
import { SIMPLIFIED_PUBLISH } from './mhd/provide-bundle.ts'
import type { DocumentRuleId, Finding } from './rules.ts'

/**
 * A withdrawn document (entered-in-error) is only checked against its content, not against the clinic's rules for
 * documents, which may be newer. References that an update leaves unchanged are not looked up again, as their targets
 * may have been deleted since.
 */
export async function documentFindings(
  ctx: Context,
  document: DocumentReference,
  before: DocumentReference | undefined,
  policies: DocumentPolicies,
): Promise<readonly Finding[]> {
  const tooMany = amountFindings(document)
  if (tooMany.length > 0) return tooMany
  const isWithdrawn = document.status === 'entered-in-error'
  const attachments = await Promise.all(
    document.content.map(({ attachment }, index) => {
      const isKept = isWithdrawn && sameText(attachment, before?.content[index]?.attachment)
      return isKept
        ? []
        : attachmentFindings(ctx, { attachment, at: `content[${index}].attachment`, document }, policies)
    }),
  )
  const subject = await subjectFindings(ctx, document, before)
  if (isWithdrawn) return [...subject.filter(({ rule }) => rule === 'subject-not-found'), ...attachments.flat()]
  return [
    ...subject,
    ...(before === undefined ? publishFindings(document) : []),
    ...missingFindings(document),
    ...timeFindings(document),
    ...attachments.flat(),
    ...(await relationFindings(ctx, document, before)),
    ...(policies.duplicates === 'allow'
      ? []
      : await identifierFindings(ctx, document, policies.duplicates === 'refuse')),
  ]
}

/** Most list items, as each is looked up. */
const MOST_LISTED = 100

const amountFindings = ({ content, relatesTo = [] }: DocumentReference): readonly Finding[] => [
  ...(content.length > MOST_LISTED ? [finding('too-many', 'content', `has ${content.length} attachments`)] : []),
  ...(relatesTo.length > MOST_LISTED ? [finding('too-many', 'relatesTo', `names ${relatesTo.length} documents`)] : []),
]

const cut = (text: string): string => text.slice(0, 100)

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const finding: Find = (rule, element, problem) => ({ rule, element, problem })

async function subjectFindings(
  ctx: Context,
  { subject }: DocumentReference,
  before: DocumentReference | undefined,
): Promise<readonly Finding[]> {
  if (subject === undefined) return [finding('subject-missing', 'subject', 'is missing')]
  const { reference = '' } = subject
  const local = localReference(reference, ctx.baseUrl)
  if (local === undefined) {
    return isRelative(reference)
      ? [
          finding(
            'subject-not-found',
            'subject.reference',
            `is ${cut(reference)}, which names no resource of this clinic`,
          ),
        ]
      : [finding('subject-elsewhere', 'subject', 'does not refer to a resource of this clinic')]
  }
  const { type, id } = local
  const kind =
    type === 'Patient' ? [] : [finding('subject-not-patient', 'subject.reference', `is a ${type}, not a Patient`)]
  if (before?.subject?.reference === reference || (await ctx.find(type, id)) !== undefined) return kind
  return [finding('subject-not-found', 'subject', `is ${type}/${id}, which there is not in this clinic`), ...kind]
}

/** IHE MHD ITI-105: https://profiles.ihe.net/ITI/MHD/ITI-105.html */
function publishFindings({ meta, content }: DocumentReference): readonly Finding[] {
  const isPublish = valuesIn(meta?.profile).some((profile) => profile.split('|')[0] === SIMPLIFIED_PUBLISH)
  const isInline = content.length === 1 && content.every(({ attachment }) => hasContent(attachment))
  return isPublish && !isInline ? [finding('publish-not-inline', 'content', 'is not one content with its data')] : []
}

const missingFindings = ({ type, category = [] }: DocumentReference): readonly Finding[] => [
  ...(type === undefined ? [finding('type-missing', 'type', 'is missing')] : []),
  ...(category.length === 0 ? [finding('category-missing', 'category', 'is missing')] : []),
]

const timeFindings = ({ context }: DocumentReference): readonly Finding[] => [
  ...timeFinding(context?.period?.start, 'context.period.start', finding),
  ...timeFinding(context?.period?.end, 'context.period.end', finding),
]

/** Most identifiers by which other documents are searched for, and most other documents. */
const MOST_IDENTIFIERS = 20
const MOST_OTHERS = 50

/** Finds another current document with one of its identifiers, which this one does not replace. */
async function identifierFindings(
  ctx: Context,
  document: DocumentReference,
  isRefused: boolean,
): Promise<readonly Finding[]> {
  const identifiers = identifiersOf(document)
  const tokens = identifiers.flatMap(tokenOf).slice(0, MOST_IDENTIFIERS)
  if (tokens.length === 0 || document.status !== 'current') return []
  const criteria = `identifier=${encodeURIComponent(tokens.join(','))}&status=current`
  // Where the matches decide, the change depends on them.
  const found = isRefused
    ? await ctx.searchGuarded<DocumentReference>('DocumentReference', criteria)
    : await ctx.search<DocumentReference>('DocumentReference', `${criteria}&_count=${MOST_OTHERS}`)
  const others = new Set([...found.map(({ id }) => id), ...idsBeside(ctx, new Set(identifiers.map(keyOf)))])
  const replaced = replacedIds(document, ctx.baseUrl)
  const other = [...others].find((id) => id !== document.id && !replaced.includes(id) && isCurrent(ctx, id))
  if (other === undefined) return []
  const element = document.masterIdentifier === undefined ? 'identifier' : 'masterIdentifier'
  return [finding('identifier-taken', element, `is that of DocumentReference/${other} too`)]
}

/** The ids of documents that the same change writes, which no search finds yet. */
const idsBeside = (ctx: Context, keys: ReadonlySet<string>): readonly string[] =>
  ctx.unit
    .staged<DocumentReference>('DocumentReference')
    .filter((one) => !one.deleted && identifiersOf(one.resource).some((identifier) => keys.has(keyOf(identifier))))
    .map(({ id }) => id)

/** Whether a document is current after this change. */
function isCurrent(ctx: Context, id: string): boolean {
  const staged = ctx.unit.staged<DocumentReference>('DocumentReference').find((one) => one.id === id)
  return staged === undefined || (!staged.deleted && staged.resource.status === 'current')
}

const identifiersOf = ({ masterIdentifier, identifier = [] }: DocumentReference): readonly Identifier[] => [
  ...(masterIdentifier === undefined ? [] : [masterIdentifier]),
  ...identifier,
]

const keyOf = ({ system = '', value = '' }: Identifier): string => `${system}|${value}`

/** An identifier without a system equals others without one. */
const tokenOf = ({ system = '', value }: Identifier): readonly string[] =>
  value === undefined ? [] : [tokenText(system, value)]

const replacedIds = ({ relatesTo = [] }: DocumentReference, baseUrl: string): readonly string[] =>
  relatesTo.flatMap(({ code, target }) =>
    code === 'replaces' ? (localReference(target.reference ?? '', baseUrl)?.id ?? []) : [],
  )

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

async function relationFindings(
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
