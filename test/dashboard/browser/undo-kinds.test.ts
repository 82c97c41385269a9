/**
 * Each kind of Undo: it waits while the server is away, and brings back what was; and a newer change of the same thing takes
 * it away.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Appointment, Patient, Schedule, Slot, Task } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { availabilityOf, noHours, withAvailability } from '../../../dashboard/fhir/availability.ts'
import { clockText, wallTime } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, inNotice, isAsked, startDashboard } from '../../support/dashboard.ts'
import { freeDay, OKAFOR, setClock, visitIn, ZONE } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'
import { request } from '../../support/request.ts'
import { until } from '../../support/server-process.ts'
import { PASSWORD } from '../../support/two-clinics.ts'

let dashboard: Dashboard
let day = ''
let slots: readonly Slot[] = []
let admin: Record<string, string> = {}
beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 10 })
  const token = await dashboard.server.login('admin', 'admin')
  admin = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  ;({ day, slots } = await freeDay(fhir))
  expect((await asAdmin('POST', '/accounts', { username: 'sam', role: 'staff', password: PASSWORD })).status).toBe(201)
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)
const asAdmin = (method: string, path: string, body?: unknown) =>
  request(dashboard.server.url, method, path, body, admin)
const read = async <T>(path: string): Promise<T> => (await fhir('GET', path)).body

let number = 0
/** Part of the ids of what a test makes. */
let own = ''
/** Slots that no other test has: a visit of Samuel Goldberg is in the first. */
let first: Slot
let second: Slot
beforeEach(async () => {
  number += 1
  own = `own-${number}`
})

async function takeSlots(): Promise<void> {
  ;[first, second, ...slots] = slots as [Slot, Slot, ...Slot[]]
  await put(fhir, visitIn(first, 'goldberg-samuel', { id: own }))
}

async function newTask(): Promise<void> {
  await put(fhir, { resourceType: 'Task', id: own, status: 'requested', intent: 'order', description: `Task ${own}` })
}

async function newPair(): Promise<void> {
  const person = {
    resourceType: 'Patient',
    birthDate: `19${50 + number}-05-05`,
    name: [{ family: `Undone${letters()}` }],
  }
  await put(fhir, { ...person, id: `kept-${own}` })
  await put(fhir, { ...person, id: `replaced-${own}` })
}

/** A name has no digits. */
const letters = (): string => String(number).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))

const task = async () => {
  const { status, owner, restriction } = await read<Task>(`/Task/${own}`)
  return { status, owner, restriction }
}
/** The slots of the visits that are booked in one of the two. */
const visits = async () => {
  const { body } = await fhir('GET', `/Appointment?slot=Slot/${first.id},Slot/${second.id}&status=booked&_count=50`)
  return (body.entry ?? []).map(({ resource }: { resource: Appointment }) => resource.slot?.[0]?.reference).toSorted()
}
const account = async () => (await asAdmin('GET', '/accounts/sam')).body
const absences = async () => availabilityOf(await read<Schedule>(`/Schedule/${OKAFOR}`))?.absences

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const openVisit = (page: Page, slot: Slot) =>
  page.getByRole('button', { name: new RegExp(`^${clockText(slot.start, ZONE)}.*Samuel Goldberg`) }).click()
const change = async (page: Page, action: string) => {
  await page.getByRole('row').filter({ hasText: 'sam' }).getByRole('button', { name: 'Change…' }).click()
  await button(page, action).click()
}
const cancel = async (page: Page, slot: Slot) => {
  await openVisit(page, slot)
  await inDialog(page, 'Cancel the visit…').click()
  await inDialog(page, 'Cancel the visit').click()
}
const move = async (page: Page) => {
  await openVisit(page, first)
  await inDialog(page, 'Move…').click()
  const times = page.getByRole('dialog').getByRole('group', { name: 'Free times' })
  await times.getByText(clockText(second.start, ZONE), { exact: true }).first().click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Move to / })
    .click()
}
const block = async (page: Page) => {
  await button(page, 'Block time…').click()
  await page.getByRole('dialog').getByLabel('Reason').fill(`Away ${own}`)
  await inDialog(page, 'Block the time').click()
}
const takeTimeBack = async (page: Page) => {
  await page.getByRole('button', { name: new RegExp(`^Away ${own}`) }).click()
  await inDialog(page, 'Take it back').click()
}
const select = (page: Page) =>
  page
    .getByRole('listitem')
    .filter({ hasText: `Task ${own}` })
    .getByRole('checkbox')
    .check()

interface Kind {
  readonly as?: string
  /** Stores what is acted on. */
  readonly before?: () => Promise<void>
  readonly path: () => string
  readonly act: (page: Page) => Promise<unknown>
  /** The sentence beside Undo. */
  readonly said: string | RegExp
  /** The stored values that the action changes. */
  readonly state: () => Promise<unknown>
  /** A newer change of the same thing on the same page; absent: the page offers none. */
  readonly newer?: (page: Page) => Promise<unknown>
}

