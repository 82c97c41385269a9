/** Answers that are kept, up to a number of them. */

/**
 * The same function, which answers what it was asked before without working it out again. When it knows `most` answers
 * it forgets them all: that costs less than to know which was used last, where seldom so many are asked for.
 */
export function remembering<Value>(most: number, answer: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found.value
    const value = answer(key)
    if (known.size >= most) known.clear()
    known.set(key, { value })
    return value
  }
}
