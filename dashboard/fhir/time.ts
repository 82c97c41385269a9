/**
 * Times of the clinic. They are shown in its zone, which is named, with 12 or 24 hours, the order of dates and the first
 * day of the week of its country, and are the same text in whatever zone and language the browser is. All conversions of wall times are here.
 */
import dayjs, { type Dayjs } from 'dayjs'
import utc from 'dayjs/plugin/utc.js'
import { dateOrderOf, type OrderSettings } from './typed-date.ts'

dayjs.extend(utc)

/** FHIR's instant or dateTime, or milliseconds. */
type Instant = string | number

/** Formats of dayjs. */
interface Customs {
  readonly clock: string
  readonly seconds: string
  /** A date, and one after the day of the week. */
  readonly date: string
  readonly day: string
  /** The first day of a week, as `Date.getUTCDay` counts: 0 is Sunday. */
  readonly firstDay: number
}

function customsOf(settings: OrderSettings): Customs {
  const clock = hasTwelveHours(settings.defaultRegion)
    ? { clock: 'h:mm A', seconds: 'h:mm:ss A' }
    : { clock: 'HH:mm', seconds: 'HH:mm:ss' }
  const firstDay = firstDayIn(settings.defaultRegion)
  return dateOrderOf(settings) === 'month-first'
    ? { ...clock, firstDay, date: 'MMM D, YYYY', day: 'ddd, MMM D, YYYY' }
    : { ...clock, firstDay, date: 'D MMM YYYY', day: 'ddd D MMM YYYY' }
}

/**
 * Countries whose weeks do not begin on Monday, as CLDR has them (https://www.unicode.org/cldr/charts/latest/supplemental/territory_information.html).
 * Not every browser knows them (`Intl.Locale.getWeekInfo`).
 */
const FROM_SUNDAY =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW'
const FROM_SATURDAY = 'AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY'

const firstDayIn = (region: string): number =>
  FROM_SUNDAY.split(' ').includes(region) ? 0 : FROM_SATURDAY.split(' ').includes(region) ? 6 : 1

/** As the language that most people of a country speak has it. */
function hasTwelveHours(region: string): boolean {
  const { language } = new Intl.Locale(`und-${region}`).maximize()
  return new Intl.DateTimeFormat(`${language}-${region}`, { hour: 'numeric' }).resolvedOptions().hour12 ?? false
}

// A window shows one clinic; before it is known, times are those of the default region of the server.
let customs = customsOf({ defaultRegion: 'US' })

/** Writes all times from now on as the clinic does. */
export function writeTimesAs(settings: OrderSettings): void {
  customs = customsOf(settings)
}

/** `Tue, Nov 24, 2026`, or `Tue 24 Nov 2026` where the day comes first */
export const dayText = (at: Instant, zone: string): string => inZone(at, zone).format(customs.day)

/** The day without its year, for narrow columns: `Tue, Nov 24`, or `Tue 24 Nov` */
export const shortDayText = (at: Instant, zone: string): string =>
  inZone(at, zone).format(customs.day.replace(/,? YYYY$/, ''))

/** `10:35 AM`, or `10:35` where the day has 24 hours */
export const clockText = (at: Instant, zone: string): string => inZone(at, zone).format(customs.clock)

/** `10:35:07 AM`, or `10:35:07` */
export const secondsText = (at: Instant, zone: string): string => inZone(at, zone).format(customs.seconds)

/** The day and the clock, `Tue, Nov 24, 2026, 10:35 AM`; a date without a time is a day wherever one is. */
export function timeText(at: string | undefined, zone: string): string {
  if (at === undefined || at === '') return ''
  return hasTime(at) ? `${dayText(at, zone)}, ${clockText(at, zone)}` : dateText(at)
}

/** `Feb 17, 1941` or `17 Feb 1941`, `Feb 1941`, `1941`: as much of a date as is known. */
export function dateText(date: string | undefined): string {
  if (date === undefined) return ''
  const format = { 4: 'YYYY', 7: 'MMM YYYY', 10: customs.date }[date.length]
  return format === undefined ? date : dayjs.utc(date).format(format)
}

