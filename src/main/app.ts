/** The composition root: it connects declarations, store, repository, background work and HTTP server. */
import type { Server } from 'node:http'
import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import type { BuildFolder } from '../admin-api/dashboard/build-folder.ts'
import type { GenerationDependencies } from '../admin-api/rehearsal/generations.ts'
import { servedSimulator } from '../admin-api/simulators.ts'
import { slotGenerating } from '../availability/slot-generation.ts'
import { holdExpiry } from '../booking/holds.ts'
import { waitlistOffering } from '../booking/waitlist.ts'
import { toolFamilies } from '../calls/families.ts'
import { heldUntil, objectionTo } from '../calls/record/contact-consent.ts'
import { deliveryTasks } from '../calls/record/delivery-tasks.ts'
import { insuranceInquiries } from '../calls/record/insurance-inquiries.ts'
import { abandonedRegistrations } from '../calls/recovery/registration-follow-up.ts'
import { callExpiry } from '../calls/session/call-end.ts'
import { findDialedNumber } from '../calls/session/call-metadata.ts'
import { mergeFamilies, type ToolFamilies } from '../calls/tool.ts'
import { parametersOf } from '../capability/statement.ts'
import type { PasswordCost } from '../clinics/passwords.ts'
import type { Config } from '../config.ts'
import { contentCollection, StoredContents } from '../content/contents.ts'
import { CALL, callKey } from '../core/call-session.ts'
import { type AccessOf, clinicAccess } from '../core/clinic-access.ts'
import type { Integrations } from '../core/ports.ts'
import type { Provider } from '../core/provider.ts'
import { unusedTokens } from '../events/binding-token.ts'
import { notifier } from '../events/delivery.ts'
import { eventDispatcher } from '../events/dispatcher.ts'
import { subscriptionLoop } from '../events/lifecycle.ts'
import { scenariosWith, strictnessWith } from '../extensions/declarations.ts'
import type { LoadedExtension } from '../extensions/extension.ts'
import { present } from '../fhir/resource.ts'
import type { SubscriptionSockets } from '../fhir-api/websocket.ts'
import { EventLoopLoad } from '../http/admission/event-loop-load.ts'
import { FairShares } from '../http/admission/fair-shares.ts'
import { type Drain, drainable } from '../http/connections.ts'
import { failureOf } from '../http/errors.ts'
import type { Observer } from '../http/exchange.ts'
import { addressAt } from '../http/host-address.ts'
import type { RequestMetrics } from '../http/observers/request-metrics.ts'
import { RequestObserver } from '../http/observers/request-observer.ts'
import type { RequestTraces } from '../http/observers/request-traces.ts'
import { crmConnector } from '../integrations/crm/connector.ts'
import { DEADLINE } from '../integrations/exchange.ts'
import { insuranceConnector } from '../integrations/insurance.ts'
import { messageWebhook } from '../integrations/messages.ts'
import type { Outbound } from '../integrations/outbound-request.ts'
import { type DeliveryParts, Outbox } from '../integrations/outbox/delivery.ts'
import type { ServedSimulators } from '../integrations/simulators/served.ts'
import type { ComponentHealth } from '../isolation/fair-queue.ts'
import type { JobOwner, JobStep, NamedJob } from '../jobs/job.ts'
import { type JobServices, jobLoop } from '../jobs/job-loop.ts'
import { duplicateSearches } from '../operations/duplicates/background-search.ts'
import { mergeLoop } from '../operations/merge/merge-job.ts'
import { AuditTrail } from '../record/audit/trail.ts'
import type { SeenExchange } from '../record/journal/exchange.ts'
import { Journal, type JournalOptions } from '../record/journal/journal.ts'
import { LiveJournal } from '../record/journal/live.ts'
import type { CallClaim } from '../record/journal/strangers.ts'
import { faultyWork } from '../rehearsal/faults/in-data.ts'
import { visitMoves } from '../rehearsal/faults/moved-visits.ts'
import { cloneExpiry } from '../rehearsal/generations/clones.ts'
import { deadFillings } from '../rehearsal/generations/filling.ts'
import { Fillings, type FillResult, type FillWork, fill } from '../rehearsal/generations/fillings.ts'
import { generationRemoval } from '../rehearsal/generations/removal.ts'
import { customIndexing } from '../repository/custom-indexing.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import { Repository } from '../repository/repository.ts'
import type { ResourceStore } from '../storage/port.ts'
import { type Declared, declareServer } from './declare-server.ts'
import { httpServer } from './http-server.ts'
import { jobKinds, stepInThread } from './job-kinds.ts'
import { openLogger } from './logger.ts'
import { openAuditStore, openContentStore, openJournalStore, openStore, type StoreOptions } from './open-store.ts'
import { WorkThreadPool } from './work-threads.ts'

