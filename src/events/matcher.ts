/**
 * Matchers: each kind of Subscription compiles its definition into one, which is kept as long as the definition and the search
 * parameters of the clinic stay.
 */
import type { Context } from '../core/context.ts'
import { topicMatcher } from './backport.ts'
import { compileCriteria } from './criteria.ts'
import type { CompiledMatcher } from './resource-event.ts'
import type { Definition } from './state.ts'

/** The source of a matcher: two Subscriptions with the same have one. */
export type Matched = Pick<Definition, 'kind' | 'criteria' | 'filters'>

/** @throws FhirError 422 with a sentence for the author of the Subscription */
export async function compileMatcher(ctx: Context, matched: Matched): Promise<CompiledMatcher> {
  switch (matched.kind) {
    case 'r4':
      return await compileCriteria(ctx, matched.criteria)
    case 'backport':
      return await topicMatcher(ctx, matched)
  }
}
