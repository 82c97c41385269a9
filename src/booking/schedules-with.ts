/** The Schedules of the practitioners, organizations and places requested for a visit. */
import type { HealthcareService, Location, PractitionerRole, Reference, Schedule } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import { allOf, refersTo } from '../reservations/all-found.ts'
import type { Condition } from '../search/plan.ts'

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