/** Full years at an instant; undefined where the birth date has no year. */
export function ageAt(birthDate: string | undefined, at: Instant, zone: string): number | undefined {
  if (birthDate === undefined || !/^\d{4}/.test(birthDate)) return undefined
  const [year = 0, month = 1, day = 1] = birthDate.split('-').map(Number)
  const now = inZone(at, zone)
  const isBefore = now.month() + 1 < month || (now.month() + 1 === month && now.date() < day)
  return now.year() - year - (isBefore ? 1 : 0)
}

/** `New York`, as people call the zone `America/New_York`, with its offset then: `New York, UTC-5`. */
export function zoneText(zone: string, at: Instant): string {
  const minutes = offsetOf(at, zone)
  const hours = Math.trunc(Math.abs(minutes) / 60)
  const rest = Math.abs(minutes) % 60
  const offset = `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
  return `${(zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')}, ${offset}`
}

/** `2026-11-24`, the day in the clinic. */
export const dayOf = (at: Instant, zone: string): string => inZone(at, zone).format('YYYY-MM-DD')

/** `2026-11-24T00:00:00-05:00`: where a day of the clinic begins. */
export const startOfDay = (day: string, zone: string): string => wallTime(`${day}T00:00:00`, zone)

/** `2026-11-25` */
export const addDays = (day: string, days: number): string => dayjs.utc(day).add(days, 'day').format('YYYY-MM-DD')

/** The first day of the week of a day, as the country of the clinic has weeks. */
export const startOfWeek = (day: string): string => addDays(day, -((dayjs.utc(day).day() - customs.firstDay + 7) % 7))

/** A wall time of the clinic, `2026-11-24T10:35:00`, as an instant with its offset. */
export function wallTime(naive: string, zone: string): string {
  const wanted = dayjs.utc(naive)
  // The offset depends on the instant being computed; two passes are enough, also where the clocks change.
  let at = wanted
  for (let pass = 0; pass < 2; pass += 1) at = wanted.subtract(offsetOf(at.valueOf(), zone), 'minute')
  return `${inZone(at.valueOf(), zone).format('YYYY-MM-DDTHH:mm:ss')}${offsetText(offsetOf(at.valueOf(), zone))}`
}

/** The wall time of the clinic at an instant: `2026-11-24 10:35:00`. */
export const naiveOf = (at: Instant, zone: string): string => inZone(at, zone).format('YYYY-MM-DD HH:mm:ss')

/** `2026-11-24T10:35`: the wall time as a field for a day and a time holds it. */
export const fieldTimeOf = (at: Instant, zone: string): string => inZone(at, zone).format('YYYY-MM-DDTHH:mm')

export const minutesBetween = (start: Instant, end: Instant): number => dayjs(end).diff(dayjs(start), 'minute')

/** `45 s`, `2 min 5 s`, `1 h 2 min` */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(Math.round(milliseconds / 1_000), 0)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** `in 3 hours`, `2 days ago` */
export function relativeText(at: Instant, now: Instant): string {
  const minutes = Math.round((dayjs(at).valueOf() - dayjs(now).valueOf()) / 60_000)
  const size = Math.abs(minutes)
  if (size < 1) return 'now'
  const [count, unit] =
    size < 60 ? [size, 'minute'] : size < 1440 ? [Math.round(size / 60), 'hour'] : [Math.round(size / 1440), 'day']
  const text = `${count} ${unit}${count === 1 ? '' : 's'}`
  return minutes < 0 ? `${text} ago` : `in ${text}`
}

/** The wall clock of the zone, as if it were UTC, so that the clocks of the browser's zone have no part in it. */
const inZone = (at: Instant, zone: string): Dayjs => dayjs.utc(at).add(offsetOf(at, zone), 'minute')

const formats = new Map<string, Intl.DateTimeFormat>()

/** Minutes from UTC. A format is kept for each zone, as a browser takes long to make one. */
function offsetOf(at: Instant, zone: string): number {
  const instant = dayjs.utc(at).valueOf()
  if (Number.isNaN(instant)) return 0
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  formats.set(zone, format)
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(instant)) ?? []
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1)
}

/** `-05:00` */
function offsetText(minutes: number): string {
  const digits = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}:${digits(size % 60)}`
}

const hasTime = (at: string): boolean => at.includes('T')
