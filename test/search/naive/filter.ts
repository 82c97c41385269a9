/** `_filter`: https://hl7.org/fhir/R4/search_filter.html. */
import { rangeOfDate } from './dates.ts'
import { type Parameter, parametersOf } from './definitions.ts'
import { elementsOf, type Resource } from './elements.ts'
import { compareEnds } from './ranges.ts'
import { compareTexts, plain } from './text.ts'
import { dateOf, textsOf } from './values.ts'

/** Words, texts in quotation marks and parentheses; chained parameters have no filter of their own. */
const PIECES = /"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g

/** The parts of the search that a filter needs. */
interface FilterSearch {
  /** One `name=value` of a query. */
  readonly holds: (resource: Resource, name: string, value: string) => boolean
  /** The resources at the end of `subject:Patient.organization`. */
  readonly reached: (resource: Resource, path: string) => readonly Resource[]
  /** The resource has a value of the parameter other than `text`. */
  readonly hasAnother: (resource: Resource, parameter: Parameter, text: string) => boolean
}

export function holdsFilter(text: string, resource: Resource, search: FilterSearch): boolean {
  return new Filter(text.match(PIECES) ?? [], search).either(resource)
}

/** Evaluates the filter while parsing it. */
class Filter {
  readonly #pieces: readonly string[]
  readonly #search: FilterSearch
  #at = 0

  constructor(pieces: readonly string[], search: FilterSearch) {
    this.#pieces = pieces
    this.#search = search
  }

  /** From left to right, without precedence. */
  either(resource: Resource): boolean {
    let holds = this.#operand(resource)
    for (;;) {
      if (this.#take('and')) holds = this.#operand(resource) && holds
      else if (this.#take('or')) holds = this.#operand(resource) || holds
      else return holds
    }
  }

  #operand(resource: Resource): boolean {
    if (this.#take('not')) return !this.#operand(resource)
    if (!this.#take('(')) return this.#test(resource)
    const holds = this.either(resource)
    this.#take(')')
    return holds
  }

  #test(resource: Resource): boolean {
    const [path = '', operator = '', value = ''] = [this.#next(), this.#next(), this.#next()]
    const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value
    const codes = path.split('.')
    const last = codes.at(-1) ?? ''
    if (codes.length === 1) return this.#fits(resource, last, operator, text)
    const before = codes.slice(0, -1).join('.')
    return this.#search.reached(resource, before).some((target) => this.#fits(target, last, operator, text))
  }

  #fits(resource: Resource, code: string, operator: string, text: string): boolean {
    const parameter = parametersOf(resource.resourceType).get(code)
    if (parameter === undefined) return false
    // A comma belongs to the value, whether a backslash says so or not.
    const asked = (modifier: string, value = text.replace(/\\.|,/gs, (found) => (found === ',' ? '\\,' : found))) =>
      this.#search.holds(resource, `${code}${modifier}`, value)
    switch (operator) {
      case 'pr':
        return asked(':missing', String(text === 'false'))
      case 'ss':
        return asked(':below')
      case 'sb':
        return asked(':above')
      case 'in':
        return asked(':in')
      case 'ni':
        return asked(':not-in')
      case 're':
        return asked('')
    }
    if (parameter.type === 'string')
      return stringsOf(resource, parameter).some((one) => fitsString(operator, one, plain(text)))
    if (operator === 'co' || operator === 'po') return hasTime(resource, parameter, operator, text)
    if (operator === 'eq') return asked('')
    if (operator !== 'ne' || ORDERED.includes(parameter.type)) return asked('', operator + text)
    return this.#search.hasAnother(resource, parameter, text)
  }

  #next(): string | undefined {
    return this.#pieces[this.#at++]
  }

  #take(piece: string): boolean {
    const isThere = this.#pieces[this.#at] === piece
    if (isThere) this.#at += 1
    return isThere
  }
}

const ORDERED = ['number', 'quantity', 'date']

const stringsOf = (resource: Resource, { expression }: Parameter): readonly string[] =>
  elementsOf(resource, expression).flatMap(textsOf).map(plain)

function fitsString(operator: string, text: string, asked: string): boolean {
  const order = compareTexts(text, asked)
  switch (operator) {
    case 'eq':
      return order === 0
    case 'ne':
      return order !== 0
    case 'co':
      return text.includes(asked)
    case 'sw':
      return text.startsWith(asked)
    case 'ew':
      return text.endsWith(asked)
    case 'gt':
      return order > 0
    case 'ge':
      return order >= 0
    case 'lt':
      return order < 0
    default:
      return order <= 0
  }
}

/** co: some time of the resource has all of the stated one in it; po: has some of it. */
function hasTime(resource: Resource, parameter: Parameter, operator: 'co' | 'po', text: string): boolean {
  const stated = rangeOfDate(text)
  return elementsOf(resource, parameter.expression).some((value) => {
    const own = dateOf(parameter, value)
    if (stated === undefined || own === undefined) return false
    return operator === 'co'
      ? compareEnds(own.low, stated.low) <= 0 && compareEnds(stated.high, own.high) <= 0
      : compareEnds(own.low, stated.high) <= 0 && compareEnds(stated.low, own.high) <= 0
  })
}
