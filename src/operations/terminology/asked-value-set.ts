/** Which value set an operation is about. */
import type { Context } from '../../core/context.ts'
import type { OperationInput } from '../../core/operation.ts'
import { boundValueSet, oneOf, type Subject, subjectOf } from './asked-terms.ts'

/** By the address, the resource in the request, its url, or the element that is bound to it. @throws FhirError 400, 404 or 422 */
export async function askedValueSet(
  ctx: Context,
  input: OperationInput,
  id: string | undefined,
): Promise<Subject<'ValueSet'>> {
  const naming = { type: 'ValueSet', inline: 'valueSet', version: 'valueSetVersion' } as const
  if (id !== undefined || oneOf(input, ['url', 'valueSet', 'context']) !== 'context')
    return subjectOf(ctx, input, id, naming)
  return { canonical: await boundValueSet(ctx, String(input.context)) }
}
