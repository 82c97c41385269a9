/** Literal references to resources of this server: https://hl7.org/fhir/R4/references.html#literal. */

export interface LocalReference {
  readonly type: string
  readonly id: string
  /** Present in a version-specific reference, `Type/id/_history/version`. */
  readonly version?: string
}

const RELATIVE = /^([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/([A-Za-z0-9\-.]{1,64}))?$/

/**
 * Parses `Type/id`, relative or below `baseUrl`; undefined for another server, a fragment, a URN or a malformed text.
 */
export function localReference(text: string, baseUrl: string): LocalReference | undefined {
  const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`
  const [, type, id, version] = RELATIVE.exec(text.startsWith(base) ? text.slice(base.length) : text) ?? []
  if (type === undefined || id === undefined) return undefined
  return { type, id, ...(version === undefined ? {} : { version }) }
}
