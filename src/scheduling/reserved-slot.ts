/**
 * Slots in time reserved by a visit elsewhere: busy-unavailable, with a tag for the reason.
 * https://hl7.org/fhir/R4/slot.html
 */
import type { Coding, Slot } from 'fhir/r4'

/** resources/code-systems/slot-block.json */
const TAG = { system: 'https://sandbox-emr.example/fhir/CodeSystem/slot-block', code: 'reserved' }

const isTag = ({ system, code }: Coding): boolean => system === TAG.system && code === TAG.code

/** Whether it would be free if its actors were. */
export const isReserved = ({ status, meta }: Slot): boolean =>
  status === 'busy-unavailable' && meta?.tag?.some(isTag) === true

/** Whether only its actors decide if it is free: it is not booked, held or blocked. */
export const isOnOffer = (slot: Slot): boolean => slot.status === 'free' || isReserved(slot)

/** Whether visits decide its status: it is neither blocked nor entered in error. */
export const isUnblocked = ({ status }: Slot): boolean =>
  status === 'free' || status === 'busy' || status === 'busy-tentative'

/** Returns the same object if nothing changes. */
export function reserved<S extends Slot>(slot: S): S {
  if (isReserved(slot)) return slot
  const tags = slot.meta?.tag?.filter((tag) => !isTag(tag)) ?? []
  return { ...slot, status: 'busy-unavailable', meta: { ...slot.meta, tag: [...tags, TAG] } }
}

/** Free if it was reserved, and without the tag in any case; the same object if nothing changes. */
export function unreserved<S extends Slot>(slot: S): S {
  const { meta: given, ...rest } = slot
  if (given?.tag?.some(isTag) !== true) return slot
  const { tag: tags = [], ...others } = given
  const tag = tags.filter((one) => !isTag(one))
  const meta = tag.length === 0 ? others : { ...others, tag }
  const status = isReserved(slot) ? 'free' : slot.status
  // FHIR does not permit empty elements.
  return { ...rest, ...(Object.keys(meta).length === 0 ? {} : { meta }), status } as S
}
