/** The composition root: everything is put together here, and only here is an engine named. */
import { createServer, type Server } from 'node:http'
import type { CapabilityStatement } from 'fhir/r4'
import Koa from 'koa'
import { type Logger, pino } from 'pino'
import { toolFamilies } from './calls/families.ts'
import { crmSyncTasks } from './calls/record/crm-sync-task.ts'
import type { ToolFamilies } from './calls/tool.ts'
import { mergeFamilies } from './calls/tool-registry.ts'
import { capabilityStatement, parametersOf } from './capability/statement.ts'
import { readSettings } from './clinics/settings.ts'
import type { Config } from './config.ts'
import { clinicAccess } from './core/clinic-access.ts'
import type { Agent } from './core/context.ts'
import type { Operation } from './core/operation.ts'
import type { CrmConnector, Integrations } from './core/ports.ts'
import type { Provider } from './core/provider.ts'
import { standardProvider } from './core/standard.ts'
import { declarationsWith } from './extensions/declarations.ts'
import { installDefinitions } from './extensions/definitions.ts'
import type { LoadedExtension } from './extensions/naming.ts'
import { familiesWith } from './extensions/tools.ts'
import { crmWebhook } from './integrations/crm-webhook.ts'
import { insuranceSimulator } from './integrations/insurance-simulator.ts'
import { Outbox } from './integrations/outbox.ts'
import { systemOperations } from './providers/every-type.ts'
import { specialProviders } from './providers/index.ts'
import { registerProviders, systemInteractions } from './providers/registry.ts'
import { customIndexing } from './repository/custom-indexing.ts'
import { recentKinds, SERVICE } from './repository/record-kinds.ts'
import { Repository } from './repository/repository.ts'
import { clinicRoutes, requireSandbox } from './rest/clinics.ts'
import { fhirRoutes } from './rest/fhir-routes.ts'
import { healthRoutes } from './rest/health.ts'
import { baseUrlOf } from './rest/message/base-url.ts'
import { metadata } from './rest/metadata.ts'
import { notRouted } from './rest/not-routed.ts'
import { authenticate, userOf } from './rest/server/authenticate.ts'
import { answerClientErrors } from './rest/server/client-error.ts'
import { drainable } from './rest/server/drain.ts'
import { errors } from './rest/server/errors.ts'
import { faultOf } from './rest/server/fault.ts'
import { segmentsOf } from './rest/server/small-router.ts'
import type { User } from './rest/server/token.ts'
import { sessionRoutes } from './rest/session.ts'
import { shipResources } from './rest/shipped-resources.ts'
import { CALLS, toolRoutes } from './rest/tools.ts'
import { extraction } from './search/index/versions.ts'
import type { IndexingSettings } from './storage/index/indexing.ts'
import type { IndexingProgress, ResourceStore } from './storage/port.ts'
import { openSqliteStore } from './storage/sqlite/sqlite-store.ts'

/** How a store is opened, besides its address. */
export interface StoreOptions {
  /** References below it are searched as relative ones. */
  readonly baseUrl?: string
  /** Resources are found by their words too (the default). */
  readonly fullText?: boolean
  /** Nothing is searched for or written: what the store is searched by stays as it is. */
  readonly onlyScanned?: boolean
  /** It may be a copy that has not ended (npm run copy). */
  readonly isCopied?: boolean
  /** Told how far the search index is, while it is made for what is stored already, and what keeps it from that. */
  readonly logger?: Logger
}

/**
 * Opens the store that `databaseUrl` names, and brings an older one up to date.
 * @throws Error with a sentence when it cannot be used, or is a copy that has not ended
 */
export async function openStore(
  databaseUrl: string,
  providers: ReadonlyMap<string, Provider> = registerProviders(specialProviders, standardProvider),
  { baseUrl = '', fullText = true, onlyScanned = false, isCopied = false, logger }: StoreOptions = {},
): Promise<ResourceStore> {
  const combined = [...providers.values()].flatMap(({ type, combined }) =>
    combined.map((index) => ({ type, ...index })),
  )
  const options = {
    combined,
    onlyScanned,
    extraction: extraction(baseUrl, fullText),
    onIndexing: (progress: IndexingProgress) => logger?.info(progress, 'search index'),
    onIndexingFault: (error: unknown) => logger?.error({ fault: faultOf(error) }, 'search index is not looked after'),
  }
  const store = await openEngine(databaseUrl, options)
  return onlyScanned || isCopied ? store : await withoutUnfinishedCopy(store)
}

async function openEngine(databaseUrl: string, options: IndexingSettings): Promise<ResourceStore> {
  if (databaseUrl.startsWith('mongodb')) {
    // Its driver is loaded by those who use it.
    const { openMongoStore } = await import('./storage/mongo/mongo-store.ts')
    return openMongoStore({ url: databaseUrl, recentKinds, ...options })
  }
  return openSqliteStore({ path: databaseUrl.slice('sqlite:'.length), recentKinds, ...options })
}

/** The record that a copy keeps in its target until it has ended: the name of its source. */
export const UNFINISHED_COPY = { kind: 'copy', key: 'from' } as const

