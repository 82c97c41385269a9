/** The HTTP server: the side routers, authentication, the sandbox switch and the FHIR routes, in this order. */
import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import type { Logger } from 'pino'
import { accountRoutes } from '../admin-api/accounts.ts'
import { clinicRoutes } from '../admin-api/clinics.ts'
import type { BuildFolder } from '../admin-api/dashboard/build-folder.ts'
import { dashboardRoutes, leadToDashboard } from '../admin-api/dashboard.ts'
import { exchangeRoutes } from '../admin-api/exchanges.ts'
import { healthRoutes } from '../admin-api/health.ts'
import { insuranceSimulatorRoutes } from '../admin-api/insurance-simulator.ts'
import { Replays } from '../admin-api/replays.ts'
import { sessionRoutes } from '../admin-api/session.ts'
import type { ToolFamilies } from '../calls/tool.ts'
import type { PasswordCost } from '../clinics/passwords.ts'
import type { Config } from '../config.ts'
import type { Contents } from '../content/contents.ts'
import type { Agent, ClinicAccess } from '../core/context.ts'
import type { Integrations } from '../core/ports.ts'
import { DEMO_CLINIC } from '../demo/demo-clinic.ts'
import type { LoadedExtension } from '../extensions/naming.ts'
import { familiesWith } from '../extensions/tools.ts'
import { fhirRoutes } from '../fhir-api/fhir-routes.ts'
import { Capabilities, metadata } from '../fhir-api/metadata.ts'
import { notRouted, unservedAt } from '../fhir-api/not-routed.ts'
import { options } from '../fhir-api/options.ts'
import { shipResources } from '../fhir-api/shipped-resources.ts'
import type { FairShares } from '../http/admission/fair-shares.ts'
import { limitPipelining } from '../http/admission/pipelining.ts'
import { continueWhenRead } from '../http/admission/unread-body.ts'
import { Budgets, type WorkThreads } from '../http/admission/work-threads.ts'
import { userOf } from '../http/authenticate.ts'
import { answerClientErrors } from '../http/client-error.ts'
import { answerContents } from '../http/content/content-answer.ts'
import { cors } from '../http/cors.ts'
import { authenticateSession } from '../http/current-session.ts'
import { withDefaultHeaders } from '../http/default-headers.ts'
import { errors } from '../http/errors.ts'
import { type Observer, observed } from '../http/exchange.ts'
import { faultOf } from '../http/fault.ts'
import { HttpResponse } from '../http/http-response.ts'
import { Logins } from '../http/logins.ts'
import { baseUrlOf } from '../http/message/base-url.ts'
import { TrustedProxies } from '../http/message/trusted-proxies.ts'
import { oneHost } from '../http/one-host.ts'
import { requireClinic, requireSandbox } from '../http/require-clinic.ts'
import { bySegment, inOrder, type SideRouter, segmentsOf } from '../http/side-router.ts'
import type { User } from '../http/token.ts'
import type { TrialParts } from '../integrations/trial.ts'
import type { ComponentHealth } from '../isolation/fair-queue.ts'
import type { Journal } from '../record/journal/journal.ts'
import type { LiveJournal } from '../record/journal/live.ts'
import type { Repository } from '../repository/repository.ts'
import { abandonmentRoutes } from '../voice-api/abandonments.ts'
import { resumeRoutes } from '../voice-api/resume.ts'
import { TOOLS, toolListRoutes } from '../voice-api/tool-list.ts'
import { CALLS, toolRoutes } from '../voice-api/tools.ts'
import type { Declared } from './declare-server.ts'

type AccessOf = (clinic: string, agent: Agent) => ClinicAccess

interface HttpServices {
  readonly config: Config
  readonly logger: Logger
  readonly repository: Repository
  readonly contents: Contents
  readonly access: AccessOf
  readonly integrations: Integrations
  /** The number of this process, where several run. */
  readonly worker: number | undefined
  readonly passwordCost: PasswordCost | undefined
  /** The shutdown has begun. */
  readonly isClosing: () => boolean
  /** Absent: requests are served on the event loop, however long they take. */
  readonly threads: WorkThreads | undefined
  /** Absent in a work thread: its requests were counted where they arrived. */
  readonly shares: FairShares | undefined
  /** Observers of each exchange. @param addressOf the IP address of the client of a request */
  readonly observersWith: (addressOf: (koa: Koa.Context) => string) => readonly Observer[]
  /** Load of the parts of this process. */
  readonly loads: () => readonly ComponentHealth[]
  /** The folder in which the dashboard is built. Absent: that of this project. */
  readonly dashboard: BuildFolder | undefined
  /** Both are absent in a work thread, which serves none of their routes. */
  readonly journal: Journal | undefined
  readonly live: LiveJournal | undefined
  readonly trials: TrialParts
}

interface RouterServices extends HttpServices {
  /** The IP address of the client of a request. */
  readonly addressOf: (koa: Koa.Context) => string
  readonly baseOf: (koa: Koa.Context) => string
  readonly authenticate: Koa.Middleware
  /** Undefined where there is no server to send requests to. */
  readonly replays: Replays | undefined
}

interface Tools {
  readonly families: ToolFamilies
  readonly extensions: readonly LoadedExtension[]
}

