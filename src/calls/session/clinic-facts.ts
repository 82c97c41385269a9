/** Public facts about a clinic, from its Organization, its Locations, and the hours of its Schedules. */
import type { Address, ContactPoint, Location, Organization } from 'fhir/r4'
import { availabilityOf, toldSchedules } from '../../booking/offered-types.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { Availability } from '../../scheduling/availability.ts'
import { type OpeningWeek, statedHours, workingHours } from '../../scheduling/opening-hours.ts'

/** A place where the clinic sees patients. */
export interface Site {
  /** '' if it has none. */
  readonly name: string
  /** On one line; '' if it is not stated. */
  readonly address: string
  readonly hours: OpeningWeek
  /** Exceptions to the hours, such as holidays; '' if none are stated. */
  readonly exceptions: string
  /** The sentences of `Location.description`. */
  readonly notes: readonly string[]
}

export interface ClinicFacts {
  readonly name: string
  readonly contacts: readonly ContactPoint[]
  /** If no Location is known, a single site without a name. */
  readonly sites: readonly Site[]
}

const MAX_SITES = 20

/** Active Locations that are not part of another one, as rooms are. */
const SITES = `partof:missing=true&status:not=inactive,suspended&_sort=name,_id&_count=${MAX_SITES}`

const WHO = ['Organization', 'Location']

async function told(ctx: Context) {
  const organization = (await ctx.find<Organization>('Organization', ctx.clinic))?.resource
  return { organization, locations: await ctx.search<Location>('Location', SITES) }
}

export async function clinicFacts(ctx: Context): Promise<ClinicFacts> {
  const settings = await readSettings(ctx.unit, ctx.clinic)
  const { organization, locations } = await ctx.unit.recentView('who the clinic is, and where', WHO, () => told(ctx))
  const schedules = await openingsOf(ctx)
  const own: Site = {
    name: '',
    address: (organization?.address ?? []).map(onOneLine).find((line) => line !== '') ?? '',
    hours: workingHours(schedules.map(({ availability }) => availability)),
    exceptions: '',
    notes: [],
  }
  const sites = locations.map((location) => siteOf(location, schedules)).filter(isTelling)
  return {
    name: organization?.name ?? settings.name,
    contacts: [
      ...contactsOf(organization),
      ...locations.flatMap(({ resource }) => contactsOf(resource)),
      ...settings.dialedNumbers.map((value) => ({ system: 'phone' as const, value })),
    ],
    sites: sites.length === 0 ? [own] : withoutGaps(sites, own),
  }
}

/** Fills gaps with the clinic's own facts: the hours if no site has any, and the address of a single site. */
function withoutGaps(sites: readonly Site[], own: Site): readonly Site[] {
  const isOnly = sites.length === 1
  const hasHours = sites.some(({ hours }) => hours.size > 0)
  return sites.map((site) => ({
    ...site,
    address: site.address === '' && isOnly ? own.address : site.address,
    hours: hasHours ? site.hours : own.hours,
  }))
}

interface Opening {
  /** References such as `Location/1`. */
  readonly actors: readonly (string | undefined)[]
  readonly availability: Availability
}

async function openingsOf(ctx: Context): Promise<readonly Opening[]> {
  return (await toldSchedules(ctx)).flatMap((found) => {
    const availability = availabilityOf(found)
    const actors = found.resource.actor.map(({ reference }) => reference)
    return availability === undefined ? [] : { actors, availability }
  })
}

function siteOf({ id, resource }: Versioned<Location>, openings: readonly Opening[]): Site {
  const { name = '', description, address, hoursOfOperation = [], availabilityExceptions } = resource
  const stated = statedHours(hoursOfOperation)
  const here = openings.filter(({ actors }) => actors.includes(`Location/${id}`))
  return {
    name,
    address: address === undefined ? '' : onOneLine(address),
    hours: stated.size > 0 ? stated : workingHours(here.map(({ availability }) => availability)),
    exceptions: sentencesOf(availabilityExceptions).join(' '),
    notes: sentencesOf(description),
  }
}

const isTelling = ({ address, hours }: Site): boolean => address !== '' || hours.size > 0

/** Omits the country, as the caller is in the same one. */
function onOneLine({ text, line = [], city, state, postalCode }: Address): string {
  const region = [state, postalCode].filter(Boolean).join(' ')
  const parts = [...line, city, region].filter(Boolean)
  return (parts.length === 0 ? (text ?? '') : parts.join(', ')).replace(/\s+/g, ' ').trim()
}

const contactsOf = (holder: Pick<Organization, 'telecom'> | undefined): readonly ContactPoint[] =>
  (holder?.telecom ?? [])
    .filter(({ use, value }) => use !== 'old' && value !== undefined)
    .toSorted((one, other) => (one.rank ?? Number.MAX_VALUE) - (other.rank ?? Number.MAX_VALUE))

const sentencesOf = (text = ''): readonly string[] =>
  text
    .split(/(?<=[.!?;])\s+|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
