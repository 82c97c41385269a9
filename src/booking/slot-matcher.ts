/** Decides which Slots suit the request, and their order of preference. */
import type { CodeableConcept, PractitionerRole, Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'
import { isAmong, visitKindIn } from '../scheduling/visit-type.ts'

export interface SlotCriteria {
  /** Schedule.id, in order of preference; absent: any Schedule. */
  readonly schedules?: readonly string[]
  /** Minimum length of the visit; absent: the length of its appointment type, else one Slot. */
  readonly minutes?: number
  /** Alternatives in order of preference, as in visitKindIn: words, codes, or `system|code`. */
  readonly visitTypes?: readonly string[]
  /** Likewise, for the Slot, its Schedule, or the PractitionerRoles of its actors. */
  readonly specialties?: readonly string[]
}

interface Judgement {
  /** Minimum length of the visit in milliseconds; 0: one Slot. */
  readonly length: number
  /** By visit type, specialty and Schedule; lower is better. */
  readonly preference: readonly number[]
}

const MINUTE = 60_000
/** Budget steps to look up a Schedule or a role. */
const LOOKED_UP = 20

export class SlotMatcher {
  readonly #ctx: Context
  readonly #criteria: SlotCriteria
  /** Order of preference by Schedule.id. */
  readonly #places: ReadonlyMap<string, number>
  readonly #schedules = new Map<string, Promise<Schedule | undefined>>()
  readonly #roleSpecialties = new Map<Schedule, Promise<readonly CodeableConcept[]>>()

  constructor(ctx: Context, criteria: SlotCriteria) {
    this.#ctx = ctx
    this.#criteria = criteria
    this.#places = new Map(criteria.schedules?.map((id, place) => [id, place]))
  }

  /** Returns undefined if the Slot does not suit. */
  async judge(slot: Slot, scheduleId: string): Promise<Judgement | undefined> {
    const { visitTypes = [], specialties = [], minutes } = this.#criteria
    const place = this.#places.get(scheduleId) ?? 0
    // Many Slots start at the same time, and few are shown: their Schedules are read only when needed.
    if (visitTypes.length + specialties.length === 0)
      return { length: (minutes ?? 0) * MINUTE, preference: [0, 0, place] }
    const schedule = await this.scheduleOf(scheduleId)
    const kind = schedule && visitKindIn(schedule, slot, visitTypes)
    if (schedule === undefined || kind === undefined) return undefined
    const specialty = await this.#specialtyRank(slot, schedule)
    if (specialty === -1) return undefined
    const length = (minutes ?? kind.type?.minutes ?? 0) * MINUTE
    return { length, preference: [kind.rank, specialty, place] }
  }

  /** Returns undefined if there is no active Schedule. The object is shared: see `readRecent`. */
  scheduleOf(id: string): Promise<Schedule | undefined> {
    const schedule = this.#schedules.get(id) ?? readSchedule(this.#ctx, id)
    this.#schedules.set(id, schedule)
    return schedule
  }

  /** -1: it has none of the requested specialties. */
  async #specialtyRank(slot: Slot, schedule: Schedule): Promise<number> {
    const { specialties = [] } = this.#criteria
    if (specialties.length === 0) return 0
    const ofRoles = this.#roleSpecialties.get(schedule) ?? specialtiesOf(this.#ctx, schedule)
    this.#roleSpecialties.set(schedule, ofRoles)
    const all = [...(slot.specialty ?? []), ...(schedule.specialty ?? []), ...(await ofRoles)]
    return specialties.findIndex((text) => isAmong(all, text))
  }
}

async function readSchedule(ctx: Context, id: string): Promise<Schedule | undefined> {
  spend(LOOKED_UP, 'the schedules of the slots')
  const schedule = (await ctx.unit.readRecent<Schedule>('Schedule', id))?.resource
  return schedule?.active === false ? undefined : schedule
}

/**
 * Specialties of the Schedule's actors at this clinic, https://hl7.org/fhir/R4/practitionerrole.html: of its active PractitionerRoles, and of the active roles of its Practitioners.
 */
async function specialtiesOf(ctx: Context, { actor }: Schedule): Promise<readonly CodeableConcept[]> {
  const roles = await Promise.all(actor.map(({ reference = '' }) => rolesOf(ctx, reference)))
  return roles.flat().flatMap(({ active, specialty = [] }) => (active === false ? [] : specialty))
}

async function rolesOf(ctx: Context, reference: string): Promise<readonly PractitionerRole[]> {
  const { type, id = '' } = localReference(reference, ctx.baseUrl) ?? {}
  if (type !== 'PractitionerRole' && type !== 'Practitioner') return []
  spend(LOOKED_UP, 'the roles of practitioners')
  if (type === 'Practitioner') {
    const found = await ctx.search<PractitionerRole>('PractitionerRole', `practitioner=Practitioner/${id}`)
    return found.map(({ resource }) => resource)
  }
  const role = (await ctx.find<PractitionerRole>('PractitionerRole', id))?.resource
  return role === undefined ? [] : [role]
}