export interface App {
  readonly repository: Repository
  readonly server: Server
  /** Access of one agent to one clinic, for start-up work such as the demo data. */
  readonly access: AccessOf
  /** Fills a generation of a clinic's data, in a work thread. */
  readonly fill: (work: FillWork) => Promise<FillResult>
  /** Does a step of a job, in a work thread. */
  readonly workOn: (job: NamedJob, owner: JobOwner) => Promise<JobStep>
  /** Load of the parts of this process. */
  readonly loads: () => readonly ComponentHealth[]
  /** Whether no request has arrived since the last call, and none is in progress; health checks do not count. */
  readonly isQuiet: () => boolean
  /** Ends background work, waits for requests in progress, and closes the store. */
  readonly close: (drain?: Drain) => Promise<void>
}

export interface AppParts {
  readonly config: Config
  /** A pino logger; absent: lines of JSON on standard output, from the level in the configuration. */
  readonly logger?: Logger
  /** The number of this process, where there are several. */
  readonly worker?: number
  /** Replaces the store that the configuration names. */
  readonly store?: ResourceStore
  /** Replace the built-in simulator and connectors. */
  readonly integrations?: Partial<Integrations>
  /** Replaces the usual cost of hashing a password: for tests, whose passwords protect nothing. */
  readonly passwordCost?: PasswordCost
  /** How much the journal records, in place of the usual: for tests that send more than anybody reads. */
  readonly journalAllowance?: JournalOptions['allowance']
  /** Milliseconds since 1970 UTC, in place of the time of the machine: for tests of what time brings about. */
  readonly clock?: () => number
  /** Replaces the system's resolver of names, for requests to the systems of clinics: for tests. */
  readonly resolve?: Outbound['resolve']
  /** Replace the listed special providers. */
  readonly providers?: readonly Provider[]
  /** Counts exchanges. Absent: nothing is measured. */
  readonly metrics?: RequestMetrics | undefined
  /** Records spans. Absent: requests pass on the traces that they belong to, and nothing is recorded. */
  readonly traces?: RequestTraces | undefined
  /** Replaces the folder of this project in which the dashboard is built. */
  readonly dashboard?: BuildFolder
  /** Added to the listed tool families. */
  readonly toolFamilies?: ToolFamilies
  /** See StoreOptions. */
  readonly beforeUpgrade?: StoreOptions['beforeUpgrade']
  /** Loaded extensions; all apps of a process have the same. */
  readonly extensions?: readonly LoadedExtension[]
  /**
   * Most threads for requests that would hold the event loop for too long. Each runs the server that `config`
   * describes, so other parts (`store`, `integrations`, `providers`, `toolFamilies`, `extensions` that EXTENSIONS does
   * not name) do not exist there. Absent: none.
   */
  readonly workThreads?: number
  /**
   * Set where this app serves another one, in one of its work threads: that one does the background work. `sharedStore`
   * comes from ResourceStore.share; `observer` passes facts to the other app, and `onSent` requests to systems of
   * clinics.
   */
  readonly workThread?: {
    readonly sharedStore: object | undefined
    readonly observer: Observer
    readonly onSent: (sent: SeenExchange) => void
  }
}

