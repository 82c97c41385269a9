/** Whether a licence is among those that are allowed: SPDX expressions, https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/. */

const TOKEN = /[()]|[^\s()]+/g

/**
 * `(MIT OR GPL-3.0-only) AND ISC` is allowed where MIT and ISC are.
 *
 * @throws Error when the text is not an SPDX expression
 */
export function isAllowed(expression: string, allows: (licence: string) => boolean): boolean {
  const tokens = expression.match(TOKEN) ?? []
  const unreadable = new Error(`'${expression}' is not an SPDX licence expression`)
  let at = 0
  const takes = (token: string): boolean => {
    if (tokens[at] !== token) return false
    at += 1
    return true
  }

  // Both sides are always read, so that the whole expression is.
  const alternatives = (): boolean => {
    let allowed = all()
    while (takes('OR')) allowed = all() || allowed
    return allowed
  }
  const all = (): boolean => {
    let allowed = one()
    // Some write AND in lower case. As it requires both licences, accepting that cannot allow too much.
    while (takes('AND') || takes('and')) allowed = one() && allowed
    return allowed
  }
  const one = (): boolean => {
    if (takes('(')) {
      const allowed = alternatives()
      if (!takes(')')) throw unreadable
      return allowed
    }
    const licence = tokens[at]
    if (licence === undefined || !/^[\w.+-]+$/.test(licence)) throw unreadable
    at += 1
    return allows(licence)
  }

  const allowed = alternatives()
  if (at < tokens.length) throw unreadable
  return allowed
}
