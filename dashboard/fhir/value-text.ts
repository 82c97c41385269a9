/** A value of any type in a few words, for a cell of a table. */
import type { Address, CodeableConcept, HumanName, Reference } from 'fhir/r4'
import { numberText } from './json-text.ts'
import { addressText, conceptText, nameOf, referenceText } from './names.ts'

type Members = Readonly<Record<string, unknown>>

/** Items of a list that are told; the number of the others follows. */
const ITEMS = 2

interface Told {
  /** A FHIR date or time in the words of the clinic. */
  readonly time: (at: string) => string
  /** The name of the resource that a reference leads to, where it is known. */
  readonly target?: (reference: string) => string | undefined
}

/** @param code its type, `HumanName` */
export function valueText(value: unknown, code: string, told: Told): string {
  if (value === undefined || value === null) return ''
  if (!Array.isArray(value)) return oneText(value, code, told)
  const texts = value.map((one) => valueText(one, code, told)).filter((text) => text !== '')
  const rest = texts.length - ITEMS
  return texts.slice(0, ITEMS).join(', ') + (rest > 0 ? ` +${rest}` : '')
}

function oneText(value: unknown, code: string, told: Told): string {
  const number = numberText(value)
  if (number !== undefined) return number
  if (typeof value === 'string') return TIMES.has(code) ? told.time(value) : value
  if (typeof value !== 'object' || value === null) return String(value)
  return (COMPLEX[code] ?? otherText)(value as Members, told)
}

const TIMES: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant'])

const COMPLEX: Readonly<Record<string, (value: Members, told: Told) => string>> = {
  HumanName: (value) => nameOf([value as HumanName]),
  Address: (value) => addressText(value as Address),
  CodeableConcept: (value) => conceptText(value as CodeableConcept),
  Reference: (value, { target }) => {
    const reference = value as Reference
    return reference.display ?? target?.(reference.reference ?? '') ?? referenceText(reference)
  },
  Period: ({ start, end }, { time }) =>
    [start, end].map((at) => (at === undefined ? '' : time(String(at)))).join(' – '),
  Quantity: quantityText,
  Money: ({ value, currency }) => [numberText(value) ?? '', currency].filter(Boolean).join(' '),
  Range: ({ low, high }) => [low, high].map((one) => quantityText((one ?? {}) as Members)).join(' – '),
  Annotation: ({ text }) => String(text ?? ''),
}

function quantityText({ comparator, value, unit, code }: Members): string {
  return [`${comparator ?? ''}${numberText(value) ?? ''}`, unit ?? code].filter(Boolean).join(' ')
}

/** The member that says most of it. */
function otherText(value: Members): string {
  const said = ['display', 'text', 'value', 'title', 'name', 'code', 'url', 'reference'].map((name) => value[name])
  const found = said.find((one) => typeof one === 'string' || numberText(one) !== undefined)
  return typeof found === 'string' ? found : (numberText(found) ?? '')
}
