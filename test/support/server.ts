/** The real app on the real engine, on a free port of the loopback interface. */
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { seedDemo, topUpSlots } from '../../src/demo/demo-clinic.ts'
import { type Budget, withBudget } from '../../src/isolation/budget.ts'
import { type App, type AppParts, createApp } from '../../src/main/app.ts'
import { newDatabaseUrl } from './database.ts'
import { CHEAP_PASSWORDS } from './passwords.ts'
import { type FhirResponse, request } from './request.ts'
import { TIME_LIMITS } from './time-limits.ts'

export { type FhirResponse, request }

export interface TestServer {
  readonly url: string
  readonly app: App
  /** A bearer token of the demo clinic's staff. */
  readonly token: string
  /** A FHIR request with that token; `body` is sent as JSON. */
  readonly fhir: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<FhirResponse>
  /** One tool call, its decoded result. */
  readonly tool: (path: string, args: unknown, headers?: Record<string, string>) => Promise<Record<string, unknown>>
  readonly login: (username: string, password: string) => Promise<string>
  readonly close: () => Promise<void>
}

/** Days of Slots of the demo: enough to include a working day, and few, as each server generates its own. */
const SLOT_DAYS = 5

/**
 * @param env over the test defaults (an empty database, see test/support/database.ts; demo mode)
 * @param parts integrations, store or providers in place of the real ones, and the days for which the demo has Slots
 */
export async function startServer(
  env: Record<string, string> = {},
  { slotDays = SLOT_DAYS, ...parts }: Partial<AppParts> & { readonly slotDays?: number } = {},
): Promise<TestServer> {
  const DATABASE_URL = env.DATABASE_URL ?? (await newDatabaseUrl())
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DEMO: 'on', ...TIME_LIMITS, ...env, DATABASE_URL })
  const logger = pino({ level: config.logLevel })
  const app = await createApp({ config, logger, passwordCost: CHEAP_PASSWORDS, ...parts })
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  if (config.demo) {
    try {
      await seedDemo(app, { passwordCost: CHEAP_PASSWORDS, slotDays })
      await topUpSlots(app)
    } catch (error) {
      await app.close()
      throw error
    }
  }
  const login = async (username: string, password: string): Promise<string> => {
    const { body } = await request(
      url,
      'POST',
      '/session',
      { username, password },
      { 'content-type': 'application/json' },
    )
    return body.token
  }
  const token = config.demo ? await login('demo', 'demo') : ''
  return {
    url,
    app,
    token,
    login,
    fhir: (method, path, body, headers) =>
      request(url, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
    tool: (path, args, headers) => callTool(url, path, args, headers),
    close: app.close,
  }
}

/** A server that pays each request, as the server itself does, from a budget that the test looks into. */
export async function startServerPaying(budget: () => Budget): Promise<TestServer> {
  const started = await startServer()
  const { server } = started.app
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...args: unknown[]) => withBudget(budget(), () => emit(event, ...args))
  return started
}

let callNumber = 0

async function callTool(
  url: string,
  path: string,
  args: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  callNumber++
  const response = await request(
    url,
    'POST',
    path,
    { message: { toolCalls: [{ id: `call-${callNumber}`, function: { arguments: args } }] } },
    { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json', ...headers },
  )
  return JSON.parse(response.body.results[0].result)
}
