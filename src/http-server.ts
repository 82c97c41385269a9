/** The HTTP server: the routers beside FHIR's, authentication, the sandbox switch and the FHIR routes, in their order. */
import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import type { Logger } from 'pino'
import type { PartLoad } from './budget/part-load.ts'
import type { ToolFamilies } from './calls/tool.ts'
import type { PasswordCost } from './clinics/accounts.ts'
import type { Config } from './config.ts'
import type { Agent, ClinicAccess } from './core/context.ts'
import type { Integrations } from './core/ports.ts'
import type { Declared } from './declare-server.ts'
import type { LoadedExtension } from './extensions/naming.ts'
import { familiesWith } from './extensions/tools.ts'
import type { Repository } from './repository/repository.ts'
import { clinicRoutes, requireSandbox } from './rest/clinics.ts'
import { fhirRoutes } from './rest/fhir-routes.ts'
import { healthRoutes } from './rest/health.ts'
import { baseUrlOf } from './rest/message/base-url.ts'
import { metadata } from './rest/metadata.ts'
import { notRouted } from './rest/not-routed.ts'
import { authenticate, userOf } from './rest/server/authenticate.ts'
import { answerClientErrors } from './rest/server/client-error.ts'
import { errors } from './rest/server/errors.ts'
import type { FairShares } from './rest/server/fair-shares.ts'
import { faultOf } from './rest/server/fault.ts'
import { limitPipelining } from './rest/server/pipelining.ts'
import { segmentsOf } from './rest/server/small-router.ts'
import type { User } from './rest/server/token.ts'
import { continueWhenRead } from './rest/server/unread-body.ts'
import { inBudget, moveAsBefore, type WorkThreads } from './rest/server/work-threads.ts'
import { sessionRoutes } from './rest/session.ts'
import { shipResources } from './rest/shipped-resources.ts'
import { CALLS, toolRoutes } from './rest/tools.ts'

type AccessOf = (clinic: string, agent: Agent) => ClinicAccess

interface HttpServices {
  readonly config: Config
  readonly logger: Logger
  readonly repository: Repository
  readonly access: AccessOf
  readonly integrations: Integrations
  /** The number of this process, where several run. */
  readonly worker: number | undefined
  readonly passwordCost: PasswordCost | undefined
  /** The shutdown has begun. */
  readonly isClosing: () => boolean
  /** Absent: requests are answered on the event loop, however long they take. */
  readonly threads: WorkThreads | undefined
  /** Absent in a work thread: its requests have been counted where they came in. */
  readonly shares: FairShares | undefined
  /** How the parts of this process keep up. */
  readonly loads: () => readonly PartLoad[]
}

interface Tools {
  readonly families: ToolFamilies
  readonly extensions: readonly LoadedExtension[]
}

/** @throws Error naming a tool or a tool family that is defined wrongly */
export function httpServer(services: HttpServices, { statement, ...declared }: Declared, tools: Tools): Server {
  const { config, logger, repository, access, integrations, shares } = services
  const baseOf = baseUrlOf(config.baseUrl)
  const { health, session, calls, clinics } = routersBeside(services, declared, tools)
  const koa = new Koa()
  koa.use(errors(logger, segmentsOf([health, session, calls, clinics])))
  koa.use(health.middleware)
  if (shares !== undefined) koa.use(shares.ofAddress(segmentsOf([session, calls]).union(new Set(['metadata']))))
  koa.use(capabilityRoute(metadata(statement, baseOf)))
  koa.use(inBudget(services.threads, config.limits, logger))
  koa.use(session.middleware)
  koa.use(calls.middleware)
  koa.use(authenticate(config))
  if (shares !== undefined) koa.use(shares.ofUser)
  koa.use(moveAsBefore())
  koa.use(clinics.middleware)
  koa.use(requireSandbox(repository))
  koa.use(shipResources((clinic) => access(clinic, { kind: 'server' })))
  const accessOf = (ctx: Koa.Context) => accessOfUser(access, userOf(ctx))
  koa.use(fhirRoutes(statement, { ...declared, limits: config.limits, integrations, logger, baseOf, accessOf }))
  koa.use(notRouted(declared.providers))
  koa.on('error', brokenConnection(logger))
  const server = createServer(CONNECTIONS, limitPipelining(koa.callback()))
  server.timeout = SILENCE
  answerClientErrors(server)
  continueWhenRead(server)
  return server
}

/** Each answers for all paths below its first segments; a tool family may have none of those of the others. */
function routersBeside(services: HttpServices, { providers }: Pick<Declared, 'providers'>, tools: Tools) {
  const { config, repository, passwordCost } = services
  const health = healthRoutes(services)
  const session = sessionRoutes({ config, repository, passwordCost })
  const clinics = clinicRoutes({ repository })
  const reserved = segmentsOf([health, session, clinics]).union(new Set(['metadata', CALLS]))
  const families = familiesWith(tools.extensions, tools.families, { providers, reserved })
  return { health, session, clinics, calls: toolRoutes({ ...services, families, providers, reserved }) }
}

/**
 * Milliseconds. A client that is slow on purpose does not keep its place for ever, one that takes a minute for a large
 * body does; and a proxy that keeps connections for a minute finds them open.
 */
const CONNECTIONS = { headersTimeout: 20_000, requestTimeout: 120_000, keepAliveTimeout: 65_000 }

/** Milliseconds after which a connection on which nothing moves is closed. */
const SILENCE = 130_000

/** What Koa reports is behind the answer: a client that went away is its own affair, anything else is a fault. */
const brokenConnection = (logger: Logger) => (error: unknown) => {
  const level = error instanceof Error && 'code' in error ? 'debug' : 'error'
  logger[level]({ fault: faultOf(error) }, 'a response broke off')
}

const accessOfUser = (access: AccessOf, user: User) =>
  access(user.clinic, { kind: 'user', id: user.sub, name: user.name, role: user.role })

/** /metadata needs no token, so it is answered before authentication. */
const capabilityRoute =
  (answer: Koa.Middleware): Koa.Middleware =>
  (ctx, next) =>
    ctx.path === '/metadata' && (ctx.method === 'GET' || ctx.method === 'HEAD') ? answer(ctx, next) : next()
