/** Memoization: with a bounded cache, for the life of an object, and of a single value. */
import { LRUCache } from 'lru-cache'

/**
 * The options of an LRUCache that has at most `max` entries, and room for those alone that it has: with its own `max`, it
 * reserves room for all of them when it is made.
 */
export const upTo = (max: number) => ({ maxSize: max, sizeCalculation: () => 1 })

/** Caches the results of `compute` that were last used, by key; `undefined` too, which LRUCache alone does not hold. */
export function memoize<Value, Key extends string | number = string>(
  max: number,
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const cache = new LRUCache<Key, { readonly value: Value }>(upTo(max))
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached.value
    const value = compute(key)
    cache.set(key, { value })
    return value
  }
}

/** Caches what `compute` derives from an object, for as long as the object lives. */
export function oncePer<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached.value
    const value = compute(key)
    cache.set(key, { value })
    return value
  }
}

/** The result of `compute`, worked out when it is first asked for. */
export function once<Value extends NonNullable<unknown>>(compute: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= compute()
    return value
  }
}
