/**
 * The FHIR routes, as the CapabilityStatement declares them: nothing else is served. A request is read, its interaction
 * carried out, and the response sent.
 */
import type { CapabilityStatement, CapabilityStatementRest } from 'fhir/r4'
import type { Context as KoaContext, Middleware } from 'koa'
import type { AccessOf } from '../core/clinic-access.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import { badRequest } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import { forbidden } from '../http/authenticate.ts'
import { exchangeOf, stateOf, userAgentOf, userOf } from '../http/exchange.ts'
import { headerOf } from '../http/headers.ts'
import { type AnswerFormat, mediaType, type Preferences, preferences } from '../http/message/format.ts'
import { currentBudget } from '../isolation/budget.ts'
import type { Change, Media } from '../rehearsal/strictness/profile.ts'
import type { Repository } from '../repository/repository.ts'
import { BINARIES } from './binary.ts'
import { processBundle } from './bundle/bundle.ts'
import { runOperation } from './interactions/operation.ts'
import { isServed, matchRoute, ROUTES, type RouteMatch } from './interactions/routes.ts'
import { withWarnings } from './interactions/warnings.ts'
import { accessAfter, asImport, attemptOf, attemptOfBundle } from './message/access.ts'
import { isForm, RESOURCES, readQuery, requestOf } from './message/http.ts'
import type { InteractionRequest, InteractionResponse, PathParameters, Route, Services } from './message/interaction.ts'
import { type AnswerUnder, answerUnder } from './message/under-profile.ts'
import { requestUnder } from './request-under.ts'
import { defer, isDeferred } from './respond-async.ts'

export interface FhirServices extends Services {
  readonly repository: Repository
  readonly access: AccessOf
  readonly baseOf: (koa: KoaContext) => string
}

export function fhirRoutes(statement: CapabilityStatement, services: FhirServices): Middleware {
  const declared = new Set((statement.rest ?? []).flatMap(codesOf))
  // batch and transaction share one address; the Bundle says which it is.
  const answers = new Map(
    ROUTES.filter((route) => declared.has(keyOf(route))).map((route) => [
      addressOf(route),
      answerRoute(route, services),
    ]),
  )
  return (koa, next) => {
    const match = matchRoute(koa.method === 'HEAD' ? 'GET' : koa.method, koa.path)
    const answer = match && answers.get(addressOf(match.route))
    if (match === undefined || answer === undefined) return next()
    const { route, parameters } = match
    // A route exists for every type; where the type in the path does not offer it, `notRouted` responds.
    if (route.level !== 'system' && !isServed(route, services.providers.get(parameters.type))) return next()
    // The route as a fault is logged: the pattern, which has no ids.
    koa._matchedRoute = route.path
    return answer(koa, parameters)
  }
}

const addressOf = ({ method, path }: Route): string => `${method} ${path}`

const keyOf = ({ code, level }: Route): string => (code === 'operation' || level !== 'system' ? code : `system:${code}`)

const codesOf = ({ interaction = [], resource = [], compartment = [] }: CapabilityStatementRest): readonly string[] => [
  ...interaction.map(({ code }) => `system:${code}`),
  ...resource.flatMap(({ interaction: ofType = [] }) => ofType.flatMap(({ code = [] }) => code)),
  ...(compartment.length > 0 ? ['search-compartment'] : []),
  ...(resource.some(({ operation = [] }) => operation.length > 0) ? ['operation'] : []),
]

