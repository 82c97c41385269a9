/** The server under test: started on a store, with a session, and tried once per scenario before it is measured. */
import { once, requestOf } from './load.ts'
import type { Scenario } from './scenario.ts'
import { type ServerProcess, startProcess } from './server-process.ts'

export const VOICE_SECRET = 'bench-webhook-secret'
/** The flags of Node with which `npm start` starts it. */
const FLAGS = '--max-semi-space-size=16'
/** Milliseconds after which an idle server has finished its background work. */
export const SETTLE = 2_000

export const startServer = (
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> =>
  startProcess('src/index.ts', {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'bench-jwt-secret-of-sufficient-length',
    WEBHOOK_SECRET: VOICE_SECRET,
    DEMO: 'on',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${FLAGS}`,
    ...environment,
  })

/** The `Authorization` header of FHIR requests by an account, that of the demo clinic's staff unless said otherwise. */
export async function logIn(url: string, account = { username: 'demo', password: 'demo' }): Promise<string> {
  const { status, text } = await once(url, {
    method: 'POST',
    path: '/session',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  if (status !== 200) throw new Error(`The login was answered ${status}: ${text}`)
  return `Bearer ${(JSON.parse(text) as { readonly token: string }).token}`
}

/** @throws Error when the first requests of the scenario do not return the expected result */
export async function tryOnce(url: string, { name, traffic, problemOf }: Scenario): Promise<void> {
  let answered = ''
  // The second one of a dialogue depends on the first.
  for (let n = 0; n < (traffic.kind === 'dialogue' ? 2 : 1); n += 1) {
    const request = requestOf(traffic, n, answered)
    if (request === undefined) throw new Error(`${name} has no requests`)
    const { status, text } = await once(url, request)
    const problem = status >= 300 ? `status ${status}: ${text.slice(0, 500)}` : problemOf?.(text)
    if (problem !== undefined) throw new Error(`${name} was answered with ${problem}`)
    answered = text
  }
}

export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}
