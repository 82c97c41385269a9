/** ValueSet/$expand: https://hl7.org/fhir/R4/valueset-operation-expand.html. */
import type { ValueSetExpansionParameter } from 'fhir/r4'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { type ExpandOptions, expand } from '../../terminology/expand.ts'
import { supplementsOf, withSupplements } from '../../terminology/supplements.ts'
import { withVersions } from '../../terminology/versions.ts'
import { checkDate, requireFound } from './terminology-input.ts'
import { inputValueSet } from './value-set-input.ts'

export const valueSetExpand = defineOperation('value-set-expand', async ({ access, input, id }) => {
  checkPage(input)
  const ctx = access.reader()
  const { given, canonical } = await inputValueSet(ctx, input, id)
  const supplements = listOf(input.useSupplement)
  const stored = await clinicTerminology(ctx, {
    codeSystems: [...supplements, ...listOf(input['force-system-version'])],
    valueSets: canonical === undefined ? [] : [canonical],
    given: given === undefined ? [] : [given],
  })
  const valueSet = given ?? requireFound(stored.valueSet(canonical ?? ''), 'value set', canonical ?? '')
  checkDate(input.date, [valueSet])
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
