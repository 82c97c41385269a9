/** The entry point: reads the configuration, starts one server process or several workers, and handles signals. */
import cluster from 'node:cluster'
import { type Config, readConfig } from './config.ts'
import { freeMemory, freeMemoryAfterLoad } from './isolation/free-memory.ts'
import type { App } from './main/app.ts'
import { greeting } from './main/greeting.ts'
import { freePort, listen } from './main/listen.ts'
import { openLogger, startTelemetry } from './main/logger.ts'
import { UpgradeNotice } from './main/upgrade-notice.ts'
import type { WorkerMessage } from './main/workers.ts'
import type { Upgrade } from './storage/index/upgrade.ts'

/** Time from the signal to the forced exit of a server process. */
const SHUTDOWN_TIMEOUT_MS = 10_000
/** Time for which requests are still taken at SIGTERM, while balancers learn of it by /health/ready; not at Ctrl-C. */
const LINGER_MS = 2_000
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

const config = configOrExit()
const telemetry = await startTelemetry(config.telemetry)
const logger = openLogger(config, telemetry)
/** Whether this is one of our workers; a process manager may run a single server as a worker of its own. */
const isWorker = config.workers > 1 && cluster.isWorker

try {
  if (isWorker) await serve()
  else {
    console.log(greeting(config, config.workers > 1 ? await startWorkers() : await serve()))
    await serveMetrics()
    warnOfSecretsInClear()
    if (config.dashboard) await buildDashboard()
  }
} catch (error) {
  await exitWithReason(reasonOf(error))
}

function warnOfSecretsInClear(): void {
  if (config.secretsKeys.length > 0) return
  const level = config.demo ? 'info' : 'warn'
  logger[level]('SECRETS_KEY is not set: the secrets in the settings of clinics are stored in clear')
}

/** Starts serving and returns the port. */
async function serve(): Promise<number> {
  const app = await openApp()
  await logUncaughtErrors()
  await encryptStoredSettings(app)
  await seed(app)
  await makeOperator(app)
  freeMemory()
  freeMemoryAfterLoad(app.isQuiet)
  const port = await listen(app.server, config)
  stopOnSignal((signal) => closeInTime(app, signal))
  if (isWorker) notifyPrimary({ serves: true })
  return port
}

/** Starts the workers and returns their port. */
async function startWorkers(): Promise<number> {
  const { Workers } = await import('./main/workers.ts')
  const port = await freePort(config)
  const workers = new Workers({
    count: config.workers,
    // The demo's secret is random; workers share it, so that each accepts the tokens of the others.
    environment: { PORT: String(port), JWT_SECRET: config.jwt.secret },
    logger,
    giveUp: (sentence) => {
      console.error(sentence)
      process.exit(1)
    },
  })
  stopOnSignal(() => workers.stop())
  await workers.start()
  return port
}

/** Loaded only where somebody reads metrics. */
function metricsModule() {
  return import('./main/metrics.ts')
}

async function serveMetrics(): Promise<void> {
  if (config.metrics !== undefined) await (await metricsModule()).serveMetrics(config.metrics)
}

async function buildDashboard(): Promise<void> {
  const { buildDashboard: build } = await import('./main/dashboard-builder.ts')
  build(logger)
}

/** Imported dynamically, so that an error while definitions are read is reported like any other startup error. */
async function openApp(): Promise<App> {
  const { createApp } = await import('./main/app.ts')
  const worker = isWorker ? cluster.worker?.id : undefined
  const { loadExtensions } = await import('./extensions/load.ts')
  const extensions = await loadExtensions(config.extensions)
  const { workThreads } = config
  const measuring = config.metrics && (await metricsModule())
  const observers = { metrics: measuring?.startMeasuring(), traces: telemetry?.traces }
  const parts = { config, logger, extensions, workThreads, ...observers }
  const notice = new UpgradeNotice(config)
  const beforeUpgrade = (upgrade: Upgrade) => notice.show(upgrade)
  const app = await createApp({ ...parts, beforeUpgrade, ...(worker === undefined ? {} : { worker }) })
  await notice.end()
  measuring?.measureParts(app)
  if (extensions.length > 0) logger.info({ extensions: extensions.map(({ name }) => name) }, 'extensions are loaded')
  return app
}

/**
 * Logs uncaught errors, as from a timer of an extension, and ends the process, because its state is unknown. Node would
 * also print the message, which may quote patient data.
 */
async function logUncaughtErrors(): Promise<void> {
  const { faultOf } = await import('./http/errors.ts')
  // Not once: Node would print the next one, which may follow while the lines are sent.
  process.on('uncaughtException', async (error) => {
    logger.fatal({ fault: faultOf(error) }, 'an error was not caught; the process ends')
    await telemetry?.close()
    process.exit(1)
  })
}

/** @throws Error when a clinic's settings need a key that this server does not have */
async function encryptStoredSettings({ repository }: App): Promise<void> {
  const { encryptSettings } = await import('./clinics/settings.ts')
  const clinics = await encryptSettings(repository)
  if (clinics > 0) logger.info({ clinics }, 'the settings of clinics were encrypted in the store')
}

/** Done before the first request, so that no client sees an incomplete demo clinic. */
async function seed(app: App): Promise<void> {
  if (!config.demo) return
  const { hasOtherClinics, seedDemo, topUpSlots } = await import('./demo/demo-clinic.ts')
  await seedDemo(app)
  await topUpSlots(app)
  if (await hasOtherClinics(app.repository)) {
    logger.warn('demo mode is on, but the store has other clinics: nobody logs in with the accounts of the demo')
  }
}

async function makeOperator({ repository }: App): Promise<void> {
  if (config.firstOperator === undefined) return
  const { makeFirstOperator } = await import('./clinics/accounts.ts')
  if (await makeFirstOperator(repository, config.firstOperator)) logger.info('the first operator was made')
}

function configOrExit(): Config {
  try {
    return readConfig()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { host, port } = config
  switch ('code' in error ? error.code : '') {
    case 'EADDRINUSE':
      return `another process listens at ${host}:${port} already; stop it, or set PORT to a free port`
    case 'EACCES':
      return `this user may not listen at ${host}:${port}; set PORT to one of 1024 or more`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST '${host}' is not an address of this machine`
    default:
      return error.message
  }
}

/** A worker leaves the report to the primary process, which makes it once for all workers. */
async function exitWithReason(reason: string): Promise<never> {
  if (isWorker) await new Promise<void>((resolve) => notifyPrimary({ cannotStart: reason }, resolve))
  else console.error(`The server cannot start: ${reason}`)
  process.exit(1)
}

function notifyPrimary(message: WorkerMessage, sent?: () => void): void {
  process.send?.(message, undefined, undefined, sent)
}

type StopSignal = (typeof STOP_SIGNALS)[number]

/** @param stop resolves to false when it failed to stop cleanly */
function stopOnSignal(stop: (signal: StopSignal) => Promise<boolean>): void {
  for (const signal of STOP_SIGNALS) {
    process.once(signal, async () => {
      const isClean = await stop(signal)
      await telemetry?.close()
      process.exit(isClean ? 0 : 1)
    })
  }
}

/** Forces the exit after a timeout, as a client may keep its connection busy. */
async function closeInTime(app: App, signal: StopSignal): Promise<true> {
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref()
  await app.close(signal === 'SIGTERM' ? { lingerMs: LINGER_MS } : {})
  return true
}
