/** A visit as it is read aloud: "Tuesday, November 24th, at 2:30 in the afternoon with Dr. Amara Okafor at Maple Street". */
import type { Reference } from 'fhir/r4'
import { DateTime } from 'luxon'
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { ZoneClock } from '../../scheduling/zone-clock.ts'
import { sayTime } from '../spoken/say-time.ts'
import { namedActors } from './named-actors.ts'

export interface SpokenVisit {
  /** As FHIR writes it, with the offset of the clinic. */
  readonly start: string
  readonly label: string
}

/** @param start FHIR instant @param actors of its Schedule, or who takes part */
export async function spokenVisit(ctx: Context, start: string, actors: readonly Reference[]): Promise<SpokenVisit> {
  const settings = await readSettings(ctx.unit, ctx.clinic)
  const { people, places } = await namedActors(ctx, actors)
  const who = people[0] === undefined ? '' : ` with ${people[0].name}`
  const where = places[0] === undefined ? '' : ` at ${places[0].name}`
  const [time, now] = [timeIn(settings, Date.parse(start)), timeIn(settings, ctx.now)]
  return {
    start: new ZoneClock(settings.timeZone).format(time.toMillis()),
    label: `${sayTime(time, now)}${who}${where}`,
  }
}

const timeIn = ({ timeZone }: ClinicSettings, instant: number): DateTime =>
  DateTime.fromMillis(instant, { zone: timeZone })

const CHOICE = new Intl.ListFormat('en', { type: 'disjunction' })

/** Labels hold commas: "a; b; or c". */
export const oneOf = (labels: readonly string[]): string =>
  labels.length < 3 ? CHOICE.format(labels) : `${labels.slice(0, -1).join('; ')}; or ${labels.at(-1)}`
