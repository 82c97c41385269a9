/** Connects Koa to the interactions: reads the request, carries out its interaction, and sends the response. */
import type { Context as KoaContext } from 'koa'
import type { ClinicAccess, Context } from '../core/context.ts'
import { exchangeOf } from '../http/exchange.ts'
import { negotiate, preferences } from '../http/message/negotiate.ts'
import { headerOf } from '../http/message/path-segment.ts'
import { currentBudget } from '../isolation/budget.ts'
import { sendBinary, withoutData } from './binary.ts'
import { processBundle } from './bundle/bundle.ts'
import { isImported } from './import-header.ts'
import { runOperation } from './interactions/operation.ts'
import { withWarnings } from './interactions/warnings.ts'
import { accessAfter, asImport, attemptOf, attemptOfBundle } from './message/access.ts'
import type { InteractionRequest, InteractionResponse, PathParameters, Route, Services } from './message/interaction.ts'
import { givesBytes } from './message/native-binary.ts'
import { isForm, readContent, readQuery, requestOf } from './message/request.ts'
import { send } from './message/response.ts'

export interface HttpServices extends Services {
  readonly accessOf: (koa: KoaContext) => ClinicAccess
  readonly baseOf: (koa: KoaContext) => string
}

/** Koa middleware that serves requests of `route`. */
export const answerRoute =
  (route: Route, services: HttpServices) =>
  async (koa: KoaContext, parameters: PathParameters): Promise<void> => {
    const exchange = exchangeOf(koa)
    const query = await readQuery(koa, route, services.limits)
    const url = isForm(route) ? `${koa.path}?${query}` : (koa.req.url ?? '')
    let attempt = attemptOf(route, parameters, url)
    exchange.accesses = [attempt]
    const isImport = isImported(koa, route)
    if (isImport) {
      attempt = asImport(attempt)
      exchange.accesses = [attempt]
    }
    const format = formatOf(koa, route, parameters, query)
    const preferred = headerOf(koa, 'prefer') ?? ''
    const prefer = preferences(preferred)
    const [base, access] = [services.baseOf(koa), services.accessOf(koa)]
    const { clinic } = access
    const content = await readContent(koa, route, parameters, { services, clinic })
    const request = requestOf(koa, parameters, { query, base, prefer, isImport, services, content })
    if (route.run.kind === 'bundle') {
      attempt = attemptOfBundle(attempt, request.body)
      exchange.accesses = [attempt]
    }
    const representation = preferred !== '' && prefer.return === 'representation'
    const response = await run(route, access, request, parameters.operation, representation)
    const { accesses = [] } = response
    exchange.accesses = [accessAfter(attempt, response, base), ...accesses]
    if (format === undefined) await sendBinary(koa, request, response, { clinic, wanted: prefer.return })
    else send(koa, request, withoutData(request, response, preferred), format, prefer.return)
  }

/** Undefined where the response may be bytes, whose type is not yet known. @throws FhirError 406 */
const formatOf = (koa: KoaContext, route: Route, { type }: PathParameters, query: URLSearchParams) =>
  givesBytes(route, type, query) ? undefined : negotiate(headerOf(koa, 'accept') ?? '', query.get('_format'))

async function run(
  route: Route,
  access: ClinicAccess,
  request: InteractionRequest,
  operation: string,
  representation: boolean,
): Promise<InteractionResponse> {
  if (route.run.kind === 'bundle') return processBundle(access, request, representation)
  await request.services.providers.get(request.type)?.settle?.(access)
  if (route.run.kind === 'operation') return runOperation(access, operation, route, request)
  const { handler } = route.run
  // POST _search is a read in spite of its method.
  if (route.method === 'GET' || route.code.startsWith('search')) return handler(access.reader(), request)
  const work = async (ctx: Context) => withWarnings(ctx, request, await handler(ctx, request))
  const response = await access.change(work, { isImport: request.isImport, received: request.raw?.received })
  // After the commit the response must be sent, whatever budget is left.
  currentBudget()?.allowAnswer()
  return response
}