/** @throws Error naming a tool or a tool family that is defined wrongly */
export function httpServer(services: HttpServices, { statement, ...declared }: Declared, tools: Tools): Server {
  const { config, logger, repository, contents, access, shares } = services
  const proxies = new TrustedProxies(config.trustedProxies)
  const baseOf = baseUrlOf(config.baseUrl, proxies)
  const addressOf = (koa: Koa.Context) => proxies.clientAddress(koa)
  const authenticate = authenticateSession(config, repository)
  const demoClinic = config.demo ? DEMO_CLINIC : undefined
  const replays = services.journal && new Replays({ server: () => server, repository, config, demoClinic })
  const routers = routersBeside({ ...services, addressOf, baseOf, authenticate, replays }, declared, tools)
  const {
    health,
    simulators,
    session,
    calls,
    clinics,
    accounts,
    abandonments,
    resume,
    exchanges,
    dashboard,
    toolList,
  } = routers
  const all = Object.values(routers)
  const documents = new Capabilities(statement)
  const budgets = new Budgets(services.threads, config.limits, logger)
  // In a work thread these are left to the thread that passed the request on.
  const isConnected = shares !== undefined
  const ofAddress = isConnected ? [shares.ofAddress(addressOf)] : []
  const ofUser = isConnected ? [shares.ofUser] : []
  const inBudget = isConnected ? inOrder(answerContents(contents), budgets.inBudget) : budgets.inBudget
  const withUser = inOrder(inBudget, authenticate, requireClinic(repository), ...ofUser, budgets.moveAsBefore)
  const routedAfter =
    (...before: readonly Koa.Middleware[]) =>
    ({ segments, middleware }: SideRouter) =>
      [segments, inOrder(...before, middleware)] as const
  const koa = new Koa()
  if (config.corsOrigins.length > 0) koa.use(cors(config.corsOrigins))
  koa.use(
    inOrder(
      observed(services.observersWith(addressOf)),
      errors(logger, segmentsOf(all), unservedAt(declared, all)),
      oneHost,
      options(declared, all),
      bySegment(
        ...[health, simulators].map(routedAfter()),
        ...[dashboard, toolList].map(routedAfter(...ofAddress)),
        [['metadata'], inOrder(...ofAddress, capabilityRoute(metadata(documents, baseOf)))],
        ...[session, calls, abandonments, resume].map(routedAfter(...ofAddress, inBudget)),
        ...[clinics, accounts, exchanges].map(routedAfter(withUser)),
      ),
      ...(config.dashboard ? [leadToDashboard(baseOf)] : []),
      withUser,
      requireSandbox(repository),
      shipResources((clinic) => access(clinic, { kind: 'server' }), shares?.inTurn ?? inOrder()),
      fhirRoutes(statement, { ...fhirServices(services, declared, documents), baseOf }),
      notRouted(declared),
    ),
  )
  koa.on('error', brokenConnection(logger))
  const server = serverOf(koa)
  if (isConnected) server.on('connection', shares.connected)
  return server
}

/** Services that the FHIR routes need. */
function fhirServices(
  { access, contents, config: { limits }, integrations, logger }: HttpServices,
  declared: Omit<Declared, 'statement'>,
  documents: Capabilities,
) {
  const accessOf = (ctx: Koa.Context) => accessOfUser(access, userOf(ctx))
  const capabilities = async (mode: string | null, base: string) =>
    (await documents.formOf(mode, { format: 'json', pretty: false })).body(base).toString()
  return { ...declared, capabilities, contents, limits, integrations, logger, accessOf }
}

function serverOf(koa: Koa): Server {
  const answer = limitPipelining(withDefaultHeaders(koa.callback()))
  const server = createServer({ ...CONNECTIONS, ServerResponse: HttpResponse }, answer)
  server.timeout = SILENCE
  answerClientErrors(server)
  continueWhenRead(server)
  return server
}

/** Each router serves all paths below its first segments; a tool family must not use a segment of another router. */
function routersBeside(services: RouterServices, { providers }: Pick<Declared, 'providers'>, tools: Tools) {
  const logins = new Logins(services)
  const health = healthRoutes(services)
  const simulators = insuranceSimulatorRoutes(services)
  const session = sessionRoutes({ ...services, logins })
  const clinics = clinicRoutes(services)
  const accounts = accountRoutes({ ...services, logins })
  const abandonments = abandonmentRoutes(services)
  const resume = resumeRoutes(services)
  const exchanges = exchangeRoutes(services)
  const { baseOf, dashboard: builds } = services
  const dashboard = dashboardRoutes({ baseOf, builds, isServed: services.config.dashboard })
  const beside = { health, simulators, session, clinics, accounts, abandonments, resume, exchanges, dashboard }
  const reserved = segmentsOf(Object.values(beside)).union(new Set(['metadata', CALLS, TOOLS]))
  const families = familiesWith(tools.extensions, tools.families, { providers, reserved })
  const calls = toolRoutes({ ...services, families, providers, reserved })
  return { ...beside, calls, toolList: toolListRoutes(families) }
}

/**
 * Milliseconds. A deliberately slow client loses its connection, while one that takes a minute for a large body keeps
 * it; and a proxy that keeps idle connections for a minute finds them open.
 */
const CONNECTIONS = { headersTimeout: 20_000, requestTimeout: 120_000, keepAliveTimeout: 65_000 }

/** Milliseconds after which an inactive connection is closed. */
const SILENCE = 130_000

/**
 * Logs errors that Koa reports after the response: a client that disconnected is no concern, anything else is a fault.
 */
const brokenConnection = (logger: Logger) => (error: unknown) => {
  const level = error instanceof Error && 'code' in error ? 'debug' : 'error'
  logger[level]({ fault: faultOf(error) }, 'a response broke off')
}

const accessOfUser = (access: AccessOf, user: User) =>
  access(user.clinic, { kind: 'user', id: user.sub, name: user.name, role: user.role })

/** /metadata needs no token, so it is served before authentication. */
const capabilityRoute =
  (answer: Koa.Middleware): Koa.Middleware =>
  (ctx, next) =>
    ctx.path === '/metadata' && (ctx.method === 'GET' || ctx.method === 'HEAD') ? answer(ctx, next) : next()
