/** Whether two codes or dates are the same but for one typing mistake. */

/** Of the same length, and one character is another one, or two that follow each other are in each other's place. */
export function isSingleEdit(a: string, b: string): boolean {
  if (a.length !== b.length || a === b) return false
  let first = 0
  while (a[first] === b[first]) first += 1
  const rest = first + 1
  if (a.slice(rest) === b.slice(rest)) return true
  return a[first] === b[rest] && a[rest] === b[first] && a.slice(rest + 1) === b.slice(rest + 1)
}
