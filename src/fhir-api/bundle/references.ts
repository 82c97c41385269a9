/**
 * References inside a transaction: to other entries by their fullUrl, and conditional ones, as `Type/id`
 * (https://hl7.org/fhir/R4/http.html#trules).
 */

import type { Context } from '../../core/context.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { resolveConditionalReferences } from './conditional-references.ts'
import { type Entry, inEntry } from './entry.ts'
import type { Identities } from './identities.ts'
import { type Replacements, referencesIn, rewriteLinks } from './rewrite-references.ts'

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
  const replacements = { conditional, links: identities.references, placeholders: identities.placeholders }
  const isNothing = conditional.size + identities.references.size === 0
  return entries.map((entry) => {
    checkResolved(entry, replacements)
    const { request, index } = entry
    const [assignedId, conditionalMatch] = [identities.ids.get(index), identities.matches.get(index)]
    const body = isNothing ? request.body : rewriteLinks(request.body, replacements)
    const decided = {
      ...(assignedId === undefined ? {} : { assignedId }),
      ...(conditionalMatch === undefined ? {} : { conditionalMatch }),
    }
    return { ...entry, request: { ...request, body, links: identities.references, ...decided } }
  })
}

/** A urn:uuid has a meaning inside this Bundle only. */
function checkResolved(entry: Entry, { links }: Replacements): void {
  if (entry.match.route.run.kind !== 'interaction') return
  for (const reference of referencesIn(entry.request.body)) {
    if (/^urn:uuid:/i.test(reference) && !links.has(reference.replace(/#.*$/s, ''))) {
      throw inEntry(badRequest(`No entry of the Bundle has the fullUrl '${reference}' that a reference names`), entry)
    }
  }
}
