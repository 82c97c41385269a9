/** Birth dates as people type them: `6/6/1966`, `06.06.66`, `6 June 1966`, `June 1966`, `1966-06`. */

export interface DateReading {
  /** The order in which 3/4/1980 is read: `month-first` or `day-first`. */
  readonly order: string
  /** The day in the clinic: a birth date is not later. */
  readonly today: string
}

/** The settings of a clinic that name the order. */
export interface OrderSettings {
  readonly defaultRegion: string
  readonly [other: string]: unknown
}

/** As docs/clinics.md has it: that of the settings, else that of the country. */
export const dateOrderOf = ({ defaultRegion, dateOrder }: OrderSettings): string =>
  typeof dateOrder === 'string' ? dateOrder : defaultRegion === 'US' ? 'month-first' : 'day-first'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const

const YEAR = "'?(?<year>\\d{4}|\\d{2})"
const LONG_YEAR = '(?<year>\\d{4})'
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?'
const NAME = `(?<name>(?:${MONTHS.join('|')})[a-z]*)\\.?`
const BETWEEN = '[\\s./-]'

/** `one` and `two` are month and day in the clinic's order. */
const FORMS = [
  `${LONG_YEAR}`,
  `${LONG_YEAR}[-./](?<month>\\d{1,2})(?:[-./](?<day>\\d{1,2}))?`,
  `${LONG_YEAR}(?<month>\\d{2})(?<day>\\d{2})`,
  `(?<month>\\d{1,2})[-./]${LONG_YEAR}`,
  `(?<one>\\d{1,2})${BETWEEN}+(?<two>\\d{1,2})${BETWEEN}+${YEAR}`,
  `(?<one>\\d{2})(?<two>\\d{2})${LONG_YEAR}`,
  `${DAY}${BETWEEN}*${NAME}(?:,|${BETWEEN})*${YEAR}`,
  `${NAME}${BETWEEN}*${DAY}(?:,|${BETWEEN})+${YEAR}`,
  `${NAME}(?:,|${BETWEEN})*${LONG_YEAR}`,
].map((form) => new RegExp(`^${form}$`, 'i'))

const EARLIEST_YEAR = 1870

/**
 * The dates that a text can mean, as FHIR has them (`1966-06-06`, `1966-06`, `1966`), the likeliest first: of a year of
 * two digits the latest that is past, then the century before. None: it is no date.
 */
export function datesIn(text: string, reading: DateReading): readonly string[] {
  const found = FORMS.flatMap((form) => datesOf(form.exec(text.trim())?.groups, reading))
  return [...new Set(found)]
}

/** The likeliest date; undefined: the text is none. */
export const dateIn = (text: string, reading: DateReading): string | undefined => datesIn(text, reading)[0]

function datesOf(groups: Readonly<Record<string, string | undefined>> | undefined, reading: DateReading) {
  if (groups?.year === undefined) return []
  const { day, month } = dayAndMonth(groups, reading)
  return yearsOf(groups.year, reading.today)
    .map((year) => [year, month, day].filter((part) => part !== undefined).join('-'))
    .filter((date) => isPast(date, reading.today))
}

function dayAndMonth(groups: Readonly<Record<string, string | undefined>>, { order }: DateReading) {
  const { one, two, name, day, month } = groups
  if (name !== undefined) return { day: day && twoDigits(day), month: monthCalled(name) }
  if (one === undefined || two === undefined) return { day: day && twoDigits(day), month: month && twoDigits(month) }
  const isMonthFirst = order === 'month-first' ? Number(one) <= 12 : Number(two) > 12
  const [first, second] = [twoDigits(one), twoDigits(two)]
  return isMonthFirst ? { day: second, month: first } : { day: first, month: second }
}

const monthCalled = (name: string): string =>
  twoDigits(String(MONTHS.findIndex((month) => name.toLowerCase().startsWith(month)) + 1))

const twoDigits = (text: string): string => text.padStart(2, '0')

function yearsOf(typed: string, today: string): readonly string[] {
  if (typed.length === 4) return [typed]
  const century = Number(today.slice(0, 2))
  return [`${century}${typed}`, `${century - 1}${typed}`]
}

/** A day of the calendar that is not after today. */
function isPast(date: string, today: string): boolean {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const at = new Date(Date.UTC(year, month - 1, day))
  const isReal = at.getUTCMonth() === month - 1 && at.getUTCDate() === day
  return isReal && year >= EARLIEST_YEAR && date <= today.slice(0, date.length)
}
