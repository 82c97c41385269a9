/** Roles, Schedules and capacities of actors whose time is reserved. */
import type { PractitionerRole, Schedule } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { addressOf } from '../fhir/reference.ts'
import { capacityOf } from '../scheduling/schedule-capacity.ts'
import { afterChange, allOf, refersTo } from './all-found.ts'
import { practitionerIn } from './reservation.ts'

export interface ActorsAtWork {
  /** Actor by reference (`Type/id`): itself, or the practitioner of a role. */
  readonly actorAt: ReadonlyMap<string, string>
  /** Actors of each of their Schedules, by Schedule.id. */
  readonly schedules: ReadonlyMap<string, readonly string[]>
  /** Number of simultaneous visits, for actors with more than one. */
  readonly capacities: ReadonlyMap<string, number>
}

const WHAT = 'the schedules of its actors'

/** Cached by unit of work, as a transaction may write many Slots and visits of the same actors. */
const known = new WeakMap<Context['unit'], Map<string, Promise<ActorsAtWork>>>()

/** @param actors actors of a Reservation */
export function actorsAtWork(ctx: Context, actors: ReadonlySet<string>): Promise<ActorsAtWork> {
  const inUnit = known.get(ctx.unit) ?? new Map<string, Promise<ActorsAtWork>>()
  known.set(ctx.unit, inUnit)
  const written = [ctx.unit.staged('Schedule'), ctx.unit.staged('PractitionerRole')].map(({ length }) => length)
  const key = [...written, ...[...actors].sort()].join()
  const found = inUnit.get(key) ?? lookUp(ctx, actors)
  inUnit.set(key, found)
  return found
}

async function lookUp(ctx: Context, actors: ReadonlySet<string>): Promise<ActorsAtWork> {
  const actorAt = new Map([...Array.from(actors, (actor) => [actor, actor] as const), ...(await rolesOf(ctx, actors))])
  const schedules = new Map<string, readonly string[]>()
  const capacities = new Map<string, number>()
  for (const schedule of await schedulesOf(ctx, actorAt)) {
    const own = new Set(actorsIn(schedule, actorAt, ctx.baseUrl))
    schedules.set(schedule.id ?? '', [...own])
    for (const actor of own) capacities.set(actor, Math.max(capacities.get(actor) ?? 1, capacityOf(schedule)))
  }
  return { actorAt, schedules, capacities }
}

/** The references of practitioners' roles, each with its practitioner. */
async function rolesOf(ctx: Context, actors: ReadonlySet<string>): Promise<readonly (readonly [string, string])[]> {
  const practitioners = [...actors].filter((actor) => actor.startsWith('Practitioner/'))
  if (practitioners.length === 0) return []
  const practitionerBehind = (role: PractitionerRole) => practitionerIn(role, ctx.baseUrl)
  const stored = allOf<PractitionerRole>(ctx, 'PractitionerRole', [refersTo('practitioner', practitioners)], WHAT)
  const roles = await afterChange(ctx, 'PractitionerRole', stored, (role) =>
    practitioners.includes(practitionerBehind(role) ?? ''),
  )
  return roles.flatMap((role) => {
    const practitioner = practitionerBehind(role)
    return practitioner === undefined ? [] : [[`PractitionerRole/${role.id}`, practitioner] as const]
  })
}

const schedulesOf = (ctx: Context, actorAt: ReadonlyMap<string, string>): Promise<readonly Schedule[]> =>
  afterChange(
    ctx,
    'Schedule',
    allOf<Schedule>(ctx, 'Schedule', [refersTo('actor', actorAt.keys())], WHAT),
    (schedule) => actorsIn(schedule, actorAt, ctx.baseUrl).length > 0,
  )

const actorsIn = ({ actor }: Schedule, actorAt: ReadonlyMap<string, string>, baseUrl: string): readonly string[] =>
  actor.flatMap(({ reference = '' }) => actorAt.get(addressOf(reference, baseUrl)) ?? [])
