/** Colours of kinds of visits. They help those who see them; the kind is always written, too. */

const COLORS = ['violet', 'orange', 'blue', 'pink', 'yellow', 'grape', 'brown', 'slate'] as const

export type KindColors = ReadonlyMap<string, string>

/** A colour for each kind, a different one while there are enough. Kinds keep theirs from one day to another where they can. */
export function kindColors(kinds: Iterable<string>): KindColors {
  const colors = new Map<string, string>()
  for (const kind of [...new Set(kinds)].filter(Boolean).sort()) {
    const taken = new Set(colors.values())
    const ring = COLORS.map((_, step) => COLORS[(hashOf(kind) + step) % COLORS.length] ?? 'plain')
    colors.set(kind, ring.find((color) => !taken.has(color)) ?? ring[0] ?? 'plain')
  }
  return colors
}

const hashOf = (kind: string): number =>
  [...kind].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7)
