/**
 * Nothing on a page moves while its data come in (https://web.dev/articles/cls), however late each of them is: what is
 * loaded stands where its place was kept.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page, Route, ViewportSize } from 'playwright-core'
import { type Dashboard, isAsked, signIn, startDashboard, WINDOW } from '../../support/dashboard.ts'
import { fillClinic, PAGES } from '../../support/dashboard-pages.ts'
import { pageAddresses } from '../../support/page-addresses.ts'
import { until } from '../../support/server-process.ts'
import { logInAs, PASSWORD } from '../../support/two-clinics.ts'

const WINDOWS = { desk: WINDOW, phone: { width: 390, height: 844 } }

/** Milliseconds by which responses are late, so that placeholders are seen, and the order of the responses varies. */
const LATE = [100, 250, 400]

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

/** Requests that have no response yet. */
let open = 0

/** Lets each response wait for a time that depends on its address alone. */
async function late(route: Route): Promise<void> {
  const url = route.request().url()
  if (url.includes('/live')) return route.continue()
  open += 1
  const sum = [...url].reduce((all, letter) => all + letter.charCodeAt(0), 0)
  await new Promise((resolve) => setTimeout(resolve, LATE[sum % LATE.length]))
  await route.continue().catch(() => undefined)
  await route
    .request()
    .response()
    .catch(() => undefined)
  open -= 1
}

/** A window that notes what moves in it, and gets all responses late. */
async function openLate(viewport: ViewportSize): Promise<Page> {
  return watched(await dashboard.signedIn('', { as: 'admin', viewport }))
}

async function watched(page: Page): Promise<Page> {
  await page.addInitScript(() => {
    const shifts: string[] = []
    Object.assign(window, { shifts })
    const nameOf = (node: Node | null) =>
      node instanceof Element ? `${node.tagName}.${node.className} "${node.textContent?.slice(0, 40)}"` : node?.nodeName
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as Shift[])
        for (const { node, previousRect, currentRect } of entry.sources)
          shifts.push(
            `${entry.value.toFixed(4)} ${nameOf(node)} from ${JSON.stringify(previousRect)} to ${JSON.stringify(currentRect)}`,
          )
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.route(isAsked, late)
  return page
}

/** https://wicg.github.io/layout-instability/#sec-layout-shift */
interface Shift {
  readonly value: number
  readonly sources: readonly {
    readonly node: Node | null
    readonly previousRect: DOMRect
    readonly currentRect: DOMRect
  }[]
}

/** @returns what has moved until the page is complete */
async function shiftsOf(page: Page, path: string): Promise<readonly string[]> {
  await page.goto(`${dashboard.server.url}/dashboard${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const isComplete = async () =>
    open === 0 && (await page.evaluate(() => document.querySelector('[aria-busy="true"]') === null))
  // Responses lead to further requests.
  await until(async () => {
    if (!(await isComplete())) return false
    await page.evaluate(() => new Promise((drawn) => requestIdleCallback(drawn)))
    return await isComplete()
  })
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  return page.evaluate(() => (window as unknown as { readonly shifts: readonly string[] }).shifts)
}

/** Whether it is the first view of a page that is there without anything that fills the clinic. */
const isAlways = (path: string): boolean => !/RUN|APPOINTMENT|REFUSED|access|looked-at|\?(?!view)/.test(path)

describe('a clinic in which nothing has happened yet', () => {
  let page: Page
  beforeAll(async () => {
    page = await openLate(WINDOW)
  })
  afterAll(() => page?.context().close())

  test.each(Object.entries(PAGES).filter(([, path]) => isAlways(path)))('nothing moves on %s', async (_name, path) => {
    expect(await shiftsOf(page, path)).toEqual([])
  })
})

describe('a clinic with something on each page', () => {
  let filledIn: Awaited<ReturnType<typeof fillClinic>>
  beforeAll(async () => {
    filledIn = await fillClinic(dashboard.server)
  })

  describe.each(Object.entries(WINDOWS))('in the window of a %s', (_window, viewport) => {
    let page: Page
    beforeAll(async () => {
      page = await openLate(viewport)
    })
    afterAll(() => page?.context().close())

    test.each(Object.entries(PAGES))('nothing moves on %s', async (_name, path) => {
      expect(await shiftsOf(page, filledIn(path))).toEqual([])
    })
  })

  test('each page of the dashboard is among them', () => {
    const visited = Object.values(PAGES).map((path) => filledIn(path).split('?')[0])
    const isVisited = (address: string) =>
      visited.some((path) => new RegExp(`^${address.replace(/\$\w+/g, '[^/]+')}$`).test(path ?? ''))
    // Operators alone have the list of clinics.
    expect(pageAddresses.filter((address) => !isVisited(address))).toEqual(['/clinics'])
  })
})

test('nothing moves on the list of clinics either', async () => {
  await logInAs(dashboard.server, { username: 'otto', clinic: '', role: 'operator' })
  const page = await dashboard.open()
  await signIn(page, 'otto', PASSWORD)
  expect(await shiftsOf(await watched(page), '/clinics')).toEqual([])
})
