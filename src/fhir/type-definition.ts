/**
 * The StructureDefinition of a type of R4 (https://hl7.org/fhir/R4/structuredefinition.html), made from
 * resources/r4/structures.json. The texts of its elements are not there: `definition` is their address.
 */
import type { ElementDefinition, ElementDefinitionType, StructureDefinition } from 'fhir/r4'
import { type ElementStructure, type Structure, structureOf } from './definitions.ts'

const CORE = 'http://hl7.org/fhir/StructureDefinition/'
const VERSION = '4.0.1'

/** @param type a resource type or data type; undefined where R4 has no such type, or only within another */
export function typeDefinition(type: string): StructureDefinition | undefined {
  const structure = structureOf(type)
  if (structure === undefined || structure.kind === 'backbone') return undefined
  const { kind, abstract, base, elements } = structure
  return {
    resourceType: 'StructureDefinition',
    url: `${CORE}${type}`,
    version: VERSION,
    name: type,
    status: 'active',
    fhirVersion: VERSION,
    kind,
    abstract,
    type,
    ...(base === undefined ? {} : { baseDefinition: `${CORE}${base}`, derivation: 'specialization' }),
    snapshot: { element: [rootOf(structure), ...elements.flatMap((element) => elementsOf(element, type))] },
  }
}

const rootOf = ({ name, constraints }: Structure): ElementDefinition => ({
  id: name,
  path: name,
  definition: addressOf(name),
  min: 0,
  max: '*',
  base: { path: name, min: 0, max: '*' },
  ...(constraints.length === 0 ? {} : { constraint: [...constraints] }),
})

/** The element, and those within it that no type of its own defines. @param above path */
function elementsOf(element: ElementStructure, above: string): readonly ElementDefinition[] {
  const [first = ''] = element.properties.values()
  const path = `${above}.${element.name}${isChoice(element) ? '[x]' : ''}`
  const inner = structureOf(first)
  const isOwn = inner?.kind === 'backbone' && first === path
  const definition = definitionOf(element, path, isOwn ? (inner.base ?? 'Element') : first)
  return isOwn ? [definition, ...inner.elements.flatMap((one) => elementsOf(one, path))] : [definition]
}

const isChoice = ({ name, properties }: ElementStructure): boolean => !properties.has(name)

/** @param only its type; the path of another element where it is as that one */
function definitionOf(element: ElementStructure, path: string, only: string): ElementDefinition {
  const { min, summary, constraints } = element
  const max = element.max === Number.POSITIVE_INFINITY ? '*' : String(element.max)
  const cardinality = { min, max }
  return {
    id: path,
    path,
    definition: addressOf(path),
    ...cardinality,
    base: { path, ...cardinality },
    ...(structureOf(only)?.kind === 'backbone'
      ? { contentReference: `#${only}` }
      : { type: isChoice(element) ? typesOf(element) : [typeOf(only, element)] }),
    ...(constraints.length === 0 ? {} : { constraint: [...constraints] }),
    ...(summary ? { isSummary: true } : {}),
    ...bindingOf(element),
  }
}

const typesOf = (element: ElementStructure): ElementDefinitionType[] =>
  [...element.properties.values()].map((type) => typeOf(type, element))

/** Types that are profiles of Quantity. */
const PROFILES: ReadonlySet<string> = new Set(['SimpleQuantity', 'MoneyQuantity'])

function typeOf(type: string, { targets }: ElementStructure): ElementDefinitionType {
  if (PROFILES.has(type)) return { code: 'Quantity', profile: [`${CORE}${type}`] }
  const isPointer = type === 'Reference' || type === 'canonical'
  return {
    code: type,
    ...(isPointer && targets.length > 0 ? { targetProfile: targets.map((target) => `${CORE}${target}`) } : {}),
  }
}

function bindingOf({ binding, extensible }: ElementStructure): Pick<ElementDefinition, 'binding'> {
  if (binding !== undefined) return { binding: { strength: 'required', valueSet: binding } }
  return extensible === undefined ? {} : { binding: { strength: 'extensible', valueSet: extensible } }
}

/** https://hl7.org/fhir/R4/patient-definitions.html#Patient.name */
const addressOf = (path: string): string => {
  const [type = ''] = path.split('.')
  const page = structureOf(type)?.kind === 'resource' ? `${type.toLowerCase()}-definitions` : 'datatypes-definitions'
  return `https://hl7.org/fhir/R4/${page}.html#${path}`
}
