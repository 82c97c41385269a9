/** The composition root: everything is put together here, and only here is an engine named. */
import { mkdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { dirname } from 'node:path'
import Koa from 'koa'
import type { Logger } from 'pino'
import { capabilityStatement, parametersOf } from './capability/statement.ts'
import { readSettings } from './clinics/settings.ts'
import type { Config } from './config.ts'
import { crmWebhook } from './integrations/crm-webhook.ts'
import { insuranceSimulator } from './integrations/insurance-simulator.ts'
import type { Integrations } from './integrations/integrations.ts'
import { Outbox } from './integrations/outbox.ts'
import { type Agent, clinicAccess } from './providers/context.ts'
import { specialProviders } from './providers/index.ts'
import type { Provider } from './providers/provider.ts'
import { registerProviders } from './providers/registry.ts'
import { standardProvider } from './providers/standard.ts'
import { Repository } from './repository.ts'
import { authenticate, userOf } from './rest/authenticate.ts'
import { baseUrlOf } from './rest/base-url.ts'
import { clinicRoutes, requireSandbox } from './rest/clinics.ts'
import { errors } from './rest/errors.ts'
import { fhirRoutes } from './rest/fhir-routes.ts'
import { healthRoutes } from './rest/health.ts'
import { metadata } from './rest/metadata.ts'
import { notRouted } from './rest/not-routed.ts'
import { sessionRoutes } from './rest/session.ts'
import type { User } from './rest/token.ts'
import { toolRoutes } from './rest/tools.ts'
import type { ResourceStore } from './storage/port.ts'
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts'

/** Opens the store that `databaseUrl` names. */
export async function openStore(
  databaseUrl: string,
  providers: ReadonlyMap<string, Provider> = registerProviders(specialProviders, standardProvider),
): Promise<ResourceStore> {
  const combined = [...providers.values()].flatMap(({ type, combined }) =>
    combined.map((index) => ({ type, ...index })),
  )
  if (databaseUrl.startsWith('mongodb')) {
    // Its driver is loaded by those who use it.
    const { openMongoStore } = await import('./storage/mongo/mongo-store.ts')
    return openMongoStore({ url: databaseUrl, combined })
  }
  const path = databaseUrl.slice('sqlite:'.length)
  if (path !== ':memory:') await mkdir(dirname(path), { recursive: true })
  return openSqliteStore({ path, combined })
}

export interface App {
  readonly repository: Repository
  readonly server: Server
  /** What one actor can do in one clinic, for start-up work such as the demo data. */
  readonly access: (clinic: string, agent: Agent) => ReturnType<typeof clinicAccess>
  /** Ends background work, waits for requests under way, and closes the store. */
  readonly close: () => Promise<void>
}

export interface AppParts {
  readonly config: Config
  readonly logger: Logger
  /** In place of the store that the configuration names. */
  readonly store?: ResourceStore
  /** In place of the built-in simulator and the webhook connector. */
  readonly integrations?: Partial<Integrations>
  /** In place of the listed special providers. */
  readonly providers?: readonly Provider[]
}

/** @throws Error with a sentence that names what is declared wrongly. */
export async function createApp({
  config,
  logger,
  store: givenStore,
  integrations: given,
  providers: special = specialProviders,
}: AppParts): Promise<App> {
  const providers = registerProviders(special, standardProvider, config.disabledInteractions)
  const statement = capabilityStatement(providers)
  const store = givenStore ?? (await openStore(config.databaseUrl, providers))
  const base = config.baseUrl ?? `http://${config.host}:${config.port}`
  const repository = new Repository(store, { baseUrl: base })
  const integrations: Integrations = { insurance: insuranceSimulator, crm: crmWebhook(), ...given }
  const access = (clinic: string, agent: Agent) => clinicAccess(repository, providers, base, clinic, agent)
  const outbox = new Outbox({
    repository,
    crm: integrations.crm,
    accessOf: (clinic) => access(clinic, { kind: 'server' }),
    settingsOf: async (clinic) => (await readSettings(repository, clinic)).crm,
    logger,
  })
  outbox.start()
  const baseOf = baseUrlOf(config.baseUrl)

  const koa = new Koa()
  koa.use(errors(logger))
  koa.use(healthRoutes(repository).routes())
  koa.use(capabilityRoute(metadata(statement, baseOf)))
  koa.use(sessionRoutes({ config, repository }).routes())
  koa.use(toolRoutes({ config, repository, providers, access, integrations, logger }).routes())
  koa.use(authenticate(config))
  koa.use(clinicRoutes({ repository }).routes())
  koa.use(requireSandbox(repository))
  koa.use(
    fhirRoutes(statement, {
      providers,
      limits: config.limits,
      parametersOf: parametersOf(providers),
      integrations,
      baseOf,
      accessOf: (ctx) => accessOfUser(access, userOf(ctx)),
    }).routes(),
  )
  koa.use(notRouted(providers))

  const server = createServer(koa.callback())
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    await outbox.stop()
    await closed
    await store.close()
  }
  return { repository, server, access, close }
}

const accessOfUser = (access: App['access'], user: User) =>
  access(user.clinic, { kind: 'user', id: user.sub, name: user.name, role: user.role })

/** /metadata needs no token, so it is answered before authentication. */
const capabilityRoute =
  (answer: Koa.Middleware): Koa.Middleware =>
  (ctx, next) =>
    ctx.path === '/metadata' && (ctx.method === 'GET' || ctx.method === 'HEAD') ? answer(ctx, next) : next()
