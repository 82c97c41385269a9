/** Request headers as texts. */
import type { Context as KoaContext } from 'koa'

/** By its name in lower case; undefined when it is missing or empty. Node joins one that came several times. */
export function headerOf({ req }: Pick<KoaContext, 'req'>, name: string): string | undefined {
  const value = req.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
