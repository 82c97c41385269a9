/**
 * capabilities: https://hl7.org/fhir/R4/http.html#capabilities. Each form (JSON or XML, pretty or not) is prepared once;
 * the address of the server, which clients see differently, is put in for each answer. Sent compressed.
 */
import type { CapabilityStatement } from 'fhir/r4'
import type { Context as KoaContext, Middleware } from 'koa'
import { terminologyCapabilities } from '../capability/terminology.ts'
import { badRequest } from '../fhir/outcome.ts'
import { Compressed, ENCODINGS } from './compressed.ts'
import { negotiate } from './message/negotiate.ts'
import { type FormName, PreparedForm } from './prepared-form.ts'

const MODES = ['full', 'normative', 'terminology']

export function metadata(statement: CapabilityStatement, baseOf: (koa: KoaContext) => string): Middleware {
  const forms = new Map<string, PreparedForm>()
  const compressed = new Compressed()
  const inTurn = oneInATurn()
  const formOf = async (mode: string, name: FormName): Promise<PreparedForm> => {
    const isTerminology = mode === 'terminology'
    const key = `${isTerminology} ${name.format} ${name.pretty}`
    if (!forms.has(key)) await inTurn()
    // Another request may have prepared it meanwhile.
    const known = forms.get(key)
    if (known !== undefined) return known
    const make = (url: string) => {
      const located = withAddress(statement, url)
      return isTerminology ? terminologyCapabilities(located) : located
    }
    const fresh = new PreparedForm(key, make, name)
    forms.set(key, fresh)
    return fresh
  }
  return async (koa) => {
    const { format, contentType } = negotiate(koa.get('accept'), single(koa.query._format) ?? null)
    const mode = single(koa.query.mode) ?? 'full'
    if (!MODES.includes(mode)) throw badRequest(`mode=${mode} is none of ${MODES.join(', ')}`)
    koa.set({ 'Content-Type': contentType, Vary: 'Accept, Accept-Encoding', 'Cache-Control': 'no-cache' })
    const form = await formOf(mode, { format, pretty: koa.query._pretty === 'true' })
    send(koa, form, baseOf(koa), compressed)
  }
}

/** To prepare a form takes some 50 ms: between one and the next, the event loop has a turn for other requests. */
function oneInATurn(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
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
