/** Base64 in pieces: as https://hl7.org/fhir/R4/datatypes.html#base64Binary permits it, with white space anywhere. */

/** The error at the character where a text stops being base64. */
export class NotBase64 extends Error {
  /** Position of the first invalid character, counted from 1. */
  readonly character: number
  readonly problem: string

  constructor(character: number, problem: string) {
    super(problem)
    this.name = 'NotBase64'
    this.character = character
    this.problem = problem
  }
}

const ALPHABET = /^[A-Za-z0-9+/]*$/
const WHITE_SPACE = /[ \t\r\n\f\v]+/g

/** Decodes a text that comes in pieces, which may break anywhere. */
export class Base64Decoder {
  /** Fewer than four characters that wait for the rest of their group. */
  #group = ''
  #padding = 0
  #characters = 0

  /** Decodes a piece; returns the complete bytes. @throws NotBase64 */
  push(text: string): Buffer {
    const compact = text.replace(WHITE_SPACE, '')
    const isPlain = this.#padding === 0 && ALPHABET.test(compact)
    const group = this.#group + (isPlain ? compact : this.#withoutPadding(text))
    this.#characters += text.length
    const complete = group.length - (group.length % 4)
    this.#group = group.slice(complete)
    return Buffer.from(group.slice(0, complete), 'base64')
  }

  /** The last bytes. @throws NotBase64 */
  end(): Buffer {
    const { length } = this.#group
    if (length > 0 && length + this.#padding < 4) throw this.#notBase64(1, UNFINISHED)
    return Buffer.from(this.#group, 'base64')
  }

  /** The characters of the alphabet in a text with padding. @throws NotBase64 */
  #withoutPadding(text: string): string {
    let characters = ''
    for (const [index, character] of [...text].entries()) {
      if (/[ \t\r\n\f\v]/.test(character)) continue
      const filled = (this.#group.length + characters.length) % 4
      if (character === '=') {
        if (filled < 2 || filled + this.#padding === 4) throw this.#notBase64(index + 1, WRONG_PADDING)
        this.#padding++
      } else if (this.#padding > 0) throw this.#notBase64(index + 1, AFTER_PADDING)
      else if (ALPHABET.test(character)) characters += character
      else throw this.#notBase64(index + 1, NOT_IN_ALPHABET)
    }
    return characters
  }

  #notBase64(offset: number, problem: string): NotBase64 {
    return new NotBase64(this.#characters + offset, problem)
  }
}

const UNFINISHED = 'it ends within a group of four characters; it is cut off, or its padding (=) is missing'
const WRONG_PADDING = 'padding (=) is only at the end, where it fills a group of four characters'
const AFTER_PADDING = 'nothing follows the padding (=)'
const NOT_IN_ALPHABET = 'base64 has the characters A-Z a-z 0-9 + / only, and = at its end'
