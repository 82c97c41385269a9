/** Where each interaction is found: https://hl7.org/fhir/R4/http.html#summary. One table for requests and bundle entries. */

import type { Provider } from '../providers/provider.ts'
import { create } from './create.ts'
import { deleteResource } from './delete.ts'
import { historyInstance, historySystem, historyType } from './history.ts'
import type { InteractionHandler } from './interaction.ts'
import { patch } from './patch.ts'
import { read } from './read.ts'
import { searchSystem, searchType } from './search.ts'
import { update } from './update.ts'
import { vread } from './vread.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Route {
  /** The code that /metadata declares; a route is served where its code is declared. */
  readonly code: string
  readonly level: 'system' | 'type' | 'instance'
  readonly method: Method
  readonly path: string
  /** How the request is carried out. */
  readonly run:
    | { readonly kind: 'interaction'; readonly handler: InteractionHandler }
    | { readonly kind: 'bundle' }
    | { readonly kind: 'operation' }
}

const route = (
  code: string,
  level: Route['level'],
  method: Method,
  path: string,
  handler: InteractionHandler,
): Route => ({
  code,
  level,
  method,
  path,
  run: { kind: 'interaction', handler },
})

const operationRoutes: readonly Route[] = (['system', 'type', 'instance'] as const).flatMap((level) => {
  const path = { system: '/$:operation', type: '/:type/$:operation', instance: '/:type/:id/$:operation' }[level]
  return (['GET', 'POST'] as const).map(
    (method): Route => ({ code: 'operation', level, method, path, run: { kind: 'operation' } }),
  )
})

/** In order: fixed path segments stand before those that any word fits. */
export const ROUTES: readonly Route[] = [
  { code: 'transaction', level: 'system', method: 'POST', path: '/', run: { kind: 'bundle' } },
  { code: 'batch', level: 'system', method: 'POST', path: '/', run: { kind: 'bundle' } },
  ...operationRoutes,
  route('search-system', 'system', 'GET', '/', searchSystem),
  route('search-system', 'system', 'POST', '/_search', searchSystem),
  route('history-system', 'system', 'GET', '/_history', historySystem),
  route('search-type', 'type', 'POST', '/:type/_search', searchType),
  route('history-type', 'type', 'GET', '/:type/_history', historyType),
  route('search-type', 'type', 'GET', '/:type', searchType),
  route('create', 'type', 'POST', '/:type', create),
  route('update', 'type', 'PUT', '/:type', update),
  route('patch', 'type', 'PATCH', '/:type', patch),
  route('delete', 'type', 'DELETE', '/:type', deleteResource),
  route('history-instance', 'instance', 'GET', '/:type/:id/_history', historyInstance),
  route('vread', 'instance', 'GET', '/:type/:id/_history/:versionId', vread),
  route('read', 'instance', 'GET', '/:type/:id', read),
  route('update', 'instance', 'PUT', '/:type/:id', update),
  route('patch', 'instance', 'PATCH', '/:type/:id', patch),
  route('delete', 'instance', 'DELETE', '/:type/:id', deleteResource),
]

/** Whether a type offers what the route is for; one without the operation says itself which it has. */
export const isServed = ({ code }: Route, provider: Provider | undefined): boolean =>
  provider !== undefined && (code === 'operation' || code in provider.interactions)

export interface RouteMatch {
  readonly route: Route
  readonly parameters: {
    readonly type: string
    readonly id: string
    readonly versionId: string
    readonly operation: string
  }
}

/** The route of a bundle entry: `GET Patient/12`. Undefined when there is none. */
export function matchRoute(method: string, path: string): RouteMatch | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  for (const candidate of ROUTES) {
    if (candidate.method !== method) continue
    const parameters = matchPath(
      candidate.path.split('/').filter((segment) => segment !== ''),
      segments,
    )
    if (parameters !== undefined) return { route: candidate, parameters }
  }
  return undefined
}

function matchPath(pattern: readonly string[], segments: readonly string[]): RouteMatch['parameters'] | undefined {
  if (pattern.length !== segments.length) return undefined
  const parameters = { type: '', id: '', versionId: '', operation: '' }
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ''
    const name = /^\$?:(\w+)$/.exec(part)?.[1]
    if (
      name === undefined
        ? segment !== part
        : part.startsWith('$') !== segment.startsWith('$') || segment.startsWith('_')
    )
      return undefined
    if (name !== undefined && name in parameters)
      parameters[name as keyof typeof parameters] = segment.replace(/^\$/, '')
  }
  return parameters
}
