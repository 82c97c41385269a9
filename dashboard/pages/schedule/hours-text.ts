/** Working hours in words, to compare two versions of them. */
import { isRecord } from '../../api/problem.ts'
import { DAY_TEXT, DAYS } from '../../fhir/availability.ts'

const LABELS: Readonly<Record<string, string>> = {
  timeZone: 'Time zone',
  slotMinutes: 'Minutes per slot',
  horizonDays: 'Days ahead',
  weekly: 'Hours of the week',
  breaks: 'Breaks',
  special: 'Special days',
  absences: 'Holidays and absences',
  types: 'Kinds of visits',
}

export const labelOfHours = (path: string): string => LABELS[path] ?? path

/** A line for each part of a list. */
export function textOfHours(value: unknown): string {
  if (!Array.isArray(value)) return value === undefined || value === '' ? 'none' : String(value)
  return value.map(partText).join('\n') || 'none'
}

function partText(part: unknown): string {
  if (!isRecord(part)) return String(part)
  const { days, from, until, start, end, date, code, display, minutes, before, after, type, description } = part
  const named = Array.isArray(days) ? DAYS.filter((day) => days.includes(day)).map((day) => DAY_TEXT[day]) : undefined
  const span = from === undefined ? [start, end].filter(Boolean).join(' to ') : `${from}–${until}`
  const kind = code === undefined ? '' : `${display || code}, ${minutes} min`
  const buffers = [before && `${before} min free before`, after && `${after} min free after`]
  const words = [
    named && (named.length === 0 ? 'every day' : named.join(' ')),
    date,
    code === undefined ? span : kind,
    ...buffers,
    type && `for ${type}`,
    description,
  ]
  return words.filter(Boolean).map(String).join(' ')
}
