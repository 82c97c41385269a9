/** The order of slices within an element: https://hl7.org/fhir/R4/profiling.html#slicing. */

import type { Shape } from './shape.ts'
import type { TypedElement } from './typed-element.ts'

interface MisplacedItem {
  readonly item: TypedElement
  /** Continues a sentence that begins with the path of the item. */
  readonly message: string
}

/** Items that violate the order or the closedness of the slicing. @param sliceOf the slice of each item */
export function* misplacedItems(
  { slicing, slices }: Shape,
  items: readonly TypedElement[],
  sliceOf: readonly (Shape | undefined)[],
): Generator<MisplacedItem> {
  const order = new Map(Array.from(slices.values(), (slice, index) => [slice, index]))
  const names = [...slices.keys()].join(', ')
  let last = -1
  let hasOther = false
  for (const [index, item] of items.entries()) {
    const slice = sliceOf[index]
    if (slice === undefined) {
      hasOther = true
      if (slicing?.rules === 'closed')
        yield { item, message: `is in none of the slices ${names || 'of the profile'}, and others are not allowed` }
      continue
    }
    if (hasOther && slicing?.rules === 'openAtEnd')
      yield { item, message: `is of the slice ${slice.sliceName}, which must come before items that are in no slice` }
    const at = order.get(slice) ?? 0
    if (slicing?.ordered === true && at < last)
      yield { item, message: `is of the slice ${slice.sliceName}, but the slices must come in the order ${names}` }
    last = Math.max(last, at)
  }
}
