/** Filters of a value set: https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include.filter. */
import type { ValueSetComposeIncludeFilter } from 'fhir/r4'
import { type Concept, type Concepts, propertyText } from './concepts.ts'
import type { UnknownReason } from './member.ts'
import { patternOf } from './pattern.ts'

export type ConceptTest = (concept: Concept) => boolean

type Operator = ValueSetComposeIncludeFilter['op']

/** Properties that every code system has: https://hl7.org/fhir/R4/codesystem-concept-properties.html. */
const KNOWN = ['concept', 'code', 'display', 'definition', 'parent', 'child']
/** Properties that default to false. */
const FLAGS = ['inactive', 'notSelectable']

/**
 * A test for concepts, or the reason why the filter cannot be applied to this code system. The test of a regex filter
 * throws a FhirError 422 when it takes too much work.
 */
export function conceptTest(filter: ValueSetComposeIncludeFilter, concepts: Concepts): ConceptTest | UnknownReason {
  const { property = '', op, value } = filter
  if (value === undefined) return refused(filter, 'it has no value')
  if (!isKnown(property, concepts)) return unknownProperty(filter, concepts)
  const values = (concept: Concept) => valuesOf(property, concept, concepts)
  switch (op) {
    case '=':
      return (concept) => values(concept).includes(value)
    case 'in':
    case 'not-in': {
      const listed = new Set(value.split(',').map((one) => one.trim()))
      return (concept) => values(concept).some((one) => listed.has(one)) === (op === 'in')
    }
    case 'exists':
      if (value !== 'true' && value !== 'false') return refused(filter, "exists takes 'true' or 'false'")
      return (concept) => values(concept).length > 0 === (value === 'true')
    case 'regex':
      return patternTest(filter, values)
    default:
      return hierarchyTest(filter, op, concepts)
  }
}

function patternTest(
  filter: ValueSetComposeIncludeFilter,
  values: (concept: Concept) => readonly string[],
): ConceptTest | UnknownReason {
  try {
    const pattern = patternOf(filter.value ?? '')
    return (concept) => values(concept).some(pattern)
  } catch (error) {
    if (error instanceof SyntaxError) return refused(filter, `the pattern ${error.message}`)
    throw error
  }
}

function hierarchyTest(
  filter: ValueSetComposeIncludeFilter,
  op: Operator,
  concepts: Concepts,
): ConceptTest | UnknownReason {
  const { property, value = '' } = filter
  if (property !== 'concept' && property !== 'code')
    return refused(filter, `${op} uses the hierarchy of the codes, so its property must be 'concept'`)
  const root = concepts.find(value)?.code
  const within = (codes: ReadonlySet<string>, self: boolean): ConceptTest => {
    return ({ code }) => (code === root ? self : codes.has(code))
  }
  switch (op) {
    case 'is-a':
      return within(concepts.descendantsOf(value), true)
    case 'descendent-of':
      return within(concepts.descendantsOf(value), false)
    case 'generalizes':
      return within(concepts.ancestorsOf(value), true)
    case 'is-not-a': {
      const below = within(concepts.descendantsOf(value), true)
      return (concept) => !below(concept)
    }
    default:
      return refused(filter, `the operator ${op} is not one of R4`)
  }
}

const isKnown = (property: string, { declared }: Concepts): boolean =>
  KNOWN.includes(property) || FLAGS.includes(property) || declared.some(({ code }) => code === property)

function valuesOf(property: string, concept: Concept, concepts: Concepts): readonly string[] {
  const { code, definition, parents, children } = concept
  switch (property) {
    case 'concept':
    case 'code':
      return [code]
    case 'display':
    case 'definition':
      return [definition[property] ?? []].flat()
    case 'parent':
      return parents
    case 'child':
      return children
    default: {
      const found = concepts.propertiesOf(concept, property).map(propertyText)
      return found.length === 0 && FLAGS.includes(concepts.nameOf(property)) ? ['false'] : found
    }
  }
}

const textOfFilter = ({ property, op, value }: ValueSetComposeIncludeFilter): string => `${property} ${op} ${value}`

const refused = (filter: ValueSetComposeIncludeFilter, why: string): UnknownReason => ({
  code: 'not-supported',
  diagnostics: `The filter ${textOfFilter(filter)} cannot be applied: ${why}`,
})

function unknownProperty(filter: ValueSetComposeIncludeFilter, { system, declared }: Concepts): UnknownReason {
  const own = declared.map(({ code }) => code)
  const known = [...new Set([...KNOWN, ...FLAGS, ...own])].join(', ')
  return refused(filter, `the concepts of ${system.url ?? 'the code system'} have ${known}`)
}
