/**
 * Random steps on a calendar: $find, $hold, $book and the other operations, bookings, changes and deletions of
 * appointments, alone, in transactions and two at once, writes to Slots, and time that passes. Responses and stored
 * resources are always those of a simple model (model/calendar.ts). The seed that a failure
 * names repeats its steps: RANDOM_SEED=….
 */
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomRuns, SEED, tryProperty } from '../support/random-runs.ts'
import { startServer, type TestServer } from '../support/server.ts'
import {
  type Appointment,
  type Calendar,
  freeSlots,
  later,
  type Outcome,
  presencesIn,
  type Rules,
  type Write,
  written,
} from './model/calendar.ts'
import { type Call, called, callOf } from './model/calls.ts'
import { type Answer, Clinic, instantOf, JWT_SECRET, type Way } from './model/clinic.ts'
import { inOrder } from './model/order.ts'
import { type CallIntent, type Intent, SLOTS, type Step, slotAtFirst, steps, writeOf } from './model/steps.ts'

const RUNS = { least: 3, most: randomRuns(200, { short: 0.05, long: 1, full: 1 }) }
const STEPS = 40
/** Milliseconds for finding the shortest steps that show a fault. */
const SHRINKING = 60_000

let now = instantOf(0)
let server: TestServer
beforeAll(async () => {
  server = await startServer({ JWT_SECRET }, { clock: () => now })
})
afterAll(() => server.close())

/** The expected calendar, which the steps change. */
interface Model {
  calendar: Calendar
  /** Appointments so far. */
  named: number
  /** The slots that were found last. */
  offers: readonly string[]
}

class StepCommand implements fc.AsyncCommand<Model, Clinic> {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  check = () => true

