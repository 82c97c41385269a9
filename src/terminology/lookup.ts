/** Looks up a code: https://hl7.org/fhir/R4/codesystem-operation-lookup.html. */
import type { CodeSystemConceptProperty } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { Meter, spend } from '../isolation/budget.ts'
import { canonicalText } from './canonical.ts'
import type { Concept, Concepts } from './concepts.ts'
import { acceptedBy, type Grammar, grammarOf } from './grammars.ts'
import { displayIn, matchesLanguage } from './language.ts'
import { type Code, codesNotAvailable, type Designation } from './member.ts'
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
  /** As `{ valueCode: … }`, as each property has its own type. */
  readonly value: object
  readonly description?: string
}

export interface LookupOptions {
  readonly displayLanguage?: string
  /** The requested properties; all when empty. */
  readonly properties?: readonly string[]
}

/** @throws FhirError 404 when the code system is not available or has no such code */
export function lookUp(terminology: Terminology, code: Code, options: LookupOptions): LookupAnswer {
  const canonical = canonicalText({ ...code, url: code.system })
  const concepts = terminology.codeSystem(canonical)
  const concept = concepts?.find(code.code)
  if (concepts !== undefined && concept !== undefined) return answer(concepts, concept, options)
  const grammar = grammarOf(code.system)
  if (grammar !== undefined && acceptedBy(grammar, code.code)) return byGrammar(grammar, code.code)
  if (grammar === undefined && (concepts === undefined || concepts.system.content === 'not-present'))
    throw new FhirError(404, codesNotAvailable(canonical))
  throw noSuchCode(code.code, canonical)
}

export const noSuchCode = (code: string, canonical: string): FhirError =>
  new FhirError(404, { code: 'not-found', diagnostics: `The code system ${canonical} has no code ${code} here` })

const byGrammar = ({ title, display }: Grammar, code: string): LookupAnswer => ({ name: title, display: display(code) })

function answer(concepts: Concepts, concept: Concept, options: LookupOptions): LookupAnswer {
  const { name, title, url = '', version } = concepts.system
  const { display, designation = [] } = concept.definition
  const isRequested = requestedProperties(options.properties ?? [])
  const designations = designation.filter(
    ({ language }) => isRequested('designation') || isRequested.language(language),
  )
  const all = (concept.definition.property?.length ?? 0) + concept.parents.length + concept.children.length
  if (all + designation.length > MAX_PARTS) throw tooManyParts(concept.code)
  spend(all + designation.length, 'the properties and designations of the code')
  const properties = propertiesOf(concepts, concept).filter(({ code }) => isRequested(code))
  return {
    name: name ?? title ?? url,
    ...(version === undefined ? {} : { version }),
    display: displayIn(options.displayLanguage, display, designation) ?? concept.code,
    designation: designations.map(({ language, use, value }) => ({ language, use, value })),
    property: properties,
  }
}

/** Properties and designations of one code; each has several parts in the response. */
const MAX_PARTS = 100_000

const tooManyParts = (code: string): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The code ${code} has more than ${MAX_PARTS} properties, parents, children and designations, the most that are looked up`,
  })

/** Languages that a designation is compared with in one step. */
const LANGUAGES_IN_A_STEP = 8

/** Names may be properties, `designation`, `lang.X` for designations in a language, and `*`. */
function requestedProperties(names: readonly string[]) {
  const meter = new Meter('the designations of the code')
  const requested = new Set(names)
  const isAll = names.length === 0 || requested.has('*')
  const languages = [...requested].flatMap((name) => (name.startsWith('lang.') ? [name.slice('lang.'.length)] : []))
  return Object.assign((name: string): boolean => isAll || requested.has(name), {
    language: (offered: string | undefined): boolean => {
      meter.pay(languages.length / LANGUAGES_IN_A_STEP)
      return languages.some((language) => matchesLanguage(offered, language))
    },
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
    ...own.flatMap((property) => propertyPart(concepts, property)),
  ]
}

/** Properties that are derived, as code systems give them in several ways. */
const DERIVED = ['parent', 'child', 'inactive']

function propertyPart(
  concepts: Concepts,
  { code, id: _id, extension: _extension, ...value }: CodeSystemConceptProperty,
): readonly PropertyPart[] {
  if (code === undefined) return []
  const { valueCode, valueCoding } = value
  const display = valueCode === undefined ? valueCoding?.display : concepts.find(valueCode)?.definition.display
  return [{ code, value, ...describedAs(display) }]
}

const describedAs = (display: string | undefined) => (display === undefined ? {} : { description: display })
