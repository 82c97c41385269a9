/** The HTTP server: the stages of a request, and the routers of the server's own routes. */

import { createServer, type Server } from 'node:http'
import type { CapabilityStatement } from 'fhir/r4'
import Koa, { type Middleware } from 'koa'
import type { Logger } from 'pino'
import { accountRoutes } from '../admin-api/accounts.ts'
import { clinicRoutes } from '../admin-api/clinics.ts'
import type { BuildFolder } from '../admin-api/dashboard/build-folder.ts'
import { dashboardRoutes, leadToDashboard } from '../admin-api/dashboard.ts'
import { docRoutes } from '../admin-api/docs.ts'
import { exchangeRoutes } from '../admin-api/exchanges.ts'
import { healthRoutes } from '../admin-api/health.ts'
import { jobRoutes } from '../admin-api/jobs.ts'
import type { GenerationDependencies } from '../admin-api/rehearsal/generations.ts'
import { rehearsalRoutes } from '../admin-api/rehearsal/scenarios.ts'
import { sharedReportRoutes } from '../admin-api/rehearsal/shared-reports.ts'
import { Replays } from '../admin-api/replays.ts'
import { sessionRoutes } from '../admin-api/session.ts'
import { simulatorRoutes } from '../admin-api/simulators.ts'
import { tokenRoutes } from '../admin-api/tokens.ts'
import type { ToolFamilies } from '../calls/tool.ts'
import type { PasswordCost } from '../clinics/passwords.ts'
import type { Config } from '../config.ts'
import type { Contents } from '../content/contents.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import type { Integrations } from '../core/ports.ts'
import { ensureShipped } from '../core/shipped.ts'
import { DEMO_CLINIC, DEMO_USERS } from '../demo/demo-clinic.ts'
import { familiesWith } from '../extensions/declarations.ts'
import type { LoadedExtension } from '../extensions/extension.ts'
import { oncePer } from '../fhir/memoize.ts'
import { faultRequestOf } from '../fhir-api/fault-request.ts'
import { fhirRoutes } from '../fhir-api/fhir-routes.ts'
import { fhirMcpRoutes } from '../fhir-api/mcp/routes.ts'
import { Capabilities, metadata } from '../fhir-api/metadata.ts'
import { notRouted, options, unservedAt } from '../fhir-api/offered.ts'
import { asksForSocket, SubscriptionSockets } from '../fhir-api/websocket.ts'
import type { FairShares } from '../http/admission/fair-shares.ts'
import { Budgets, type WorkThreads } from '../http/admission/work-threads.ts'
import { AS, asProfile } from '../http/as-profile.ts'
import { authenticateSession, requireClinic, requireSandbox, shipResources } from '../http/authenticate.ts'
import { answerClientErrors } from '../http/client-error.ts'
import { HttpResponse, limitPipelining } from '../http/connections.ts'
import { answerContents } from '../http/content-answer.ts'
import { cors } from '../http/cors.ts'
import { errors, faultOf } from '../http/errors.ts'
import { mayBelongToRun, mayMeetFaults, type Observer, observed } from '../http/exchange.ts'
import { answerFaults, leaveFaultsToOther } from '../http/faulted-answers.ts'
import { meetFaults, tellLaterFaults } from '../http/faults.ts'
import { baseUrlOf, oneHost, TrustedProxies, withDefaultHeaders } from '../http/headers.ts'
import { Logins } from '../http/logins.ts'
import { MCP } from '../http/mcp.ts'
import { continueWhenRead } from '../http/message/body.ts'
import { joinRun } from '../http/runs.ts'
import { bySegment, either, errorFormats, inOrder, isBelow, onlyFor, segmentsOf } from '../http/side-router.ts'
import type { TrialParts } from '../integrations/trial.ts'
import { unpaid } from '../isolation/budget.ts'
import type { ComponentHealth } from '../isolation/fair-queue.ts'
import type { Sampling } from '../isolation/trace-context.ts'
import type { AuditTrail } from '../record/audit/trail.ts'
import type { Journal } from '../record/journal/journal.ts'
import type { LiveJournal } from '../record/journal/live.ts'
import { ensureTestScripts } from '../rehearsal/plans/plans.ts'
import { Runs } from '../rehearsal/runs/runs.ts'
import { narrowed as narrowedStatement } from '../rehearsal/strictness/narrowed.ts'
import type { Profile } from '../rehearsal/strictness/profile.ts'
import type { Repository } from '../repository/repository.ts'
import { abandonmentRoutes } from '../voice-api/abandonments.ts'
import { resumeRoutes } from '../voice-api/resume.ts'
import { CALLS, TOOLS, toolRoutes } from '../voice-api/tools.ts'
import type { Declared } from './declare-server.ts'

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
  /** Absent: no spans are recorded. */
  readonly sampling: Sampling | undefined
  /** Load of the parts of this process. */
  readonly loads: () => readonly ComponentHealth[]
  /** The folder in which the dashboard is built. Absent: that of this project. */
  readonly dashboard: BuildFolder | undefined
  /** Absent: nothing is audited. */
  readonly trail: AuditTrail | undefined
  /** Both are absent in a work thread, which serves none of their routes. */
  readonly journal: Journal | undefined
  readonly live: LiveJournal | undefined
  readonly trials: TrialParts
  /** Absent: no clinic can be rehearsed in. */
  readonly rehearsal: GenerationDependencies | undefined
}

