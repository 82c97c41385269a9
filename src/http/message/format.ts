/**
 * Media types as HTTP writes them (https://www.rfc-editor.org/rfc/rfc9110#section-8.3), and the format of a body: negotiated by
 * Accept, _format and Content-Type, and written as the client accepts it.
 * https://hl7.org/fhir/R4/http.html#mime-type, #pretty
 */
import type { Context as KoaContext } from 'koa'
import { parseJsonUnpaid } from '../../fhir/json.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { writeXml } from '../../fhir/xml/write.ts'
import { spend } from '../../isolation/budget.ts'
import { headerOf } from '../headers.ts'

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
const mediaTypes = (header: string): readonly MediaType[] => (header.match(/(?:[^,"]|"[^"]*")+/g) ?? []).map(mediaType)

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
const isServed = ({ parameters }: MediaType): boolean =>
  /^4\.0(\.[01])?$/.test(parameters.get('fhirversion') ?? '4.0') &&
  /^utf-?8$/i.test(parameters.get('charset') ?? 'utf-8')

/** Characters, with its parameters: more than anybody needs, and less than clients take in a header. */
export const MAX_MEDIA_TYPE = 255

/** As https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1; a `*` stands for types, and so is none. */
const MEDIA_TYPE = /^[\w!#$%&'+.^`|~-]+\/[\w!#$%&'+.^`|~-]+ ?(?:;[\x20-\x7e]*)?$/

/** Whether a text can stand in a Content-Type header for what a content is. */
export const isMediaType = (text: string): boolean => text.length <= MAX_MEDIA_TYPE && MEDIA_TYPE.test(text)

export interface AnswerFormat {
  readonly format: Format
  /** The media type that the client named; fhirVersion is echoed where the client names it. */
  readonly contentType: string
}

const answerIn = (type: string, version = ''): AnswerFormat => ({
  format: RESOURCE_TYPES.get(type) ?? 'json',
  contentType: `${type}; charset=utf-8${version}`,
})

export const FHIR_JSON = answerIn('application/fhir+json')

/** Values of `_format` besides media types. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['json', 'application/fhir+json'],
  ['xml', 'application/fhir+xml'],
])

/**
 * The format of the response; `_format` wins over the Accept header.
 * @throws FhirError 406 when the client accepts nothing this server writes.
 */
export function negotiate(accept: string, format: string | null): AnswerFormat {
  if (format !== null && format !== '') return namedFormat(format)
  if (accept === '' || accept === '*/*' || accept === 'application/fhir+json') return FHIR_JSON
  const ranges = mediaTypes(accept).filter(isServed)
  const offers = [...RESOURCE_TYPES.keys()].flatMap((type) => offerOf(type, ranges))
  const best = bestOf(offers)
  if (best === undefined) throw notAcceptable(accept)
  return answerTo(best)
}

const answerTo = ({ type, range }: Offer): AnswerFormat =>
  answerIn(type, range.parameters.has('fhirversion') ? '; fhirVersion=4.0' : '')

/**
 * Negotiates the form of a content: undefined for its own bytes, else the format of its resource. FHIR's own types ask
 * for the resource where they are named in full; types that others use too (application/json) do so where the client
 * does not accept the content's own type.
 * @param type of the content
 * @throws FhirError 406 when the client accepts neither
 */
export function negotiateContent(accept: string, type: string): AnswerFormat | undefined {
  if (accept === '' || accept === '*/*') return undefined
  const ranges = mediaTypes(accept)
  const native = offerOf(mediaType(type).type, ranges)
  const named = (types: readonly string[]): readonly Offer[] =>
    types.flatMap((own) => offerOf(own, ranges.filter(isServed))).filter(({ weight }) => weight >= NAMED)
  const best = bestOf([...native, ...named(OWN_TYPES)]) ?? bestOf(named([...RESOURCE_TYPES.keys()]))
  if (best === undefined) throw notAcceptable(accept, type)
  return native.includes(best) ? undefined : answerTo(best)
}

/** The weight of a range that names the type itself. */
const NAMED = 3

const OWN_TYPES = ['application/fhir+json', 'application/fhir+xml'] as const

function namedFormat(format: string): AnswerFormat {
  // '+' in a query string stands for a space: application/fhir+json arrives as 'application/fhir json'.
  const asked = mediaType(format.replace(/^([^\s;]+) /, '$1+'))
  const type = SHORT_NAMES.get(asked.type) ?? asked.type
  if (!RESOURCE_TYPES.has(type) || !isServed(asked)) throw notAcceptable(`_format=${format}`)
  return answerIn(type, asked.parameters.has('fhirversion') ? '; fhirVersion=4.0' : '')
}

/** A type that this server writes, and the range of the Accept header that covers it. */
interface Offer {
  readonly type: string
  readonly range: MediaType
  /** The place of the range in the header. */
  readonly index: number
  readonly quality: number
  readonly weight: number
}

const bestOf = (offers: readonly Offer[]): Offer | undefined =>
  offers.toSorted(
    (left, right) => right.quality - left.quality || right.weight - left.weight || left.index - right.index,
  )[0]

/** https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1: the most specific of the ranges that cover a type counts. */
function offerOf(type: string, ranges: readonly MediaType[]): readonly Offer[] {
  const [best] = ranges
    .map((range, index) => ({ type, range, index, quality: qualityOf(range), weight: weightOf(range, type) }))
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight)
  return best === undefined || best.quality === 0 ? [] : [best]
}

/** How specific the range is for a type; 0 when it does not cover it. */
function weightOf({ type: range, parameters }: MediaType, type: string): number {
  if (range === type) return parameters.has('fhirversion') ? 4 : 3
  if (range === `${type.slice(0, type.indexOf('/'))}/*`) return 2
  return range === '*/*' ? 1 : 0
}

/** A quality that is not a number from 0 to 1 is ignored. */
function qualityOf({ parameters }: MediaType): number {
  const quality = Number(parameters.get('q') ?? 1)
  return quality >= 0 && quality <= 1 ? quality : 1
}

/** @param besides the type of a content that could have been sent in its own form */
const notAcceptable = (asked: string, besides?: string): FhirError =>
  new FhirError(406, {
    code: 'not-supported',
    diagnostics: `'${asked.slice(0, 200)}' cannot be served; ${besides === undefined ? '' : `this content is ${besides}, and for its resource `}this server writes application/fhir+json and application/fhir+xml (R4, fhirVersion 4.0, UTF-8)`,
  })

/**
 * The media type of the body, without parameters; undefined where the client names none.
 * @throws FhirError 415 when it is not among `allowed`, or not R4 in UTF-8; its headers say what is accepted.
 */
export function contentTypeOf(koa: KoaContext, allowed: readonly string[]): string | undefined {
  const header = headerOf(koa, 'content-type')
  if (header === undefined) return undefined
  const given = mediaType(header)
  if (allowed.includes(given.type) && isServed(given)) return given.type
  throw new FhirError(
    415,
    {
      code: 'not-supported',
      diagnostics: `Content-Type '${header.slice(0, 200)}' cannot be read; send ${allowed.join(' or ')} in UTF-8`,
    },
    // RFC 9110, section 15.5.16; RFC 5789, section 2.2.
    {
      [koa.method === 'PATCH' ? 'accept-patch' : koa.method === 'POST' ? 'accept-post' : 'accept']: allowed.join(', '),
    },
  )
}

export interface Preferences {
  readonly return: 'minimal' | 'representation' | 'OperationOutcome'
  /**
   * Whether unknown search parameters are refused, or ignored with a warning; undefined: as the clinic's settings say.
   */
  readonly handling: 'strict' | 'lenient' | undefined
  /** The work may continue in the background after the response: https://hl7.org/fhir/R4/async.html. */
  readonly isAsync: boolean
  /** Our own: the response to a tool call has the status of the call, where it is 200 otherwise. */
  readonly wantsStatus: boolean
}

const NO_PREFERENCE: Preferences = {
  return: 'representation',
  handling: undefined,
  isAsync: false,
  wantsStatus: false,
}

const HANDLINGS = ['strict', 'lenient'] as const

const handlingIn = (header: string): string | undefined =>
  /(?:^|[,;\s])handling\s*=\s*"?(\w+)/i.exec(header)?.[1]?.toLowerCase()

/** Whether a preference without a value is in the header. */
const hasPreference = (header: string, preference: string): boolean =>
  header
    .toLowerCase()
    .split(/[,;\s]+/)
    .includes(preference)

/** The Prefer header: https://hl7.org/fhir/R4/http.html#ops. Unknown preferences are ignored, as RFC 7240 demands. */
export function preferences(header: string): Preferences {
  if (header === '') return NO_PREFERENCE
  const wanted = /(?:^|[,;\s])return\s*=\s*"?(minimal|representation|OperationOutcome)/i
    .exec(header)?.[1]
    ?.toLowerCase()
  const values = { minimal: 'minimal', representation: 'representation', operationoutcome: 'OperationOutcome' } as const
  return {
    return: wanted === undefined ? 'representation' : values[wanted as keyof typeof values],
    handling: HANDLINGS.find((handling) => handling === handlingIn(header)),
    isAsync: hasPreference(header, 'respond-async'),
    wantsStatus: hasPreference(header, 'status'),
  }
}

/** Characters of JSON that are parsed and written in a microsecond. */
const JSON_CHARACTERS_PER_STEP = 20
const XML_CHARACTERS_PER_STEP = 8

/** The length of a body that is indented: an array of short values may get thirty times as long by it. */
const MAX_INDENTED = 2_000_000

/**
 * @param text the JSON of a resource, which is returned unchanged for plain JSON
 * @param wantsPretty ignored where the body is long, since indentation is for people who read it
 * @throws BudgetError
 */
export function formatBody(text: string, format: Format, wantsPretty: boolean): string {
  const pretty = wantsPretty && text.length <= MAX_INDENTED
  if (format === 'json' && !pretty) return text
  const charactersPerStep = format === 'json' ? JSON_CHARACTERS_PER_STEP : XML_CHARACTERS_PER_STEP
  spend(text.length / charactersPerStep, 'writing its response')
  return formatUnpaid(text, format, pretty)
}

/** The same for a short body that must be sent even when the budget of the request has ended, and for what is made once for all. */
export function formatUnpaid(text: string, format: Format, pretty: boolean): string {
  if (format === 'json' && !pretty) return text
  const resource = parseJsonUnpaid(text)
  if (format === 'json') return JSON.stringify(resource, null, 2)
  if (!isObject(resource)) throw new TypeError('A response in XML must be a resource')
  return writeXml(resource, pretty)
}
