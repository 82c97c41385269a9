/** The codes of the value sets named by required bindings: https://hl7.org/fhir/R4/terminologies.html#required. */
import type { CodeSystem, CodeSystemConcept, ValueSetComposeInclude } from 'fhir/r4'
import type { StructureRecord } from '../../src/fhir/definitions.ts'
import { type Terminology, terminology } from './published.ts'
import { structures } from './structures.ts'

type Codes = Readonly<Record<string, readonly string[]>>

/** Value set -> system -> codes. Value sets that cannot be listed (units, MIME types, currencies) are left out. */
export function valueSets(
  types: Readonly<Record<string, StructureRecord>> = structures(),
): Readonly<Record<string, Codes>> {
  const known = terminology()
  const expanded = boundValueSets(types).flatMap((url): [string, Codes][] => {
    const codes = expand(url, known)
    return codes === undefined ? [] : [[url, codes]]
  })
  return Object.fromEntries(expanded)
}

const boundValueSets = (types: Readonly<Record<string, StructureRecord>>): readonly string[] =>
  [
    ...new Set(
      Object.values(types).flatMap(({ elements }) => Object.values(elements).flatMap(({ binding }) => binding ?? [])),
    ),
  ].sort()

function expand(url: string, known: Terminology): Codes | undefined {
  const { include = [], exclude = [] } = known.valueSets.get(url)?.compose ?? {}
  if (exclude.length > 0) throw new Error(`Value set ${url} excludes codes, which this generator does not do yet`)
  const parts = include.map((part) => expandPart(part, known))
  return parts.length > 0 && parts.every((part) => part !== undefined) ? Object.fromEntries(parts) : undefined
}

function expandPart(
  { system, concept, filter, valueSet }: ValueSetComposeInclude,
  known: Terminology,
): [string, string[]] | undefined {
  if (system === undefined || filter !== undefined || valueSet !== undefined) return undefined
  if (concept !== undefined) return [system, concept.map(({ code }) => code)]
  const codes = allCodes(known.codeSystems.get(system))
  return codes.length === 0 ? undefined : [system, codes]
}

const allCodes = (system: CodeSystem | undefined): string[] =>
  system?.content === 'complete' ? (system.concept ?? []).flatMap(codesUnder) : []

const codesUnder = (concept: CodeSystemConcept): string[] => [
  ...(isSelectable(concept) ? [concept.code] : []),
  ...(concept.concept ?? []).flatMap(codesUnder),
]

/** False for a concept that only groups others, such as `question` of item-type. */
const isSelectable = ({ property = [] }: CodeSystemConcept): boolean =>
  !property.some(({ code, valueBoolean }) => code === 'notSelectable' && valueBoolean === true)
