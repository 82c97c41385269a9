/**
 * A morning at the front desk: ten walk-ins, five calls, three moves and a no-show, once with the mouse alone and once with
 * the keyboard alone. Data says what happens; FHIR says what came of it.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Appointment, Bundle, FhirResource, Patient, Task } from 'fhir/r4'
import type { Locator, Page } from 'playwright-core'
import { patientName } from '../../../dashboard/fhir/names.ts'
import { clockText } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'
import { freeDay, setClock, ZONE } from '../../support/demo-schedule.ts'
import { type Hands, keyboard, mouse } from '../../support/hands.ts'
import { request } from '../../support/request.ts'
import { until } from '../../support/server-process.ts'

/** Milliseconds for one step, so that a morning that goes wrong ends soon. */
const STEP = 15_000

/** Where the desk begins with walk-ins. */
const BEGINNINGS = ['list', 'palette', 'booking'] as const

interface WalkIn {
  readonly by: (typeof BEGINNINGS)[number]
  readonly given: string
  readonly family: string
  readonly born: string
  readonly phone: string
  readonly time: string
  /** Whether they have a record, which is used. */
  readonly isKnown?: true
}

const WALK_INS: readonly WalkIn[] = [
  { by: 'list', given: 'Nora', family: 'Newcomb', born: '6/6/1966', phone: '(212) 555-0171', time: '8:30 AM' },
  { by: 'list', given: 'Ruth', family: 'Abernathy', born: '2/17/1941', phone: '', time: '9:00 AM', isKnown: true },
  { by: 'list', given: 'Otis', family: 'Quill', born: '1 May 58', phone: '212 555 0173', time: '9:30 AM' },
  { by: 'palette', given: 'Dana', family: 'Brightwell', born: '12/24/1990', phone: '2125550174', time: '10:00 AM' },
  { by: 'palette', given: 'Ines', family: 'Castellan', born: '7 July 2001', phone: '212-555-0175', time: '10:30 AM' },
  { by: 'palette', given: 'Per', family: 'Lagerwall', born: '3/4/1948', phone: '212.555.0176', time: '11:00 AM' },
  { by: 'booking', given: 'Mona', family: 'Feldstern', born: '8/9/1977', phone: '(212) 555 0177', time: '11:30 AM' },
  { by: 'booking', given: 'Ravi', family: 'Sundaram', born: '10/11/1985', phone: '2125550178', time: '1:00 PM' },
  { by: 'booking', given: 'Yuki', family: 'Hoshino', born: '2 Feb 1999', phone: '212 555 0179', time: '1:30 PM' },
  { by: 'booking', given: 'Bram', family: 'Tielemans', born: '4/30/1969', phone: '2125550180', time: '2:00 PM' },
]

const MOVES = [
  { name: 'Nora Newcomb', from: '8:30 AM', to: '3:00 PM', isDragged: true },
  { name: 'Otis Quill', from: '9:30 AM', to: '3:30 PM', isDragged: false },
  { name: 'Per Lagerwall', from: '11:00 AM', to: '4:00 PM', isDragged: false },
]

const NO_SHOW = { name: 'Ravi Sundaram', time: '1:00 PM' }

/** Callers who are verified, and book the first time of somebody else. */
const BOOKING_CALLERS = [
  { call: 'booking-1', name: 'Kenji Ito', born: 'April fourth nineteen seventy two', practitioner: 'doctor Lindqvist' },
  {
    call: 'booking-2',
    name: 'Samuel Goldberg',
    born: 'October second nineteen fifty eight',
    practitioner: 'Rosa Delgado',
  },
]

const NORMAL_PHONE = (phone: string): string => `+1${phone.replace(/\D/g, '')}`
const nameOf = ({ given, family }: WalkIn): string => `${given} ${family}`

