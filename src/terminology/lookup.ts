/** What is known of a code: https://hl7.org/fhir/R4/codesystem-operation-lookup.html. */
import type { CodeSystemConceptProperty } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { canonicalText } from './canonical.ts'
import type { Concept, Concepts } from './concepts.ts'
import { acceptedBy, type Grammar, grammarOf } from './grammars.ts'
import { displayIn, servesLanguage } from './language.ts'
import type { Code, Designation } from './member.ts'
import { systemNotHeld } from './missing-terms.ts'
import type { Terminology } from './terminology.ts'

/** The out parameters of the operation. */
export interface LookupAnswer {
  readonly [parameter: string]: unknown
  readonly name: string
  readonly version?: string
  readonly display: string
  readonly designation?: readonly Designation[]
  readonly property?: readonly PropertyPart[]
}

interface PropertyPart {
  readonly code: string
  /** As `{ valueCode: … }`: the type of a property is its own. */
  readonly value: object
  readonly description?: string
}

export interface LookupOptions {
  readonly displayLanguage?: string
  /** What the client wishes to be told: all of it, where it names nothing. */
  readonly properties?: readonly string[]
}

/** @throws FhirError 404 when the code system is not here or has no such code */
export function lookUp(terminology: Terminology, code: Code, options: LookupOptions): LookupAnswer {
  const canonical = canonicalText({
    url: code.system,
    ...(code.version === undefined ? {} : { version: code.version }),
  })
  const concepts = terminology.codeSystem(canonical)
  const concept = concepts?.find(code.code)
  if (concepts !== undefined && concept !== undefined) return answer(concepts, concept, options)
  const grammar = grammarOf(code.system)
  if (grammar !== undefined && acceptedBy(grammar, code.code)) return byGrammar(grammar, code.code)
  if (grammar === undefined && (concepts === undefined || concepts.system.content === 'not-present'))
    throw new FhirError(404, systemNotHeld(canonical))
  throw noSuchCode(code.code, canonical)
}

export const noSuchCode = (code: string, canonical: string): FhirError =>
  new FhirError(404, { code: 'not-found', diagnostics: `The code system ${canonical} has no code ${code} here` })

const byGrammar = ({ title, display }: Grammar, code: string): LookupAnswer => ({ name: title, display: display(code) })

function answer(concepts: Concepts, concept: Concept, options: LookupOptions): LookupAnswer {
  const { name, title, url = '', version } = concepts.system
  const { display, designation = [] } = concept.definition
  const isAsked = askedFor(options.properties ?? [])
  const designations = designation.filter(({ language }) => isAsked('designation') || isAsked.language(language))
  const properties = propertiesOf(concepts, concept).filter(({ code }) => isAsked(code))
  return {
    name: name ?? title ?? url,
    ...(version === undefined ? {} : { version }),
    display: displayIn(options.displayLanguage, display, designation) ?? concept.code,
    designation: designations.map(({ language, use, value }) => ({ language, use, value })),
    property: properties,
  }
}

/** Names of properties, `designation`, `lang.X` for those in a language, and `*`. */
function askedFor(names: readonly string[]) {
  const isAll = names.length === 0 || names.includes('*')
  const languages = names.flatMap((name) => (name.startsWith('lang.') ? [name.slice('lang.'.length)] : []))
  return Object.assign((name: string): boolean => isAll || names.includes(name), {
    language: (offered: string | undefined): boolean => languages.some((asked) => servesLanguage(offered, asked)),
  })
}

function propertiesOf(concepts: Concepts, concept: Concept): readonly PropertyPart[] {
  const { definition, parents, children, isInactive } = concept
  const related = (code: string) => (other: string) => ({
    code,
    value: { valueCode: other },
    ...describedAs(concepts.find(other)?.definition.display),
  })
  const own = (definition.property ?? []).filter(({ code }) => !DERIVED.includes(concepts.nameOf(code)))
  return [
    ...(definition.definition === undefined
      ? []
      : [{ code: 'definition', value: { valueString: definition.definition } }]),
    ...parents.map(related('parent')),
    ...children.map(related('child')),
    { code: 'inactive', value: { valueBoolean: isInactive } },
    ...own.map((property) => propertyPart(concepts, property)),
  ]
}

/** Told from what the code system says in several ways. */
const DERIVED = ['parent', 'child', 'inactive']

function propertyPart(
  concepts: Concepts,
  { code, id: _id, extension: _extension, ...value }: CodeSystemConceptProperty,
): PropertyPart {
  const { valueCode, valueCoding } = value
  const display = valueCode === undefined ? valueCoding?.display : concepts.find(valueCode)?.definition.display
  return { code, value, ...describedAs(display) }
}

const describedAs = (display: string | undefined) => (display === undefined ? {} : { description: display })
