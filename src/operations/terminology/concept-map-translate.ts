/** ConceptMap/$translate: https://hl7.org/fhir/R4/conceptmap-operation-translate.html. */
import type { ConceptMap } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clinicTerminology, uriQuery } from '../../core/terminology.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Code } from '../../terminology/member.ts'
import type { Terminology } from '../../terminology/terminology.ts'
import { type Dependency, mapsBetween, type TranslateOptions, translate } from '../../terminology/translate.ts'
import { type InputCode, inputCodes, requireFound, type Subject, subjectOf, withSystem } from './terminology-input.ts'

export const conceptMapTranslate = defineOperation('concept-map-translate', async ({ access, input, id }) => {
  const ctx = await access.reader()
  const requested = inputCodes(input, { version: 'version' })
  const subject = await inputMap(ctx, input, id)
  const codes = codesOf(requested, id === undefined ? undefined : onlySystem(subject?.given, input))
  const given = subject?.given === undefined ? await mapsOfClinic(ctx, codes, input, subject) : [subject.given]
  const target = input.target as string | undefined
  const terminology = await clinicTerminology(ctx, {
    valueSets: target === undefined ? [] : [target],
    conceptMaps: subject?.canonical === undefined ? [] : [subject.canonical],
    given,
  })
  return { ...translate(terminology, mapsFor(terminology, subject, input), codes, optionsOf(input)) }
})

/**
 * Codings without a system cannot be translated; others of the concept can.
 * @param implied the system of a code that has none
 * @throws FhirError 400 when no code has a system
 */
function codesOf(requested: readonly InputCode[], implied: string | undefined): readonly Code[] {
  const codes = requested.map((code) => (implied === undefined ? code : { system: implied, ...code }))
  const complete = codes.filter(({ system }) => system !== undefined)
  return (complete.length > 0 ? complete : codes).map(withSystem)
}

/** The system of the codes that a map translates; undefined if there are several. */
function onlySystem(map: ConceptMap | undefined, { reverse }: OperationInput): string | undefined {
  const groups = map?.group ?? []
  const systems = new Set(groups.map(({ source, target }) => (reverse === true ? target : source)))
  const [only] = systems
  return systems.size === 1 ? only : undefined
}

/** Undefined when the request names no map, so that the server chooses. */
const inputMap = async (
  ctx: Context,
  input: OperationInput,
  id: string | undefined,
): Promise<Subject<'ConceptMap'> | undefined> =>
  id === undefined && input.url === undefined && input.conceptMap === undefined
    ? undefined
    : subjectOf(ctx, input, id, { type: 'ConceptMap', inline: 'conceptMap', version: 'conceptMapVersion' })

/** The clinic's maps from the systems of the codes; none when the request names a map. */
async function mapsOfClinic(
  ctx: Context,
  codes: readonly Code[],
  { reverse }: OperationInput,
  subject: Subject<'ConceptMap'> | undefined,
): Promise<readonly ConceptMap[]> {
  if (subject !== undefined) return []
  const parameter = reverse === true ? 'target-system' : 'source-system'
  const query = uriQuery(
    parameter,
    codes.map(({ system }) => system),
  )
  const found = await ctx.search<ConceptMap>('ConceptMap', query)
  return found.map(({ resource }) => resource)
}

function mapsFor(
  terminology: Terminology,
  subject: Subject<'ConceptMap'> | undefined,
  { source, target }: OperationInput,
): readonly ConceptMap[] {
  if (subject?.given !== undefined) return [subject.given]
  if (subject?.canonical !== undefined)
    return [requireFound(terminology.conceptMap(subject.canonical), 'concept map', subject.canonical)]
  return mapsBetween(terminology.conceptMaps(), source as string | undefined, target as string | undefined)
}

const optionsOf = ({ target, targetsystem, dependency, reverse }: OperationInput): TranslateOptions => ({
  reverse: reverse === true,
  ...(target === undefined ? {} : { target: String(target) }),
  ...(targetsystem === undefined ? {} : { targetSystem: String(targetsystem) }),
  dependencies: ((dependency ?? []) as readonly Readonly<Record<string, readonly unknown[]>>[]).map(dependencyOf),
})

/** The parts of a parameter are arrays. @throws FhirError 400 when the concept is not a CodeableConcept */
function dependencyOf(part: Readonly<Record<string, readonly unknown[]>>): Dependency {
  const [concept] = part.concept ?? []
  const { coding = [], text } = isObject(concept) ? concept : {}
  if (!Array.isArray(coding) || !coding.every(isObject))
    throw badRequest('Parameter dependency.concept must be a CodeableConcept', { expression: 'dependency.concept' })
  return { element: String(part.element?.[0]), concept: { coding, ...(typeof text === 'string' ? { text } : {}) } }
}