/** @throws Error with a sentence that names what is declared wrongly, or why the store cannot be opened */
export async function createApp({
  config,
  logger = openLogger(config),
  worker,
  store: givenStore,
  integrations: given,
  passwordCost,
  journalAllowance: allowance,
  clock,
  resolve,
  providers: special,
  toolFamilies: addedFamilies = {},
  extensions = [],
  metrics,
  traces,
  dashboard,
  workThreads = 0,
  workThread,
  beforeUpgrade,
}: AppParts): Promise<App> {
  const { fullText, profilePolicy, searchHandling, secretsKeys, rehearsal: isRehearsing } = config
  const baseUrl = config.baseUrl ?? addressAt(config.host, config.port)
  const declared = declareServer(config, extensions, special)
  const { providers } = declared
  const opening = { baseUrl, fullText, logger, beforeUpgrade, shared: workThread?.sharedStore }
  const store = givenStore ?? (await openStore(config.databaseUrl, providers, opening))
  const repository = new Repository(store, { baseUrl, fullText, secretsKeys, clock, isRestricting: isRehearsing })
  const trail =
    config.audit && new AuditTrail({ store: await openAuditStore(config.databaseUrl, config.audit, logger), logger })
  const contentStore = await openContentStore(config.databaseUrl)
  const contents = new StoredContents(repository, contentStore)
  const journal = workThread === undefined ? await openJournal({ config, repository, logger, allowance }) : undefined
  const live = journal && new LiveJournal(journal)
  const observing: Observing = { trail, journal, workThread, metrics, traces }
  const onSent = sentObserverOf(observing)
  const outbound = { ...outboundOf(config, onSent, traces), ...present({ resolve }) }
  const simulators: ServedSimulators = (system) => servedSimulator(server, config, system)
  const integrations: Integrations = { ...connectors(config, outbound, simulators, clock), ...given }
  const servedSearch = { parametersOf: parametersOf(providers), fullText }
  const meetingFaults = isRehearsing ? { faultyWork: faultyWork((...of) => access(...of), repository) } : {}
  const shownBy = { profilePolicy, searchHandling, servedSearch, trail }
  const access: AccessOf = clinicAccess({ repository, contents, providers, baseUrl, ...shownBy, ...meetingFaults })

  let closing = false
  const isClosing = () => closing
  const families = mergeFamilies(toolFamilies, addedFamilies)
  const shared = { config, logger, repository, contents, access, trail }
  const threads =
    workThreads === 0 ? undefined : new WorkThreadPool({ ...shared, worker, store, count: workThreads, onSent })
  const shares = workThread !== undefined ? undefined : new FairShares(config.limits)
  const loop = new EventLoopLoad()
  const loads = () => [
    loop.load,
    ...(shares?.loads ?? []),
    ...(threads === undefined ? [] : [threads.load]),
    ...(store.load?.().parts ?? []),
    ...(trail === undefined || workThread !== undefined ? [] : [trail.load]),
    ...(journal === undefined ? [] : [journal.load]),
  ]
  const resets = { repository, contents, access, scenarios: scenariosWith(extensions) }
  const strictness = strictnessWith(extensions)
  const rehearsal = rehearsalOf(config, declared, { ...resets, strictness }, threads)
  const services = { ...shared, integrations, passwordCost, journal, live, trials: { outbound, simulators }, rehearsal }
  const observersWith = observersOf(observing)
  const operation = { worker, isClosing, threads, shares, loads, observersWith, sampling: outbound.sampling, dashboard }
  const { server, sockets } = httpServer({ ...services, ...operation }, declared, { families, extensions })
  const notify = notifier({ ...integrations, repository, access, providers, outbound })
  const kinds = jobKinds({ ...shared, server: () => server, outbound, threads })
  const background = backgroundWork({ ...shared, notify, sockets, isRehearsing, kinds }, integrations, threads)
  if (workThread === undefined) background.start()

  const drain = drainable(server)
  const close = async (how?: Drain): Promise<void> => {
    closing = true
    // Live streams would keep the server from ending.
    live?.close()
    sockets.close()
    await Promise.all([server.listening ? drain(how) : undefined, background.close()])
    loop.close()
    for (const part of [threads, trail, journal, contentStore, store]) await part?.close()
  }
  const isQuiet = () => shares?.isQuiet() ?? false
  const workOn = stepInThread(shared)
  return { repository, server, access, fill: (work) => fill(resets, work), workOn, loads, isQuiet, close }
}

/** The services of resets and clones; undefined where clinics can't be rehearsed in. */
function rehearsalOf(
  { rehearsal }: Config,
  { statement: { software } }: Pick<Declared, 'statement'>,
  resets: Omit<GenerationDependencies, 'fillings'>,
  threads: WorkThreadPool | undefined,
): GenerationDependencies | undefined {
  return rehearsal ? { ...resets, fillings: new Fillings(resets, threads, software?.version ?? '') } : undefined
}

const outboundOf = (
  { allowPrivateAddresses: allowPrivate }: Config,
  onSent: Outbound['onSent'],
  traces: RequestTraces | undefined,
): Outbound => ({ deadlineMs: DEADLINE, allowPrivate, ...present({ onSent, sampling: traces?.sampling }) })

const connectors = (
  { journal, importSources }: Config,
  outbound: Outbound,
  simulators: ServedSimulators,
  clock: AppParts['clock'],
): Integrations => ({
  insurance: insuranceConnector({ outbound, simulators, clock }),
  crm: crmConnector(outbound, simulators),
  messages: messageWebhook(outbound, simulators),
  journal: journal.mode,
  importSources,
})

interface JournalParts extends Pick<JournalOptions, 'repository' | 'logger' | 'allowance'> {
  readonly config: Config
}

/** Numbers of clinics that a national number of a stranger is compared with; where there are more it names no clinic. */
const MOST_COMPARED = 500

