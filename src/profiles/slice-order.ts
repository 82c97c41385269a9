/** Where the items of slices may stand among each other: https://hl7.org/fhir/R4/profiling.html#slicing. */
import type { Item } from './item.ts'
import type { Shape } from './shape.ts'

interface Misplaced {
  readonly item: Item
  /** Goes on from the path of the item. */
  readonly said: string
}

/** @param told the slice of each item */
export function* misplaced(
  { slicing, slices }: Shape,
  items: readonly Item[],
  told: readonly (Shape | undefined)[],
): Generator<Misplaced> {
  const order = new Map(Array.from(slices.values(), (slice, index) => [slice, index]))
  const names = [...slices.keys()].join(', ')
  let last = -1
  let hasOther = false
  for (const [index, item] of items.entries()) {
    const slice = told[index]
    if (slice === undefined) {
      hasOther = true
      if (slicing?.rules === 'closed')
        yield { item, said: `is in none of the slices ${names || 'that there are'}, and others are not allowed` }
      continue
    }
    if (hasOther && slicing?.rules === 'openAtEnd')
      yield { item, said: `is of the slice ${slice.sliceName}, which must stand before what is in no slice` }
    const at = order.get(slice) ?? 0
    if (slicing?.ordered === true && at < last)
      yield { item, said: `is of the slice ${slice.sliceName}, but the slices must stand in the order ${names}` }
    last = Math.max(last, at)
  }
}
