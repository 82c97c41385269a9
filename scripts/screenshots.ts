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

/** The id of the call of examples/new-patient-call.json. */
const PLAYED = 'picture-played'

const PICTURES: readonly Picture[] = [
  { name: 'overview', path: '', look: { ...DESK, colorScheme: 'light' } },
  {
    name: 'call',
    path: `/calls?call=${PLAYED}`,
    look: { viewport: { width: 1280, height: 1100 }, colorScheme: 'light' },
  },
  { name: 'connect', path: '/explorer', look: { ...DESK, colorScheme: 'light' } },
  { name: 'work-list', path: '/work-list', look: { ...DESK, colorScheme: 'light' } },
]

/** The Sandbox page, when something is rehearsed. */
const REHEARSED: readonly Picture[] = [
  { name: 'sandbox-scenarios', path: '/sandbox', as: 'admin', look: { ...DESK, colorScheme: 'light' } },
  { name: 'sandbox-faults', path: '/sandbox?tab=faults', as: 'admin', look: { ...DESK, colorScheme: 'light' } },
]

/** The picture of a run, whose address has its id. */
const JUDGED = {
  name: 'run',
  as: 'admin',
  look: { viewport: { width: 1280, height: 1000 }, colorScheme: 'light' },
} as const

/** The day that has the first visits, whose date is in its address. */
const SCHEDULE = { name: 'schedule', look: { ...DESK, colorScheme: 'light' } } as const

/** The requests of the calls and of the run. */
const REQUESTS: Picture = { name: 'requests', path: '/journal', look: { ...DESK, colorScheme: 'light' } }

/** The plan of that run, as it is edited. */
const EDITED: Picture = {
  ...{ name: 'plan', path: '/plans/books-once?tab=edit', as: 'admin' },
  look: { ...DESK, colorScheme: 'light' },
}

/** A plan of which the client of the picture does one step right, one wrong, and one not yet. */
const PLAN = {
  ...{
    plan: 'books-once',
    title: 'Books once',
    version: '1.0.0',
    description: 'A client that books, also where an answer is lost',
  },
  steps: [
    {
      ...{ id: 'look', title: 'Looks for free times in a range', source: 'https://hl7.org/fhir/R4/slot.html' },
      expect: { interaction: 'search-type', type: 'Slot', query: { status: 'free', start: ['ge*', 'gt*'] } },
    },
    {
      ...{ id: 'lost', title: 'Looks what was booked, and does not book again, when the answer is lost' },
      source: 'RFC 9110, section 9.2.2 (idempotent methods)',
      do: { fault: 'lost-answer', when: { type: 'Appointment', interaction: 'create' } },
      never: { interaction: 'create', type: 'Appointment', same: 'body' },
    },
    {
      ...{
        id: 'cancels',
        title: 'Cancels by a status, and deletes nothing',
        source: 'https://hl7.org/fhir/R4/appointment.html',
      },
      expect: { type: 'Appointment', interaction: ['update', 'patch'] },
      never: { type: 'Appointment', interaction: 'delete' },
    },
    {
      ...{ id: 'told', title: 'Tells the caller the time', source: 'https://hl7.org/fhir/R4/appointment.html' },
      attest: 'The caller heard the time that was booked',
    },
  ],
}

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
  await take(browser, url, { ...SCHEDULE, path: `/schedule?day=${await bookedDay(url)}` })
  const run = await judge(url)
  await take(browser, url, REQUESTS)
  await take(browser, url, { ...JUDGED, path: `/runs/${run}` })
  await take(browser, url, EDITED, async (page) => {
    const text = page.getByRole('textbox', { name: 'The plan as JSON' })
    await text.press('Control+Home')
    for (let line = 0; line < 22; line += 1) await text.press('ArrowDown')
    await text.press('End')
    await text.press('Enter')
    await text.pressSequentially('      "')
    await text.press('Control+ ')
  })
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
    const url = /runs at (http:\/\/\S+)/.exec(output)?.[1]
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
  const token = await tokenOf(url, 'demo')
  for (let count = 0; count < 3; count += 1)
    await fetch(`${url}/Location`, { headers: { authorization: `Bearer ${token}` } })
}

/** @param user whose password is the same */
async function tokenOf(url: string, user: string): Promise<string> {
  const session = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: user, password: user }),
  })
  return ((await session.json()) as { token: string }).token
}

/** The date of the next visit, `2026-11-24`. */
async function bookedDay(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${await tokenOf(url, 'demo')}` }
  const found = await fetch(`${url}/Appointment?status=booked&_sort=date&_count=1`, { headers })
  const { entry } = (await found.json()) as { entry: { resource: { start: string } }[] }
  return entry[0]?.resource.start.slice(0, 10) ?? ''
}

/** A run whose client books a second time where the first answer is lost. @returns its id */
async function judge(url: string): Promise<string> {
  const admin = await tokenOf(url, 'admin')
  const ask = async (token: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
  await ask(admin, 'PUT', '/clinics/demo-clinic/plans/books-once', PLAN)
  const started = await ask(admin, 'POST', '/clinics/demo-clinic/runs', { plan: PLAN.plan, clientName: 'My scheduler' })
  const { run, token } = (await started.json()) as { run: string; token: string }
  const found = await ask(token, 'GET', `/Slot?status=free&start=ge${new Date().toISOString()}&_count=1`)
  const { entry } = (await found.json()) as { entry: { resource: { id: string; start: string; end: string } }[] }
  const { id, start, end } = entry[0]?.resource ?? {}
  const visit = {
    ...{ resourceType: 'Appointment', status: 'booked', start, end, slot: [{ reference: `Slot/${id}` }] },
    participant: [{ status: 'accepted', actor: { reference: 'Patient/abernathy-ruth' } }],
  }
  // The answer of the first is lost.
  await ask(token, 'POST', '/Appointment', visit).catch(() => undefined)
  await ask(token, 'POST', '/Appointment', visit)
  return run
}

async function take(
  browser: Browser,
  url: string,
  { name, path, look, as = 'demo' }: Picture,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...look })
  const page = await context.newPage()
  await openDashboard(page, url, as)
  await page.goto(`${url}/dashboard${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  // Streams stay open, so the network is never idle; a page marks what it still waits for as busy.
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await prepare(page)
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
