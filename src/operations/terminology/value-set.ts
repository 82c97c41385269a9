/** The operations of ValueSet: $expand and $validate-code. */
import type { ValueSet, ValueSetExpansionParameter } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { type ExpandOptions, expand } from '../../terminology/expand.ts'
import { supplementsOf, type Terminology, withSupplements, withVersions } from '../../terminology/terminology.ts'
import { type RecordedCode, validateInValueSet } from '../../terminology/validate-code.ts'
import { impliedSystems } from '../../terminology/value-set.ts'
import {
  boundValueSet,
  checkDate,
  exactlyOneOf,
  type InputCode,
  inputCodes,
  requireFound,
  type Subject,
  subjectOf,
  validateOptions,
  withSystem,
} from './terminology-input.ts'

/** https://hl7.org/fhir/R4/valueset-operation-expand.html */
export const valueSetExpand = defineOperation('value-set-expand', async ({ access, input, id }) => {
  checkPage(input)
  const ctx = await access.reader()
  const supplements = listOf(input.useSupplement)
  const codeSystems = [...supplements, ...listOf(input['force-system-version'])]
  const { stored, valueSet } = await storedValueSet(ctx, input, id, codeSystems)
  const versioned = withVersions(stored, {
    assumed: listOf(input['system-version']),
    checked: listOf(input['check-system-version']),
    forced: listOf(input['force-system-version']),
  })
  const terminology = withSupplements(versioned, [...supplements, ...supplementsOf(valueSet)])
  return expand(terminology, valueSet, optionsOf(input), ctx.now)
})

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

function checkPage(input: OperationInput): void {
  const negative = ['offset', 'count'].find((name) => Number(input[name]) < 0)
  if (negative !== undefined)
    throw badRequest(`Parameter ${negative} is ${input[negative]}; it must be 0 or more`, { expression: negative })
}

/** Parameters that are options of `expand`, with their types; the given ones are listed in the expansion. */
const OPTIONS = {
  filter: 'valueString',
  offset: 'valueInteger',
  count: 'valueInteger',
  includeDesignations: 'valueBoolean',
  includeDefinition: 'valueBoolean',
  activeOnly: 'valueBoolean',
  excludeNested: 'valueBoolean',
  excludeNotForUI: 'valueBoolean',
  displayLanguage: 'valueCode',
} as const

/** Parameters that may be repeated. */
const LISTS = {
  designation: 'valueString',
  'exclude-system': 'valueUri',
  'system-version': 'valueUri',
  'check-system-version': 'valueUri',
  'force-system-version': 'valueUri',
  useSupplement: 'valueUri',
} as const

function optionsOf(input: OperationInput): ExpandOptions {
  const options = Object.fromEntries(
    Object.keys(OPTIONS).flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  )
  return {
    // Their types were checked against the OperationDefinition.
    ...(options as ExpandOptions),
    designations: listOf(input.designation),
    excludeSystems: listOf(input['exclude-system']),
    parameters: parametersOf(input),
  }
}

const parametersOf = (input: OperationInput): readonly ValueSetExpansionParameter[] =>
  Object.entries({ ...OPTIONS, ...LISTS }).flatMap(([name, value]) =>
    [input[name] ?? []].flat().map((given) => ({ name, [value]: given })),
  )

/** https://hl7.org/fhir/R4/valueset-operation-validate-code.html */
export const valueSetValidateCode = defineOperation('value-set-validate-code', async ({ access, input, id }) => {
  const ctx = await access.reader()
  const requested = inputCodes(input, { version: 'systemVersion' })
  const supplements = listOf(input.useSupplement)
  const codeSystems = [...supplements, ...requested.flatMap(({ system }) => system ?? [])]
  const { stored, valueSet } = await storedValueSet(ctx, input, id, codeSystems)
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

/** The value set of the request, and the terminology of the clinic with these code systems, which it is of. */
async function storedValueSet(
  ctx: Context,
  input: OperationInput,
  id: string | undefined,
  codeSystems: readonly string[],
): Promise<{ readonly stored: Terminology; readonly valueSet: ValueSet }> {
  const { given, canonical = '' } = await inputValueSet(ctx, input, id)
  const stored = await clinicTerminology(ctx, {
    codeSystems,
    valueSets: canonical === '' ? [] : [canonical],
    given: given === undefined ? [] : [given],
  })
  const valueSet = given ?? requireFound(stored.valueSet(canonical), 'value set', canonical)
  checkDate(input.date, [valueSet])
  return { stored, valueSet }
}

/**
 * The value set with the id in the URL, in the request, with the given `url`, or bound to an element (context).
 * @throws FhirError 400, 404, 410 or 422
 */
async function inputValueSet(
  ctx: Context,
  input: OperationInput,
  id: string | undefined,
): Promise<Subject<'ValueSet'>> {
  const naming = { type: 'ValueSet', inline: 'valueSet', version: 'valueSetVersion' } as const
  if (id !== undefined || exactlyOneOf(input, ['url', 'valueSet', 'context']) !== 'context')
    return subjectOf(ctx, input, id, naming)
  return { canonical: await boundValueSet(ctx, String(input.context)) }
}
