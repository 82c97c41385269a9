/** A compact form of the R4 StructureDefinitions: https://hl7.org/fhir/R4/structuredefinition.html. */
import type {
  ElementDefinition,
  ElementDefinitionConstraint,
  ElementDefinitionType,
  StructureDefinition,
} from 'fhir/r4'
import type { Constraint, ElementRecord, StructureRecord } from '../../src/fhir/definitions.ts'
import { dataElements, structureDefinitions } from './published.ts'

const DEFINITION = 'http://hl7.org/fhir/StructureDefinition/'
const FHIR_TYPE = `${DEFINITION}structuredefinition-fhir-type`

/** Ids are limited to 64 characters, so data elements with longer paths were not published. */
const MAX_DATA_ELEMENT_PATH_LENGTH = 61

/** Elements modified by the package and missing from the data elements, as published in R4. */
const CORRECTIONS: Readonly<Record<string, Partial<ElementDefinition>>> = {
  'EvidenceVariable.characteristic': { min: 1, constraint: [] },
  // The published type is System.String, but the specification's text and examples use id.
  'Resource.id': { type: [{ code: 'id' }] },
}

/** All types by name; a backbone element is a type named by its path, e.g. `Patient.contact`. */
export function structures(): Readonly<Record<string, StructureRecord>> {
  const published = dataElements()
  const records = structureDefinitions().flatMap((definition) =>
    typesOf(definition, asPublished(definition, published)),
  )
  return Object.fromEntries(records.sort(([left], [right]) => (left < right ? -1 : 1)))
}

/** The elements of a definition without those that the package added, and with those it removed. */
function asPublished(
  definition: StructureDefinition,
  published: ReadonlyMap<string, ElementDefinition>,
): readonly ElementDefinition[] {
  const elements = (definition.snapshot?.element ?? []).map((element) =>
    corrected(element, published.get(element.path)),
  )
  const known = new Set(elements.map(({ path }) => path))
  const removed = [...published.values()].filter(
    ({ path }) => path.startsWith(`${definition.name}.`) && !known.has(path),
  )
  const official = elements.filter((element) => isOfficial(element, elements, published))
  return [...official, ...removed]
}

function corrected(element: ElementDefinition, published: ElementDefinition | undefined): ElementDefinition {
  const { path, type = [], binding } = published ?? element
  const own = path.includes('.') && (element.base?.path ?? path) === path
  return {
    ...element,
    ...(own && published !== undefined && { type, ...(binding && { binding }) }),
    ...CORRECTIONS[path],
  }
}

/** Whether it was published as an element of its own, of the base type, or as the parent of such elements. */
function isOfficial(
  element: ElementDefinition,
  all: readonly ElementDefinition[],
  published: ReadonlyMap<string, ElementDefinition>,
): boolean {
  const { path, base } = element
  if (!path.includes('.') || published.has(path)) return true
  if (isBackbone(element)) return all.some((child) => isOwnChild(child, path) && isOfficial(child, all, published))
  const parent = path.slice(0, path.lastIndexOf('.'))
  if (element.contentReference !== undefined || path.length > MAX_DATA_ELEMENT_PATH_LENGTH)
    return hasId(parent, published)
  return base !== undefined && published.has(base.path)
}

const hasId = (path: string, published: ReadonlyMap<string, ElementDefinition>): boolean =>
  published.has(`${path}.id`) || path.length + '.id'.length > MAX_DATA_ELEMENT_PATH_LENGTH

const isOwnChild = (child: ElementDefinition, parent: string): boolean =>
  isChild(child, parent) && child.base?.path === child.path

const isChild = ({ path }: ElementDefinition, parent: string): boolean =>
  path.startsWith(`${parent}.`) && !path.includes('.', parent.length + 1)

const isBackbone = ({ path, type }: ElementDefinition): boolean =>
  path.includes('.') && (type?.[0]?.code === 'BackboneElement' || type?.[0]?.code === 'Element')

function typesOf(
  definition: StructureDefinition,
  elements: readonly ElementDefinition[],
): [name: string, record: StructureRecord][] {
  const heads = elements.filter((element) => !element.path.includes('.') || isBackbone(element))
  return heads.map((head) => [head === elements[0] ? definition.name : head.path, recordOf(definition, head, elements)])
}

