/** Media types as HTTP writes them: https://www.rfc-editor.org/rfc/rfc9110#section-8.3, and those of FHIR R4. */

export type Format = 'json' | 'xml'

/** The media types of resources; the first is the default of responses. */
export const RESOURCE_TYPES: ReadonlyMap<string, Format> = new Map([
  ['application/fhir+json', 'json'],
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/fhir+xml', 'xml'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
])

/** The names before STU3 (http.html#mime-type). */
const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['application/json+fhir', 'application/fhir+json'],
  ['application/xml+fhir', 'application/fhir+xml'],
])

export interface MediaType {
  /** Lower case, `application/fhir+json`; in an Accept header also `application/*`. */
  readonly type: string
  /** Lower case names, values without quotes. */
  readonly parameters: ReadonlyMap<string, string>
}

/** The types of a header such as Accept, in its order. */
export const mediaTypes = (header: string): readonly MediaType[] =>
  (header.match(/(?:[^,"]|"[^"]*")+/g) ?? []).map(mediaType)

export function mediaType(text: string): MediaType {
  const [type = '', ...parameters] = (text.match(/(?:[^;"]|"[^"]*")+/g) ?? []).map((part) => part.trim())
  const named = type.toLowerCase()
  return {
    type: OLD_NAMES.get(named) ?? named,
    parameters: new Map(parameters.map(parameter)),
  }
}

function parameter(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  const name = at === -1 ? text : text.slice(0, at)
  const value = at === -1 ? '' : text.slice(at + 1).trim()
  return [name.trim().toLowerCase(), value.replace(/^"(.*)"$/s, '$1')]
}

/** Only R4 and UTF-8 are served; a media type without these parameters means them. */
export const isServed = ({ parameters }: MediaType): boolean =>
  /^4\.0(\.[01])?$/.test(parameters.get('fhirversion') ?? '4.0') &&
  /^utf-?8$/i.test(parameters.get('charset') ?? 'utf-8')

/** Characters, with its parameters: more than anybody needs, and less than clients take in a header. */
export const MAX_MEDIA_TYPE = 255

/** As https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1; a `*` stands for types, and so is none. */
const MEDIA_TYPE = /^[\w!#$%&'+.^`|~-]+\/[\w!#$%&'+.^`|~-]+ ?(?:;[\x20-\x7e]*)?$/

/** Whether a text can stand in a Content-Type header for what a content is. */
export const isMediaType = (text: string): boolean => text.length <= MAX_MEDIA_TYPE && MEDIA_TYPE.test(text)
