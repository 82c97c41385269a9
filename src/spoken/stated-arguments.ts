/** Reads several arguments of a tool; all missing or invalid ones are reported together. */
import type { OperationInput } from '../core/operation.ts'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import type { ParsedValue } from './spoken.ts'
import { argumentIssue } from './stated-values.ts'

type Readers<Name extends string> = Readonly<Record<Name, (value: unknown) => ParsedValue>>

/**
 * The normal form of each argument.
 * @param optional names that may be absent
 * @throws FhirError 400 with an issue for each missing or invalid value, the missing ones first
 */
export function readAll<Name extends string>(
  readers: Readers<Name>,
  input: OperationInput,
  optional: readonly NoInfer<Name>[] = [],
): Readonly<Record<Name, string>> {
  const names = (Object.keys(readers) as Name[]).filter(
    (name) => !(input[name] === undefined && optional.includes(name)),
  )
  const read = names.map((name) => ({ name, ...readers[name](input[name]) }))
  const issues = read.flatMap((one) => (one.ok ? [] : [argumentIssue(one.name, input[one.name], one.error)]))
  if (issues.length > 0)
    throw new FhirError(
      400,
      issues.toSorted((a, b) => rank(a) - rank(b)),
    )
  return Object.fromEntries(read.map((one) => [one.name, one.ok ? one.value : ''])) as Record<Name, string>
}

const rank = ({ code }: Issue): number => (code === 'required' ? 0 : 1)
