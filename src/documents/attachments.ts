/** The bytes of attachments, and how the claims of an attachment compare with them. */
import type { Attachment, Binary, DocumentReference, Resource } from 'fhir/r4'
import type { DocumentPolicies } from '../clinics/document-settings.ts'
import { ContentDigest, type ContentFacts } from '../content/content-digest.ts'
import type { Context } from '../core/context.ts'
import type { DetectedType } from '../fhir/content/detected-type.ts'
import { contentOf } from '../fhir/content/marker.ts'
import { isRelative, localReference } from '../fhir/reference.ts'
import type { DocumentRuleId, Finding } from './rules.ts'

/** An Attachment or a Binary. Where it is written its base64 is short, as longer data is stored separately. */
type WithData = Pick<Attachment, 'data'> & { readonly _data?: unknown }

/** Facts about attachments of the current change, as several rules need them. */
const known = new WeakMap<object, Promise<ContentFacts | undefined>>()

/** @returns undefined where it has no content */
export function attachmentFacts(ctx: Context, holder: WithData): Promise<ContentFacts | undefined> {
  const before = known.get(holder)
  if (before !== undefined) return before
  const facts = factsOf(ctx, holder)
  known.set(holder, facts)
  return facts
}

/** @returns undefined where it has no content, or the clinic does not have the content it names */
export async function factsOf(
  { clinic, contents }: Pick<Context, 'clinic' | 'contents'>,
  { data, _data }: WithData,
): Promise<ContentFacts | undefined> {
  const sha256 = contentOf(_data)
  if (sha256 !== undefined) return await contents.facts(clinic, sha256)
  if (data === undefined) return undefined
  const digest = new ContentDigest(Number.POSITIVE_INFINITY)
  digest.push(Buffer.from(data, 'base64'))
  return digest.end()
}

export const hasContent = ({ data, _data }: WithData): boolean => data !== undefined || contentOf(_data) !== undefined

/**
 * The Binary of this clinic that an attachment refers to, or the one contained in its document (`#id`); null where it
 * refers to one that does not exist.
 */
export async function linkedBinary(
  ctx: Context,
  { url }: Attachment,
  { contained = [] }: DocumentReference,
): Promise<Binary | null | undefined> {
  if (url?.startsWith('#')) return contained.filter(isBinary).find(({ id }) => url === `#${id}`) ?? null
  const local = url === undefined ? undefined : localReference(url, ctx.baseUrl)
  if (local === undefined) return undefined
  if (local.type !== 'Binary') return null
  return (await ctx.find<Binary>('Binary', local.id))?.resource ?? null
}

const isBinary = (resource: Resource): resource is Binary => resource.resourceType === 'Binary'

const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Inline content as a Binary of its own, where the clinic keeps documents so: documents.content is `reference`.
 * @returns the document with links to Binaries, which are created in the same change. Attachments with a link of their own are
 * unchanged.
 */
export async function byReference(ctx: Context, document: DocumentReference): Promise<DocumentReference> {
  const content: DocumentReference['content'] = []
  for (const item of document.content) content.push({ ...item, attachment: await linked(ctx, item.attachment) })
  return { ...document, content }
}

async function linked(ctx: Context, attachment: Attachment): Promise<Attachment> {
  if (!hasContent(attachment) || attachment.url !== undefined) return attachment
  const { data, _data, ...rest } = attachment
  const binary: Binary = {
    resourceType: 'Binary',
    contentType: attachment.contentType ?? UNKNOWN_TYPE,
    ...(data !== undefined && { data }),
    ...(_data !== undefined && { _data }),
  }
  return { ...rest, url: `Binary/${(await ctx.create(binary)).id}` }
}

const CDA_ROOT = '{urn:hl7-org:v3}ClinicalDocument'
const UTF8 = ['utf-8', 'utf8', 'us-ascii']
const SAFE_LINK = /^(https?:|urn:)/i

export interface AttachmentPlace {
  readonly attachment: Attachment
  /** Below the document: `content[0].attachment`. */
  readonly at: string
  readonly document: DocumentReference
}

