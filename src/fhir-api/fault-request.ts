/** A FHIR request as the rules for faults see it: docs/faults.md */
import type { Context as KoaContext } from 'koa'
import { runOf } from '../http/exchange.ts'
import { callIdOf } from '../http/headers.ts'
import type { FaultRequest } from '../rehearsal/faults/matching.ts'
import { matchRoute } from './interactions/routes.ts'

export function faultRequestOf(koa: KoaContext): FaultRequest {
  const match = matchRoute(koa.method === 'HEAD' ? 'GET' : koa.method, koa.path)
  return {
    of: 'fhir',
    path: koa.path,
    query: new URLSearchParams(koa.querystring),
    interactions: match === undefined ? [] : codesOf(match.route.code),
    type: match?.parameters.type ?? '',
    call: callIdOf(koa),
    run: runOf(koa),
    tools: [],
  }
}

/** A batch and a transaction have one address, and the body says which it is. */
const codesOf = (code: string): readonly string[] => (code === 'transaction' ? ['transaction', 'batch'] : [code])