const list = () => `/schedule?day=${day}&view=list&who=${OKAFOR}`
const grid = () => `/schedule?day=${day}&view=day&who=${OKAFOR}`
const ofTask = {
  before: newTask,
  path: () => `/work-list?task=${own}`,
  state: task,
}
const ofAccount = { as: 'admin', path: () => '/settings?tab=accounts', state: account }

const KINDS: Readonly<Record<string, Kind>> = {
  'a booking': {
    before: takeSlots,
    path: list,
    act: async (page) => {
      await button(page, `Book ${clockText(second.start, ZONE)}`).click()
      await page.getByRole('dialog').getByLabel('Patient').fill('aber ru')
      await page.getByRole('option', { name: 'Ruth Abernathy' }).click()
      await inDialog(page, 'Book').click()
    },
    said: 'Ruth Abernathy is booked on',
    state: visits,
  },
  'a move': {
    before: takeSlots,
    path: list,
    act: move,
    said: 'Samuel Goldberg is moved to',
    state: visits,
    newer: (page) => cancel(page, second),
  },
  'a cancellation': {
    before: takeSlots,
    path: list,
    act: (page) => cancel(page, first),
    said: 'The visit of Samuel Goldberg is cancelled.',
    state: visits,
  },
  'blocked time': {
    path: grid,
    act: block,
    said: 'The time is blocked.',
    state: absences,
    newer: takeTimeBack,
  },
  'blocked time that is taken back': {
    before: async () => {
      const schedule = await read<Schedule>(`/Schedule/${OKAFOR}`)
      const hours = availabilityOf(schedule) ?? noHours
      const [start, end] = [wallTime(`${day}T16:00:00`, ZONE), wallTime(`${day}T17:00:00`, ZONE)]
      const absences = [...hours.absences, { start, end, description: `Away ${own}` }]
      await put(fhir, withAvailability(schedule, { ...hours, absences }).schedule)
    },
    path: grid,
    act: takeTimeBack,
    said: /is taken back/,
    state: absences,
  },
  'a claim': {
    ...ofTask,
    act: (page) => button(page, 'Claim').click(),
    said: 'The task is yours.',
    newer: (page) => button(page, 'Give back').click(),
  },
  'a task that is given back': {
    ...ofTask,
    before: async () => {
      await newTask()
      expect((await fhir('POST', `/Task/${own}/$claim`)).status).toBe(200)
    },
    act: (page) => button(page, 'Give back').click(),
    said: 'The task is given back.',
    newer: (page) => button(page, 'Claim').click(),
  },
  'an assignment': {
    ...ofTask,
    act: async (page) => {
      await button(page, 'Assign to…').click()
      await button(page, 'Demo Admin').click()
    },
    said: 'The task is assigned to Demo Admin.',
    newer: async (page) => {
      await button(page, 'Snooze…').click()
      await button(page, /^For an hour/).click()
    },
  },
  'a snooze': {
    ...ofTask,
    act: async (page) => {
      await button(page, 'Snooze…').click()
      await button(page, /^For an hour/).click()
    },
    said: 'The task is snoozed until',
    newer: (page) => button(page, 'Claim').click(),
  },
  'the completion of a task': {
    ...ofTask,
    act: async (page) => {
      await button(page, 'Complete…').click()
      await button(page, 'Complete').click()
    },
    said: 'The task is completed.',
  },
  'the claim of several tasks': {
    ...ofTask,
    path: () => '/work-list',
    act: async (page) => {
      await select(page)
      await button(page, 'Claim them').click()
    },
    said: '1 task is yours.',
    newer: async (page) => {
      await select(page)
      await button(page, 'Complete as done').click()
    },
  },
  'a new patient': {
    path: () => '/patients?dialog=new',
    act: async (page) => {
      await page.getByRole('dialog').getByLabel('Family name').fill(`Newly${letters()}`)
      await inDialog(page, 'Create').click()
    },
    said: 'is registered.',
    state: async () => (await fhir('GET', `/Patient?family=Newly${letters()}&_summary=count`)).body.total,
    newer: async (page) => {
      await button(page, 'Edit').click()
      await page.getByRole('dialog').getByLabel('City').fill('Troy')
      await inDialog(page, 'Save').click()
    },
  },
  'a merge': {
    before: newPair,
    path: () => `/patients/kept-${own}?tab=duplicates`,
    act: async (page) => {
      await button(page, 'Compare and merge').first().click()
      await inDialog(page, 'Merge').click()
    },
    said: 'The records are merged.',
    state: async () => (await read<Patient>(`/Patient/replaced-${own}`)).active,
    newer: (page) => button(page, 'Take back the merge').click(),
  },
  'the sandbox switch': {
    as: 'admin',
    path: () => '/settings',
    act: (page) => page.getByRole('switch', { name: 'Sandbox is on' }).click({ force: true }),
    said: 'The sandbox is off.',
    state: async () => (await fhir('GET', '/clinics/demo-clinic/sandbox')).body.enabled,
    newer: (page) => page.getByRole('switch', { name: 'Sandbox is off' }).click({ force: true }),
  },
  'the name of an account': {
    ...ofAccount,
    act: async (page) => {
      await change(page, 'Rename…')
      await page.getByLabel('Name of the person').fill(`Name ${own}`)
      await button(page, 'Rename').click()
    },
    said: `sam is called`,
    newer: (page) => change(page, 'Disable'),
  },
  'the login of an account': {
    ...ofAccount,
    before: async () => {
      expect((await asAdmin('PUT', '/accounts/sam/login', { enabled: true })).status).toBe(200)
    },
    act: (page) => change(page, 'Disable'),
    said: 'sam is disabled.',
    newer: (page) => change(page, 'Enable'),
  },
}

