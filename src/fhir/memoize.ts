/** Memoization with a bounded cache. */

/**
 * Caches the results of `compute` by key. When the cache holds `maxEntries` it is cleared: cheaper than tracking use,
 * for functions that rarely see that many keys.
 */
export function memoize<Value>(maxEntries: number, compute: (key: string) => Value): (key: string) => Value {
  const cache = new Map<string, { readonly value: Value }>()
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached.value
    const value = compute(key)
    if (cache.size >= maxEntries) cache.clear()
    cache.set(key, { value })
    return value
  }
}
