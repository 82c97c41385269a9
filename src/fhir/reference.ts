/** Literal references to resources of this server: https://hl7.org/fhir/R4/references.html#literal. */

import { isResourceType } from './definitions.ts'

export interface LocalReference {
  readonly type: string
  readonly id: string
  /** Present in a version-specific reference, `Type/id/_history/version`. */
  readonly version?: string
}

/** An id: https://hl7.org/fhir/R4/datatypes.html#id */
export const ID = /^[A-Za-z0-9\-.]{1,64}$/

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

/** The end of a reference to a resource of any server. */
const ANYWHERE = /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/

/** The type that a reference names, relative or absolute, with or without a version. */
export const typeIn = (reference: string): string | undefined => ANYWHERE.exec(reference)?.[1]

/** Whether it is a URI with a scheme: https://www.rfc-editor.org/rfc/rfc3986#section-3.1 */
export const isAbsolute = (uri: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(uri)

/** Whether a text is to name a resource of this server; it may do so wrongly. A fragment names a contained one. */
export const isRelative = (reference: string): boolean =>
  reference !== '' && !reference.startsWith('#') && !isAbsolute(reference)

/** One text for the ways of writing a reference: `Type/id` for a resource of this server, else as it is written. */
export function addressOf(reference: string, baseUrl: string): string {
  const local = localReference(reference, baseUrl)
  return local === undefined ? reference : `${local.type}/${local.id}`
}

/** A URL as a RESTful server gives it to a resource. */
export interface RestfulUrl {
  /** The address of the server, with the slash at its end. */
  readonly root: string
  readonly type: string
  readonly id: string
}

/** https://hl7.org/fhir/R4/references.html#regex, without the version. */
const RESTFUL = /^(https?:\/\/(?:[A-Za-z0-9\-\\.:%$]*\/)+)([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})$/

/** Parses `http://example.org/fhir/Patient/1`; undefined for a URL of another form, or with a version. */
export function restfulUrl(text: string): RestfulUrl | undefined {
  const [, root, type, id] = RESTFUL.exec(text) ?? []
  return root === undefined || id === undefined || !isResourceType(type) ? undefined : { root, type, id }
}
