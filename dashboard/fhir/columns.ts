/** The columns of a list of any type: its summary elements, those that can be searched by first. */
import type { CapabilityStatementRestResourceSearchParam, StructureDefinition } from 'fhir/r4'
import { elementsIn, scopeOf, type TypedElement } from './definitions.ts'

export interface Column {
  /** `deceased`: the values of a choice stand in one column. */
  readonly name: string
  /** By name in JSON: `deceasedBoolean`. */
  readonly elements: readonly TypedElement[]
  /** The search parameter that the list can be sorted by. */
  readonly sort?: string
}

const MOST_COLUMNS = 5

/** Elements that are of every resource, or say nothing in a cell. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['id', 'meta', 'implicitRules', 'language', 'text', 'contained', 'extension', 'modifierExtension'],
  ...['url', 'version', 'experimental', 'instantiatesCanonical', 'instantiatesUri', 'basedOn', 'partOf', 'useContext'],
])

/** Elements by which people know a resource; they come first, in this order. */
const TELLING = ['name', 'title', 'status', 'code', 'type', 'subject', 'patient', 'start']
/** Elements that say little by themselves; they come last. */
const LITTLE: ReadonlySet<string> = new Set(['identifier', 'active', 'category'])

type Parameters = readonly Pick<CapabilityStatementRestResourceSearchParam, 'name' | 'type'>[]

/** @param parameters of searches of the type */
export function columnsOf(definition: StructureDefinition, parameters: Parameters): readonly Column[] {
  const groups = Map.groupBy(elementsIn(scopeOf(definition)).filter(isTold), ({ choice, name }) => choice ?? name)
  const columns = [...groups].map(([name, elements]) => ({ name, elements, ...sortOf(name, parameters) }))
  const rank = ({ name, sort }: Column): number => {
    const place = TELLING.indexOf(name)
    if (place >= 0) return place
    return TELLING.length + (LITTLE.has(name) ? 2 : sort === undefined ? 1 : 0)
  }
  return columns.sort((one, other) => rank(one) - rank(other)).slice(0, MOST_COLUMNS)
}

const isTold = ({ name, within, isSummary }: TypedElement): boolean =>
  isSummary && within === undefined && !LEFT_OUT.has(name)

/** Types of parameters by which the server can sort. */
const SORTED: ReadonlySet<string> = new Set(['string', 'date', 'number', 'quantity', 'token', 'uri', 'reference'])

/** `birthdate` for `birthDate`. */
function sortOf(name: string, parameters: Parameters): Pick<Column, 'sort'> {
  const found = parameters.find((one) => plain(one.name ?? '') === plain(name) && SORTED.has(one.type ?? ''))
  return found?.name === undefined ? {} : { sort: found.name }
}

const plain = (text: string): string => text.replaceAll('-', '').toLowerCase()