interface RouterServices extends HttpServices {
  /** The IP address of the client of a request. */
  readonly addressOf: (koa: Koa.Context) => string
  readonly baseOf: (koa: Koa.Context) => string
  readonly authenticate: Middleware
  readonly statement: CapabilityStatement
  /** The FHIR routes. */
  readonly fhir: Middleware
  /** Undefined where there is no server to send requests to. */
  readonly replays: Replays | undefined
}

interface Tools {
  readonly families: ToolFamilies
  readonly extensions: readonly LoadedExtension[]
}

/**
 * The stages of a request, from the first to the last, with the statuses that each refuses with (docs/lifecycle.md). The
 * last one has stages of its own, from the import header to the response: fhir-api/fhir-routes.ts.
 */
export const STAGES = [
  { name: 'exchange', refusals: [] },
  { name: 'host', refusals: [400] },
  { name: 'strictness', refusals: [404] },
  { name: 'options', refusals: [404] },
  { name: 'own routes', refusals: [404, 405] },
  { name: 'faulted answers', refusals: [] },
  { name: 'contents', refusals: [] },
  { name: 'budget', refusals: [] },
  { name: 'token', refusals: [401, 503] },
  { name: 'clinic', refusals: [403] },
  { name: 'run', refusals: [] },
  { name: 'turn', refusals: [503] },
  { name: 'share', refusals: [429] },
  { name: 'faults', refusals: [400] },
  { name: 'work thread', refusals: [] },
  { name: 'sandbox', refusals: [403] },
  { name: 'shipped resources', refusals: [] },
  { name: 'route', refusals: [404, 405] },
] as const satisfies readonly { readonly name: string; readonly refusals: readonly number[] }[]

type StageName = (typeof STAGES)[number]['name']
/** `address`: before routes that need no token, a request counts for the address of its client. */
type BeforeOwn = 'address' | Exclude<StageName, 'own routes'>

/** The stages before the server's own routes, by router. */
const BEFORE = {
  health: [],
  simulators: [],
  dashboard: ['address'],
  docs: ['address'],
  session: ['address', 'contents', 'budget'],
  calls: ['address', 'faulted answers', 'contents', 'budget', 'faults'],
  abandonments: ['address', 'contents', 'budget'],
  resume: ['address', 'contents', 'budget'],
  sharedReports: ['address', 'contents', 'budget'],
  clinics: ['contents', 'budget', 'token', 'clinic', 'turn', 'share', 'work thread'],
  accounts: ['contents', 'budget', 'token', 'clinic', 'turn', 'share', 'work thread'],
  tokens: ['contents', 'budget', 'token', 'clinic', 'turn', 'share', 'work thread'],
  exchanges: ['contents', 'budget', 'token', 'clinic', 'turn', 'share', 'work thread'],
  scenarios: ['contents', 'budget', 'token', 'clinic', 'turn', 'share', 'work thread'],
  jobs: ['contents', 'budget', 'token', 'clinic', 'turn', 'share', 'sandbox'],
  // As before FHIR's routes, without the contents, which a model cannot read: their markers stay.
  fhirMcp: [
    ...(['faulted answers', 'budget', 'token', 'clinic', 'run', 'turn', 'share', 'faults'] as const),
    ...(['work thread', 'sandbox', 'shipped resources'] as const),
  ],
} as const satisfies Readonly<Record<keyof ReturnType<typeof routersBeside>, readonly BeforeOwn[]>>

