/**
 * get_clinic_info: name, phone number, address and opening hours of the clinic, and an answer to a question about it.
 */
import { defineOperation } from '../../core/operation.ts'
import { type ClinicTopic, clinicTopic } from '../../spoken/clinic-topic.ts'
import { sayHours } from '../../spoken/say-time.ts'
import { optionalText } from '../../spoken/stated-values.ts'
import { type ClinicFacts, clinicFacts, type Site } from '../session/clinic-facts.ts'

/** Characters. */
const MAX_TOPIC_LENGTH = 1000

export const getClinicInfo = defineOperation('organization-get-clinic-info', async ({ access, input }) => {
  const topic = clinicTopic(optionalText('topic', input.topic, MAX_TOPIC_LENGTH))
  const facts = await clinicFacts(access.reader())
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
  address: onOneLine(addressesOf(sites)),
  hours: onOneLine(hoursOf(sites)),
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
const onOneLine = (stated: readonly Stated[]): string =>
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
