/** CodeSystem/$validate-code: https://hl7.org/fhir/R4/codesystem-operation-validate-code.html. */
import type { CodeSystem } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { canonicalOf, canonicalText } from '../../terminology/canonical.ts'
import { grammarOf } from '../../terminology/grammars.ts'
import { withSupplements } from '../../terminology/supplements.ts'
import { validateInCodeSystem } from '../../terminology/validate-code.ts'
import { checkDate, inputCodes, requireFound, subjectOf, validateOptions, withSystem } from './terminology-input.ts'

export const codeSystemValidateCode = defineOperation('code-system-validate-code', async ({ access, input, id }) => {
  const ctx = access.reader()
  const { url, version, given } = await inputSystem(ctx, input, id)
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(ctx, {
    codeSystems: [...supplements, url],
    given: given === undefined ? [] : [given],
  })
  const terminology = withSupplements(stored, supplements)
  const canonical = canonicalText({ url, ...(version === undefined ? {} : { version }) })
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
