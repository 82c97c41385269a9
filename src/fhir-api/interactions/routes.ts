/** Where each interaction is found: https://hl7.org/fhir/R4/http.html#summary. One table for requests and bundle entries. */

import type { Provider } from '../../core/provider.ts'
import { decodedSegment } from '../../http/side-router.ts'
import type { InteractionHandler, Method, PathParameters, Route } from '../message/interaction.ts'
import { capabilities } from './capabilities.ts'
import { create } from './create.ts'
import { deleteResource } from './delete.ts'
import { historyInstance, historySystem, historyType } from './history.ts'
import { patch } from './patch.ts'
import { read, vread } from './read.ts'
import { searchCompartment, searchSystem, searchType } from './search.ts'
import { update } from './update.ts'

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
  run: { kind: 'interaction', handler: level === 'instance' ? withPatients(handler) : handler },
})

/** The provider knows the patients of a resource that does not name them, such as the Binary of a document. */
const withPatients =
  (handler: InteractionHandler): InteractionHandler =>
  (ctx, request) => {
    const patientsOf = request.services.providers.get(request.type)?.patientsOf
    if (patientsOf === undefined) return handler(ctx, request)
    return handler(ctx, request).then(async (response) => ({
      ...response,
      patients: await patientsOf(ctx, request.id),
    }))
  }

const operationRoutes: readonly Route[] = (['system', 'type', 'instance'] as const).flatMap((level) => {
  const path = { system: '/$:operation', type: '/:type/$:operation', instance: '/:type/:id/$:operation' }[level]
  return (['GET', 'POST'] as const).map(
    (method): Route => ({ code: 'operation', level, method, path, run: { kind: 'operation' } }),
  )
})

/** Where the state of an operation in the background is read, it is ended too. */
const cancelRoute: Route = {
  code: 'operation',
  level: 'type',
  method: 'DELETE',
  path: '/:type/$:operation',
  run: { kind: 'operation' },
}

const versionOperationRoutes = (['GET', 'POST'] as const).map(
  (method): Route => ({
    code: 'operation',
    level: 'instance',
    method,
    path: '/:type/:id/_history/:versionId/$:operation',
    run: { kind: 'operation' },
  }),
)

/** In order: fixed path segments stand before those that any word fits. */
export const ROUTES: readonly Route[] = [
  { code: 'transaction', level: 'system', method: 'POST', path: '/', run: { kind: 'bundle' } },
  { code: 'batch', level: 'system', method: 'POST', path: '/', run: { kind: 'bundle' } },
  // For entries of a Bundle: it is declared for no type, and over HTTP answered before authentication.
  route('capabilities', 'system', 'GET', '/metadata', capabilities),
  ...operationRoutes,
  ...versionOperationRoutes,
  cancelRoute,
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
  route('search-compartment', 'instance', 'GET', '/:type/:id/:member', searchCompartment),
  route('search-compartment', 'instance', 'POST', '/:type/:id/_search', searchCompartment),
  route('search-compartment', 'instance', 'POST', '/:type/:id/:member/_search', searchCompartment),
  route('read', 'instance', 'GET', '/:type/:id', read),
  route('update', 'instance', 'PUT', '/:type/:id', update),
  route('patch', 'instance', 'PATCH', '/:type/:id', patch),
  route('delete', 'instance', 'DELETE', '/:type/:id', deleteResource),
]

/** Their handlers answer for types without them, with what the type does offer. */
const ALWAYS_SERVED: readonly string[] = ['operation', 'search-compartment']

/** Whether a type offers what the route is for. */
export const isServed = ({ code }: Route, provider: Provider | undefined): boolean =>
  provider !== undefined && (ALWAYS_SERVED.includes(code) || code in provider.interactions)

export interface RouteMatch {
  readonly route: Route
  readonly parameters: PathParameters
}

/** A segment of a path: a fixed word, or a variable. Only the code of an operation begins with $. */
type Part = { readonly word: string } | { readonly name: keyof PathParameters; readonly isOperation: boolean }

interface Pattern {
  readonly route: Route
  readonly parts: readonly Part[]
}

function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  return path.includes('%') ? segments.map(decodedSegment) : segments
}

function partOf(segment: string): Part {
  const name = /^\$?:(\w+)$/.exec(segment)?.[1]
  return name === undefined
    ? { word: segment }
    : { name: name as keyof PathParameters, isOperation: segment.startsWith('$') }
}

/** In the order of ROUTES, by method and number of segments. */
const PATTERNS: ReadonlyMap<string, readonly Pattern[]> = Map.groupBy(
  ROUTES.map((route): Pattern => ({ route, parts: segmentsOf(route.path).map(partOf) })),
  ({ route, parts }) => `${route.method} ${parts.length}`,
)

/** The route of a request or a bundle entry: `GET Patient/12`. Undefined when there is none. */
export function matchRoute(method: string, path: string): RouteMatch | undefined {
  const segments = segmentsOf(path)
  for (const { route, parts } of PATTERNS.get(`${method} ${segments.length}`) ?? []) {
    if (parts.every((part, index) => fits(part, segments[index] ?? '')))
      return { route, parameters: parametersOf(parts, segments) }
  }
  return undefined
}

function fits(part: Part, segment: string): boolean {
  if ('word' in part) return part.word === segment
  // `/Patient/_history` is as long as the path of a read, but `_history` is not an id.
  return part.isOperation === segment.startsWith('$') && !segment.startsWith('_')
}

function parametersOf(parts: readonly Part[], segments: readonly string[]): PathParameters {
  const parameters = { type: '', id: '', versionId: '', operation: '', member: '' }
  parts.forEach((part, index) => {
    const segment = segments[index] ?? ''
    if ('name' in part) parameters[part.name] = part.isOperation ? segment.slice(1) : segment
  })
  return parameters
}
