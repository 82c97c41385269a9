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
import { askedCodes, checkDate, held, subjectOf, validateOptions, withSystem } from './asked-terms.ts'

export const codeSystemValidateCode = defineOperation('code-system-validate-code', async ({ access, input, id }) => {
  const ctx = access.reader()
  const { url, version, given } = await askedSystem(ctx, input, id)
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(ctx, {
    codeSystems: [...supplements, url],
    given: given === undefined ? [] : [given],
  })
  const terminology = withSupplements(stored, supplements)
  const canonical = canonicalText({ url, ...(version === undefined ? {} : { version }) })
  const concepts = terminology.codeSystem(canonical)
  if (grammarOf(url) === undefined) held(concepts, 'code system', canonical)
  checkDate(input.date, concepts === undefined ? [] : [concepts.system])
  const codes = askedCodes(input, { system: url }).map(withSystem)
  return { ...validateInCodeSystem(terminology, { url, version }, codes, validateOptions(input)) }
})

interface AskedSystem {
  readonly url: string
  readonly version: string | undefined
  readonly given?: CodeSystem
}

/** By the address, the resource in the request, its url, or the system of the coding. @throws FhirError 400 or 404 */
async function askedSystem(ctx: Context, input: OperationInput, id: string | undefined): Promise<AskedSystem> {
  if (id === undefined && input.url === undefined && input.codeSystem === undefined) {
    const [first] = askedCodes(input, { version: 'version' })
    if (first?.system === undefined)
      throw badRequest('One of the parameters url, codeSystem must be given, or a coding with its system', {
        expression: ['url', 'codeSystem'],
      })
    return { url: first.system, version: first.version }
  }
  const { given, canonical } = await subjectOf(ctx, input, id, NAMING)
  if (given === undefined) return { version: undefined, ...canonicalOf(canonical) }
  if (given.url === undefined)
    throw badRequest('The CodeSystem has no url, so no coding can be of it; give it one', {
      expression: 'CodeSystem.url',
    })
  return { url: given.url, version: given.version, given }
}

const NAMING = { type: 'CodeSystem', inline: 'codeSystem', version: 'version' } as const