async function claimedClinic(repository: Repository, { dialed, call }: CallClaim): Promise<string | undefined> {
  const number = dialed === undefined ? undefined : await findDialedNumber(repository, dialed, MOST_COMPARED)
  if (number !== undefined || call === undefined) return number?.clinic
  return (await repository.readRecord(SERVICE, CALL, callKey(call)))?.value.clinic
}

const openJournal = async ({ config, repository, logger, allowance }: JournalParts): Promise<Journal> =>
  new Journal({
    store: await openJournalStore(config.databaseUrl, logger),
    repository,
    logger,
    defaults: config.journal,
    clinicOfCall: (claim) => claimedClinic(repository, claim),
    allowance,
    // Secrets that requests or responses may contain.
    secrets: [config.jwt.secret, config.webhookSecret, config.previousWebhookSecret].filter((one) => one !== undefined),
  })

interface Observing {
  readonly trail: AuditTrail | undefined
  readonly journal: Journal | undefined
  readonly workThread: AppParts['workThread'] | undefined
  readonly metrics: RequestMetrics | undefined
  readonly traces: RequestTraces | undefined
}

/** The observer of exchanges with the systems of clinics. */
const sentObserverOf =
  ({ workThread, metrics, traces, journal }: Observing) =>
  (sent: SeenExchange): void => {
    workThread?.onSent(sent)
    metrics?.observeSent(sent)
    traces?.observeSent(sent)
    journal?.recordSent(sent)
  }

/** Observers of requests: where they arrived they are recorded, and a work thread passes on what it has seen. */
const observersOf =
  ({ trail, journal, workThread, metrics, traces }: Observing) =>
  (addressOf: (koa: KoaContext) => string): readonly Observer[] => [
    ...[metrics, traces].filter((observer) => observer !== undefined),
    ...(workThread === undefined ? [] : [workThread.observer]),
    ...(journal === undefined ? [] : [new RequestObserver({ trail, journal, addressOf })]),
  ]

interface BackgroundServices {
  readonly repository: Repository
  readonly contents: StoredContents
  readonly access: App['access']
  readonly logger: Logger
  readonly notify: DeliveryParts['notify']
  readonly sockets: SubscriptionSockets
  readonly isRehearsing: boolean
  /** How the jobs of each kind are worked on. */
  readonly kinds: JobServices['kinds']
}

/** The place of a fault in the log. */
const JOBS = { method: 'GET', route: 'job' }

/** The background work of the server. */
function backgroundWork(
  { repository, contents, access, logger, notify, sockets, isRehearsing, kinds }: BackgroundServices,
  { insurance, crm, messages, journal = 'off' }: Integrations,
  threads: WorkThreadPool | undefined,
): { start(): void; close(): Promise<unknown> } {
  const accessOf = (clinic: string) => access(clinic, { kind: 'server' })
  const rules = { objection: objectionTo, heldUntil }
  const services = { repository, accessOf, logger }
  const outbox = new Outbox({ ...services, crm, messages, journal, tasks: deliveryTasks, ...rules, notify })
  const onDue = (clinic: string) => {
    outbox.wake()
    sockets.wake(clinic)
  }
  const dispatcher = eventDispatcher({ ...services, onDue })
  repository.tellEvents(() => dispatcher.wake())
  const inquiries = insuranceInquiries({ repository, insurance, accessOf, logger })
  const loops = [
    mergeLoop({ repository, logger, accessOf }),
    duplicateSearches(repository, logger, threads && ((batch) => threads.comparePatients(batch))),
    customIndexing(repository, logger, threads && ((batch) => threads.reindex(batch))),
    slotGenerating({ repository, accessOf, logger }),
    holdExpiry({ repository, accessOf, logger }),
    callExpiry({ repository, accessOf, logger }),
    waitlistOffering({ repository, accessOf, logger }),
    abandonedRegistrations({ repository, accessOf, logger }),
    ...(isRehearsing ? [visitMoves({ repository, accessOf, logger })] : []),
    dispatcher,
    subscriptionLoop({ ...services, onDue }),
    unusedTokens(services),
    ...contentCollection(contents, { repository, logger }),
    deadFillings({ repository, logger }),
    generationRemoval({ repository, logger }),
    cloneExpiry({ repository, contents, logger }),
    jobLoop({ repository, logger, kinds, failureOf: (error) => failureOf(error, logger, JOBS) }),
  ]
  return {
    start: () => {
      outbox.start()
      inquiries.start()
      for (const loop of loops) loop.start()
    },
    close: () => Promise.all([outbox.stop(), inquiries.stop(), ...loops.map((loop) => loop.close())]),
  }
}
