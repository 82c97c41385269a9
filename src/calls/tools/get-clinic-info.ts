/**
 * Facts that the clinic tells every caller. get_clinic_info: name, phone number, address and opening hours, and an answer to a question,
 * from its Organization, its Locations, and the hours of its Schedules. list_appointment_types: the kinds of visits that it
 * offers, with keys for the agent.
 */
import type { Address, ContactPoint, Location, Organization } from 'fhir/r4'
import { availabilityOf, offeredTypes, toldSchedules } from '../../booking/offered-types.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { Availability } from '../../scheduling/availability.ts'
import { type OpeningWeek, statedHours, workingHours } from '../../scheduling/opening-hours.ts'
import type { OfferedType } from '../../scheduling/visit-type.ts'
import { type ClinicTopic, clinicTopic } from '../../spoken/clinic-topic.ts'
import { listed, sayHours } from '../../spoken/say.ts'
import { readAll, statedText } from '../../spoken/stated-values.ts'
import { keysFor } from '../session/call-keys.ts'

/** Characters. */
const MAX_TOPIC_LENGTH = 1000

const readTopic = (value: unknown) => statedText(String(value), MAX_TOPIC_LENGTH)

export const getClinicInfo = defineOperation('organization-get-clinic-info', async ({ access, input }) => {
  const { topic: asked } = readAll({ topic: readTopic }, input, { optional: ['topic'] })
  const topic = clinicTopic(asked)
  const facts = await clinicFacts(await access.reader())
  const { name, phone, address, hours } = infoOf(facts)
  const answer = sentence(topic, facts)
  return {
    success: true,
    ...(name === '' ? {} : { name }),
    ...(phone === undefined ? {} : { phone }),
    ...(address === '' ? {} : { address }),
    ...(hours === '' ? {} : { hours }),
    ...(answer === undefined
      ? { code: 'topic-unknown', say: `I am sorry, I have no information about ${spokenOf(topic)}.` }
      : { say: answer }),
  }
})

const infoOf = ({ name, contacts, sites }: ClinicFacts) => ({
  name,
  phone: contacts.find(({ system }) => system === 'phone')?.value,
  address: inOneText(addressesOf(sites)),
  hours: inOneText(hoursOf(sites)),
})

/** One fact about a site; without a name if it holds for all sites. */
interface Stated {
  readonly name: string
  readonly text: string
}

const addressesOf = (sites: readonly Site[]) => statedOf(sites, ({ address }) => address)

const hoursOf = (sites: readonly Site[]) =>
  statedOf(sites, ({ hours, exceptions }) =>
    hours.size === 0 || exceptions === '' ? sayHours(hours) : `${sayHours(hours)}, ${exceptions.replace(/\.$/, '')}`,
  )

function statedOf(sites: readonly Site[], textOf: (site: Site) => string): readonly Stated[] {
  const stated = sites.map((site) => ({ name: site.name, text: textOf(site) })).filter(({ text }) => text !== '')
  const [first, ...others] = stated
  const isOfAll = stated.length === sites.length && others.every(({ text }) => text === first?.text)
  return first !== undefined && isOfAll ? [{ name: '', text: first.text }] : stated
}

/** "Maple Street: 12 Maple Street, Albany; Riverside: …" */
const inOneText = (stated: readonly Stated[]): string =>
  stated.map(({ name, text }) => (name === '' ? text : `${name}: ${text}`)).join('; ')

/** "We are at …", "Maple Street is at … Riverside is at …"; undefined where nothing is stated. */
const spokenOfEach = (stated: readonly Stated[], verb: string): string | undefined =>
  stated.length === 0
    ? undefined
    : stated.map(({ name, text }) => `${name === '' ? 'We are' : `${name} is`} ${verb} ${text}.`).join(' ')

/** Returns undefined if nothing is known about the topic. */
function sentence(topic: ClinicTopic, facts: ClinicFacts): string | undefined {
  const { name, phone } = infoOf(facts)
  switch (topic.kind) {
    case 'everything': {
      const parts = (['name', 'address', 'hours', 'phone'] as const).flatMap((kind) => sentence({ kind }, facts) ?? [])
      return parts.length === 0 ? undefined : parts.join(' ')
    }
    case 'hours':
      return spokenOfEach(hoursOf(facts.sites), 'open')
    case 'address':
      return spokenOfEach(addressesOf(facts.sites), 'at')
    case 'phone':
      return phone === undefined ? undefined : `Our phone number is ${phone}.`
    case 'name':
      return name === '' ? undefined : `This is ${name}.`
    case 'contact': {
      const value = facts.contacts.find(({ system }) => system === topic.system)?.value
      return value === undefined ? undefined : `Our ${topic.spoken} is ${value}.`
    }
    case 'note':
      return notesAbout(topic.words, facts.sites)
  }
}

/** More would be too long to listen to. */
const MAX_NOTES = 4

function notesAbout(words: RegExp, sites: readonly Site[]): string | undefined {
  const found = sites.flatMap(({ name, notes }) =>
    notes
      .filter((note) => words.test(note))
      .map((note) => (sites.length > 1 && name !== '' ? `${name}: ${note}` : note)),
  )
  if (found.length === 0) return undefined
  return found
    .slice(0, MAX_NOTES)
    .map((note) => (/[.!?]$/.test(note) ? note : `${note.replace(/;$/, '')}.`))
    .join(' ')
}

const SPOKEN = {
  everything: 'the clinic',
  hours: 'our opening hours',
  address: 'our address',
  phone: 'our phone number',
  name: 'that',
} as const

function spokenOf(topic: ClinicTopic): string {
  if (topic.kind === 'contact') return `our ${topic.spoken}`
  return topic.kind === 'note' ? topic.spoken : SPOKEN[topic.kind]
}

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

async function clinicFacts(ctx: Context): Promise<ClinicFacts> {
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

export const listAppointmentTypes = defineOperation('schedule-list-appointment-types', ({ access, call }) =>
  access.change(async (ctx) => {
    const types = await offeredTypes(ctx)
    const queries = types.map(({ query }) => query)
    const keys = call === undefined ? [] : await keysFor(ctx, call, 'appointment-type', queries)
    return {
      success: true,
      appointmentTypes: types.map(({ name, durationMinutes }, index) => ({
        ...(call === undefined ? {} : { appointmentTypeKey: keys[index] }),
        name,
        durationMinutes,
      })),
      say: sayTypes(types),
    }
  }),
)

/** More would be too long to listen to. */
const MAX_SPOKEN = 6

function sayTypes(types: readonly OfferedType[]): string {
  if (types.length === 0) return 'I have no list of the kinds of appointments. Tell me what you need to be seen for.'
  const spoken = types.slice(0, MAX_SPOKEN).map(({ name }) => name)
  const others = types.length > MAX_SPOKEN ? ['others'] : []
  return `We offer ${listed([...spoken, ...others])}. Which one would you like?`
}
