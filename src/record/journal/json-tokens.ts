/** The tokens of a JSON text (https://www.rfc-editor.org/rfc/rfc8259#section-2), passed one by one; the text may be cut. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LITERAL = /^(?:true|false|null|-?\d[\d.eE+-]*)$/

export class JsonTokens {
  readonly #text: string
  /** Characters passed. */
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  passSpace(): void {
    let code = this.#text.charCodeAt(this.at)
    while (code <= 0x20 || code === 0xfeff) {
      this.at += 1
      code = this.#text.charCodeAt(this.at)
    }
  }

  /** Passes a string and returns it with its quotes; undefined where it does not begin, or does not end. */
  passString(): string | undefined {
    const text = this.#text
    const start = this.at
    if (text.charCodeAt(start) !== QUOTE) return undefined
    for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
      let first = end
      while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
      if ((end - first) % 2 === 1) continue
      this.at = end + 1
      return text.slice(start, this.at)
    }
    return undefined
  }

  passLiteral(): boolean {
    let end = this.at
    while (isOfLiteral(this.#text.charCodeAt(end))) end += 1
    if (!LITERAL.test(this.#text.slice(this.at, end))) return false
    this.at = end
    return true
  }

  /** @returns false where the text ends, or stops being JSON, before the value ends */
  passValue(): boolean {
    let depth = 0
    do {
      this.passSpace()
      const character = this.#text[this.at]
      if (character === '{' || character === '[') depth += 1
      else if (character === '}' || character === ']') depth -= 1
      if (character !== undefined && '{}[],:'.includes(character)) this.at += 1
      else if (character === '"' ? this.passString() === undefined : !this.passLiteral()) return false
    } while (depth > 0)
    return true
  }
}

/** Characters of literals: letters, digits, and the signs in numbers. */
const isOfLiteral = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x2b ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x45

/** The string of a JSON text; another text is returned as it is. */
export function unescaped(token: string): string {
  if (!token.startsWith('"')) return token
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return String(JSON.parse(token))
  } catch {
    return token.slice(1, -1)
  }
}
