/** Media types of documents, and whether a content conforms to its type. */
import type { DetectedType } from '../fhir/content/detected-type.ts'

/** `text/plain` from `Text/Plain; charset=utf-8`. */
export const essenceOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase()

export const charsetOf = (contentType: string): string | undefined =>
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

export const isXml = (essence: string): boolean => /^(application|text)\/xml$|\+xml$/.test(essence)

export const isCda = (essence: string): boolean =>
  /^application\/(hl7-)?(x-hl7-)?(cda|v3|cda-level-one)\+xml$/.test(essence)

/** Text that must be in a known encoding; RTF has encodings of its own, and XML declares its encoding. */
export const isPlainText = (essence: string): boolean =>
  (essence.startsWith('text/') && essence !== 'text/rtf' && !isXml(essence)) || essence === 'application/json'

/** The actual type of a content that contradicts its declared one; undefined where there is no contradiction. */
export function contradiction(contentType: string, { type }: DetectedType): string | undefined {
  const essence = essenceOf(contentType)
  const promised = ALIASES[essence] ?? essence
  const isAsPromised = PACKAGES.test(promised) ? PACKED.includes(type) : type === promised
  if (PACKAGES.test(promised) || KNOWN_BY_BYTES.has(promised))
    return isAsPromised ? undefined : (type ?? 'no such file')
  if (isXml(promised) || isPlainText(promised)) return MARKUP.has(type) ? undefined : type
  return undefined
}
