/** Authentication of requests: by their token, whose session must be active. */
import type { Context as KoaContext, Middleware, Next } from 'koa'
import { isSessionActive, type TokenSession } from '../clinics/sessions.ts'
import type { Config } from '../config.ts'
import type { Repository } from '../repository/repository.ts'
import { authenticate, unauthorized } from './authenticate.ts'

/** Sets the results of `userOf` and `sessionOf`, or throws FhirError: 401 or 503 as `authenticate` does. */
export function authenticateSession(config: Pick<Config, 'jwt' | 'demo'>, repository: Repository): Middleware {
  const readToken = authenticate(config)
  const requireSession: Middleware = (koa, next) => {
    const session = sessionOf(koa)
    const isOn = session === undefined || isSessionActive(repository, session, config.demo)
    return isOn instanceof Promise ? isOn.then((known) => goOn(known, next)) : goOn(isOn, next)
  }
  return (koa, next) => readToken(koa, () => requireSession(koa, next))
}

/** @throws FhirError 401 */
function goOn(isOn: boolean, next: Next): Promise<unknown> {
  if (!isOn) throw unauthorized(ENDED)
  return next()
}

/** The session of an authenticated request; none where tokens come from a foreign issuer. */
export const sessionOf = ({ state }: Pick<KoaContext, 'state'>): TokenSession | undefined =>
  state.session as TokenSession | undefined

const ENDED = 'the session of this token has ended; log in again with POST /session'
