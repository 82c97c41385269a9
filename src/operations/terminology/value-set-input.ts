/** The value set that an operation is about. */
import type { Context } from '../../core/context.ts'
import type { OperationInput } from '../../core/operation.ts'
import { boundValueSet, exactlyOneOf, type Subject, subjectOf } from './terminology-input.ts'

/**
 * Given by the id in the URL, as a resource in the request, by `url`, or by a bound element (context).
 * @throws FhirError 400, 404, 410 or 422
 */
export async function inputValueSet(
  ctx: Context,
  input: OperationInput,
  id: string | undefined,
): Promise<Subject<'ValueSet'>> {
  const naming = { type: 'ValueSet', inline: 'valueSet', version: 'valueSetVersion' } as const
  if (id !== undefined || exactlyOneOf(input, ['url', 'valueSet', 'context']) !== 'context')
    return subjectOf(ctx, input, id, naming)
  return { canonical: await boundValueSet(ctx, String(input.context)) }
}