const opened = async ({ as, before, path }: Kind): Promise<Page> => {
  await before?.()
  return dashboard.signedIn(path(), as === undefined ? {} : { as })
}
const offer = (page: Page, said: string | RegExp) => page.getByRole('alert').filter({ hasText: said })

describe('Undo that cannot reach the server stays, and is done when it is tried again', () => {
  test.each(Object.entries(KINDS))('%s', async (_what, kind) => {
    const page = await opened(kind)
    const before = await kind.state()
    await kind.act(page)
    const undo = offer(page, kind.said).getByRole('button', { name: 'Undo', exact: true })
    // An offer under the pointer does not go by itself.
    await undo.hover()
    expect(await kind.state()).not.toEqual(before)
    await page.route(isAsked, (route) => route.abort())
    await undo.click()
    const again = inNotice(page, 'Try again')
    await again.waitFor()
    await page.unroute(isAsked)
    await again.click()
    await again.waitFor({ state: 'detached' })
    await until(async () => JSON.stringify(await kind.state()) === JSON.stringify(before))
  })
})

describe('a newer change of the same thing takes Undo away', () => {
  test.each(Object.entries(KINDS).filter(([, { newer }]) => newer !== undefined))('%s', async (_what, kind) => {
    const page = await opened(kind)
    await kind.act(page)
    await offer(page, kind.said).getByRole('button', { name: 'Undo', exact: true }).hover()
    await kind.newer?.(page)
    await offer(page, kind.said).waitFor({ state: 'detached' })
  })
})

describe('what is done after a while', () => {
  const arrive = async (page: Page) => {
    await openVisit(page, first)
    await inDialog(page, 'Has arrived').click()
  }

  test('is tried again where the server was away', async () => {
    await takeSlots()
    await setClock(dashboard.server, Date.parse(first.start) - 3_600_000)
    const page = await dashboard.signedIn(list())
    await page.clock.install()
    await arrive(page)
    await offer(page, 'Samuel Goldberg: arrived.').waitFor()
    await page.route(isAsked, (route) => route.abort())
    await inNotice(page, 'Try again').waitFor()
    // The notice stays, however long nobody takes it.
    await page.clock.runFor(120_000)
    expect((await read<Appointment>(`/Appointment/${own}`)).status).toBe('booked')
    await page.unroute(isAsked)
    await inNotice(page, 'Try again').click()
    await until(async () => (await read<Appointment>(`/Appointment/${own}`)).status === 'arrived')
  })

  test('is done at once where three newer things can be undone', async () => {
    await takeSlots()
    await setClock(dashboard.server, Date.parse(first.start) - 3_600_000)
    const tasks = ['one', 'two', 'three']
    for (const id of tasks)
      await put(fhir, { resourceType: 'Task', id, status: 'requested', intent: 'order', description: `Task ${id}` })
    const page = await dashboard.signedIn()
    // Its time is never over.
    await page.addInitScript(() => {
      const real = window.setTimeout
      window.setTimeout = ((act: () => void, after?: number) =>
        real(act, after === 8000 ? 2 ** 30 : after)) as typeof window.setTimeout
    })
    await page.goto(`${dashboard.server.url}/dashboard${list()}`)
    await arrive(page)
    await offer(page, 'Samuel Goldberg: arrived.').waitFor()
    await page.getByRole('link', { name: /^Work list/ }).click()
    for (const id of tasks) {
      await page
        .getByRole('listitem')
        .filter({ hasText: `Task ${id}` })
        .getByRole('button')
        .click()
      await button(page, 'Claim').click()
      await button(page, 'Give back').waitFor()
      await page.keyboard.press('Escape')
    }
    await until(async () => (await read<Appointment>(`/Appointment/${own}`)).status === 'arrived')
    expect(await button(page, 'Undo').count()).toBe(3)
  })
})

test('no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
