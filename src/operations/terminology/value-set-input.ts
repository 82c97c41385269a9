/** The value set of an operation. */
import type { Context } from '../../core/context.ts'
import type { OperationInput } from '../../core/operation.ts'
import { boundValueSet, exactlyOneOf, type Subject, subjectOf } from './terminology-input.ts'

/**
 * The value set with the id in the URL, in the request, with the given `url`, or bound to an element (context).
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