/** Serves requests of `route`: the stages of docs/lifecycle.md from the import header on. */
const answerRoute =
  (route: Route, services: FhirServices) =>
  async (koa: KoaContext, parameters: PathParameters): Promise<void> => {
    const { type, id, operation } = parameters
    const bodies = type === 'Binary' ? BINARIES : RESOURCES
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
    const format = bodies.formatOf(koa, route, query)
    const preferred = headerOf(koa, 'prefer') ?? ''
    const prefer = preferences(preferred)
    const [base, access] = [services.baseOf(koa), accessOf(koa, services)]
    const { clinic } = access
    const content = await bodies.read(koa, route, { id, clinic, contents: services.contents, limits: services.limits })
    const sent = requestOf(koa, parameters, { query, base, prefer, isImport, services, content })
    const request = underAddress(koa, sent, format)
    if (route.run.kind === 'bundle') {
      attempt = attemptOfBundle(attempt, request.body)
      exchange.accesses = [attempt]
    }
    const representation = wantsRepresentation(preferred, prefer)
    const carryOut = () =>
      request.prefersAsync && isDeferred(koa, route, request, operation)
        ? defer(koa, route, request, services)
        : run(route, access, request, operation, representation)
    const { response, changes } = await answerOf(request, { route, parameters }, carryOut)
    const { accesses = [] } = response
    exchange.accesses = [accessAfter(attempt, response, base), ...accesses]
    await bodies.send(koa, request, response, { clinic, format, wanted: changes.body ?? prefer.return, preferred })
    if (changes.etag === 'none') koa.remove('ETag')
  }

const wantsRepresentation = (header: string, prefer: Preferences): boolean =>
  header !== '' && prefer.return === 'representation'

/** The request as its address asks for it: below /as/{profile} by that profile. */
function underAddress(koa: KoaContext, sent: InteractionRequest, answer: AnswerFormat | undefined): InteractionRequest {
  const { as } = stateOf(koa)
  return as === undefined ? sent : requestUnder(as, sent, mediaOf(koa, sent, answer))
}

/** The answer, and how it differs from the server's own: below /as/{profile} alone. */
async function answerOf(
  request: InteractionRequest,
  match: RouteMatch,
  carryOut: () => Promise<InteractionResponse>,
): Promise<AnswerUnder> {
  return request.strictness === undefined
    ? { response: await carryOut(), changes: NO_CHANGES }
    : answerUnder(request.strictness, match, request, carryOut)
}

const NO_CHANGES: Change['answer'] = {}

function mediaOf(koa: KoaContext, { body }: InteractionRequest, answer: AnswerFormat | undefined): Media {
  const type = koa.get('content-type')
  const hasType = body !== undefined && type !== ''
  return present({ sent: hasType ? mediaType(type).type : undefined, answered: answer?.format })
}

function accessOf(koa: KoaContext, { access }: FhirServices): ClinicAccess {
  return access(userOf(koa).clinic, userAgentOf(koa))
}

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
  if (route.method === 'GET' || route.code.startsWith('search')) return handler(await access.reader(), request)
  const { isImport, wantsOutcome, raw } = request
  const work = async (ctx: Context) => {
    const written = await handler(ctx, request)
    return wantsOutcome ? withWarnings(ctx, request, written) : written
  }
  const response = await access.change(work, { isImport, received: raw?.received })
  // After the commit the response must be sent, whatever budget is left.
  currentBudget()?.allowAnswer()
  return response
}

/** `X-Import: true`, by which an admin brings what another system has recorded: docs/imports.md. */
const NAME = 'X-Import'

/**
 * Whether what the request writes is an import. Reads and operations are what they are without the header.
 * @throws FhirError 400 for another value than true, 403 for staff
 */
function isImported(koa: KoaContext, { method, code, run }: Route): boolean {
  const value = koa.req.headers[NAME.toLowerCase()]
  if (value === undefined) return false
  if (value !== 'true') {
    const given = `${value}`.slice(0, MOST_SHOWN)
    throw badRequest(`The header ${NAME} is '${given}'; its one value is true, and what is no import comes without it`)
  }
  const { role } = userOf(koa)
  if (role === 'staff') throw forbidden(`Only an admin or an operator may import (${NAME}: true); your role is 'staff'`)
  return method !== 'GET' && run.kind !== 'operation' && !code.startsWith('search')
}

/** Characters of a value. */
const MOST_SHOWN = 100
