/** Content negotiation: https://hl7.org/fhir/R4/http.html#mime-type. JSON only, until XML comes. */
import type { Context as KoaContext } from 'koa'
import { FhirError } from '../fhir/outcome.ts'
import { headerOf } from './header.ts'

const JSON_FORMATS: ReadonlySet<string> = new Set(['json', 'application/json', 'application/fhir+json', 'text/json'])
const ACCEPTED: ReadonlySet<string> = new Set([...JSON_FORMATS, '*/*', 'application/*', 'text/*'])
export const FHIR_JSON = 'application/fhir+json; charset=utf-8'

/**
 * The Content-Type to answer with; fhirVersion is echoed to a client that names it.
 * @throws FhirError 406 when the client accepts nothing this server writes.
 */
export function negotiate(accept: string, format: string | null): string {
  // '+' in a query string stands for a space: application/fhir+json arrives as 'application/fhir json'.
  if (format !== null && format !== '') return acceptable([format.replace(' ', '+')], format)
  if (accept === '' || accept === '*/*' || accept === 'application/fhir+json' || accept === 'application/json')
    return FHIR_JSON
  return acceptable(accept.split(','), accept)
}

function acceptable(ranges: readonly string[], asked: string): string {
  for (const range of ranges) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (!ACCEPTED.has(type) || parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue
    const version = parameters.find((parameter) => parameter.startsWith('fhirversion='))?.slice(12)
    if (version === undefined) return FHIR_JSON
    if (isR4(version)) return `${FHIR_JSON}; fhirVersion=4.0`
  }
  throw new FhirError(406, {
    code: 'not-supported',
    diagnostics: `'${asked}' cannot be served; this server writes application/fhir+json (R4, fhirVersion 4.0)`,
  })
}

const isR4 = (version: string): boolean => version === '4.0' || version === '4.0.1'

/** @throws FhirError 415 when the body is in a format this server does not read. */
export function checkContentType(
  koa: KoaContext,
  allowed: readonly string[] = ['application/fhir+json', 'application/json', 'text/json'],
): void {
  const header = headerOf(koa, 'content-type')
  if (header === undefined) return
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  const version = parameters.find((parameter) => parameter.startsWith('fhirversion='))?.slice(12)
  const good =
    allowed.includes(type) &&
    (charset === undefined || charset === 'utf-8' || charset === 'utf8') &&
    (version === undefined || isR4(version))
  if (!good) {
    throw new FhirError(415, {
      code: 'not-supported',
      diagnostics: `Content-Type '${header}' cannot be read; send ${allowed.join(' or ')} in UTF-8`,
    })
  }
}

export interface Preferences {
  readonly return: 'minimal' | 'representation' | 'OperationOutcome'
  /** Unknown search parameters are ignored with a warning instead of refused. */
  readonly lenient: boolean
}

const NO_PREFERENCE: Preferences = { return: 'representation', lenient: false }

/** The Prefer header: https://hl7.org/fhir/R4/http.html#ops. What it does not know it ignores, as RFC 7240 asks. */
export function preferences(header: string): Preferences {
  if (header === '') return NO_PREFERENCE
  const wanted = /(?:^|[,;\s])return\s*=\s*"?(minimal|representation|OperationOutcome)/i
    .exec(header)?.[1]
    ?.toLowerCase()
  const values = { minimal: 'minimal', representation: 'representation', operationoutcome: 'OperationOutcome' } as const
  return {
    return: wanted === undefined ? 'representation' : values[wanted as keyof typeof values],
    lenient: /(?:^|[,;\s])handling\s*=\s*"?lenient/i.test(header),
  }
}

/** The version in an entity tag of ours: `W/"3"`, `"3"` or `3`; undefined for a tag that another server made. */
export function versionOfETag(tag: string): number | undefined {
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(tag.trim())?.[1]
  return version === undefined ? undefined : Number(version)
}
