/** The rows of the table of magic people and values as docs/magic.md has them. */
import { type MagicRow, magic } from '../../../src/rehearsal/magic/table.ts'

const row = (...cells: readonly unknown[]): string => `| ${cells.map((cell) => cell ?? '').join(' | ')} |`

const code = (text: unknown): string => (text === undefined ? '' : `\`${text}\``)

/** A patient, how to reach them, and the outcome by read, search, $match and in a call. */
function patientLine({ who, what, with: known, expect }: MagicRow): string {
  const { given, family, suffix, birthDate, phone, email } = known
  const name = [given, family, suffix].filter(Boolean).join(' ')
  const match = expect.match as { total: number; grade?: string; outcome?: string }
  const matched = [match.total, match.grade, match.outcome && 'and a possible `duplicate`'].filter(
    (one) => one !== undefined,
  )
  const verified = expect.verified === undefined ? undefined : expect.verified ? 'verified' : 'not verified'
  return row(
    who,
    what,
    [name, birthDate, phone, email].filter(Boolean).join(', '),
    expect.read,
    expect.search,
    matched.join(' '),
    [code(expect.identity), verified].filter(Boolean).join(', '),
  )
}

const practitionerLine = ({ who, what, with: { practitioner, schedule }, expect: { fault } }: MagicRow): string =>
  row(who, code(practitioner), code(schedule), what, code(fault))

function valueLine({
  what,
  with: { memberIdBegins, mailbox, phone },
  expect: { status, afterMs, retryAfter },
}: MagicRow) {
  const late = afterMs === undefined ? '' : ` after ${Number(afterMs) / 1000} seconds`
  const wait = retryAfter === undefined ? '' : `, \`Retry-After: ${retryAfter}\``
  const value = memberIdBegins === undefined ? `${code(`${mailbox}@`)}, ${code(phone)}` : code(memberIdBegins)
  return row(value, what, status === undefined ? 'no response' : `${code(status)}${late}${wait}`)
}

/** The lines of the page, in the order of the table. */
export const magicLines: readonly string[] = [
  ...magic.patients.map(patientLine),
  ...magic.practitioners.map(practitionerLine),
  ...magic.values.map(valueLine),
]
