/** CodeSystem/$subsumes: https://hl7.org/fhir/R4/codesystem-operation-subsumes.html. */
import type { CodeSystem } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { canonicalText } from '../../terminology/canonical.ts'
import { type Concepts, conceptsOf } from '../../terminology/concepts.ts'
import { subsumption } from '../../terminology/subsumption.ts'
import { exactlyOneOf, fromCoding, type InputCode, ofVersion, requireFound, versioned } from './terminology-input.ts'

export const codeSystemSubsumes = defineOperation('code-system-subsumes', async ({ access, input, id }) => {
  const [a, b] = [sideOf(input, 'A'), sideOf(input, 'B')]
  const ctx = access.reader()
  const concepts = id === undefined ? await inputSystem(ctx, input, [a, b]) : await systemById(ctx, id, input, [a, b])
  return { outcome: subsumption(concepts, a.code, b.code) }
})

function sideOf(input: OperationInput, side: 'A' | 'B'): InputCode {
  const name = exactlyOneOf(input, [`code${side}`, `coding${side}`])
  return name === `code${side}` ? { code: String(input[name]) } : fromCoding(input[name], name)
}

/**
 * The common code system of both codes.
 * @throws FhirError 400 if there is none or more than one, 404 if it is not available
 */
async function inputSystem(ctx: Context, input: OperationInput, sides: readonly InputCode[]): Promise<Concepts> {
  const named = [input.system as string | undefined, ...sides.map(({ system }) => system)]
  const [system, other] = new Set(named.filter((one) => one !== undefined))
  if (system === undefined) throw badRequest('The system of the codes is missing', { expression: 'system' })
  if (other !== undefined)
    throw badRequest(`A code of ${system} and one of ${other} cannot be compared; both must be of one code system`)
  const version = (input.version as string | undefined) ?? sides.find((side) => side.version !== undefined)?.version
  const canonical = versioned(system, version)
  const terminology = await clinicTerminology(ctx, { codeSystems: [canonicalText({ url: system })] })
  return requireFound(terminology.codeSystem(canonical), 'code system', canonical)
}

/**
 * The code system with the id in the URL.
 * @throws FhirError 400 when the request names another one, or another version
 */
async function systemById(
  ctx: Context,
  id: string,
  input: OperationInput,
  sides: readonly InputCode[],
): Promise<Concepts> {
  const { resource } = await ctx.read<CodeSystem>('CodeSystem', id)
  const other = [input.system, ...sides.map(({ system }) => system)].find(
    (system) => system !== undefined && system !== resource.url,
  )
  if (other !== undefined)
    throw badRequest(
      `The address is that of ${resource.url ?? `CodeSystem/${id}, which has no url`}, but the request names ${other}; leave the system out`,
    )
  return conceptsOf(ofVersion(resource, 'version', input.version))
}
