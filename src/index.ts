/** Starts the process: configuration, store, demo data, listen, signals. */
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { type Config, readConfig } from './config.ts'

const config = configOrExit()
const logger = pino({ level: config.logLevel })

try {
  // Imported here, so that a broken definition read on the way ends in a sentence too.
  const { createApp } = await import('./app.ts')
  const { seedDemo, topUpSlots } = await import('./clinics/demo.ts')
  const app = await createApp({ config, logger })
  // Before the first request, so that nobody meets half a demo clinic.
  if (config.demo) {
    await seedDemo(app)
    await topUpSlots(app)
  }
  await new Promise<void>((resolve, reject) => {
    app.server.once('error', reject)
    app.server.listen(config.port, config.host, resolve)
  })
  process.once('SIGTERM', () => void stop(app.close))
  process.once('SIGINT', () => void stop(app.close))
  const { port } = app.server.address() as AddressInfo
  console.log(greeting(config, port))
} catch (error) {
  console.error(`The server cannot start: ${reasonOf(error)}`)
  process.exit(1)
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

async function stop(close: () => Promise<void>): Promise<void> {
  // A client that keeps its connection busy must not hold the process up for ever.
  setTimeout(() => process.exit(1), 10_000).unref()
  await close()
  process.exit(0)
}

function greeting({ demo, host, baseUrl, webhookSecret }: Config, port: number): string {
  const address = baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!demo) return `Sandbox EMR answers at ${address}`
  return `Sandbox EMR answers at ${address}  (demo clinic: log in as demo / demo, or admin / admin)

FHIR:
  TOKEN=$(curl -s ${address}/session -H 'content-type: application/json' -d '{"username":"demo","password":"demo"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s "${address}/Patient?_count=3&_pretty=true" -H "Authorization: Bearer $TOKEN"

A tool of a live call:
  curl -s ${address}/patient-intake/validate_intake_field -H 'content-type: application/json' -H 'x-voice-secret: ${shownSecret(webhookSecret)}' \\
    -d '{"message":{"toolCalls":[{"id":"1","function":{"arguments":{"fieldName":"email","value":"john dot doe at example dot com"}}}]}}'
`
}

/** A secret of the operator's own is not printed. */
function shownSecret(secret: string): string {
  return secret === 'demo-secret' ? secret : '<WEBHOOK_SECRET>'
}
