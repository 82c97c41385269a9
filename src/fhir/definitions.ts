/**
 * The R4 resource and data types: https://hl7.org/fhir/R4/structuredefinition.html, from resources/r4 (`npm run
 * definitions`).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Constraint {
  readonly key: string
  readonly severity: 'error' | 'warning'
  readonly human: string
  /** FHIRPath; true when the rule is satisfied. */
  readonly expression: string
}

/** An element as stored in resources/r4/structures.json; absent properties have FHIR's most common value. */
export interface ElementRecord {
  /** R4 types; for a backbone element the path that defines it, e.g. `Patient.contact`. */
  readonly types: readonly string[]
  readonly min?: number
  readonly max?: string
  /** Resource types that a Reference may point to; absent: any. */
  readonly targets?: readonly string[]
  /** Canonical of the value set of a required binding, without version. */
  readonly binding?: string
  /** Likewise for an extensible binding. */
  readonly extensible?: string
  readonly summary?: boolean
  /** An XML attribute (`Element.id`, `Extension.url`): a plain value that cannot have extensions. */
  readonly attribute?: boolean
  /** Constraints of this element in addition to those of its type. */
  readonly constraints?: readonly Constraint[]
}

export interface StructureRecord {
  readonly kind: 'resource' | 'complex-type' | 'primitive-type' | 'backbone'
  readonly abstract?: boolean
  readonly base?: string
  /** Excluding those of the base. A choice is one element, e.g. `deceased[x]`. */
  readonly elements: Readonly<Record<string, ElementRecord>>
  readonly constraints?: readonly Constraint[]
}

export interface ElementStructure {
  /** The name in FHIRPath: `deceased`, where JSON says `deceasedBoolean`. */
  readonly name: string
  /** JSON name -> type: one, or one per type of a choice. */
  readonly properties: ReadonlyMap<string, string>
  readonly min: number
  /** Infinity for `*`. */
  readonly max: number
  readonly targets: readonly string[]
  readonly binding: string | undefined
  readonly extensible: string | undefined
  readonly summary: boolean
  readonly attribute: boolean
  readonly constraints: readonly Constraint[]
}

type Elements = ReadonlyMap<string, ElementStructure>

export interface Structure {
  readonly name: string
  readonly kind: StructureRecord['kind']
  readonly abstract: boolean
  readonly base: string | undefined
  /** The type and its bases: `code`, `string`, `Element`. */
  readonly hierarchy: readonly string[]
  /** Including those of every base, base first. */
  readonly elements: readonly ElementStructure[]
  /** By name in FHIRPath. */
  readonly byName: Elements
  /** By name in JSON, of which a choice has several. */
  readonly byKey: Elements
  readonly constraints: readonly Constraint[]
}

const FOLDER = join(import.meta.dirname, '..', '..', 'resources', 'r4')

const readDefinitions = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))

const structureRecords = new Map(Object.entries(readDefinitions('structures.json') as Record<string, StructureRecord>))

/** Resource types, data types and backbone elements. */
export const structureNames: readonly string[] = [...structureRecords.keys()]

/** The concrete resource types of R4, sorted: without Resource and DomainResource. */
export const resourceTypes: readonly string[] = [...structureRecords]
  .filter(([, { kind, abstract }]) => kind === 'resource' && abstract !== true)
  .map(([name]) => name)
  .sort()

const resourceTypeSet: ReadonlySet<unknown> = new Set(resourceTypes)

export const isResourceType = (name: unknown): name is string => resourceTypeSet.has(name)

type ValueSetRecords = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
let valueSets: ReadonlyMap<string, ValueSetRecords[string]> | undefined

/** System -> codes of a value set named by a required binding; undefined when its codes cannot be listed. */
export function codesOf(valueSet: string): ReadonlyMap<string, readonly string[]> | undefined {
  valueSets ??= new Map(Object.entries(readDefinitions('value-sets.json') as ValueSetRecords))
  const codes = valueSets.get(valueSet)
  return codes && new Map(Object.entries(codes))
}

const structureCache = new Map<string, Structure>()

/** A resource type, data type or backbone element (`Patient.contact`); undefined when R4 has no such type. */
export function structureOf(typeName: string): Structure | undefined {
  const known = structureCache.get(typeName)
  if (known !== undefined) return known
  const record = structureRecords.get(typeName)
  if (record === undefined) return undefined
  const structure = expand(typeName, record)
  structureCache.set(typeName, structure)
  return structure
}

