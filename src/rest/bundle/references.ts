/**
 * References inside a transaction: to other entries by their fullUrl, and conditional ones, as `Type/id`
 * (https://hl7.org/fhir/R4/http.html#trules).
 */

import type { Context } from '../../core/context.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { resolveConditionalReferences } from './conditional-references.ts'
import { type Entry, inEntry } from './entry.ts'
import type { Identities } from './identities.ts'
import { referencesIn, rewriteAddresses } from './rewrite-references.ts'

/**
 * The entries with every reference to another entry, and every conditional reference, as `Type/id`.
 * @throws FhirError 400 when an entry refers to a urn:uuid that no entry has, 412 for criteria that match none or several
 */
export async function rewriteReferences(
  ctx: Context,
  entries: readonly Entry[],
  identities: Identities,
): Promise<Entry[]> {
  const conditional = await resolveConditionalReferences(ctx, entries, identities)
  const names = new Map([...identities.references, ...conditional])
  return entries.map((entry) => {
    checkResolved(entry, names)
    const { request, index } = entry
    const [assignedId, conditionalMatch] = [identities.ids.get(index), identities.matches.get(index)]
    const body = names.size === 0 ? request.body : rewriteAddresses(request.body, names)
    const decided = {
      ...(assignedId === undefined ? {} : { assignedId }),
      ...(conditionalMatch === undefined ? {} : { conditionalMatch }),
    }
    return { ...entry, request: { ...request, body, ...decided } }
  })
}

/** A urn:uuid has a meaning inside this Bundle only. A Bundle that is stored as a resource has its own. */
function checkResolved(entry: Entry, names: ReadonlyMap<string, string>): void {
  const { body } = entry.request
  if (entry.match.route.run.kind !== 'interaction' || (isObject(body) && body.resourceType === 'Bundle')) return
  for (const reference of referencesIn(body)) {
    if (/^urn:uuid:/i.test(reference) && !names.has(reference.replace(/#.*$/s, ''))) {
      throw inEntry(badRequest(`No entry of the Bundle has the fullUrl '${reference}' that a reference names`), entry)
    }
  }
}