export async function attachmentFindings(
  ctx: Context,
  { attachment, at, document }: AttachmentPlace,
  policies: DocumentPolicies,
): Promise<readonly Finding[]> {
  const finding = (rule: DocumentRuleId, element: string, problem: string): Finding => ({
    rule,
    element: element === '' ? at : `${at}.${element}`,
    problem,
  })
  if (isEmpty(attachment)) return [finding('content-missing', '', 'has neither data nor url')]
  const binary = hasContent(attachment) ? undefined : await linkedBinary(ctx, attachment, document)
  const found = [
    ...linkFindings(attachment, binary, finding),
    ...typeFindings(attachment, policies, finding),
    ...timeFinding(attachment.creation, 'creation', finding),
  ]
  const facts = await attachmentFacts(ctx, binary ?? attachment)
  if (facts === undefined) {
    return binary == null
      ? [...found, ...hashFindings(attachment, finding)]
      : [...found, finding('content-empty', 'url', 'leads to a Binary without content')]
  }
  return [...found, ...contentFindings(attachment, facts, policies, finding)]
}

/** An extension in place of a value, such as data-absent-reason, itself explains the absence. */
const isEmpty = (attachment: Attachment): boolean =>
  ['data', '_data', 'url', '_url'].every((name) => !(name in attachment))

export type Find = (rule: DocumentRuleId, element: string, problem: string) => Finding

function linkFindings(attachment: Attachment, binary: Binary | null | undefined, finding: Find): readonly Finding[] {
  const { url, contentType } = attachment
  if (url === undefined) return []
  if (binary === null)
    return [finding('link-not-found', 'url', 'leads to no Binary that there is in this clinic or is contained')]
  if (binary !== undefined) {
    if (contentType === undefined || binary.contentType === undefined) return []
    if (essenceOf(contentType) === essenceOf(binary.contentType)) return []
    return [finding('link-type', 'contentType', `is not ${binary.contentType}, which the Binary has`)]
  }
  if (isRelative(url)) return [finding('link-not-found', 'url', 'is relative, but no Binary of this server')]
  if (!SAFE_LINK.test(url)) return [finding('link-unsafe', 'url', 'is a link of a kind that is not taken')]
  return hasContent(attachment) ? [] : [finding('content-not-inline', '', 'has only a link to another server')]
}

function typeFindings(
  { contentType }: Attachment,
  { contentTypes }: DocumentPolicies,
  finding: Find,
): readonly Finding[] {
  if (contentType === undefined) return [finding('content-type-missing', 'contentType', 'is missing')]
  const charset = charsetOf(contentType)
  return [
    ...(contentTypes === undefined || contentTypes.includes(essenceOf(contentType))
      ? []
      : [finding('content-type-refused', 'contentType', `is none of ${contentTypes.join(', ')}`)]),
    ...(charset === undefined || UTF8.includes(charset)
      ? []
      : [finding('charset-other', 'contentType', 'names a character set other than UTF-8')]),
  ]
}

/** R4 permits a date alone. */
export const timeFinding = (dateTime: string | undefined, element: string, finding: Find): readonly Finding[] =>
  dateTime === undefined || dateTime.includes('T') ? [] : [finding('time-missing', element, 'is a date without a time')]

function contentFindings(
  attachment: Attachment,
  facts: ContentFacts,
  policies: DocumentPolicies,
  finding: Find,
): readonly Finding[] {
  const { contentType, data } = attachment
  const { looks } = facts
  if (looks.isEmpty) return [finding('content-empty', data === undefined ? 'url' : 'data', 'has no bytes')]
  const measures = measureFindings(attachment, facts, policies, finding)
  return contentType === undefined ? measures : [...measures, ...looksFindings(contentType, looks, finding)]
}

/** For a content stored elsewhere: whether the hash has a valid length. */
function hashFindings({ hash }: Attachment, finding: Find): readonly Finding[] {
  if (hash === undefined || bytesOf(hash).length === SHA1_BYTES) return []
  return [finding('hash-wrong', 'hash', `has ${bytesOf(hash).length} bytes, but a SHA-1 has ${SHA1_BYTES}`)]
}

const SHA1_BYTES = 20

/** Decodes base64, which may have white space. */
const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64')

const isSameHash = (one: string, other: string): boolean => bytesOf(one).equals(bytesOf(other))

function measureFindings(
  { size, hash }: Attachment,
  { size: bytes, sha1 }: ContentFacts,
  { maxBytes }: DocumentPolicies,
  finding: Find,
): readonly Finding[] {
  const found: Finding[] = []
  if (size !== undefined && Number(size) !== bytes)
    found.push(finding('size-wrong', 'size', `is ${size}, but the content has ${bytes} bytes`))
  if (hash !== undefined && !isSameHash(hash, sha1))
    found.push(finding('hash-wrong', 'hash', `is ${cut(hash)}, but the SHA-1 of the content is ${sha1}`))
  if (maxBytes !== undefined && bytes > maxBytes)
    found.push(finding('content-too-long', '', `has ${bytes} bytes, but the clinic takes ${maxBytes} at most`))
  return found
}

