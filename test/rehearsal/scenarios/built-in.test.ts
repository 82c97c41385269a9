/** The scenarios that the server brings along, each loaded into a clinic. */
import { describe, expect, test } from '@jest/globals'
import type { Schedule, Slot } from 'fhir/r4'
import type { Context } from '../../../src/core/context.ts'
import { loadScenario, startOf } from '../../../src/rehearsal/scenarios/load-scenario.ts'
import type { ClinicDay } from '../../../src/rehearsal/scenarios/moments.ts'
import type { Scenario, ScenarioResource } from '../../../src/rehearsal/scenarios/scenario.ts'
import { Scenarios } from '../../../src/rehearsal/scenarios/scenarios.ts'
import { MONDAY, openTestClinic } from './clinic.ts'

const scenarios = new Scenarios()

async function loaded(name: string, day: ClinicDay = MONDAY): Promise<Context> {
  const scenario = scenarios.named(name)
  const there = { ...day, now: startOf(scenario, day) }
  const { look, change } = await openTestClinic(there)
  for await (const _done of loadScenario(scenario, there, change));
  return look()
}

async function resourcesOf(scenario: Scenario): Promise<readonly ScenarioResource[]> {
  const resources: ScenarioResource[] = []
  for await (const resource of scenario.resources(MONDAY)) resources.push(resource)
  return resources
}

const addressOf = ({ resourceType, id }: ScenarioResource) => `${resourceType}/${id}`

const references = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"reference":"([^"]+)"/g)].map(([, reference = '']) => reference)

const named = scenarios.all.map((scenario) => [scenario.name, scenario] as const)

test.each(named)(
  '%s says how many resources it has, and refers to nobody who is not there',
  async (_name, scenario) => {
    const addresses = (await resourcesOf(scenario)).map(addressOf)
    const known = new Set(addresses)
    expect(addresses).toHaveLength(scenario.count)
    const people = [...scenario.people, ...(scenario.oddities ?? [])].flatMap(({ resource = [] }) => resource)
    expect(people.filter((address) => !known.has(address))).toEqual([])
  },
)

test.each(named)('%s gives the same resources on the same day', async (_name, scenario) => {
  const [one, other] = [await resourcesOf(scenario), await resourcesOf(scenario)]
  expect(JSON.stringify(one) === JSON.stringify(other)).toBe(true)
})

describe.each(['quiet-week', 'busy-monday', 'matching-zoo', 'dst-weekend', 'empty'])('a clinic with %s', (name) => {
  test('has every resource that another one refers to', async () => {
    const ctx = await loaded(name)
    const resources = await resourcesOf(scenarios.named(name))
    const own = resources.flatMap(references).map((reference) => reference.replace('{clinic}', MONDAY.clinic))
    const missing = []
    for (const reference of new Set(own)) {
      const [type = '', id = ''] = reference.split('/')
      if ((await ctx.find(type, id)) === undefined) missing.push(reference)
    }
    expect(missing).toEqual([])
    expect(await ctx.find('Organization', MONDAY.clinic)).toBeDefined()
  })
})

describe('busy-monday', () => {
  test.each([
    ['the Monday after', MONDAY, '2026-03-09'],
    [
      'Tuesday, where that Monday is a holiday',
      { ...MONDAY, now: Date.parse('2026-05-20T08:00:00-04:00') },
      '2026-05-26',
    ],
  ])('leaves two times of %s', async (_what, day, date) => {
    const ctx = await loaded('busy-monday', day)
    const slots = await ctx.search<Slot>('Slot', `start=${date}&_count=200`)
    const free = slots.filter(({ resource }) => resource.status === 'free')
    expect(slots).toHaveLength(46)
    expect(
      free.map(({ resource: { schedule, start } }) => `${schedule.reference} ${start.slice(0, 16)}`).sort(),
    ).toEqual([`Schedule/schedule-delgado ${date}T16:00`, `Schedule/schedule-okafor ${date}T11:30`])
  })
})

describe('the practitioner of the nights in which the clocks change', () => {
  const startsIn = async (ctx: Context, date: string) => {
    const slots = await ctx.search<Slot>('Slot', `schedule=Schedule/schedule-fall&start=${date}&_sort=start`)
    return slots.map(({ resource }) => resource.start.slice(11).replace(':00-', '-'))
  }

  test('has the hour twice that comes twice, and not the one that is skipped', async () => {
    const ctx = await loaded('dst-weekend')
    expect(await startsIn(ctx, '2026-03-08')).toEqual(
      ['00:00-05:00', '00:30-05:00', '01:00-05:00', '01:30-05:00'].concat([
        '03:00-04:00',
        '03:30-04:00',
        '04:00-04:00',
        '04:30-04:00',
      ]),
    )
    expect(await startsIn(ctx, '2026-11-01')).toEqual(
      ['00:00-04:00', '00:30-04:00', '01:00-04:00', '01:30-04:00', '01:00-05:00', '01:30-05:00'].concat(
        ['02:00', '02:30', '03:00', '03:30', '04:00', '04:30'].map((time) => `${time}-05:00`),
      ),
    )
  })

  test('has his nights elsewhere, in matching-zoo, where the clocks of the clinic never change', async () => {
    const ctx = await loaded('matching-zoo', { ...MONDAY, timeZone: 'America/Phoenix' })
    expect((await ctx.search<Slot>('Slot', 'schedule=Schedule/schedule-fall')).length).toBe(8 + 12)
  })

  test('cannot be met where the clocks never change: dst-weekend says so', async () => {
    await expect(loaded('dst-weekend', { ...MONDAY, timeZone: 'America/Phoenix' })).rejects.toThrow(
      'The clocks of the time zone America/Phoenix do not change within a year',
    )
  })
})

describe('dst-weekend', () => {
  test.each([
    ['spring', '2026-01-10T12:00:00Z', '2026-03-06T13:00:00Z'],
    ['autumn', '2026-07-01T12:00:00Z', '2026-10-30T12:00:00Z'],
  ])('begins on the Friday before the change in %s', (_season, now, start) => {
    const day = { ...MONDAY, now: Date.parse(now) }
    expect(startOf(scenarios.named('dst-weekend'), day)).toBe(Date.parse(start))
  })
})

describe('matching-zoo', () => {
  test('has times of every magic practitioner but Dr. Full, who has a Schedule without any', async () => {
    const ctx = await loaded('matching-zoo')
    const withSlots = []
    for (const { id } of await ctx.search<Schedule>('Schedule', '_sort=_id')) {
      if ((await ctx.search('Slot', `schedule=Schedule/${id}&status=free&_count=1`)).length > 0) withSlots.push(id)
    }
    expect(withSlots.sort()).toEqual(
      ['fall', 'gone', 'late', 'lost', 'mover', 'okafor'].map((name) => `schedule-${name}`),
    )
    expect((await ctx.read<Schedule>('Schedule', 'schedule-full')).resource.active).toBe(true)
  })
})
