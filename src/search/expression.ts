/**
 * FHIRPath unions of search parameters that many types share: https://hl7.org/fhir/R4/searchparameter.html. In a file of
 * its own, as the script that writes the definitions uses it, which parameters.ts reads.
 */

/** Splits at separators outside parentheses and quotes; the parts are trimmed. */
export function splitOutside(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === "'") quoted = !quoted
    else if (quoted) continue
    else if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === separator && depth === 0) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return [...parts, text.slice(start).trim()]
}

/**
 * The branches of a union that concern `base`: of `A.x | B.y`, B has `B.y`.
 * @throws Error when there are none
 */
export function expressionFor(base: string, expression: string): string {
  const branches = splitOutside(expression, '|').filter((branch) => /^\(*(\w+)/.exec(branch)?.[1] === base)
  if (branches.length === 0) throw new Error(`The expression '${expression}' says nothing about ${base}`)
  return branches.join(' | ')
}
