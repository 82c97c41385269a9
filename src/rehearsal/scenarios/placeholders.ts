/**
 * Values of a scenario that depend on the clinic and its day, put in when a resource is loaded. An object with one of these
 * members stands in place of a value, and `{clinic}` and `{clinic-name}` within any text. docs/scenarios.md
 */
import type { Extension } from 'fhir/r4'
import { DateTime } from 'luxon'
import { unprocessable } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { slotIdAt } from '../../scheduling/generated-slot.ts'
import { type ClinicDay, dateAt, instantAt, timeAt } from './moments.ts'
import type { ScenarioResource } from './scenario.ts'
import { publicHolidays } from './working-days.ts'

type Placeholder = (text: string, day: ClinicDay) => unknown

const PLACEHOLDERS: Readonly<Record<string, Placeholder>> = {
  $at: timeAt,
  $date: dateAt,
  $slot: (text, day) => {
    const [, schedule = '', moment = text] = /^(\S+) (.+)$/.exec(text) ?? []
    return `Slot/${slotIdAt(schedule, instantAt(moment, day))}`
  },
}

/** The resource as it is on that day. @throws FhirError 422 that names the element with a wrong placeholder */
export function resolved(resource: ScenarioResource, day: ClinicDay): ScenarioResource {
  const known = valueAt(resource, day, resource.resourceType) as ScenarioResource
  return known.resourceType === 'Appointment' ? withStatus(known, day.now) : known
}

function valueAt(value: unknown, day: ClinicDay, path: string): unknown {
  if (typeof value === 'string') return textOf(value, day)
  if (Array.isArray(value)) return value.flatMap((item, index) => itemsOf(item, day, `${path}[${index}]`))
  if (!isObject(value)) return value
  const [[name, text] = [], ...others] = Object.entries(value)
  if (name?.startsWith('$') && others.length === 0) return placed(name, text, day, path)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, valueAt(one, day, `${path}.${key}`)]))
}

const textOf = (text: string, { clinic, clinicName }: ClinicDay): string =>
  text.includes('{clinic') ? text.replaceAll('{clinic}', clinic).replaceAll('{clinic-name}', clinicName) : text

/** `$holidays` stands for several items, every other value for one. */
const itemsOf = (item: unknown, day: ClinicDay, path: string): readonly unknown[] =>
  isObject(item) && typeof item.$holidays === 'number' ? closedDays(day, item.$holidays) : [valueAt(item, day, path)]

function placed(name: string, text: unknown, day: ClinicDay, path: string): unknown {
  // Depends on the times of the Appointment: see withStatus.
  if (name === '$status') return { $status: text }
  const placeholder = Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name] : undefined
  if (placeholder === undefined || typeof text !== 'string')
    throw unprocessable(`${path}: '${name}' is no placeholder; they are ${[...NAMES].join(', ')}, each with a text`)
  try {
    return placeholder(text, day)
  } catch (error) {
    throw unprocessable(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const NAMES = [...Object.keys(PLACEHOLDERS), '$status', '$holidays']

/** The public holidays of so many years as parts of the extension by which a Schedule is closed. docs/schedule.md */
const closedDays = ({ now, timeZone }: ClinicDay, years: number): readonly Extension[] =>
  publicHolidays(DateTime.fromMillis(now, { zone: timeZone }).year, years).map(({ date, name }) => ({
    url: 'notAvailable',
    extension: [
      { url: 'during', valuePeriod: { start: date, end: date } },
      { url: 'description', valueString: name },
    ],
  }))

/** `{"$status": "booked"}` is arrived while the visit lasts, and fulfilled after it. */
function withStatus(resource: ScenarioResource, now: number): ScenarioResource {
  const { status, start, end } = resource as unknown as Readonly<Record<string, unknown>>
  if (!isObject(status)) return resource
  const isOver = Date.parse(String(end)) <= now
  const hasBegun = Date.parse(String(start)) <= now
  return { ...resource, status: isOver ? 'fulfilled' : hasBegun ? 'arrived' : status.$status } as ScenarioResource
}