  async run(model: Model, clinic: Clinic): Promise<void> {
    await take(this.#step, model, clinic)
    expect(comparable(await clinic.stored(model.calendar.now))).toEqual(comparable(model.calendar))
    expectSoldOnce(model.calendar)
  }

  toString = () => JSON.stringify(this.#step)
}

async function take(step: Step, model: Model, clinic: Clinic): Promise<void> {
  switch (step.kind) {
    case 'wait':
      model.calendar = later(model.calendar, step.minutes)
      now = instantOf(model.calendar.now)
      return
    case 'find':
      model.offers = await clinic.find()
      expectFound(model.offers, model.calendar)
      return
    case 'write':
    case 'call': {
      const [action] = actionsOf(model, [step.kind === 'call' ? step : step.intent])
      if (action === undefined) return
      const { refusals, calendar } = outcomeOf(model.calendar, action)
      expectAnswer(await perform(clinic, action, step.kind === 'call' ? 'PUT' : step.way), refusals)
      model.calendar = calendar
      return
    }
    case 'transaction': {
      const writes = writesOf(model, step.intents)
      if (writes.length === 0) return
      const { refusals, calendar } = written(model.calendar, inOrder(writes, step.way))
      expectAnswer(await clinic.transaction(writes, step.way), refusals)
      model.calendar = calendar
      return
    }
    case 'race':
      await race(actionsOf(model, step.intents), model, clinic)
  }
}

/** Ended holds may be noticed a moment later. */
function expectFound(found: readonly string[], calendar: Calendar): void {
  const expired = [...calendar.appointments.values()].filter(({ isExpired }) => isExpired)
  const late = new Set(expired.flatMap(({ slots }) => slots))
  expect([...found, ...late].sort()).toEqual(expect.arrayContaining([...freeSlots(calendar)]))
  expect(freeSlots(calendar)).toEqual(expect.arrayContaining([...found]))
}

type Action = Write | Call

const isWrite = (action: Action): action is Write => 'type' in action

const outcomeOf = (calendar: Calendar, action: Action): Outcome =>
  isWrite(action) ? written(calendar, [action]) : called(calendar, action)

const perform = (clinic: Clinic, action: Action, way: Way): Promise<Answer> =>
  isWrite(action) ? clinic.write(action, way) : clinic.call(action)

function actionsOf(model: Model, intents: readonly (Intent | CallIntent)[]): readonly Action[] {
  return intents.flatMap((intent): readonly Action[] => {
    if (intent.kind !== 'call') return writesOf(model, [intent])
    model.named += 1
    const call = callOf(model.calendar, model.offers, intent, `a${model.named}`)
    return call === undefined ? [] : [call]
  })
}

/** One for each resource, as a transaction has them. */
function writesOf(model: Model, intents: readonly Intent[]): readonly Write[] {
  const writes = intents.flatMap((intent) => {
    model.named += 1
    return writeOf(model.calendar, intent, `a${model.named}`) ?? []
  })
  return writes.filter(({ name }, index) => writes.findIndex((one) => one.name === name) === index)
}

/** Accepted where the model has no reason to refuse, and refused for one of its reasons. */
function expectAnswer(answer: Answer, refusals: Outcome['refusals']): void {
  expect({ answer, refusals }).toEqual({
    answer: refusals.length === 0 ? undefined : expect.stringMatching(`^(${refusals.join('|')})$`),
    refusals,
  })
}

/** Runs two actions at once: responses and state must be those of one after the other, in either order. */
async function race(actions: readonly Action[], model: Model, clinic: Clinic): Promise<void> {
  const answers = await Promise.all(actions.map((action) => perform(clinic, action, 'PUT')))
  const stored = comparable(await clinic.stored(model.calendar.now))
  const orders =
    actions.length < 2
      ? [actions.map((_, index) => index)]
      : [
          [0, 1],
          [1, 0],
        ]
  const outcomes = orders.map((order) => oneAfterTheOther(model.calendar, actions, order))
  const found = outcomes.find(
    ({ calendar, refusals }) =>
      isDeepStrictEqual(stored, comparable(calendar)) &&
      answers.every((answer, index) => isAnswer(answer, refusals[index] ?? [])),
  )
  if (found === undefined) expect({ answers, stored }).toEqual(outcomes)
  model.calendar = found?.calendar ?? model.calendar
}

const isAnswer = (answer: Answer, refusals: Outcome['refusals']): boolean =>
  answer === undefined ? refusals.length === 0 : refusals.includes(answer)

function oneAfterTheOther(calendar: Calendar, actions: readonly Action[], order: readonly number[]) {
  const refusals: Outcome['refusals'][] = []
  let after = calendar
  for (const index of order) {
    const action = actions[index]
    const outcome = action === undefined ? { refusals: [], calendar: after } : outcomeOf(after, action)
    refusals[index] = outcome.refusals
    after = outcome.calendar
  }
  return { calendar: after, refusals }
}

/** The parts of a calendar that are stored. */
function comparable({ slots, appointments }: Pick<Calendar, 'slots' | 'appointments'>) {
  const withoutMark = ({ isExpired: _isExpired, ...appointment }: Appointment) => ({
    ...appointment,
    actors: appointment.actors.toSorted(),
  })
  return { slots, appointments: new Map([...appointments].map(([name, one]) => [name, withoutMark(one)])) }
}

/**
 * The model is a simple one, but not so simple that its own calendar sells a slot twice. Visits that took place may be in
 * slots that there were not.
 */
function expectSoldOnce(calendar: Calendar): void {
  const { slots, appointments, rules } = calendar
  const presences = presencesIn(calendar).map(([presence]) => presence)
  if (!rules.overbooking && new Set(presences).size < presences.length) throw new Error('somebody is at two visits')
  const planned = [...appointments].filter(([, { status }]) => status === 'pending' || status === 'booked')
  for (const [name, { status }] of slots) {
    const holders = planned.filter(([, one]) => one.slots.includes(name)).map(([holder]) => holder)
    if (!rules.overbooking && holders.length > 1) throw new Error(`${name} is sold to ${holders.join()}`)
    if (holders.length > 0 && status === 'free') throw new Error(`${name} is free although ${holders.join()} holds it`)
  }
}

const rules: fc.Arbitrary<Rules> = fc.record({
  overbooking: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  mostOpen: fc.constantFrom(2, 500),
})

const commands = fc.commands([steps.map((step) => new StepCommand(step))], {
  maxCommands: STEPS,
  size: 'max',
  ...(process.env['RANDOM_PATH'] === undefined ? {} : { replayPath: process.env['RANDOM_PATH'] }),
})

test(`${RUNS.least} to ${RUNS.most} times up to ${STEPS} random steps on a calendar are answered and stored as the model says (RANDOM_SEED=${SEED})`, async () => {
  let clinics = 0
  const property = fc.asyncProperty(rules, commands, async (rulesOfRun, stepsOfRun) => {
    clinics += 1
    const slots = new Map(SLOTS.map((name, index) => [name, slotAtFirst(index)]))
    const calendar: Calendar = { rules: rulesOfRun, now: -15, slots, appointments: new Map() }
    now = instantOf(calendar.now)
    const clinic = await Clinic.open(server, `clinic-${clinics}`, calendar)
    await fc.asyncModelRun(() => ({ model: { calendar, named: 0, offers: [] }, real: clinic }), stepsOfRun)
  })
  await tryProperty(RUNS, property, { interruptAfterTimeLimit: SHRINKING })
})
