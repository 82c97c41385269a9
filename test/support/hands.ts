/** A person at the dashboard, who uses the mouse alone. */
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