/** @throws Error naming a tool or a tool family that is defined wrongly */
export function httpServer(
  services: HttpServices,
  { statement, ...declared }: Declared,
  tools: Tools,
): { readonly server: Server; readonly sockets: SubscriptionSockets } {
  const { config, logger, repository, contents, shares } = services
  const proxies = new TrustedProxies(config.trustedProxies)
  const baseOf = baseUrlOf(config.baseUrl, proxies)
  const addressOf = proxies.clientAddress.bind(proxies)
  const token = authenticateSession(config, repository)
  const demoClinic = config.demo ? DEMO_CLINIC : undefined
  const replays = services.journal && new Replays({ server: () => server, repository, config, demoClinic })
  const documents = new Capabilities(statement)
  const narrowed = oncePer((profile: Profile) => new Capabilities(narrowedStatement(statement, profile)))
  const documentsOf = (profile: Profile | undefined) => (profile === undefined ? documents : narrowed(profile))
  const fhir = inOrder(
    fhirRoutes(statement, { ...fhirServices(services, declared, documentsOf), baseOf }),
    notRouted(declared),
  )
  const parts = { ...services, addressOf, baseOf, authenticate: token, replays, statement, fhir }
  const routers = routersBeside(parts, declared, tools)
  const all = Object.values(routers)
  const ifRehearsing = (stage: Middleware): Middleware => (config.rehearsal ? stage : inOrder())
  const budgets = new Budgets(services.threads, config.limits, logger)
  const turn = shares?.inTurn ?? inOrder()
  const stages: Readonly<Record<BeforeOwn, Middleware>> = {
    exchange: inOrder(
      observed(services.observersWith(addressOf), services.sampling),
      errors(logger, errorFormats(all), unservedAt(declared, all)),
    ),
    host: oneHost,
    strictness: services.rehearsal
      ? either(isBelow(AS), asProfile(services.rehearsal.strictness, segmentsOf(all)), inOrder())
      : inOrder(),
    options: onlyFor('OPTIONS', options(declared, all)),
    'faulted answers': ifRehearsing(shares === undefined ? leaveFaultsToOther : answerFaults),
    // In a work thread contents, turn and share are left to the thread that passed the request on.
    contents: shares === undefined ? inOrder() : answerContents(contents),
    budget: budgets.inBudget,
    token,
    clinic: requireClinic(repository),
    run: ifRehearsing(either(mayBelongToRun, joinRun(repository), inOrder())),
    turn,
    share: shares?.ofUser ?? inOrder(),
    // Before a request moves to a work thread, so that the faults that it meets are counted once.
    faults: ifRehearsing(either(mayMeetFaults, meetFaults(repository, faultRequestOf), tellLaterFaults)),
    address: shares?.ofAddress(addressOf) ?? inOrder(),
    'work thread': budgets.moveAsBefore,
    sandbox: requireSandbox,
    'shipped resources': shipResources((clinic) => unpaid(() => ship(services, clinic)), turn),
    route: fhir,
  }
  const own = bySegment(
    ...Object.entries(BEFORE).map(([name, before]) => {
      const { segments, middleware } = routers[name as keyof typeof BEFORE]
      return [segments, inOrder(...before.map((stage) => stages[stage]), middleware)] as const
    }),
    [['metadata'], inOrder(stages.address, capabilityRoute(metadata(documentsOf, baseOf)))],
    [[''], config.dashboard ? leadToDashboard(baseOf) : inOrder()],
  )
  const koa = koaOf(services, ...STAGES.map(({ name }) => (name === 'own routes' ? own : stages[name])))
  const server = serverOf(koa)
  const authenticate = inOrder(token, stages.clinic, stages.sandbox)
  const sockets = new SubscriptionSockets(server, { ...services, ...declared, koa, authenticate, baseOf, addressOf })
  if (shares !== undefined) server.on('connection', shares.connected)
  return { server, sockets }
}

