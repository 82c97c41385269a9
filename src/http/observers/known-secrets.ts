/** The secrets of an exchange that are known by their values, for all that is recorded of it. */
import type { Context as KoaContext } from 'koa'
import type { SeenHeaders } from '../../record/journal/exchange.ts'
import { keptHeaders } from '../../record/journal/redaction.ts'
import { Secrets } from '../../record/journal/secrets.ts'
import type { Exchange } from '../exchange.ts'

/** @param always secrets of the service and of the clinic, as `formsOf` gives them */
export function secretsOf({ secrets: told = [] }: Exchange, { req }: KoaContext, always: readonly string[]): Secrets {
  const secrets = new Secrets(always)
  for (const secret of told) secrets.add(secret)
  keptHeaders(shownHeaders(req.headers), secrets)
  return secrets
}

/** Each header as one text. */
export const shownHeaders = (headers: NodeJS.Dict<unknown>): SeenHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