function looksFindings(contentType: string, looks: DetectedType, finding: Find): readonly Finding[] {
  const other = contradiction(contentType, looks)
  if (other !== undefined)
    return [finding('content-type-wrong', 'contentType', `is ${cut(contentType)}, but the content is ${other}`)]
  const essence = essenceOf(contentType)
  if (isXml(essence)) return xmlFindings(essence, looks, finding)
  if (looks.isCompletePdf === false) return [finding('pdf-cut-off', 'data', 'is a PDF without its end')]
  const isSaidToBeUtf8 = isPlainText(essence) && UTF8.includes(charsetOf(contentType) ?? 'utf-8')
  return isSaidToBeUtf8 && !looks.isUtf8 ? [finding('content-not-utf8', 'data', 'is not text in UTF-8')] : []
}

function xmlFindings(essence: string, { type, isUtf8, xml, xmlRoot }: DetectedType, finding: Find): readonly Finding[] {
  switch (xml) {
    case 'has-doctype':
      // An XHTML document begins with a DOCTYPE; nothing after it is read.
      return essence === 'application/xhtml+xml'
        ? [finding('xml-not-checked', 'data', 'has a DOCTYPE')]
        : [finding('xml-doctype', 'data', 'has a DOCTYPE')]
    case 'too-large':
    case 'other-encoding':
      return [finding('xml-not-checked', 'data', 'is XML that was not checked')]
    case 'well-formed':
      return isCda(essence) && xmlRoot !== CDA_ROOT ? [finding('cda-root', 'data', 'is no CDA document')] : []
    default:
      // It declares an encoding of its own.
      if (!isUtf8 && type === 'application/xml')
        return [finding('xml-not-checked', 'data', 'is XML in another encoding')]
      return [finding('xml-broken', 'data', 'is not well-formed XML')]
  }
}

const cut = (text: string): string => text.slice(0, 100)

/** `text/plain` from `Text/Plain; charset=utf-8`. */
const essenceOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase()

const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase()

/** Other names of detected types (fhir/content/detected-type.ts). */
const ALIASES: Readonly<Record<string, string>> = {
  'application/rtf': 'text/rtf',
  'application/x-rtf': 'text/rtf',
  'application/x-pdf': 'application/pdf',
  'image/jpg': 'image/jpeg',
  'image/tif': 'image/tiff',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'application/x-gzip': 'application/gzip',
  'application/x-zip-compressed': 'application/zip',
}

/** Types whose content is recognized by its first bytes. */
const KNOWN_BY_BYTES: ReadonlySet<string> = new Set([
  ...['application/pdf', 'text/rtf', 'image/png', 'image/jpeg', 'image/gif', 'image/tiff', 'image/bmp', 'image/webp'],
  ...['application/dicom', 'application/gzip', 'audio/wav', 'audio/ogg'],
])

/**
 * Packages, recognized by their first bytes: a zip, or the container in which Office puts a document with a password.
 * They are never unpacked.
 */
const PACKAGES = /^application\/(?:zip$|vnd\.openxmlformats-officedocument\.)|\+zip$/
const PACKED: readonly (string | undefined)[] = ['application/zip', 'application/x-ole-storage']

const MARKUP: ReadonlySet<string | undefined> = new Set([
  undefined,
  'text/html',
  'application/xhtml+xml',
  'application/xml',
])

const isXml = (essence: string): boolean => /^(application|text)\/xml$|\+xml$/.test(essence)

const isCda = (essence: string): boolean => /^application\/(hl7-)?(x-hl7-)?(cda|v3|cda-level-one)\+xml$/.test(essence)

/** Text that must be in a known encoding; RTF has encodings of its own, and XML declares its encoding. */
const isPlainText = (essence: string): boolean =>
  (essence.startsWith('text/') && essence !== 'text/rtf' && !isXml(essence)) || essence === 'application/json'

/** The actual type of a content that contradicts its declared one; undefined where there is no contradiction. */
function contradiction(contentType: string, { type }: DetectedType): string | undefined {
  const essence = essenceOf(contentType)
  const promised = ALIASES[essence] ?? essence
  const isAsPromised = PACKAGES.test(promised) ? PACKED.includes(type) : type === promised
  if (PACKAGES.test(promised) || KNOWN_BY_BYTES.has(promised))
    return isAsPromised ? undefined : (type ?? 'no such file')
  if (isXml(promised) || isPlainText(promised)) return MARKUP.has(type) ? undefined : type
  return undefined
}