async function withoutUnfinishedCopy(store: ResourceStore): Promise<ResourceStore> {
  const found = await store.readRecord(SERVICE, UNFINISHED_COPY.kind, UNFINISHED_COPY.key)
  if (found === undefined) return store
  await store.close()
  throw new Error(
    `The store is an unfinished copy of ${found.value}; finish it with npm run copy, or name another store`,
  )
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
  /** One of pino's; absent: lines of JSON on standard output, from the level that the configuration names. */
  readonly logger?: Logger
  /** The number of this process, where there are several. */
  readonly worker?: number
  /** In place of the store that the configuration names. */
  readonly store?: ResourceStore
  /** In place of the built-in simulator and the webhook connector. */
  readonly integrations?: Partial<Integrations>
  /** In place of the listed special providers. */
  readonly providers?: readonly Provider[]
  /** Beside the listed tool families. */
  readonly toolFamilies?: ToolFamilies
  /** What others add; all apps of a process have the same. */
  readonly extensions?: readonly LoadedExtension[]
}

/** What the server does over FHIR, and the CapabilityStatement that says so. */
export interface Declared {
  readonly providers: ReadonlyMap<string, Provider>
  readonly system: ReturnType<typeof systemInteractions>
  /** The operations of the whole clinic. */
  readonly systemOperations: readonly Operation[]
  readonly statement: CapabilityStatement
}

/**
 * With what the extensions add. From here on this process has their search parameters and profiles.
 * @throws Error naming what is declared wrongly, and the extension that does so
 */
export function declareServer(
  { disabledInteractions, fullText }: Pick<Config, 'disabledInteractions' | 'fullText'>,
  extensions: readonly LoadedExtension[],
  special: readonly Provider[] = specialProviders,
): Declared {
  installDefinitions(extensions)
  const declared = declarationsWith(extensions, { providers: special, systemOperations })
  const providers = registerProviders(declared.providers, standardProvider, disabledInteractions)
  const system = systemInteractions(disabledInteractions)
  const profiles = extensions.flatMap((extension) => extension.profiles ?? [])
  const operations = declared.systemOperations
  const statement = capabilityStatement(providers, system, { fullText, operations, profiles })
  return { providers, system, systemOperations: operations, statement }
}

/** @throws Error with a sentence that names what is declared wrongly. */
export async function createApp({
  config,
  logger = pino({ level: config.logLevel }),
  worker,
  store: givenStore,
  integrations: given,
  providers: special,
  toolFamilies: addedFamilies = {},
  extensions = [],
}: AppParts): Promise<App> {
  const { statement, ...declared } = declareServer(config, extensions, special)
  const { providers } = declared
  const { fullText } = config
  const base = config.baseUrl ?? `http://${config.host}:${config.port}`
  const store = givenStore ?? (await openStore(config.databaseUrl, providers, { baseUrl: base, fullText, logger }))
  const repository = new Repository(store, { baseUrl: base, fullText })
  const integrations: Integrations = { insurance: insuranceSimulator, crm: crmWebhook(), ...given }
  const { profilePolicy } = config
  const servedSearch = { parametersOf: parametersOf(providers), fullText }
  const contextServices = { repository, providers, baseUrl: base, profilePolicy, servedSearch }
  const access = (clinic: string, agent: Agent) => clinicAccess(contextServices, clinic, agent)
  const baseOf = baseUrlOf(config.baseUrl)

  let closing = false
  const health = healthRoutes({ repository, isClosing: () => closing, worker })
  const session = sessionRoutes({ config, repository })
  const clinics = clinicRoutes({ repository })
  const reserved = segmentsOf([health, session, clinics]).union(new Set(['metadata', CALLS]))
  const families = familiesWith(extensions, mergeFamilies(toolFamilies, addedFamilies), { providers, reserved })
  const tools = toolRoutes({ config, repository, families, providers, reserved, access, integrations, logger })
  const outbox = startOutbox(repository, access, integrations.crm, logger)
  const customIndex = customIndexing(repository, logger)
  customIndex.start()

  const koa = new Koa()
  koa.use(errors(logger, segmentsOf([health, session, tools, clinics])))
  koa.use(health.middleware)
  koa.use(capabilityRoute(metadata(statement, baseOf)))
  koa.use(session.middleware)
  koa.use(tools.middleware)
  koa.use(authenticate(config))
  koa.use(clinics.middleware)
  koa.use(requireSandbox(repository))
  koa.use(shipResources((clinic) => access(clinic, { kind: 'server' })))
  koa.use(
    fhirRoutes(statement, {
      ...declared,
      limits: config.limits,
      integrations,
      logger,
      baseOf,
      accessOf: (ctx) => accessOfUser(access, userOf(ctx)),
    }),
  )
  koa.use(notRouted(providers))

  koa.on('error', brokenConnection(logger))
  const server = createServer(CONNECTIONS, koa.callback())
  server.timeout = SILENCE
  answerClientErrors(server)
  const drain = drainable(server)
  const close = async (): Promise<void> => {
    closing = true
    await Promise.all([drain(), outbox.stop(), customIndex.close()])
    await store.close()
  }
  return { repository, server, access, close }
}

function startOutbox(repository: Repository, access: App['access'], crm: CrmConnector, logger: Logger): Outbox {
  const outbox = new Outbox({
    repository,
    crm,
    tasks: crmSyncTasks,
    accessOf: (clinic) => access(clinic, { kind: 'server' }),
    settingsOf: async (clinic) => (await readSettings(repository, clinic)).crm,
    logger,
  })
  outbox.start()
  return outbox
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

const accessOfUser = (access: App['access'], user: User) =>
  access(user.clinic, { kind: 'user', id: user.sub, name: user.name, role: user.role })

/** /metadata needs no token, so it is answered before authentication. */
const capabilityRoute =
  (answer: Koa.Middleware): Koa.Middleware =>
  (ctx, next) =>
    ctx.path === '/metadata' && (ctx.method === 'GET' || ctx.method === 'HEAD') ? answer(ctx, next) : next()