async function ship({ config, repository, access }: HttpServices, clinic: string): Promise<void> {
  const target = access(clinic, { kind: 'server' })
  await ensureShipped(target)
  if (config.rehearsal) await ensureTestScripts(target, repository, clinic)
}

/** Services that the FHIR routes need. */
function fhirServices(
  { access, repository, contents, config: { limits }, integrations, logger }: HttpServices,
  declared: Omit<Declared, 'statement'>,
  documentsOf: (profile: Profile | undefined) => Capabilities,
) {
  const capabilities = async (mode: string | null, base: string, profile?: Profile) =>
    (await documentsOf(profile).formOf(mode, { format: 'json', pretty: false })).body(base).toString()
  return { ...declared, access, repository, capabilities, contents, limits, integrations, logger }
}

function koaOf({ config, logger }: HttpServices, ...stages: readonly Middleware[]): Koa {
  const koa = new Koa()
  if (config.corsOrigins.length > 0) koa.use(cors(config.corsOrigins))
  koa.use(inOrder(...stages))
  koa.on('error', brokenConnection(logger))
  return koa
}

function serverOf(koa: Koa): Server {
  const answer = limitPipelining(withDefaultHeaders(koa.callback()))
  const server = createServer(
    { ...CONNECTIONS, ServerResponse: HttpResponse, shouldUpgradeCallback: asksForSocket },
    answer,
  )
  server.timeout = SILENCE
  answerClientErrors(server)
  continueWhenRead(server)
  return server
}

/** Each router serves all paths below its first segments; a tool family must not use a segment of another router. */
function routersBeside(services: RouterServices, { providers }: Pick<Declared, 'providers'>, tools: Tools) {
  const logins = new Logins(services)
  const health = healthRoutes(services)
  const simulators = simulatorRoutes(services)
  const session = sessionRoutes({ ...services, logins, demoUsers: DEMO_USERS })
  const rehearsal = services.rehearsal && { ...services, ...services.rehearsal, runs: new Runs(services) }
  const clinics = clinicRoutes({ ...services, rehearsal })
  const accounts = accountRoutes({ ...services, logins })
  const tokens = tokenRoutes(services)
  const abandonments = abandonmentRoutes(services)
  const resume = resumeRoutes(services)
  const sharedReports = sharedReportRoutes(rehearsal)
  const exchanges = exchangeRoutes(services)
  const scenarios = rehearsalRoutes(services.rehearsal)
  const { limits, corsOrigins } = services.config
  const fhirMcp = fhirMcpRoutes({ ...services, limits, corsOrigins })
  const jobs = jobRoutes(services)
  const { baseOf, dashboard: builds } = services
  const dashboard = dashboardRoutes({ baseOf, builds, isServed: services.config.dashboard })
  const docs = docRoutes()
  const own = { docs, health, simulators, session, clinics, accounts, tokens, exchanges, scenarios, jobs, dashboard }
  const beside = { ...own, abandonments, resume, sharedReports, fhirMcp }
  const reserved = segmentsOf(Object.values(beside)).union(new Set(['metadata', CALLS, TOOLS, MCP]))
  const families = familiesWith(tools.extensions, tools.families, { providers, reserved })
  const calls = toolRoutes({ ...services, families, providers, reserved })
  return { ...beside, calls }
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

/** /metadata needs no token, so it is served before authentication. */
const capabilityRoute =
  (answer: Middleware): Middleware =>
  (ctx, next) =>
    ctx.path === '/metadata' && (ctx.method === 'GET' || ctx.method === 'HEAD') ? answer(ctx, next) : next()
