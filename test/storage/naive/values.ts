/** The order of values: https://hl7.org/fhir/R4/search.html#sort leaves that of texts open, here it is by code point. */
export type Value = string | number

export function compareValues(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return Number(one > other) - Number(one < other)
  const [left, right] = [pointsOf(one), pointsOf(other)]
  const place = left.findIndex((point, at) => point !== right[at])
  // One is the beginning of the other, or they are the same.
  if (place < 0) return left.length - right.length
  return (left[place] ?? 0) - (right[place] ?? -1)
}

const pointsOf = (value: Value): readonly number[] => [...String(value)].map((letter) => letter.codePointAt(0) ?? 0)
