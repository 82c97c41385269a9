/**
 * Decides which Schedules and Slots suit the request: the Schedules of the practitioners, organizations and places requested for
 * a visit, the Slots among theirs, and their order of preference.
 */
import type { CodeableConcept, HealthcareService, Location, PractitionerRole, Reference, Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'
import { allOf, refersTo } from '../reservations/all-found.ts'
import { isAmong, visitKindIn } from '../scheduling/visit-type.ts'
import type { Condition } from '../search/plan.ts'

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
  const roles = await Promise.all(actor.map(({ reference = '' }) => rolesBehind(ctx, reference)))
  return roles.flat().flatMap(({ active, specialty = [] }) => (active === false ? [] : specialty))
}

async function rolesBehind(ctx: Context, reference: string): Promise<readonly PractitionerRole[]> {
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

/** Acceptable actors of a visit, as `Type/id`. */
export interface Choice {
  readonly actors: ReadonlySet<string>
  /**
   * Practitioners who belong to the choice by a role. They count only if a Schedule names no place, role or service,
   * which would decide.
   */
  readonly people: ReadonlySet<string>
}

type Holder = PractitionerRole | Location | HealthcareService
interface Source {
  readonly type: Holder['resourceType']
  /** The search parameter, and the references that it searches. */
  readonly param: string
  readonly named: (holder: Holder) => readonly (Reference | undefined)[]
}

const rolesBy = (element: 'practitioner' | 'organization'): Source => ({
  type: 'PractitionerRole',
  param: element,
  named: (role) => (role.resourceType === 'PractitionerRole' ? [role[element]] : []),
})
const atPlace = (type: 'PractitionerRole' | 'HealthcareService'): Source => ({
  type,
  param: 'location',
  named: (holder) => (holder.resourceType === 'Location' ? [] : (holder.location ?? [])),
})

/** Resources that may represent a requested actor in a Schedule. */
const SOURCES = {
  practitioner: [rolesBy('practitioner')],
  organization: [
    rolesBy('organization'),
    {
      type: 'Location',
      param: 'organization',
      named: (place) => (place.resourceType === 'Location' ? [place.managingOrganization] : []),
    },
    {
      type: 'HealthcareService',
      param: 'organization',
      named: (service) => (service.resourceType === 'HealthcareService' ? [service.providedBy] : []),
    },
  ],
  location: [atPlace('PractitionerRole'), atPlace('HealthcareService')],
} as const satisfies Readonly<Record<string, readonly Source[]>>

/** @param asked references of each choice, as `Type/id` */
export async function choicesOf(
  ctx: Context,
  kind: keyof typeof SOURCES,
  asked: readonly (readonly string[])[],
): Promise<readonly Choice[]> {
  const wanted = [...new Set(asked.flat())]
  if (wanted.length === 0) return []
  const holders = await Promise.all(SOURCES[kind].map((source) => holdersBy(ctx, source, wanted)))
  const all = holders.flat()
  return asked.map((addresses) => {
    const own = all.filter(({ names }) => names.some((name) => addresses.includes(name)))
    const people = kind === 'practitioner' ? [] : own.flatMap(({ practitioner }) => practitioner ?? [])
    return { actors: new Set([...addresses, ...own.map(({ address }) => address)]), people: new Set(people) }
  })
}

const WITH_WHOM = 'whom the visit is with'

interface FoundHolder {
  readonly address: string
  readonly names: readonly string[]
  readonly practitioner: string | undefined
}

async function holdersBy(ctx: Context, source: Source, wanted: readonly string[]): Promise<readonly FoundHolder[]> {
  const found = await allOf<Holder>(ctx, source.type, [refersTo(source.param, wanted)], WITH_WHOM)
  return found
    .filter(({ resource }) => !('active' in resource && resource.active === false))
    .map(({ id, resource }) => ({
      address: `${source.type}/${id}`,
      names: source.named(resource).flatMap((reference) => addressOf(ctx, reference) ?? []),
      practitioner: resource.resourceType === 'PractitionerRole' ? addressOf(ctx, resource.practitioner) : undefined,
    }))
}

/**
 * @param wishes a Schedule must fulfil each of them, by one of its choices, which are in order of preference
 * @returns Schedule.id in order of preference, by the first wish first
 */
export async function schedulesWith(ctx: Context, wishes: readonly (readonly Choice[])[]): Promise<readonly string[]> {
  const where = wishes.map((choices) => refersTo('actor', [...new Set(choices.flatMap(addressesIn))]))
  const isActive: Condition = { kind: 'not', of: { kind: 'token', param: 'active', code: 'false' } }
  const found = await allOf<Schedule>(ctx, 'Schedule', [...where, isActive], WITH_WHOM)
  const ranked = found.flatMap(({ id, resource }) => {
    const ranks = wishes.map((choices) => rankOf(ctx, resource, choices))
    return ranks.includes(-1) ? [] : [{ id, ranks }]
  })
  return ranked.sort((one, other) => compareRanks(one.ranks, other.ranks)).map(({ id }) => id)
}

const addressesIn = ({ actors, people }: Choice): readonly string[] => [...actors, ...people]

function rankOf(ctx: Context, { actor }: Schedule, choices: readonly Choice[]): number {
  const addresses = actor.flatMap((reference) => addressOf(ctx, reference) ?? [])
  const namesPlace = addresses.some((address) => PLACES.has(address.slice(0, address.indexOf('/'))))
  return choices.findIndex(({ actors, people }) =>
    addresses.some((address) => actors.has(address) || (!namesPlace && people.has(address))),
  )
}

const PLACES: ReadonlySet<string> = new Set(['Location', 'PractitionerRole', 'HealthcareService'])

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

function addressOf({ baseUrl }: Context, reference: Reference | undefined): string | undefined {
  const local = localReference(reference?.reference ?? '', baseUrl)
  return local && `${local.type}/${local.id}`
}
