/** The operations of CodeSystem: $lookup, $subsumes and $validate-code. */

import type { CodeSystem } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { badRequest, unprocessable } from '../../fhir/outcome.ts'
import { canonicalOf, canonicalText } from '../../terminology/canonical.ts'
import { type Concept, type Concepts, conceptsOf } from '../../terminology/concepts.ts'
import { grammarOf } from '../../terminology/grammars.ts'
import { lookUp, noSuchCode } from '../../terminology/lookup.ts'
import { withSupplements } from '../../terminology/terminology.ts'
import { validateInCodeSystem } from '../../terminology/validate-code.ts'
import {
  checkDate,
  exactlyOneOf,
  fromCoding,
  type InputCode,
  inputCodes,
  ofVersion,
  requireFound,
  subjectOf,
  validateOptions,
  versioned,
  withSystem,
} from './terminology-input.ts'

/** https://hl7.org/fhir/R4/codesystem-operation-lookup.html */
export const codeSystemLookup = defineOperation('code-system-lookup', async ({ access, input }) => {
  const [code] = inputCodes(input, { version: 'version' }).map(withSystem)
  if (code === undefined) throw new Error('inputCodes gives at least one code')
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(await access.reader(), { codeSystems: [code.system, ...supplements] })
  const terminology = withSupplements(stored, supplements)
  const concepts = terminology.codeSystem(canonicalText({ ...code, url: code.system }))
  checkDate(input.date, concepts === undefined ? [] : [concepts.system])
  return lookUp(terminology, code, {
    properties: (input.property ?? []) as readonly string[],
    ...(input.displayLanguage === undefined ? {} : { displayLanguage: String(input.displayLanguage) }),
  })
})

/** https://hl7.org/fhir/R4/codesystem-operation-subsumes.html */
export const codeSystemSubsumes = defineOperation('code-system-subsumes', async ({ access, input, id }) => {
  const [a, b] = [sideOf(input, 'A'), sideOf(input, 'B')]
  const ctx = await access.reader()
  const concepts = id === undefined ? await systemOfBoth(ctx, input, [a, b]) : await systemById(ctx, id, input, [a, b])
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
async function systemOfBoth(ctx: Context, input: OperationInput, sides: readonly InputCode[]): Promise<Concepts> {
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

type Subsumption = 'equivalent' | 'subsumes' | 'subsumed-by' | 'not-subsumed'

/** The relation of A to B. @throws FhirError 404 for an unknown code, 422 when the hierarchy does not mean is-a */
function subsumption(concepts: Concepts, codeA: string, codeB: string): Subsumption {
  const { url = '', hierarchyMeaning = 'is-a' } = concepts.system
  const [a, b] = [known(concepts, codeA), known(concepts, codeB)]
  if (a.code === b.code) return 'equivalent'
  if (hierarchyMeaning !== 'is-a')
    throw unprocessable(
      `The hierarchy of ${url} means ${hierarchyMeaning}, so it does not tell which code subsumes which`,
    )
  if (concepts.ancestorsOf(b.code).has(a.code)) return 'subsumes'
  return concepts.ancestorsOf(a.code).has(b.code) ? 'subsumed-by' : 'not-subsumed'
}

function known(concepts: Concepts, code: string): Concept {
  const found = concepts.find(code)
  if (found === undefined) throw noSuchCode(code, concepts.system.url ?? '')
  return found
}

/** https://hl7.org/fhir/R4/codesystem-operation-validate-code.html */
export const codeSystemValidateCode = defineOperation('code-system-validate-code', async ({ access, input, id }) => {
  const ctx = await access.reader()
  const { url, version, given } = await inputSystem(ctx, input, id)
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(ctx, {
    codeSystems: [...supplements, url],
    given: given === undefined ? [] : [given],
  })
  const terminology = withSupplements(stored, supplements)
  const canonical = canonicalText({ url, version })
  const concepts = terminology.codeSystem(canonical)
  if (grammarOf(url) === undefined) requireFound(concepts, 'code system', canonical)
  checkDate(input.date, concepts === undefined ? [] : [concepts.system])
  const codes = inputCodes(input, { system: url }).map(withSystem)
  return { ...validateInCodeSystem(terminology, { url, version }, codes, validateOptions(input)) }
})

interface InputSystem {
  readonly url: string
  readonly version: string | undefined
  readonly given?: CodeSystem
}

/**
 * The code system with the id in the URL, in the request, with the given `url`, or of the coding.
 * @throws FhirError 400, 404, 410 or 422
 */
async function inputSystem(ctx: Context, input: OperationInput, id: string | undefined): Promise<InputSystem> {
  if (id === undefined && input.url === undefined && input.codeSystem === undefined) {
    const [first] = inputCodes(input, { version: 'version' })
    if (first?.system === undefined)
      throw badRequest('One of the parameters url, codeSystem must be given, or a coding with its system', {
        expression: ['url', 'codeSystem'],
      })
    return { url: first.system, version: first.version }
  }
  const { given, canonical } = await subjectOf(ctx, input, id, NAMING)
  if (given === undefined) return { version: undefined, ...canonicalOf(canonical) }
  if (given.url === undefined)
    throw badRequest('The CodeSystem has no url, so no coding can refer to it; give it one', {
      expression: 'CodeSystem.url',
    })
  return { url: given.url, version: given.version, given }
}

const NAMING = { type: 'CodeSystem', inline: 'codeSystem', version: 'version' } as const
