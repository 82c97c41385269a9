/** Opens the store that the configuration names; only here is an engine named. */
import type { Logger } from 'pino'
import { type Provider, standardProvider } from '../core/provider.ts'
import { resourceTypes } from '../fhir/definitions.ts'
import { faultOf } from '../http/errors.ts'
import { specialProviders } from '../providers/index.ts'
import { registerProviders } from '../providers/registry.ts'
import { recentKinds, SERVICE } from '../repository/record-kinds.ts'
import { coveredParameters } from '../search/index/covered.ts'
import { extraction } from '../search/index/versions.ts'
import type { AuditStore, Retention } from '../storage/audit-port.ts'
import type { ContentStore } from '../storage/content-port.ts'
import type { Upgrade } from '../storage/index/upgrade.ts'
import type { JournalStore } from '../storage/journal-port.ts'
import type { IndexingProgress, ResourceStore } from '../storage/port.ts'
import { openSqliteAuditStore } from '../storage/sqlite/audit-store.ts'
import { openSqliteContentStore } from '../storage/sqlite/content-store.ts'
import { openSqliteJournalStore } from '../storage/sqlite/journal-store.ts'
import { openSqliteStore, type SqliteOptions } from '../storage/sqlite/sqlite-store.ts'

/** How a store is opened, besides its address. */
export interface StoreOptions {
  /** References below it are searched as relative ones. */
  readonly baseUrl?: string
  /** Resources are found by their words too (the default). */
  readonly fullText?: boolean
  /** The store is neither searched nor written; its search index stays as it is. */
  readonly onlyScanned?: boolean
  /** It may be a copy that has not ended (npm run copy). */
  readonly isCopied?: boolean
  /**
   * The value of `share` of the store that another thread of this process has opened by the same address: this one is
   * a part of it (ResourceStore.share).
   */
  readonly shared?: object | undefined
  /** Called before a database on MongoDB is upgraded; the change of its form waits for it. */
  readonly beforeUpgrade?: ((upgrade: Upgrade) => Promise<void>) | undefined
  /** For the progress of indexing after an upgrade, and faults in the background. */
  readonly logger?: Logger
}

/**
 * Opens the store that `databaseUrl` names, and brings an older one up to date.
 * @throws Error with a sentence when it cannot be used, or is a copy that has not ended
 */
export async function openStore(
  databaseUrl: string,
  providers: ReadonlyMap<string, Provider> = registerProviders(specialProviders, standardProvider),
  {
    baseUrl = '',
    fullText = true,
    onlyScanned = false,
    isCopied = false,
    shared,
    beforeUpgrade,
    logger,
  }: StoreOptions = {},
): Promise<ResourceStore> {
  const combined = [...providers.values()].flatMap(({ type, combined }) =>
    combined.map((index) => ({ type, ...index })),
  )
  const options = {
    combined,
    covered: coveredParameters(resourceTypes),
    shared,
    onlyScanned,
    extraction: extraction(baseUrl, fullText),
    onUpgrade: (upgrade: Upgrade) => {
      logger?.warn(upgrade, 'upgrade of the store')
      return isMongo(databaseUrl) ? beforeUpgrade?.(upgrade) : undefined
    },
    onIndexing: (progress: IndexingProgress) => logger?.info(progress, 'search index'),
    onIndexingFault: (error: unknown) => logger?.error({ fault: faultOf(error) }, 'search indexing failed'),
    onFault: (error: unknown) =>
      logger?.error({ fault: faultOf(error) }, 'a thread of the store ended; another one takes its place'),
  }
  const store = await openEngine(databaseUrl, options)
  return onlyScanned || isCopied ? store : await withoutUnfinishedCopy(store)
}

/**
 * The store of the audit trail, beside that of the resources. It is opened on first use.
 * @param logger receives a warning about a file that was set aside
 */
export async function openAuditStore(
  databaseUrl: string,
  retention: Retention,
  logger: Pick<Logger, 'warn'>,
): Promise<AuditStore> {
  if (isMongo(databaseUrl)) {
    const { openMongoAuditStore } = await import('../storage/mongo/audit-store.ts')
    return openMongoAuditStore(databaseUrl, retention)
  }
  return openSqliteAuditStore(databaseUrl.slice('sqlite:'.length), retention, (notice) => logger.warn(notice))
}

/**
 * The store of the journal, beside that of the resources. It is opened on first use.
 * @param logger receives a warning about a file that was set aside
 */
export async function openJournalStore(databaseUrl: string, logger: Pick<Logger, 'warn'>): Promise<JournalStore> {
  if (isMongo(databaseUrl)) {
    const { openMongoJournalStore } = await import('../storage/mongo/journal-store.ts')
    return openMongoJournalStore(databaseUrl)
  }
  return openSqliteJournalStore(databaseUrl.slice('sqlite:'.length), (notice) => logger.warn(notice))
}

/** The store of contents, beside that of the resources. It is opened on first use. */
export async function openContentStore(databaseUrl: string): Promise<ContentStore> {
  if (isMongo(databaseUrl)) {
    const { openMongoContentStore } = await import('../storage/mongo/content-store.ts')
    return openMongoContentStore(databaseUrl)
  }
  return openSqliteContentStore(databaseUrl.slice('sqlite:'.length))
}

const isMongo = (databaseUrl: string): boolean => databaseUrl.startsWith('mongodb')

type EngineSettings = Omit<SqliteOptions, 'path' | 'recentKinds'>

async function openEngine(databaseUrl: string, options: EngineSettings): Promise<ResourceStore> {
  if (isMongo(databaseUrl)) {
    // The driver is loaded only where it is used.
    const { openMongoStore } = await import('../storage/mongo/mongo-store.ts')
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
