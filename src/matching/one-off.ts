/** Comparison of codes and dates that may contain one typing mistake. */

/** Whether two texts of the same length differ by one character, or by two adjacent ones that are swapped. */
export function isSingleEdit(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false
  let first = 0
  while (a[first] === b[first]) first += 1
  const rest = first + 1
  if (a.slice(rest) === b.slice(rest)) return true
  return a[first] === b[rest] && a[rest] === b[first] && a.slice(rest + 1) === b.slice(rest + 1)
}
