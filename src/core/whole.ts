/** The rule that an update is made with the whole resource: https://hl7.org/fhir/R4/search.html#summary. */
import { readSettings } from '../clinics/settings.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { type AnyResource, SUBSETTED } from '../fhir/resource.ts'
import type { Context } from './context.ts'

/**
 * An answer with a part of the resource (`_summary`, `_elements`) is marked as such: an update with it would delete the
 * other parts (search.html#summary).
 * @throws FhirError 422 unless the clinic lets it pass
 */
export async function checkIsWhole(ctx: Context, { resourceType: type, id, meta }: AnyResource): Promise<void> {
  const at = meta?.tag?.findIndex(({ system, code }) => system === SUBSETTED.system && code === SUBSETTED.code) ?? -1
  if (at === -1) return
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.subsetted === 'accept') return
  throw unprocessable(
    `The ${type} is tagged SUBSETTED: it is a part of the resource, as _summary and _elements give it, and an update with it would delete the rest. Read ${type}/${id} whole and change that, send a PATCH, or take the tag out`,
    { expression: `${type}.meta.tag[${at}]`, reason: 'subsetted' },
  )
}
