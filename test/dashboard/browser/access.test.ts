/** Accessibility of every page: with screen readers, by keyboard, in light and dark, on a phone. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard, WINDOW } from '../../support/dashboard.ts'
import { fillClinic, PAGES } from '../../support/dashboard-pages.ts'

interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
}

const LOOKS: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 375, height: 740 } },
}

/** The folder of the pictures, for people to look at, as no check sees overlaps. */
const PICTURES = join(import.meta.dirname, '../../../coverage/dashboard')

let dashboard: Dashboard
let filledIn: Awaited<ReturnType<typeof fillClinic>>
beforeAll(async () => {
  dashboard = await startDashboard()
  mkdirSync(PICTURES, { recursive: true })
  filledIn = await fillClinic(dashboard.server)
})
afterAll(() => dashboard?.close())

describe('the pages', () => {
  let page: Page
  beforeAll(async () => {
    page = await dashboard.signedIn('', { as: 'admin' })
  })
  afterAll(() => page?.context().close())

  test.each(Object.entries(PAGES))(
    '%s has no finding of axe and scrolls to no side in any look',
    async (name, path) => {
      await page.goto(`${dashboard.server.url}/dashboard${filledIn(path)}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectAccess(page, name)
    },
  )
})

/** Dialogs: the page of each, and the buttons that open it. */
const DIALOGS: Readonly<Record<string, readonly [path: string, ...buttons: string[]]>> = {
  'edit a patient': ['/patients/abernathy-ruth', 'Edit'],
  merge: ['/patients?tab=duplicates', 'Compare and merge'],
  book: ['/schedule?view=list&day=SLOT', 'Book ', 'Show free times'],
  task: ['/work-list?task=looked-at', 'Complete…'],
  reset: ['/sandbox', 'Reset to '],
  fault: ['/sandbox?tab=faults', 'Set throttled…'],
  'finish a run': ['/runs/RUN', 'Finish…'],
  'share a run': ['/runs/RUN', 'Share…'],
  palette: ['/', 'Search'],
  'account menu': ['/', 'Account and look'],
  'account of a user': ['/settings?tab=accounts', 'Change…'],
  'report of a run': ['/runs/RUN', 'Report'],
  'new patient': ['/patients', 'New patient'],
  'a visit': ['/schedule?view=list&day=VISIT', 'Booked'],
  'move a visit': ['/schedule?view=list&day=VISIT', 'Booked', 'Move…'],
  'cancel a visit': ['/schedule?view=list&day=VISIT', 'Booked', 'Cancel the visit…'],
  'block time': ['/schedule?view=list&day=SLOT', 'Block time…'],
  'snooze a task': ['/work-list?task=looked-at', 'Snooze…'],
  'export of requests': ['/journal', 'Export'],
  'requests of the browser': ['/explorer?view=console', 'History and saved'],
  'new password': ['/', 'Account and look', 'Change password…'],
  help: ['/patients', 'Help'],
  'new Subscription': ['/events', 'New Subscription…'],
  'new export': ['/exports', 'New export…'],
}

test.each(Object.entries(DIALOGS))(
  'the dialog %s has no finding of axe either, and fits',
  async (name, [path, ...buttons]) => {
    const page = await dashboard.signedIn(filledIn(path), { as: 'admin' })
    for (const button of buttons) await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').first().waitFor()
    await expectAccess(page, `dialog-${name.replaceAll(' ', '-')}`)
  },
)

test('the sign-in page has no finding of axe either, and fits', async () => {
  const page = await dashboard.open()
  await page.getByLabel('User name').waitFor()
  await expectAccess(page, 'sign-in')
})

/** @param name of the page in its pictures */
async function expectAccess(page: Page, name: string): Promise<void> {
  for (const [look, { colorScheme, viewport = WINDOW }] of Object.entries(LOOKS)) {
    // As when the user turns on the dark theme, and turns the window into a narrow one.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(viewport)
    const isShown = (scheme: string) => document.documentElement.dataset.mantineColorScheme === scheme
    await page.waitForFunction(isShown, colorScheme)
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    expect([look, await findingsOf(page)]).toEqual([look, []])
    expect([look, await fitsItsWidth(page)]).toEqual([look, true])
    await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`) })
  }
}
