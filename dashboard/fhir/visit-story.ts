/** The history of a visit in words: made of its versions, and of the Provenances that say who wrote them. */
import type { Appointment, Provenance } from 'fhir/r4'
import { conceptText, referenceText } from './names.ts'
import { isPractitioner, visitStatusText } from './visits.ts'
import { USERS } from './work.ts'

/** The system of the ids of calls. */
const CALLS = 'https://sandbox-emr.example/fhir/NamingSystem/call-id'

export interface Deed {
  /** The version that it has made. */
  readonly version: string
  readonly at: string
  readonly what: string
  readonly who: Writer | undefined
}

export interface Writer {
  readonly name: string
  /** The id of the phone call by which it was done. */
  readonly call: string | undefined
}

interface Signature {
  readonly username: string
  readonly name: string
  readonly activity: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
}

/** A Provenance of what a user of the dashboard has done. */
export const provenanceOf = (visit: Appointment, { username, name, activity, at }: Signature): Provenance => ({
  resourceType: 'Provenance',
  target: [{ reference: versionPath(visit) }],
  recorded: new Date(at).toISOString(),
  activity: { text: activity },
  agent: [{ who: { display: name, identifier: { system: USERS, value: username } } }],
})

const versionPath = ({ id, meta }: Appointment): string => `Appointment/${id}/_history/${meta?.versionId}`

type Say = (at: string) => string

/**
 * The newest deed first.
 * @param versions of the visit, the newest first
 * @param say a time in words
 */
export const storyOf = (
  versions: readonly Appointment[],
  provenances: readonly Provenance[],
  say: Say,
): readonly Deed[] =>
  versions.map((version, index) => ({
    version: version.meta?.versionId ?? '',
    at: version.meta?.lastUpdated ?? '',
    what: deedOf(version, versions[index + 1], say),
    who: writerOf(version, provenances),
  }))

function deedOf(now: Appointment, before: Appointment | undefined, say: Say): string {
  if (before === undefined) return firstText(now)
  const deeds = [statusDeed(now, before), moveDeed(now, before, say), ...changesOf(now, before)].filter(Boolean)
  return deeds.join('; ') || 'Details changed'
}

const firstText = ({ status }: Appointment): string =>
  status === 'waitlist' ? 'Put on the waitlist' : visitStatusText(status)

function statusDeed({ status, cancelationReason }: Appointment, before: Appointment): string {
  if (status === before.status) return ''
  const why = status === 'cancelled' ? conceptText(cancelationReason) : ''
  return why === '' ? visitStatusText(status) : `${visitStatusText(status)} (${why})`
}

function moveDeed(now: Appointment, before: Appointment, say: Say): string {
  const [who, whoBefore] = [practitionersOf(now), practitionersOf(before)]
  const whose = who === whoBefore || whoBefore === '' ? '' : `, from ${whoBefore} to ${who}`
  if (now.start === before.start) return whose === '' ? '' : `Moved${whose}`
  const [from, to] = [before.start, now.start].map((at) => (at === undefined ? 'no time' : say(at)))
  return `Moved from ${from} to ${to}${whose}`
}

const practitionersOf = ({ participant }: Appointment): string =>
  participant
    .filter(({ actor }) => isPractitioner(actor))
    .map(({ actor }) => referenceText(actor))
    .join(', ')

/** The elements that a desk sees, each with its name. */
const SEEN: readonly (readonly [name: string, textOf: (visit: Appointment) => string])[] = [
  ['Reason', ({ description = '' }) => description],
  ['Comment', ({ comment = '' }) => comment],
  ['Kind', ({ appointmentType, serviceType = [] }) => [appointmentType, ...serviceType].map(conceptText).join()],
]

const changesOf = (now: Appointment, before: Appointment): readonly string[] =>
  SEEN.flatMap(([name, textOf]) => (textOf(now) === textOf(before) ? [] : [`${name} changed`]))

function writerOf(visit: Appointment, provenances: readonly Provenance[]): Writer | undefined {
  const version = versionPath(visit)
  const who = provenances.find(({ target }) => target.some(({ reference }) => reference?.endsWith(version)))?.agent[0]
    ?.who
  if (who === undefined) return undefined
  const call = who.identifier?.system === CALLS ? who.identifier.value : undefined
  return { name: referenceText(who), call }
}
