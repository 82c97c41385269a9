/** Scenarios that are loaded into a clinic, and the data that it has then. */
import { describe, expect, test } from '@jest/globals'
import type { Appointment, Organization, Patient, Slot } from 'fhir/r4'
import type { Context } from '../../../src/core/context.ts'
import { listRules } from '../../../src/rehearsal/faults/rules.ts'
import { builtInScenario } from '../../../src/rehearsal/scenarios/built-in.ts'
import { loadScenario, startOf } from '../../../src/rehearsal/scenarios/load-scenario.ts'
import type { Scenario, ScenarioResource } from '../../../src/rehearsal/scenarios/scenario.ts'
import { MONDAY as DAY, openTestClinic } from './clinic.ts'

/** Loads it, each part in a change of its own. */
async function loaded(scenario: Scenario): Promise<{ readonly ctx: Context; readonly done: readonly number[] }> {
  const clinic = await openTestClinic(DAY)
  const done: number[] = []
  for await (const count of loadScenario(scenario, DAY, clinic.change)) done.push(count)
  return { ctx: await clinic.look(), done }
}

const madeOf = (resources: readonly ScenarioResource[]): Scenario => ({
  name: 'made',
  title: 'Made',
  version: '1.0.0',
  description: 'Made by a test.',
  people: [],
  count: resources.length,
  resources: () => resources,
})

async function texts(ctx: Context): Promise<readonly string[]> {
  const types = ['Organization', 'Location', 'Practitioner', 'Patient', 'Schedule', 'Slot', 'Appointment', 'Coverage']
  const found = await Promise.all(types.map((type) => ctx.search(type, '_sort=_id&_count=1000')))
  return found.flat().map(({ text }) => text.replace(/"lastUpdated":"[^"]+"/, ''))
}

describe('a loaded scenario', () => {
  test('is the same each time, in ids, versions and content', async () => {
    const [one, other] = [await loaded(builtInScenario('quiet-week')), await loaded(builtInScenario('quiet-week'))]
    const held = await texts(one.ctx)
    expect(held.length).toBeGreaterThan(500)
    expect(await texts(other.ctx)).toEqual(held)
  })

  test('belongs to the clinic: its Organization has the id and the name of the clinic', async () => {
    const { ctx } = await loaded(builtInScenario('quiet-week'))
    expect((await ctx.read<Organization>('Organization', DAY.clinic)).resource.name).toBe('North Side')
    const patient = await ctx.read<Patient>('Patient', 'abernathy-ruth')
    expect(patient.resource.managingOrganization).toEqual({
      reference: `Organization/${DAY.clinic}`,
      display: 'North Side',
    })
  })

  test('has an Organization where the scenario names none', async () => {
    const { ctx } = await loaded(madeOf([{ resourceType: 'Patient', id: 'ada' }]))
    expect((await ctx.read<Organization>('Organization', DAY.clinic)).resource).toMatchObject({ name: 'North Side' })
    const others = await loaded(madeOf([{ resourceType: 'Organization', id: 'payer', name: 'Payer' }]))
    expect(await others.ctx.find('Organization', DAY.clinic)).toBeDefined()
    const empty = await loaded(madeOf([]))
    expect(await empty.ctx.find('Organization', DAY.clinic)).toBeDefined()
  })

  test('keeps the Slots of visits that are over, and offers none that has begun', async () => {
    const { ctx } = await loaded(builtInScenario('quiet-week'))
    const slots = await ctx.search<Slot>('Slot', 'start=lt2026-03-02T10:45:00-05:00')
    expect(slots.map(({ resource }) => resource.status)).toEqual(slots.map(() => 'busy'))
    const { resource } = await ctx.read<Appointment>('Appointment', 'appointment-goldberg-samuel')
    expect(slots.map(({ id }) => `Slot/${id}`)).toContain(resource.slot?.[0]?.reference)
    expect(resource.status).toBe('fulfilled')
  })

  test('is written in changes of 200 resources at most', async () => {
    const patients = Array.from({ length: 450 }, (_, n) => ({ resourceType: 'Patient', id: `patient-${n}` }))
    const { ctx, done } = await loaded(madeOf(patients))
    expect(done).toEqual([200, 400, 451])
    expect(await ctx.search('Patient', '')).toHaveLength(450)
  })

  test('has the later versions of a resource, and what is deleted', async () => {
    const { ctx } = await loaded(
      madeOf([
        { resourceType: 'Patient', id: 'ada' },
        { resourceType: 'Patient', id: 'bea' },
        { resourceType: 'Patient', id: 'ada', $version: 2, active: true } as never,
        { resourceType: 'Patient', id: 'ada', $version: 3, active: false } as never,
        { resourceType: 'Patient', id: 'bea', $delete: true },
      ]),
    )
    const ada = await ctx.read<Patient>('Patient', 'ada')
    expect([ada.version, ada.resource.active]).toEqual([3, false])
    expect(Object.keys(ada.resource)).not.toContain('$version')
    expect((await ctx.unit.readVersion('Patient', 'ada', 2))?.resource).toMatchObject({ active: true })
    expect(await ctx.unit.read('Patient', 'bea')).toMatchObject({ version: 2, deleted: true })
  })

  test('may come from a module that makes its resources as it goes', async () => {
    async function* resources(): AsyncGenerator<ScenarioResource> {
      for (const id of ['ada', 'bea']) yield { resourceType: 'Patient', id, birthDate: { $date: 'today-1y' } } as never
    }
    const { ctx } = await loaded({ ...madeOf([]), resources })
    expect((await ctx.read<Patient>('Patient', 'bea')).resource.birthDate).toBe('2025-03-02')
  })
})

describe('the clock of the clinic', () => {
  test('is set to the moment that the scenario names', () => {
    expect(startOf({ ...madeOf([]), clock: 'clocks-change-2d T08:00' }, DAY)).toBe(Date.parse('2026-03-06T13:00:00Z'))
  })

  test('stays where the scenario names none', () => {
    expect(startOf(madeOf([]), DAY)).toBe(DAY.now)
  })
})

test('the rules for faults of a scenario are those of the clinic, by their names', async () => {
  const faults = { busy: { fault: 'throttled', every: 3 }, gone: { fault: 'slot-gone', times: 1 } }
  const clinic = await openTestClinic(DAY)
  for await (const _done of loadScenario({ ...madeOf([]), faults }, DAY, clinic.change));
  expect(await listRules(clinic.repository, DAY.clinic)).toMatchObject([
    { name: 'busy', ...faults.busy, matched: 0, fired: 0 },
    { name: 'gone', ...faults.gone, matched: 0, fired: 0 },
  ])
})

describe('a scenario with a broken resource', () => {
  const broken = madeOf([
    { resourceType: 'Patient', id: 'ada' },
    { resourceType: 'Patient', id: 'bea', gender: 'f' } as never,
  ])

  test('is refused by the name of the resource, and changes nothing in a clinic that is loaded in one change', async () => {
    const clinic = await openTestClinic(DAY)
    const load = clinic.change(async (ctx) => {
      for await (const _done of loadScenario(broken, DAY, (work) => work(ctx)));
    })
    await expect(load).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Scenario made, Patient/bea: '),
    })
    expect(await (await clinic.look()).search('Patient', '')).toEqual([])
  })
})
