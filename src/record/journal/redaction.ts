/** Redaction of exchanges: headers, addresses and bodies without secrets, attachments by their size and hash. */
import { hash } from 'node:crypto'
import { parseXml } from '../../fhir/xml/parse.ts'
import { canonical } from './decoding.ts'
import { contentOf, type SeenBody, type SeenHeaders, type ShownBody, shownContent } from './exchange.ts'
import { withoutSecrets } from './json-redaction.ts'
import { isSecretHeader, isSecretName, mayNameSecret, REMOVED, type Secrets } from './secrets.ts'

/** Headers that are addresses. */
const ADDRESSES: ReadonlySet<string> = new Set(['content-location', 'location', 'referer'])

/** `secrets` receives each secret found. */
export const keptHeaders = (headers: SeenHeaders, secrets: Secrets): SeenHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, keptHeader(name, value, secrets)]))

/** Adds the secrets in headers, as Node has them, to `secrets`. */
export function addSecretsOf(headers: NodeJS.Dict<unknown>, secrets: Secrets): void {
  for (const [name, value] of Object.entries(headers)) keptHeader(name, String(value), secrets)
}

function keptHeader(name: string, value: string, secrets: Secrets): string {
  if (ADDRESSES.has(name)) return keptAddress(value, secrets)
  if (!isSecretHeader(name)) return value
  if (name === 'set-cookie') secrets.addCookie(value)
  else secrets.addHeader(value)
  return REMOVED
}

/** Headers of requests to the systems of clinics: any other may be a credential, under a name unknown here. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-length', 'content-type', 'idempotency-key', 'traceparent', 'version'],
  ...['webhook-id', 'webhook-timestamp'],
])

export function keptOutboundHeaders(headers: SeenHeaders, secrets: Secrets): SeenHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lower = name.toLowerCase()
      if (HARMLESS.has(lower)) return [lower, value]
      secrets.addHeader(value)
      return [lower, REMOVED]
    }),
  )
}

/** A path with its query, or a whole URL. `secrets` receives each secret found. */
export function keptAddress(address: string, secrets: Secrets): string {
  const start = address.search(/[?;#]/)
  if (start < 0) return address
  return address.slice(0, start + 1) + keptParameters(address.slice(start + 1), secrets)
}

/** An address, or a text that contains one, without secrets, for use outside the journal. */
export const withoutSecretsOf = (text: string, secrets: Secrets): string => secrets.without(keptAddress(text, secrets))

/** The pairs of a query or a form, whatever separates them. */
function keptParameters(form: string, secrets: Secrets): string {
  return form
    .split(/([&;#?])/)
    .map((parameter, index) => (index % 2 === 1 ? parameter : keptParameter(parameter, secrets)))
    .join('')
}

function keptParameter(parameter: string, secrets: Secrets): string {
  const equals = parameter.indexOf('=')
  if (equals < 0) return mayNameSecret(canonical(parameter)) ? REMOVED : parameter
  const value = decoded(parameter.slice(equals + 1)) ?? parameter.slice(equals + 1)
  const isSecret = isSecretName(canonical(parameter.slice(0, equals)))
  if (!isSecret && !(/^\s*[{[]/.test(value) && mayNameSecret(value))) return parameter
  secrets.add(value)
  secrets.add(parameter.slice(equals + 1))
  return `${parameter.slice(0, equals + 1)}${REMOVED}`
}

/** Undefined for a text that is not a form. */
const keptForm = (form: string, secrets: Secrets): string | undefined =>
  decoded(form) === undefined ? undefined : keptParameters(form, secrets)

/** Undefined where the escapes are wrong. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** @param contentType as its header has it; '' where there is none */
export function keptBody(body: SeenBody, contentType: string, secrets: Secrets): ShownBody {
  const { text, isCut = false } = body
  const kept = text === undefined ? undefined : keptText({ ...body, text }, formOf(contentType, text), secrets)
  // A body that cannot be parsed as its content type may hold anything.
  if (kept === undefined) return bodyWithoutText(body, contentType)
  const facts = typeAndSize(body, contentType)
  return { ...facts, text: kept, ...(isCut ? { cut: true } : {}), ...(kept === text ? {} : { changed: true }) }
}

/** The type, size and hash of a body; no hash of one that was cut. */
export function bodyWithoutText(body: SeenBody, contentType: string): ShownBody {
  const { text, isCut, sha256 = text === undefined || isCut ? undefined : hash('sha256', text) } = body
  return { ...typeAndSize(body, contentType), ...(sha256 === undefined ? {} : { sha256 }) }
}

const typeAndSize = ({ size }: SeenBody, contentType: string): Pick<ShownBody, 'type' | 'size'> => ({
  ...(contentType === '' ? {} : { type: contentType }),
  ...(size === undefined ? {} : { size }),
})

type BodyForm = 'json' | 'xml' | 'form' | 'other'

function formOf(contentType: string, text: string): BodyForm {
  const type = contentType.toLowerCase()
  if (/\bjson\b/.test(type)) return 'json'
  if (/\bxml\b/.test(type)) return 'xml'
  if (type.includes('x-www-form-urlencoded')) return 'form'
  return type === '' && /^\s*[{[]/.test(text) ? 'json' : 'other'
}

/** Undefined for a text that is kept only by its size and hash. */
function keptText(body: SeenBody & { readonly text: string }, form: BodyForm, secrets: Secrets): string | undefined {
  switch (form) {
    case 'json':
      return withoutSecrets(body, secrets)
    case 'form':
      return keptForm(body.text, secrets)
    case 'xml':
      return body.isCut ? undefined : keptXml(body.text)
    case 'other':
      return undefined
  }
}

/** Subscription.channel.header, which may be a credential. */
const LINES = /[<:]header\b/

/**
 * Undefined for a text that is not XML, and where a secret is named: XML has many ways to name things, and FHIR in XML
 * names none.
 */
function keptXml(text: string): string | undefined {
  if (!isXml(text) || LINES.test(text) || mayNameSecret(canonical(text))) return undefined
  return text.replace(
    DATA,
    (_whole, before: string, value: string, after: string) => before + shownContent(contentOf(value)) + after,
  )
}

/** Whether it is XML without a DOCTYPE, which may define a name for any text. */
function isXml(text: string): boolean {
  try {
    parseXml(text)
    return true
  } catch {
    return false
  }
}

/** `data` of an attachment or a Binary, and any other long base64. */
const DATA = /(<data\s[^>]{0,200}?value\s{0,9}=\s{0,9}"|="(?=[A-Za-z\d+/\s]{1000}))([A-Za-z\d+/=\s]+)("|$)/g
