/** Starts the server: one process that serves, or one that starts several, and those. Configuration, signals, end. */
import cluster from 'node:cluster'
import { pino } from 'pino'
import type { App } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { greeting } from './process/greeting.ts'
import { freePort, listen } from './process/listen.ts'
import type { WorkerNews } from './process/workers.ts'

/** Milliseconds from the signal to the end of a process that serves. */
const SHUTDOWN_TIMEOUT_MS = 10_000

const config = configOrExit()
const logger = pino({ level: config.logLevel })
/** Of ours: a process manager may have made a single server a worker of its own. */
const isWorker = config.workers > 1 && cluster.isWorker

try {
  if (isWorker) await serve()
  else if (config.workers > 1) await startWorkers()
  else console.log(greeting(config, await serve()))
} catch (error) {
  await endWithReason(reasonOf(error))
}

/** The port. */
async function serve(): Promise<number> {
  const app = await openApp()
  await seed(app)
  const port = await listen(app.server, config, isWorker)
  endOnSignal(() => closeInTime(app))
  if (isWorker) tell({ serves: true })
  return port
}

async function startWorkers(): Promise<void> {
  const { Workers } = await import('./process/workers.ts')
  const port = await freePort(config)
  const workers = new Workers({
    count: config.workers,
    // The demo's secret is made at random: with one for all, a token that one worker gave is good at the others.
    environment: { PORT: String(port), JWT_SECRET: config.jwt.secret },
    logger,
    giveUp: (sentence) => {
      console.error(sentence)
      process.exit(1)
    },
  })
  endOnSignal(() => workers.stop())
  await workers.start()
  console.log(greeting(config, port))
}

/** Imported here, so that a broken definition read on the way ends in a sentence too. */
async function openApp(): Promise<App> {
  const { createApp } = await import('./app.ts')
  const worker = isWorker ? cluster.worker?.id : undefined
  return await createApp({ config, logger, ...(worker === undefined ? {} : { worker }) })
}

/** Before the first request, so that nobody meets half a demo clinic. */
async function seed(app: App): Promise<void> {
  if (!config.demo) return
  const { seedDemo, topUpSlots } = await import('./demo/demo-clinic.ts')
  await seedDemo(app)
  await topUpSlots(app)
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
      return `HOST is '${host}', which is no address of this machine`
    default:
      return error.message
  }
}

/** A worker leaves it to the process that started it to say so, once for all of them. */
async function endWithReason(reason: string): Promise<never> {
  if (isWorker) await new Promise<void>((resolve) => tell({ cannotStart: reason }, resolve))
  else console.error(`The server cannot start: ${reason}`)
  process.exit(1)
}

function tell(news: WorkerNews, told?: () => void): void {
  process.send?.(news, undefined, undefined, told)
}

/** @param end false: it did not end as it should */
function endOnSignal(end: () => Promise<boolean>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => process.exit((await end()) ? 0 : 1))
  }
}

/** A client that keeps its connection busy must not hold the process up for ever. */
async function closeInTime(app: App): Promise<true> {
  setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref()
  await app.close()
  return true
}
