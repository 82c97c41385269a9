/** A clinic's rules for the documents that it receives. docs/document-reference.md */
import { checkOneOf, checkWholeNumber, objectOf, reject } from './setting-checks.ts'

/** Rule sets for documents; the rules are in src/documents/rules.ts. */
export const STRICTNESS = ['lenient', 'us-core', 'strict'] as const
export type Strictness = (typeof STRICTNESS)[number]

const CONTENT = ['inline', 'reference'] as const
const DUPLICATES = ['allow', 'warn', 'refuse'] as const

export interface DocumentSettings {
  /** Absent: lenient. */
  readonly profile?: Strictness
  /** `reference`: inline content becomes a Binary, to which the document then refers. Absent: as it was written. */
  readonly content?: (typeof CONTENT)[number]
  /** Allowed media types of content, without parameters; absent: any, under `strict` those of STRICT_CONTENT_TYPES. */
  readonly contentTypes?: readonly string[]
  /** Most bytes of one decoded content; absent: the server's limit. */
  readonly maxBytes?: number
  /** Treatment of a document with an identifier that another current one has; absent: warn. */
  readonly duplicates?: (typeof DUPLICATES)[number]
}

const FIELDS = ['profile', 'content', 'contentTypes', 'maxBytes', 'duplicates']
const MOST_BYTES = 100 * 1024 * 1024
const MOST_TYPES = 100
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

const STRICT_CONTENT_TYPES: readonly string[] = [
  ...['application/pdf', 'text/plain', 'text/rtf', 'application/rtf', 'text/html'],
  ...['application/xml', 'text/xml', 'application/xhtml+xml'],
]

export function documentPolicies(settings: DocumentSettings = {}) {
  const { profile = 'lenient', content = 'inline', duplicates = 'warn', maxBytes } = settings
  const contentTypes = settings.contentTypes ?? (profile === 'strict' ? STRICT_CONTENT_TYPES : undefined)
  return { profile, content, duplicates, maxBytes, contentTypes }
}

export type DocumentPolicies = ReturnType<typeof documentPolicies>

/** The settings as a client sent them; null for none. */
export function checkDocuments(value: unknown, problems: string[]): DocumentSettings | undefined {
  if (value === undefined || value === null) return undefined
  const fields = objectOf(value, 'documents', FIELDS, problems)
  const { profile, content, duplicates, contentTypes, maxBytes } = fields
  checkOneOf('documents.profile', profile, STRICTNESS, problems)
  checkOneOf('documents.content', content, CONTENT, problems)
  checkOneOf('documents.duplicates', duplicates, DUPLICATES, problems)
  if (contentTypes !== undefined && !isListOfTypes(contentTypes))
    reject(
      problems,
      `documents.contentTypes must be a list of 1 to ${MOST_TYPES} media types in small letters and without parameters, e.g. ["application/pdf", "text/plain"]`,
    )
  checkWholeNumber('documents.maxBytes', maxBytes, { least: 1, most: MOST_BYTES }, problems)
  return fields as DocumentSettings
}

const isListOfTypes = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= MOST_TYPES &&
  value.every((type) => typeof type === 'string' && MEDIA_TYPE.test(type))
