/** Choosing from lists: what is marked is what is taken, also while the list changes; open lists are accessible. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Slot } from 'fhir/r4'
import type { Locator, Page } from 'playwright-core'
import { clockText } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, findingsInBothSchemes, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'
import { freeDay, OKAFOR, ZONE } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'

/** Milliseconds for one step, so that what goes wrong ends soon. */
const STEP = 10_000

let dashboard: Dashboard
let day: string
/** Free Slots, each for one dialog: a window that is closed leaves its hold to the server. */
let free: Slot[]

beforeAll(async () => {
  dashboard = await startDashboard()
  const found = await freeDay(fhir)
  day = found.day
  free = [...found.slots]
  for (const given of ['Anna', 'Berta', 'Carla']) await register(given)
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)
const register = (given: string) =>
  put(fhir, { resourceType: 'Patient', id: `zimt-${given.toLowerCase()}`, name: [{ family: 'Zimt', given: [given] }] })

const fieldOf = (page: Page): Locator => page.getByRole('dialog').getByRole('combobox', { name: 'Patient' })
const option = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('listbox').getByRole('option', { name }).first()
const press = async (page: Page, key: string, times = 1): Promise<void> => {
  for (let time = 0; time < times; time += 1) await page.keyboard.press(key)
}

async function open(path: string, width = 1024): Promise<Page> {
  const page = await dashboard.signedIn(path, { viewport: { width, height: 844 } })
  page.setDefaultTimeout(STEP)
  return page
}

async function openBooking(width?: number): Promise<Page> {
  const page = await open(`/schedule?day=${day}&view=list&who=${OKAFOR}`, width)
  await page.getByRole('button', { name: `Book ${clockText(free.shift()?.start ?? '', ZONE)}` }).click()
  await page.getByText('The time is kept for you').waitFor()
  await fieldOf(page).fill('zimt')
  await option(page, 'Carla Zimt').waitFor()
  return page
}

/** Holds back the search for a text. @returns a function that lets its response through */
async function holdBack(page: Page, text: string): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await page.route(/\/Patient\?/, async (route) => {
    if (decodeURIComponent(route.request().url()).replaceAll('+', ' ').includes(text)) await gate.promise
    await route.continue()
  })
  return gate.resolve
}

