/** An amount of money in cents: a number, or callers' and agents' words with the unit. */
import { isNumber } from '../fhir/json.ts'
import { DIGITS, TEENS, TENS } from './numbers.ts'
import { type ParsedValue, plainNumber } from './spoken.ts'

/** Largest unsignedInt of FHIR. */
const MOST_CENTS = 2_147_483_647
/** Most characters; an amount is shorter. */
const MAX_LENGTH = 200

/**
 * 12999, "12999", "$129.99", "129 dollars and 99 cents", "one hundred twenty nine dollars and ninety nine cents".
 * A number is in cents, as the argument is, parts of a cent included. In a text, figures with a fraction ("129.99") and words
 * alone ("twelve ninety nine") may be dollars, and give a question.
 */
export function spokenCents(value: unknown): ParsedValue<number> {
  const cents = isNumber(value) ? Number(value) : typeof value === 'string' ? centsOf(value) : undefined
  if (cents !== undefined && cents >= 0 && cents <= MOST_CENTS) return { ok: true, value: cents }
  return { ok: false, error: EXPECTED }
}

const EXPECTED = `The value must be a number between 0 and ${MOST_CENTS}, in cents, or an amount with its unit, for example "$129.99" or "129 dollars and 99 cents"`

function centsOf(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const said = plainNumber(text)
    .toLowerCase()
    .replace(/^(?:(?:that's|it's|that is|it is|that would be|the price is|um|uh) )+/, '')
    .replace(/[\s,]*(?:please|thanks|thank you|exactly)?[.!]*$/, '')
    .replace(/^us(?:d ?\$?|(?=\$)\$)/, '$$')
    .replace(/(?<=^\$.*\d) ?usd$/, '')
    .replace(/ ?usd$/, ' dollars')
  if (/^(?:\d+(?:\.0)?|\d+\.\d+ cents)$/.test(said)) return Number.parseFloat(said)
  return inFigures(said) ?? inUnits(said)
}

/** $129.99, $1,299, 129.99 dollars */
function inFigures(said: string): number | undefined {
  const [, before, after] =
    /^(?:\$ ?(\d[\d,]*(?:\.\d\d)?)|(\d[\d,]*\.\d\d) (?:us )?(?:dollars|bucks))$/.exec(said) ?? []
  const figures = before ?? after
  if (figures === undefined || !/^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d\d)?$/.test(figures)) return undefined
  return Math.round(Number(figures.replaceAll(',', '')) * 100)
}

/** "… dollars and … cents", "… dollars", "… cents" */
function inUnits(said: string): number | undefined {
  const words = said.split(/[\s-]+/).filter((word) => word !== '')
  const at = words.findIndex((word) => /^(?:dollars?|bucks)$/.test(word))
  const dollars = at < 0 ? undefined : amount(words.slice(0, at))
  const rest = words.slice(at + 1)
  if (at >= 0 && rest.length === 0) return dollars === undefined ? undefined : dollars * 100
  const unit = rest.at(-1)
  const cents =
    unit === 'cents' || unit === 'cent' ? amount(rest.slice(rest[0] === 'and' && at >= 0 ? 1 : 0, -1)) : undefined
  if (cents === undefined || (at >= 0 && (dollars === undefined || cents > 99))) return undefined
  return (dollars ?? 0) * 100 + cents
}

/** An integer in figures or in words with all scales: "twelve ninety nine" is not one. */
function amount(words: readonly string[]): number | undefined {
  const [only = ''] = words
  if (words.length === 1 && /^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(only)) return Number(only.replaceAll(',', ''))
  const thousand = words.indexOf('thousand')
  const thousands = thousand < 0 ? 0 : belowThousand(words.slice(0, thousand))
  const tail = words.slice(thousand + 1)
  const rest =
    tail.length === 0 && thousand >= 0 ? 0 : belowThousand(tail[0] === 'and' && thousand >= 0 ? tail.slice(1) : tail)
  return thousands === undefined || rest === undefined ? undefined : thousands * 1000 + rest
}

/** "one hundred twenty nine", "a hundred and five", "ninety nine" */
function belowThousand(words: readonly string[]): number | undefined {
  const hundred = words.indexOf('hundred')
  if (hundred < 0) return belowHundred(words)
  const head = words.slice(0, hundred)
  const hundreds = head.length === 1 ? (head[0] === 'a' ? 1 : DIGITS.get(head[0] ?? '')) : undefined
  const tail = words.slice(hundred + 1)
  const rest = tail.length === 0 ? 0 : belowHundred(tail[0] === 'and' ? tail.slice(1) : tail)
  return hundreds === undefined || hundreds === 0 || rest === undefined ? undefined : hundreds * 100 + rest
}

function belowHundred(words: readonly string[]): number | undefined {
  const [first = '', second] = words
  const tens = TENS.get(first)
  if (words.length === 1) return first === 'oh' ? undefined : (DIGITS.get(first) ?? TEENS.get(first) ?? tens)
  const ones = DIGITS.get(second ?? '')
  return words.length === 2 && tens !== undefined && ones !== undefined && ones > 0 ? tens + ones : undefined
}
