/** The dashboard in a real browser: built, served by the real app, and signed in to. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { findBrowser } from '../../scripts/browser/find-browser.ts'
import { closeLater } from './opened-stores.ts'
import { startServer, type TestServer } from './server.ts'

/** Windows that a test opens are closed after it, as every open window follows changes. */
export interface Windows {
  /** A window without a session. */
  readonly open: (path?: string, options?: BrowserContextOptions) => Promise<Page>
  /** A window with a signed-in user. */
  readonly signedIn: (path?: string, options?: BrowserContextOptions & { readonly as?: string }) => Promise<Page>
  /** Complaints of the browser: script errors, and violations of the Content-Security-Policy. */
  readonly complaints: readonly string[]
  readonly close: () => Promise<void>
}

export interface Dashboard extends Windows {
  readonly server: TestServer
}

/** The size of a window, unless the test asks for another. */
export const WINDOW = { width: 1280, height: 800 }

/** Milliseconds for anything that a test waits for. */
const PATIENCE = 30_000

const SCRIPT = join(import.meta.dirname, '../../scripts/dashboard.ts')
/** The console message of browsers for each failed response; pages expect some of these. */
const FAILED_ANSWER = /^Failed to load resource/

/** @throws Error where there is no browser, or the dashboard cannot be built */
export async function startDashboard(
  env: Record<string, string> = {},
  parts: Parameters<typeof startServer>[1] = {},
): Promise<Dashboard> {
  buildDashboard()
  const server = await startServer(env, parts)
  const windows = await openBrowser(() => server.url)
  const close = async () => {
    await windows.close()
    await server.close()
  }
  return { ...windows, server, close }
}

/** @throws Error where it cannot be built */
export function buildDashboard(): void {
  const built = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', SCRIPT], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`The dashboard cannot be built: ${built.stderr}`)
}

/**
 * @param url of the server whose dashboard is opened
 * @throws Error where there is no browser
 */
export async function openBrowser(url: () => string): Promise<Windows> {
  const found = findBrowser()
  if (found === undefined) throw new Error('There is no browser; name one in CHROMIUM_PATH')
  const { executablePath, args } = found
  const browser = await chromium.launch({ executablePath, args: [...args], env: { ...environment(), ...found.env } })
  const complaints: string[] = []
  const newWindow = (options: BrowserContextOptions) => openWindow(browser, options, complaints)
  return {
    complaints,
    open: async (path = '', options = {}) => {
      const page = await newWindow(options)
      await page.goto(`${url()}/dashboard${path}`)
      return page
    },
    signedIn: async (path = '', { as = 'demo', ...options } = {}) => {
      const page = await newWindow(options)
      await keepSession(page.context(), url(), as)
      await page.goto(`${url()}/dashboard${path}`)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
      return page
    },
    close: () => browser.close(),
  }
}

/** The cookie of somebody who has signed in, so that pages begin with their session. Passwords are those of the demo. */
async function keepSession(context: BrowserContext, url: string, username: string): Promise<void> {
  const data = { username, password: username, renewable: true }
  const answer = await context.request.post(`${url}/session`, { data })
  if (answer.status() !== 200) throw new Error(`${username} could not sign in: ${await answer.text()}`)
}

export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password', { exact: false }).first().fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}

/** The filters in the address of the page. */
export const filtersIn = (page: Page): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(page.url()).searchParams)

/** Saves what the page shows as a file. @param format begins its name in the list of files */
export async function exported(
  page: Page,
  format: string,
): Promise<{ readonly fileName: string; readonly text: string }> {
  await page.getByRole('button', { name: 'Export' }).click()
  const saved = page.waitForEvent('download')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${format}:`) })
    .click()
  const file = await saved
  return { fileName: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

/** The violations that axe finds on the page (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md). */
export async function findingsOf(page: Page): Promise<readonly string[]> {
  // Colours that are still changing have other contrasts than they are going to have.
  await page.waitForFunction(() =>
    document.getAnimations().every((one) => {
      // A transition within a folded part never ends, as it is not drawn.
      const { target } = (one.effect ?? {}) as Partial<KeyframeEffect>
      return !(one instanceof CSSTransition) || target?.checkVisibility() !== true
    }),
  )
  // The page has no frames of other sites, for which axe would need a second page. Nothing else is looked at but violations.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

/** The violations in the light and in the dark scheme, in which the page stays. */
export async function findingsInBothSchemes(page: Page): Promise<readonly string[]> {
  const findings: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The page follows the browser by a script.
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    findings.push(...(await findingsOf(page)))
  }
  return findings
}

/** Requests other than those for the page itself, for `page.route`. */
export const isAsked = (url: URL): boolean => !url.pathname.startsWith('/dashboard')

/** A button of the notices over the page; the page itself may have one of the same name, such as `Try again`. */
export const inNotice = (page: Page, name: string): Locator =>
  page.locator('.mantine-Notification-root').getByRole('button', { name, exact: true })

/** Whether nothing is cut off sideways, and nothing scrolls sideways. */
export const fitsItsWidth = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

/** Leftovers of code that the page shows, such as "undefined", errors, and empty badges; none where all is well. */
export async function leftoversOf(page: Page): Promise<readonly string[]> {
  const leftovers = (await wordsOf(page)).filter((text) => /undefined|invalid date|\bnan\b|\[object/i.test(text))
  const alerts = await page.getByRole('alert').allTextContents()
  const badges = await page.locator('.mantine-Badge-label').allTextContents()
  return [...leftovers, ...alerts, ...badges.filter((text) => text.trim() === '').map(() => 'an empty badge')]
}

/** All text of a page, including tooltips and labels for screen readers. */
const wordsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => [
    document.body.innerText,
    ...[...document.querySelectorAll('*')].flatMap((element) =>
      ['title', 'aria-label', 'datetime'].flatMap((name) => element.getAttribute(name) ?? []),
    ),
  ])

async function openWindow(browser: Browser, options: BrowserContextOptions, complaints: string[]): Promise<Page> {
  // A zone that is far from that of the clinic.
  const context: BrowserContext = await browser.newContext({
    viewport: WINDOW,
    timezoneId: 'Asia/Tokyo',
    locale: 'de-DE',
    reducedMotion: 'reduce',
    ...options,
  })
  closeLater(context)
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !FAILED_ANSWER.test(message.text())) complaints.push(message.text())
  })
  return page
}

const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