function recordOf(
  definition: StructureDefinition,
  head: ElementDefinition,
  elements: readonly ElementDefinition[],
): StructureRecord {
  const isRoot = head === elements[0]
  const base = isRoot ? definition.baseDefinition?.slice(DEFINITION.length) : head.type?.[0]?.code
  const own = elements.filter((element) => isChild(element, head.path) && !isInherited(element, definition))
  const constraints = constraintsOf(head, definition)
  return {
    kind: isRoot ? (definition.kind as StructureRecord['kind']) : 'backbone',
    ...(base === undefined ? {} : { base }),
    ...(definition.abstract && isRoot ? { abstract: true } : {}),
    elements: Object.fromEntries(
      own.map((element) => [element.path.slice(head.path.length + 1), elementRecord(element, definition)]),
    ),
    ...(constraints.length === 0 ? {} : { constraints }),
  }
}

const isInherited = ({ path, base }: ElementDefinition, { derivation, kind }: StructureDefinition): boolean =>
  derivation === 'constraint' || kind === 'primitive-type' || (base !== undefined && base.path !== path)

function elementRecord(element: ElementDefinition, definition: StructureDefinition): ElementRecord {
  const targets = targetTypesOf(element.type ?? [])
  const constraints = isBackbone(element) ? [] : constraintsOf(element, definition)
  return {
    types: typeNames(element),
    ...(element.min === 0 || element.min === undefined ? {} : { min: element.min }),
    ...(element.max === '1' || element.max === undefined ? {} : { max: element.max }),
    ...(targets.length === 0 ? {} : { targets }),
    ...bindingOf(element),
    ...(element.isSummary ? { summary: true } : {}),
    ...(element.representation?.includes('xmlAttr') ? { attribute: true } : {}),
    ...(constraints.length === 0 ? {} : { constraints }),
  }
}

/** Without the version, which is always that of R4. Preferred and example bindings are not enforced. */
function bindingOf({ binding }: ElementDefinition): Pick<ElementRecord, 'binding' | 'extensible'> {
  const valueSet = binding?.valueSet?.replace(/\|.*/, '')
  if (valueSet === undefined) return {}
  if (binding?.strength === 'required') return { binding: valueSet }
  return binding?.strength === 'extensible' ? { extensible: valueSet } : {}
}

function typeNames(element: ElementDefinition): readonly string[] {
  if (element.contentReference !== undefined) return [element.contentReference.slice(1)]
  if (isBackbone(element)) return [element.path]
  return [...new Set((element.type ?? []).map(typeName))]
}

function typeName({ code, profile, extension }: ElementDefinitionType): string {
  if (profile !== undefined) return (profile[0] ?? '').slice(DEFINITION.length)
  return extension?.find(({ url }) => url === FHIR_TYPE)?.valueUrl ?? code
}

/** Resource types that a reference may point to; empty means any. */
function targetTypesOf(types: readonly ElementDefinitionType[]): readonly string[] {
  const profiles = types.filter(({ code }) => code === 'Reference').flatMap(({ targetProfile }) => targetProfile ?? [])
  const targets = profiles.map((profile) => profile.slice(DEFINITION.length))
  return targets.includes('Resource') ? [] : targets
}

/** Snapshots repeat the constraints of base types, and ext-1 at every extension; each is kept once, on its own type. */
function constraintsOf(
  { constraint = [], path }: ElementDefinition,
  { name, baseDefinition }: StructureDefinition,
): readonly Constraint[] {
  return constraint.filter((rule) => isOwn(rule, path, name, baseDefinition)).map(compactConstraint)
}

function isOwn(
  { key, source }: ElementDefinitionConstraint,
  path: string,
  name: string,
  base: string | undefined,
): boolean {
  if (key === 'ele-1') return name === 'Element' && path === name
  if (key === 'ext-1') return path === 'Extension'
  if (key.startsWith('dom-')) return path === 'DomainResource'
  if (key === 'qty-3') return name === 'Quantity'
  return source !== base || base === undefined
}

const compactConstraint = ({ key, severity, human, expression }: ElementDefinitionConstraint): Constraint => ({
  key,
  severity,
  human,
  expression: expression ?? '',
})
