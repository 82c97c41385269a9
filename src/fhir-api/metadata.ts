/**
 * capabilities: https://hl7.org/fhir/R4/http.html#capabilities. Each form (JSON or XML, pretty or not) is prepared once;
 * the address of the server, which clients see differently, is put in for each answer. Sent compressed.
 */
import type { CapabilityStatement, TerminologyCapabilities } from 'fhir/r4'
import type { Context as KoaContext, Middleware } from 'koa'
import { terminologyCapabilities } from '../capability/terminology.ts'
import { badRequest } from '../fhir/outcome.ts'
import { negotiate } from '../http/message/format.ts'
import { Compressed, ENCODINGS } from './compressed.ts'
import { type FormName, PreparedForm } from './prepared-form.ts'

const MODES = ['full', 'normative', 'terminology']

/** The CapabilityStatement and documents derived from it, prepared in each requested form. */
export class Capabilities {
  readonly #statement: CapabilityStatement
  readonly #forms = new Map<string, Promise<PreparedForm>>()

  constructor(statement: CapabilityStatement) {
    this.#statement = statement
  }

  /** @throws FhirError 400 for a mode that there is not */
  async formOf(mode: string | null, name: FormName): Promise<PreparedForm> {
    if (mode !== null && !MODES.includes(mode)) throw badRequest(`mode=${mode} is none of ${MODES.join(', ')}`)
    const isTerminology = mode === 'terminology'
    const key = `${isTerminology} ${name.format} ${name.pretty}`
    const form = this.#forms.get(key) ?? PreparedForm.prepare(key, (url) => this.#located(url, isTerminology), name)
    this.#forms.set(key, form)
    return await form
  }

  #located(url: string, isTerminology: boolean): CapabilityStatement | TerminologyCapabilities {
    const located = withAddress(this.#statement, url)
    return isTerminology ? terminologyCapabilities(located) : located
  }
}

export function metadata(capabilities: Capabilities, baseOf: (koa: KoaContext) => string): Middleware {
  const compressed = new Compressed()
  return async (koa) => {
    const { format, contentType } = negotiate(koa.get('accept'), single(koa.query._format) ?? null)
    const form = await capabilities.formOf(single(koa.query.mode) ?? null, {
      format,
      pretty: koa.query._pretty === 'true',
    })
    koa.set({ 'Content-Type': contentType, Vary: 'Accept, Accept-Encoding', 'Cache-Control': 'no-cache' })
    send(koa, form, baseOf(koa), compressed)
  }
}

const single = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

function send(koa: KoaContext, form: PreparedForm, address: string, compressed: Compressed): void {
  const etag = form.etag(address)
  koa.set('ETag', etag)
  if (isHeld(etag, koa.get('if-none-match'))) {
    koa.status = 304
    return
  }
  const accepted = koa.get('accept-encoding')
  const encodings = ENCODINGS.filter(({ name, refused }) => accepted.includes(name) && !refused.test(accepted))
  const found = compressed.find(`${form.key} ${address}`, encodings, () => form.body(address))
  if (found !== undefined) koa.set('Content-Encoding', found.encoding)
  koa.body = found?.body ?? form.body(address)
}

const isHeld = (etag: string, header: string): boolean =>
  header === etag || header === '*' || header.split(',').some((tag) => tag.trim() === etag)

const withAddress = (statement: CapabilityStatement, url: string): CapabilityStatement => ({
  ...statement,
  implementation: { description: statement.title ?? '', ...statement.implementation, url },
})
