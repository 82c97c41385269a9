/** The body of a response, over HTTP and in a Bundle alike: https://hl7.org/fhir/R4/http.html#ops. */
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import { subsetOf } from '../../search/query/subset.ts'
import type { InteractionRequest, InteractionResponse } from './interaction.ts'
import type { Preferences } from './negotiate.ts'
import { subsetText } from './summary.ts'

/** Undefined when the response has none. @throws FhirError 400 for an invalid `_summary` or `_elements` */
export function bodyText(
  { resource, text, outcome, kind, status }: InteractionResponse,
  { query }: Pick<InteractionRequest, 'query'>,
  wanted: Preferences['return'],
): string | undefined {
  if (text !== undefined) return text
  if (status === 304) return undefined
  if (kind === 'write') {
    if (wanted === 'OperationOutcome') return JSON.stringify(outcome ?? toOutcome([done(status)]))
    if (wanted === 'minimal' || outcome !== undefined) return undefined
  }
  if (resource === undefined || resource.deleted) return undefined
  return kind === 'read' && query.size > 0
    ? subsetText(resource.text, resource.type, subsetOf(query, resource.type))
    : resource.text
}

/** The issue of an OperationOutcome about a write that succeeded. */
export const done = (status: number): Issue => ({
  severity: 'information',
  code: 'informational',
  diagnostics: status === 201 ? 'The resource was created' : 'The change was stored',
})
