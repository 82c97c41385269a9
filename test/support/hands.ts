/** A person at the dashboard, who uses the mouse alone or the keyboard alone. */
import type { Locator, Page } from 'playwright-core'

export interface Hands {
  /** Activates a button, a link, a tab or a radio button. */
  readonly press: (target: Locator) => Promise<void>
  readonly write: (field: Locator, text: string) => Promise<void>
  /** Chooses one of the entries that an open list offers below the field with the focus. */
  readonly choose: (entry: Locator) => Promise<void>
  readonly openPalette: () => Promise<void>
  /** Drags one thing to another, where there is a mouse. */
  readonly drag?: (target: Locator, goal: Locator) => Promise<void>
}

/** Text comes in without keys, as by pasting. */
export const mouse = (page: Page): Hands => ({
  press: (target) => clickOn(target),
  write: async (field, text) => {
    await field.click()
    await field.fill(text)
  },
  choose: (entry) => entry.click(),
  openPalette: () => page.getByRole('button', { name: /^Search/ }).click(),
  drag: (target, goal) => target.dragTo(goal),
})

/** Radio buttons are hidden, and their labels are seen. */
async function clickOn(target: Locator): Promise<void> {
  const label = target.locator('xpath=self::input/following-sibling::label')
  await target.waitFor({ state: 'attached' })
  await ((await label.count()) > 0 ? label : target).click()
}

export const keyboard = (page: Page): Hands => ({
  press: async (target) => {
    await reach(page, target)
    const isRadio = await target.evaluate((element) => element.matches('[type=radio]'))
    await page.keyboard.press(isRadio ? 'Space' : 'Enter')
  },
  write: async (field, text) => {
    await reach(page, field)
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
  },
  choose: async (entry) => {
    await entry.waitFor()
    await pressUntil(page, async () => ((await entry.evaluate(isSelected)) ? undefined : 'ArrowDown'))
    await page.keyboard.press('Enter')
  },
  openPalette: () => page.keyboard.press('Control+k'),
})

/** Moves the focus to the target, by Tab and, within a calendar and among radio buttons, by the arrow keys. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' })
  await pressUntil(page, () => target.evaluate(keyTowards))
}

/** As many keys as people would never press. */
const MOST_KEYS = 150

/** @param next gives the key to press; undefined: nothing is left to do */
async function pressUntil(page: Page, next: () => Promise<string | undefined>): Promise<void> {
  for (let presses = 0; presses < MOST_KEYS; presses += 1) {
    const key = await next()
    if (key === undefined) return
    await page.keyboard.press(key)
  }
  const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))
  throw new Error(`The keyboard does not lead there: the focus is on ${focused}`)
}

/** Runs in the browser. */
const isSelected = (element: Element): boolean =>
  element.matches('[data-combobox-selected], [data-selected], [aria-selected="true"]')

/** Runs in the browser. @returns the key that brings the focus nearer to the element; undefined: it is there */
function keyTowards(element: Element): string | undefined {
  const focused = document.activeElement
  if (focused === element) return undefined
  const name = element.getAttribute('name')
  if (element.matches('[type=radio]') && focused?.getAttribute('name') === name) return 'ArrowRight'
  if (!(element instanceof HTMLElement && focused instanceof HTMLElement)) return 'Tab'
  const { dataset: goal } = element
  const { dataset: here } = focused
  // Within the calendar one of its buttons is a stop of the Tab key.
  if (goal.from === undefined || here.from === undefined) return 'Tab'
  const aside = Number(goal.column) - Number(here.column)
  if (aside !== 0) return aside > 0 ? 'ArrowRight' : 'ArrowLeft'
  return Number(goal.from) > Number(here.from) ? 'ArrowDown' : 'ArrowUp'
}
