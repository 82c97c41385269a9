/** A patch in an entry travels in a Binary (http.html#patch); a long one was put away as a content, and is read here. */
import { wholeData } from '../../content/attached-content.ts'
import type { ClinicAccess } from '../../core/context.ts'
import { contentOf } from '../../fhir/content/marker.ts'
import { isObject } from '../../fhir/resource.ts'

/** The Bundle with the patches of its entries as their data. */
export async function withPatches(access: ClinicAccess, bundle: unknown): Promise<unknown> {
  if (!isObject(bundle) || !Array.isArray(bundle.entry) || !bundle.entry.some(isPutAway)) return bundle
  const entry = await Promise.all(bundle.entry.map((item) => (isPutAway(item) ? withPatch(access, item) : item)))
  return { ...bundle, entry }
}

interface PatchEntry {
  readonly resource: Readonly<Record<string, unknown>>
}

const isPutAway = (item: unknown): item is PatchEntry =>
  isObject(item) &&
  isObject(item.request) &&
  item.request.method === 'PATCH' &&
  isObject(item.resource) &&
  contentOf(item.resource._data) !== undefined

async function withPatch(access: ClinicAccess, entry: PatchEntry): Promise<PatchEntry> {
  const { _data, ...binary } = entry.resource
  return { ...entry, resource: { ...binary, data: await wholeData(access.reader(), { _data }) } }
}
