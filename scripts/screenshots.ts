/**
 * `npm run screenshots`: the pictures of the README and of other pages, docs/pictures/*.png. A server of its own, with the demo clinic and a
 * few calls, is looked at in a browser.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { readScript } from '../dashboard/api/call-script.ts'
import { playCall } from '../dashboard/api/play-call.ts'
import { findBrowser } from './browser/find-browser.ts'
import { requestsTo } from './call.ts'

interface Picture {
  readonly name: string
  readonly path: string
  readonly look: BrowserContextOptions
  /** The user, whose password is the same; absent: `demo`. */
  readonly as?: string
}

const DESK = { viewport: { width: 1280, height: 800 } } as const
const PHONE = { viewport: { width: 375, height: 740 } } as const

/** The id of the call of examples/new-patient-call.json. */
const PLAYED = 'picture-played'

const PICTURES: readonly Picture[] = [
  { name: 'overview', path: '', look: { ...DESK, colorScheme: 'light' } },
  { name: 'patients', path: '/patients', look: { ...DESK, colorScheme: 'dark' } },
  { name: 'patient-phone', path: '/patients/abernathy-ruth', look: { ...PHONE, colorScheme: 'light' } },
  {
    name: 'call',
    path: `/calls?call=${PLAYED}`,
    look: { viewport: { width: 1280, height: 1100 }, colorScheme: 'light' },
  },
  { name: 'explorer', path: '/explorer?view=capabilities', look: { ...DESK, colorScheme: 'light' } },
]

/** The Sandbox page, when something is rehearsed. */
const REHEARSED: readonly Picture[] = [
  { name: 'sandbox-scenarios', path: '/sandbox', as: 'admin', look: { ...DESK, colorScheme: 'light' } },
  { name: 'sandbox-faults', path: '/sandbox?tab=faults', as: 'admin', look: { ...DESK, colorScheme: 'light' } },
]

const DEMO = { family: 'emr-scheduling', user: 'demo', password: 'demo' } as const

/** The callers of the day: given name, family name, reason. */
const CALLS = [
  ['Nadia', 'Okonkwo', 'The bill of March is wrong'],
  ['Tomas', 'Varga', 'A payment plan'],
  ['Imani', 'Wells', ''],
  ['Peter', 'Lund', ''],
] as const

const FOLDER = join(import.meta.dirname, '../docs/pictures')
const SERVER = join(import.meta.dirname, '../src/index.ts')
/** Milliseconds within which the server must respond. */
const PATIENCE = 60_000
/** Milliseconds for the page to draw its data. */
const SETTLE = 1_000

const found = findBrowser()
if (found === undefined) throw new Error('There is no browser; name one in CHROMIUM_PATH')
mkdirSync(FOLDER, { recursive: true })
const server = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', SERVER], {
  env: { ...process.env, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'fatal', DEMO: 'on', NODE_ENV: 'test' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = await addressOf(server)
  for (const [index, call] of CALLS.entries()) await makeCall(url, `picture-${index}`, call)
  const script = readScript(readFileSync(join(import.meta.dirname, '../examples/new-patient-call.json'), 'utf8'))
  await playCall(script, PLAYED, requestsTo({ ...DEMO, url, headers: { 'x-voice-secret': 'demo-secret' } }), () => {})
  const { executablePath, args, env } = found
  const browser = await chromium.launch({
    executablePath,
    args: [...args],
    env: { ...process.env, ...env } as Record<string, string>,
  })
  for (const picture of PICTURES) await take(browser, url, picture)
  await rehearse(url)
  for (const picture of REHEARSED) await take(browser, url, picture)
  await browser.close()
} finally {
  server.kill()
}

/** The address of the server, which prints the free port it has chosen. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let output = ''
  stdout?.on('data', (chunk) => {
    output += String(chunk)
  })
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; await sleep(50)) {
    const url = /answers at (http:\/\/\S+)/.exec(output)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`The server does not answer: ${output}`)
}

async function makeCall(
  url: string,
  id: string,
  [firstName, lastName, complaint]: (typeof CALLS)[number],
): Promise<void> {
  const tool = async (name: string, args: object): Promise<void> => {
    await fetch(`${url}/patient-journey/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-voice-secret': 'demo-secret', 'x-call-id': id },
      body: JSON.stringify({ message: { toolCalls: [{ id: name, function: { arguments: args } }] } }),
    })
  }
  const phone = `+1212555${String(1000 + id.length * 7 + firstName.length).slice(0, 4)}`
  await tool('update_registration_field', { firstName, lastName, phone, email: `${firstName}@example.com` })
  if (complaint !== '') await tool('escalate_billing', { reason: complaint })
}

/** A clock that is set, and two faults, of which one has fired. */
async function rehearse(url: string): Promise<void> {
  const sandbox = join(import.meta.dirname, 'sandbox.ts')
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [sandbox, ...args], { env: { ...process.env, SANDBOX_URL: url } })
  await run('reset', 'busy-monday')
  await run('clock', 'dst')
  await run('fault', 'slot-gone', '--when', 'type=Appointment', '--times', '1')
  await run('fault', 'throttled', '--every', '2', '--when', 'type=Location')
  const session = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'demo', password: 'demo' }),
  })
  const { token } = (await session.json()) as { token: string }
  for (let count = 0; count < 3; count += 1)
    await fetch(`${url}/Location`, { headers: { authorization: `Bearer ${token}` } })
}

async function take(browser: Browser, url: string, { name, path, look, as = 'demo' }: Picture): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...look })
  const page = await context.newPage()
  await openDashboard(page, url, as)
  await page.goto(`${url}/dashboard${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  // Streams stay open, so the network is never idle; a page marks what it still waits for as busy.
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await sleep(SETTLE)
  await page.screenshot({ path: join(FOLDER, `${name}.png`) })
  await context.close()
  console.log(`docs/pictures/${name}.png`)
}

/** Opens the dashboard, after waiting for its build where there is none yet. */
async function openDashboard(page: Page, url: string, user: string): Promise<void> {
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('User name').fill(user, { timeout: PATIENCE })
  await page.locator('input[type=password]').fill(user)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}