describe.each([
  ['the mouse', mouse],
  ['the keyboard', keyboard],
] as const)('a morning with %s alone', (_name, handsOf) => {
  let dashboard: Dashboard
  let page: Page
  let hands: Hands
  /** A day that is all free. */
  let day: string
  /** References to the Slots of that day. */
  let slotsOfDay: ReadonlySet<string>

  beforeAll(async () => {
    dashboard = await startDashboard({}, { slotDays: 24 })
    const free = await freeDay(dashboard.server.fhir)
    day = free.day
    slotsOfDay = new Set(free.slots.map(({ id }) => `Slot/${id}`))
    // It begins in the morning of that day.
    await setClock(dashboard.server, Date.parse(free.slots[0]?.start ?? '') - 1_800_000)
    page = await dashboard.signedIn()
    page.setDefaultTimeout(STEP)
    hands = handsOf(page)
  })
  afterAll(() => dashboard?.close())

  async function search<R extends FhirResource>(type: string, query: string): Promise<readonly R[]> {
    const { body } = await dashboard.server.fhir('GET', `/${type}?${query}`)
    return (body as Bundle<R>).entry?.flatMap(({ resource }) => resource ?? []) ?? []
  }

  /** The visits of the practitioner on that day: `8:30 AM Nora Newcomb booked`. */
  async function visits(): Promise<readonly string[]> {
    const all = await search<Appointment>('Appointment', `date=${day}&status=booked,noshow&_count=100`)
    const ofDay = all.filter(({ slot = [] }) => slot.some(({ reference = '' }) => slotsOfDay.has(reference)))
    return await Promise.all(
      ofDay.map(async ({ start = '', status, participant }) => {
        const patient = participant.find(({ actor }) => actor?.reference?.startsWith('Patient/'))?.actor?.reference
        const { body } = await dashboard.server.fhir('GET', `/${patient}`)
        return `${clockText(start, ZONE)} ${patientName(body)} ${status}`
      }),
    )
  }

  const goTo = async (name: string) => {
    await hands.press(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }))
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const newPatient = () => page.getByRole('dialog', { name: 'New patient' })
  const booking = () => page.getByRole('dialog', { name: 'Book a visit' })
  const freeTime = (time: string) => page.getByRole('button', { name: new RegExp(`^${time} free.*Dr. Amara Okafor`) })
  const visit = (name: string, time = '') => page.getByRole('button', { name: new RegExp(`^${time}.*${name}`) })
  const button = (place: Page | Locator, name: string) => place.getByRole('button', { name, exact: true })

  async function register({ given, family, born, phone, isKnown }: WalkIn): Promise<void> {
    const dialog = newPatient()
    const fields = { 'Given names': given, 'Family name': family, 'Date of birth': born, Phone: phone }
    for (const [label, text] of Object.entries(fields)) {
      const field = dialog.getByLabel(label, { exact: true })
      await field.waitFor()
      // The names are there already where they were searched for.
      if ((await field.inputValue()) !== text) await hands.write(field, text)
    }
    await hands.press(button(dialog, isKnown ? 'Use' : 'Create').first())
    await dialog.waitFor({ state: 'detached' })
  }

  const begin: Record<'list' | 'palette', (walkIn: WalkIn) => Promise<void>> = {
    list: async () => {
      await goTo('Patients')
      await hands.press(button(page, 'New patient'))
    },
    palette: async (walkIn) => {
      await hands.openPalette()
      await hands.write(page.getByLabel('Page, patient, or Patient/123'), nameOf(walkIn))
      await hands.choose(page.getByRole('button', { name: `New patient “${nameOf(walkIn)}” …` }))
    },
  }

  async function receive(walkIn: WalkIn): Promise<void> {
    const { by, time } = walkIn
    if (by !== 'booking') {
      await begin[by](walkIn)
      await register(walkIn)
      await page.getByRole('heading', { level: 1, name: nameOf(walkIn) }).waitFor()
    }
    await goTo('Schedule')
    await hands.press(freeTime(time))
    await hands.write(booking().getByRole('combobox', { name: 'Patient' }), nameOf(walkIn))
    if (by === 'booking') {
      await hands.choose(page.getByRole('option', { name: 'No patients found. New patient …' }))
      await register(walkIn)
    } else {
      await hands.choose(page.getByRole('option', { name: nameOf(walkIn) }))
    }
    await hands.press(button(booking(), 'Book'))
    await booking().waitFor({ state: 'detached' })
    await visit(nameOf(walkIn), time).waitFor()
  }

  async function isReceived(walkIn: WalkIn): Promise<void> {
    const [patient, ...others] = await search<Patient>('Patient', `family:exact=${walkIn.family}`)
    expect(others).toEqual([])
    if (!walkIn.isKnown) expect(patient?.telecom).toMatchObject([{ value: NORMAL_PHONE(walkIn.phone) }])
    expect(await visits()).toContain(`${walkIn.time} ${nameOf(walkIn)} booked`)
  }

  test.each(BEGINNINGS)('walk-ins are registered by the %s, and booked', async (beginning) => {
    for (const walkIn of WALK_INS.filter(({ by }) => by === beginning)) {
      await receive(walkIn)
      await isReceived(walkIn)
    }
  })

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    request(dashboard.server.url, 'POST', path, body, {
      'x-voice-secret': 'demo-secret',
      'content-type': 'application/json',
      ...headers,
    })
  const callTool = (call: string, path: string, args: object) =>
    dashboard.server.tool(path, args, { 'x-call-id': call }).then((result) => {
      expect(result).toMatchObject({ success: true })
      return result
    })
  const beginCall = async (callId: string, more: object = {}) => {
    const call = { callId, dialedNumber: '+12125550100', callerNumber: '+12125550187', ...more }
    expect((await post('/calls', call)).status).toBe(201)
  }

  test.each(BOOKING_CALLERS)(
    '$name books by phone, and shows on the schedule that is open',
    async ({ call, ...caller }) => {
      await goTo('Schedule')
      await beginCall(call)
      const stated = { statedName: `this is ${caller.name}`, statedDateOfBirth: caller.born }
      await callTool(call, '/emr-scheduling/verify_patient', stated)
      const asked = { when: 'today', practitionerName: caller.practitioner }
      const { slots } = await callTool(call, '/emr-scheduling/find_available_slots', asked)
      const [slot] = slots as readonly { readonly slotKey: string; readonly start: string }[]
      await callTool(call, '/emr-scheduling/book_appointment', { slotKey: slot?.slotKey, reason: 'a cough' })
      await post(`/calls/${call}/end`, { reason: 'customer-ended-call' })
      await visit(caller.name, clockText(slot?.start ?? '', ZONE)).waitFor()
    },
  )

  test('somebody unknown calls, and stands among the unknown callers at once', async () => {
    await goTo('Patients')
    await hands.press(page.getByRole('radio', { name: 'Unknown callers' }))
    await beginCall('halfway')
    await callTool('halfway', '/patient-journey/update_registration_field', { lastName: 'Halfway' })
    await page.getByRole('listitem').getByText('Halfway').waitFor()
  })

  /** Opens the task of the list whose text is this, claims it and completes it. */
  async function complete(text: string, code: string): Promise<void> {
    const isNew = page.getByRole('button', { name: /^\d+ new$/ })
    const row = page.getByRole('list', { name: 'Tasks' }).getByRole('button', { name: text })
    await isNew.or(row).first().waitFor()
    if (await isNew.isVisible()) await hands.press(isNew)
    await hands.press(row)
    const drawer = page.getByRole('dialog')
    await hands.press(button(drawer, 'Claim'))
    await drawer.getByText('In progress').waitFor()
    await hands.press(button(drawer, 'Complete…'))
    await hands.press(button(drawer, 'Complete'))
    await drawer.waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })
    const tasks = await search<Task>('Task', `code=${code}&status=completed`)
    expect(tasks.map(({ owner }) => owner?.identifier?.value)).toEqual(['demo'])
  }

  test('a caller is passed on to staff, who see it in the work list, claim and complete it', async () => {
    await goTo('Work list')
    await beginCall('billing')
    await callTool('billing', '/patient-journey/escalate_billing', { reason: 'a bill that is wrong' })
    await complete('a bill that is wrong', 'billing-escalation')
  })

  test('a caller who gave up before wants to be called back, which is claimed and completed', async () => {
    await goTo('Work list')
    const contact = { phone: '+12125550177' }
    const form = { kind: 'form', stepReached: 'contact', fields: { email: null }, contact, consent: true }
    const { body } = await post('/abandonments', form)
    await beginCall('recovery', { abandonment: body.id })
    await callTool('recovery', '/abandonment-recovery/schedule_callback', { when: 'tomorrow at two in the afternoon' })
    await complete('Callback', 'callback')
  })

  test.each(MOVES)('$name is moved from $from to $to', async ({ name, from, to, isDragged }) => {
    await goTo('Schedule')
    if (isDragged && hands.drag !== undefined) {
      await hands.drag(visit(name, from), freeTime(to))
    } else {
      await hands.press(visit(name, from))
      await hands.press(button(page.getByRole('dialog', { name }), 'Move…'))
      const dialog = page.getByRole('dialog', { name: `Move the visit of ${name}` })
      await hands.press(dialog.getByRole('radio', { name: to, exact: true }).first())
      await hands.press(dialog.getByRole('button', { name: /^Move to / }))
    }
    await visit(name, to).waitFor()
    await page.getByText(`${name} is moved to`).waitFor()
    expect(await visits()).toContain(`${to} ${name} booked`)
  })

  test('one does not come, which is written when it can be undone no more', async () => {
    await goTo('Schedule')
    await hands.press(visit(NO_SHOW.name, NO_SHOW.time))
    await hands.press(button(page.getByRole('dialog', { name: NO_SHOW.name }), 'No-show'))
    await until(async () => (await visits()).includes(`${NO_SHOW.time} ${NO_SHOW.name} noshow`))
  })

  test('in the end the day is as the desk has it, and no script has failed', async () => {
    const moved = new Map(MOVES.map(({ name, to }) => [name, to]))
    const expected = WALK_INS.map((walkIn) => {
      const name = nameOf(walkIn)
      return `${moved.get(name) ?? walkIn.time} ${name} ${name === NO_SHOW.name ? 'noshow' : 'booked'}`
    })
    expect([...(await visits())].sort()).toEqual(expected.sort())
    expect(dashboard.complaints).toEqual([])
  })
})