/** The result of `compile` for a type, made on first use. @throws Error for an unknown type */
export function perStructure<Compiled>(compile: (structure: Structure) => Compiled): (type: string) => Compiled {
  const compiled = new Map<string, Compiled>()
  return (type) => {
    const known = compiled.get(type)
    if (known !== undefined) return known
    const structure = structureOf(type)
    if (structure === undefined) throw new Error(`R4 has no type ${type}`)
    const made = compile(structure)
    compiled.set(type, made)
    return made
  }
}

function expand(
  name: string,
  { kind, abstract = false, base, elements, constraints = [] }: StructureRecord,
): Structure {
  const inherited = base === undefined ? undefined : structureOf(base)
  const own = Object.entries(elements).map(([path, element]) => elementStructure(path, element))
  const all = [...(inherited?.elements ?? []), ...own]
  return {
    name,
    kind,
    abstract,
    base,
    hierarchy: [name, ...(inherited?.hierarchy ?? [])],
    elements: all,
    byName: new Map(all.map((element) => [element.name, element])),
    byKey: new Map(all.flatMap((element) => [...element.properties.keys()].map((key) => [key, element] as const))),
    constraints: [...(inherited?.constraints ?? []), ...constraints],
  }
}

function elementStructure(path: string, record: ElementRecord): ElementStructure {
  const isChoice = path.endsWith('[x]')
  const name = isChoice ? path.slice(0, -3) : path
  const property = (type: string) => (isChoice ? name + choiceSuffix(type) : name)
  return {
    name,
    properties: new Map(record.types.map((type) => [property(type), type])),
    min: record.min ?? 0,
    max: record.max === '*' ? Number.POSITIVE_INFINITY : Number(record.max ?? 1),
    targets: record.targets ?? [],
    binding: record.binding,
    extensible: record.extensible,
    summary: record.summary ?? false,
    attribute: record.attribute ?? false,
    constraints: record.constraints ?? [],
  }
}

const NO_ELEMENTS: Elements = new Map()

/** The elements of a type by their names in FHIRPath, and in JSON; none for an unknown type. */
export const elementsByName = (type: string): Elements => structureOf(type)?.byName ?? NO_ELEMENTS
export const elementsByKey = (type: string): Elements => structureOf(type)?.byKey ?? NO_ELEMENTS

/** The type and its bases: `code`, `string`, `Element`; an unknown type by itself. */
export const typeHierarchy = (type: string): readonly string[] => structureOf(type)?.hierarchy ?? [type]

/** Profiled types use the name of the base type: `doseQuantity` holds a SimpleQuantity. */
const choiceSuffix = (type: string): string =>
  type.endsWith('Quantity') ? 'Quantity' : type.charAt(0).toUpperCase() + type.slice(1)

const choices = [...structureRecords.values()].flatMap(({ elements }) =>
  Object.entries(elements).filter(([path]) => path.endsWith('[x]')),
)

/** Elements whose JSON name ends in their type: value[x], onset[x], ... */
export const choiceElements: ReadonlySet<string> = new Set(choices.map(([path]) => path.slice(0, -3)))

/** The ends of these names, and the types that they stand for: `DateTime`, `dateTime`. */
export const choiceTypes: ReadonlyMap<string, string> = new Map(
  // SimpleQuantity has the suffix of Quantity, which comes last.
  [...choices.flatMap(([, { types }]) => types), 'Quantity'].map((type) => [choiceSuffix(type), type]),
)

function elementNames(type: string, include: (element: ElementStructure) => boolean): readonly string[] {
  const elements = structureOf(type)?.elements ?? []
  return elements.filter(include).flatMap(({ properties }) => [...properties.keys()])
}

const ALWAYS_INCLUDED = ['resourceType', 'id', 'meta']
const summaries = new Map<string, ReadonlySet<string>>()

/**
 * JSON names of the top-level elements that `_summary=true` includes, choices expanded (`deceasedBoolean`):
 * https://hl7.org/fhir/R4/search.html#summary. A `_name` is included with its name.
 */
export function summaryElements(type: string): ReadonlySet<string> {
  const known = summaries.get(type)
  if (known !== undefined) return known
  const names = new Set([...ALWAYS_INCLUDED, ...elementNames(type, ({ summary }) => summary)])
  summaries.set(type, names)
  return names
}

let caseSensitive: ReadonlySet<string> | undefined

/**
 * Whether R4 says that the code system is case-sensitive; false also for those of which R4 does not say it:
 * https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.caseSensitive.
 */
export function isCaseSensitiveInR4(system: string): boolean {
  caseSensitive ??= new Set(readDefinitions('case-sensitive-systems.json') as readonly string[])
  return caseSensitive.has(system)
}

/** JSON names of the mandatory top-level elements, choices expanded. */
export const mandatoryElements = (type: string): ReadonlySet<string> =>
  new Set(elementNames(type, ({ min }) => min > 0))
