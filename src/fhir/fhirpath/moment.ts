/** Dates and times with their precision, as FHIRPath compares them: https://hl7.org/fhirpath/N1/#datetime-equality. */

/** A date, dateTime or time. `parts` are year to second (hour to second for a time), in UTC if there was an offset. */
export class Moment {
  readonly text: string
  readonly kind: 'Date' | 'DateTime' | 'Time'
  readonly parts: readonly number[]
  constructor(text: string, kind: Moment['kind'], parts: readonly number[]) {
    this.text = text
    this.kind = kind
    this.parts = parts
  }
}

const CLOCK = String.raw`(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d+)?))?)?`
const DATE = new RegExp(String.raw`^(\d{4})(?:-(\d\d)(?:-(\d\d)(T(?:${CLOCK}(Z|[+-]\d\d:\d\d)?)?)?)?)?(T)?$`)
const TIME = new RegExp(`^T?${CLOCK}$`)
const MINUTE = 60_000

/** Undefined when the text is not a date or a time. */
export function parseMoment(text: string): Moment | undefined {
  const date = DATE.exec(text)
  if (date !== null) return fromDate(text, date)
  const time = text.includes(':') || text.startsWith('T') ? TIME.exec(text) : null
  return time === null ? undefined : new Moment(text, 'Time', numbers(time.slice(1)))
}

function fromDate(text: string, match: RegExpExecArray): Moment {
  const [, year, month, day, time, hour, minute, second, zone, bare] = match
  const parts = numbers([year, month, day, hour, minute, second])
  const kind = time === undefined && bare === undefined ? 'Date' : 'DateTime'
  return new Moment(text, kind, zone === undefined || zone === 'Z' ? parts : toUtc(parts, zone))
}

const numbers = (texts: readonly (string | undefined)[]): number[] => {
  const end = texts.indexOf(undefined)
  return (end === -1 ? texts : texts.slice(0, end)).map(Number)
}

function toUtc(parts: readonly number[], zone: string): number[] {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  const local = Date.UTC(year, month - 1, day, hour, minute)
  const utc = new Date(zone.startsWith('-') ? local + minutes * MINUTE : local - minutes * MINUTE)
  const fields = [utc.getUTCFullYear(), utc.getUTCMonth() + 1, utc.getUTCDate(), utc.getUTCHours(), utc.getUTCMinutes()]
  return [...fields, second].slice(0, parts.length)
}

/** Negative, positive or 0; undefined when the lower precision leaves it open, or for a time and a date. */
export function compareMoments(left: Moment, right: Moment): number | undefined {
  if ((left.kind === 'Time') !== (right.kind === 'Time')) return undefined
  const length = Math.max(left.parts.length, right.parts.length)
  for (let index = 0; index < length; index++) {
    const one = left.parts[index]
    const other = right.parts[index]
    if (one === undefined || other === undefined) return undefined
    if (one !== other) return one - other
  }
  return 0
}