describe('the patient of a booking', () => {
  test('is the one that is marked, also where somebody is registered meanwhile who stands before them', async () => {
    const page = await openBooking()
    await press(page, 'ArrowDown', 3)
    await register('Aaron')
    await option(page, 'Aaron Zimt').waitFor()
    await press(page, 'Enter')
    expect(await fieldOf(page).inputValue()).toBe('Carla Zimt')
  })

  test('is the one that is marked, also where the list of what was typed last comes only then', async () => {
    const page = await openBooking()
    const letThrough = await holdBack(page, 'carl')
    await fieldOf(page).pressSequentially(' carl')
    const names = await page.getByRole('listbox').getByRole('option').allInnerTexts()
    await press(page, 'ArrowDown', names.findIndex((name) => name.startsWith('Carla')) + 1)
    letThrough()
    await option(page, 'Anna Zimt').waitFor({ state: 'detached' })
    await press(page, 'Enter')
    expect(await fieldOf(page).inputValue()).toBe('Carla Zimt')
  })

  test('is nobody where the one that was marked is in the list no more, and Enter sends nothing', async () => {
    const page = await openBooking()
    const letThrough = await holdBack(page, 'carl')
    await fieldOf(page).pressSequentially(' carl')
    await press(page, 'ArrowDown')
    letThrough()
    await option(page, 'Anna Zimt').waitFor({ state: 'detached' })
    await press(page, 'Enter')
    expect(await fieldOf(page).inputValue()).toBe('zimt carl')
    expect(await page.getByRole('alert').count()).toBe(0)
    await press(page, 'ArrowDown')
    await press(page, 'Enter')
    expect(await fieldOf(page).inputValue()).toBe('Carla Zimt')
  })

  test('is nobody any more when the text is changed', async () => {
    const page = await openBooking()
    await option(page, 'Anna Zimt').click()
    await fieldOf(page).press('x')
    await page.getByRole('button', { name: 'Book', exact: true }).click()
    await page.getByText('Choose a patient: type a part of the name').waitFor()
  })

  test('is left open by Escape, which closes the list and then the dialog', async () => {
    const page = await openBooking()
    await press(page, 'Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    expect(await fieldOf(page).inputValue()).toBe('zimt')
    await press(page, 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

/** Each opens a list. */
const LISTS: Readonly<Record<string, () => Promise<Page>>> = {
  'the patients of a booking': async () => {
    const page = await openBooking()
    await press(page, 'ArrowDown')
    return page
  },
  'the patients of a booking on a telephone': async () => {
    const page = await openBooking(390)
    await press(page, 'ArrowDown')
    return page
  },
  'the practitioners of a day': async () => {
    const page = await open(`/schedule?day=${day}`)
    await page.getByRole('button', { name: 'All practitioners' }).click()
    await page.getByRole('group', { name: 'Practitioners' }).waitFor()
    return page
  },
  'the practitioner of a week': async () => {
    const page = await open(`/schedule?day=${day}&view=week&who=${OKAFOR}`)
    await page
      .getByRole('button', { name: /^Dr. Amara Okafor/ })
      .first()
      .click()
    await page.getByRole('radiogroup', { name: 'Practitioner' }).waitFor()
    return page
  },
  'the codes of an element': async () => {
    const page = await open('/explorer?view=resources&type=Patient&id=zimt-anna')
    await page.getByLabel('Add an element', { exact: true }).selectOption('maritalStatus')
    await page.getByRole('combobox', { name: 'Code, where one fits' }).fill('Marr')
    await option(page, 'Married (M)').waitFor()
    return page
  },
  'the targets of a reference': async () => {
    const page = await open('/explorer?view=resources&type=Patient&id=zimt-anna')
    await page.getByLabel('Add an element', { exact: true }).selectOption('generalPractitioner')
    await page.getByRole('combobox', { name: /^Refers to Organization/ }).fill('Okafor')
    await option(page, /Okafor/).waitFor()
    return page
  },
  'a list in the settings': async () => {
    const page = await open('/settings')
    await page.getByRole('combobox', { name: 'Numbers that callers dial' }).click()
    return page
  },
}

test.each(Object.entries(LISTS))(
  '%s: the open list is accessible in light and dark, and fits',
  async (_name, opened) => {
    const page = await opened()
    expect(await findingsInBothSchemes(page)).toEqual([])
    expect(await fitsItsWidth(page)).toBe(true)
  },
)

test('practitioners are chosen by the keyboard alone, and the address has them', async () => {
  const page = await open(`/schedule?day=${day}`)
  await page.getByRole('button', { name: 'All practitioners' }).focus()
  await press(page, 'Enter')
  const lindqvist = page.getByRole('checkbox', { name: /Lindqvist/ })
  await lindqvist.focus()
  await press(page, 'Space')
  await page.getByRole('group', { name: /Okafor/ }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('who')).toBe('schedule-lindqvist')
  await press(page, 'Escape')
  const chosen = page.getByRole('button', { name: /Lindqvist/ }).first()
  expect(await chosen.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('the controls of blocked time, of free times and of the work list have labels that are seen', async () => {
  const page = await open(`/schedule?day=${day}&block=${OKAFOR}`)
  await page.getByRole('dialog').getByText('Practitioner', { exact: true }).waitFor()
  expect(await page.getByLabel('Practitioner').inputValue()).toBe(OKAFOR)
  await page.goto(`${dashboard.server.url}/dashboard/work-list`)
  for (const label of ['Owner', 'Priority', 'Due', 'Kind', 'Snoozed', 'Order'])
    await page.locator('label').getByText(label, { exact: true }).waitFor()
})
