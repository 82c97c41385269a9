/** ValueSet/$validate-code: https://hl7.org/fhir/R4/valueset-operation-validate-code.html. */
import type { ValueSet } from 'fhir/r4'
import { defineOperation } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { impliedSystems } from '../../terminology/binding.ts'
import { supplementsOf, withSupplements } from '../../terminology/supplements.ts'
import type { Terminology } from '../../terminology/terminology.ts'
import { type RecordedCode, validateInValueSet } from '../../terminology/validate-code.ts'
import {
  checkDate,
  type InputCode,
  inputCodes,
  requireFound,
  validateOptions,
  withSystem,
} from './terminology-input.ts'
import { inputValueSet } from './value-set-input.ts'

export const valueSetValidateCode = defineOperation('value-set-validate-code', async ({ access, input, id }) => {
  const ctx = access.reader()
  const requested = inputCodes(input, { version: 'systemVersion' })
  const { given, canonical } = await inputValueSet(ctx, input, id)
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(ctx, {
    codeSystems: [...supplements, ...requested.flatMap(({ system }) => system ?? [])],
    valueSets: canonical === undefined ? [] : [canonical],
    given: given === undefined ? [] : [given],
  })
  const valueSet = given ?? requireFound(stored.valueSet(canonical ?? ''), 'value set', canonical ?? '')
  checkDate(input.date, [valueSet])
  const terminology = withSupplements(stored, [...supplements, ...supplementsOf(valueSet)])
  const isImplied = input.context !== undefined || id !== undefined
  const codes = requested.map((code) => {
    if (code.system !== undefined) return withSystem(code)
    if (isImplied) return withImpliedSystem(terminology, valueSet, code)
    return input.code === undefined ? { ...code, system: '' } : withSystem(code)
  })
  return { ...validateInValueSet(terminology, valueSet, codes, validateOptions(input)) }
})

/**
 * Adds the system implied by the value set, as an element of type code has none. "The server SHALL ensure that the
 * code is not ambiguous without a system."
 * @throws FhirError 400 if it is ambiguous
 */
function withImpliedSystem(terminology: Terminology, valueSet: ValueSet, code: InputCode): RecordedCode {
  const [system = '', ...others] = impliedSystems(terminology, valueSet, code.code)
  if (others.length > 0)
    throw badRequest(
      `The code ${code.code} is ambiguous: the value set may have it of ${[system, ...others].join(' and of ')}; give its system`,
      { expression: 'system' },
    )
  return { ...code, system }
}
