/**
 * JSON without secrets and without the bytes of attachments. It goes from token to token, since a body may be cut, or be no
 * JSON from some place on; what cannot be understood and may name a secret is left out.
 */
import { hash } from 'node:crypto'
import { CONTENT_URL } from '../content/marker.ts'
import { isSecretName, mayNameSecret, REMOVED, type Secrets } from './secrets.ts'

export interface JsonText {
  readonly text: string
  /** It is the beginning of a text. */
  readonly isCut: boolean
  /** Contents that stand in it as markers, by their SHA-256: their sizes. */
  readonly contents?: ReadonlyMap<string, number> | undefined
}

/** Characters from which base64 is the content of something, whatever its name. */
const LONG = 1_000
const BASE64 = /^[A-Za-z\d+/\s]*={0,2}$/

/** A text in which none of these stands is kept as it is. */
const MAY_NEED = new RegExp(
  `pass.?w|pass.?phrase|pwd|secret|token|api.?key|access.?key|private.?key|authorization|cookie|credential|assertion|session.?id|jwt|\\\\u|"_?data"|(?<![A-Za-z\\d+/])[A-Za-z\\d+/]{${LONG}}`,
  'i',
)

const SPACE = /[\s\uFEFF]*/y
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const LITERAL = /(?:true|false|null|-?\d[\d.eE+-]*)(?=[\s,\]}]|$)/y

interface Frame {
  readonly closes: '}' | ']'
  /** What comes next. */
  expects: 'name' | 'colon' | 'value' | 'comma'
  name: string
  /** As a Parameters.parameter whose name is that of a secret. */
  namesSecret: boolean
  hasName: boolean
  /** The places of texts in the output that are secrets when the name turns out to be one. */
  readonly values: number[]
}

/** The text without what must not be kept. `secrets` is told what was one. */
export function withoutSecrets(json: JsonText, secrets: Secrets): string {
  return MAY_NEED.test(json.text) ? new Redaction(json, secrets).run() : json.text
}

class Redaction {
  readonly #text: string
  readonly #isCut: boolean
  readonly #contents: ReadonlyMap<string, number> | undefined
  readonly #secrets: Secrets
  readonly #frames: Frame[] = []
  readonly #out: string[] = []
  #at = 0

  constructor({ text, isCut, contents }: JsonText, secrets: Secrets) {
    this.#text = text
    this.#isCut = isCut
    this.#contents = contents
    this.#secrets = secrets
  }

  run(): string {
    while (this.#at < this.#text.length) {
      this.#copy(SPACE)
      if (this.#at >= this.#text.length) break
      if (!this.#token()) {
        this.#rest()
        break
      }
    }
    if (this.#isCut) for (const frame of this.#frames) if (!frame.hasName) this.#removeValues(frame)
    return this.#out.join('')
  }

  /** @returns whether it is one of JSON, in its place */
  #token(): boolean {
    const frame = this.#frames.at(-1)
    const character = this.#text[this.#at]
    if (frame === undefined) return this.#value(undefined)
    if (character === frame.closes && frame.expects !== 'colon') return this.#close()
    switch (frame.expects) {
      case 'name':
        return this.#name(frame)
      case 'colon':
        frame.expects = 'value'
        return this.#take(character === ':')
      case 'comma':
        frame.expects = frame.closes === '}' ? 'name' : 'value'
        return this.#take(character === ',')
      case 'value':
        frame.expects = 'comma'
        return this.#value(frame)
    }
  }

  #take(isRight: boolean): boolean {
    if (!isRight) return false
    this.#out.push(this.#text[this.#at] ?? '')
    this.#at += 1
    return true
  }

  #close(): boolean {
    this.#frames.pop()
    return this.#take(true)
  }

  #name(frame: Frame): boolean {
    const token = this.#match(STRING)
    if (token === undefined) return false
    frame.name = unescaped(token)
    frame.expects = 'colon'
    this.#out.push(token)
    return true
  }

  #value(frame: Frame | undefined): boolean {
    const name = frame?.closes === '}' ? frame.name : ''
    if (name !== '' && isSecretName(name)) return this.#skip(name)
    if (frame?.namesSecret && name.startsWith('value')) return this.#skip(name)
    const character = this.#text[this.#at]
    if (name === '_data' && character === '{') return this.#marker()
    if (character === '{' || character === '[') return this.#open(character)
    if (character === '"') return this.#string(frame, name)
    const literal = this.#match(LITERAL)
    if (literal === undefined) return false
    if (frame !== undefined && name.startsWith('value')) frame.values.push(this.#out.length)
    this.#out.push(literal)
    return true
  }

  #open(character: '{' | '['): boolean {
    const closes = character === '{' ? '}' : ']'
    const expects = closes === '}' ? 'name' : 'value'
    this.#frames.push({ closes, expects, name: '', namesSecret: false, hasName: false, values: [] })
    return this.#take(true)
  }

  #string(frame: Frame | undefined, name: string): boolean {
    const token = this.#match(STRING)
    if (token === undefined) return this.#unfinished(frame, name)
    if (frame !== undefined && name === 'name') this.#named(frame, unescaped(token))
    if (frame !== undefined && name.startsWith('value')) frame.values.push(this.#out.length)
    this.#out.push(this.#kept(name, token))
    return true
  }

  /** @param token a text, as JSON */
  #kept(name: string, token: string): string {
    if (isContent(name, token)) return JSON.stringify(contentOf(token.slice(1, -1)))
    // Platforms send arguments, and get results, as JSON in a text.
    if (!/^"\s*(?:\{|\[|\\u)/.test(token)) return token
    const inner = unescaped(token)
    const left = withoutSecrets({ text: inner, isCut: false, contents: this.#contents }, this.#secrets)
    return left === inner ? token : JSON.stringify(left)
  }

  #named(frame: Frame, name: string): void {
    frame.hasName = true
    if (!isSecretName(name)) return
    frame.namesSecret = true
    this.#removeValues(frame)
  }

  #removeValues(frame: Frame): void {
    for (const place of frame.values.splice(0)) {
      this.#secrets.add(unescaped(this.#out[place] ?? ''))
      this.#out[place] = `"${REMOVED}"`
    }
  }

  /** A text without an end, where the body was cut. */
  #unfinished(frame: Frame | undefined, name: string): boolean {
    const begun = this.#text.slice(this.#at)
    if (!this.#isCut || mayNameSecret(begun) || begun.startsWith('"{')) return false
    const isHidden = isContent(name, begun) || (frame !== undefined && name.startsWith('value') && !frame.hasName)
    this.#out.push(isHidden ? `"[removed: more than ${begun.length} characters]` : begun)
    this.#at = this.#text.length
    return true
  }

  /** The value of a secret, whatever it is. */
  #skip(name: string): boolean {
    const start = this.#at
    const frame = this.#frames.at(-1)
    const isWhole = this.#passValue()
    const passed = this.#text.slice(start, this.#at)
    if (isWhole && /^(?:null|true|false|"")$/.test(passed)) {
      this.#out.push(passed)
      return true
    }
    for (const [text] of passed.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+/gs)) {
      // What the names in it are is no secret.
      if (text.startsWith('"') || !/^[[{]/.test(passed)) this.#secrets.add(unescaped(text))
    }
    this.#out.push(name === '' || frame === undefined ? '' : `"${REMOVED}"`)
    if (!isWhole) this.#at = this.#text.length
    return true
  }

  /** @returns false where the text is over, or no JSON, before the value is */
  #passValue(): boolean {
    let depth = 0
    do {
      this.#match(SPACE)
      const character = this.#text[this.#at]
      if (character === '{' || character === '[') depth += 1
      else if (character === '}' || character === ']') depth -= 1
      if (character !== undefined && '{}[],:'.includes(character)) this.#at += 1
      else if (this.#match(STRING) === undefined && this.#match(LITERAL) === undefined) return false
    } while (depth > 0)
    return true
  }

  /** A content that is kept elsewhere. */
  #marker(): boolean {
    const start = this.#at
    if (!this.#passValue()) return false
    const passed = this.#text.slice(start, this.#at)
    const sha256 = passed.includes(CONTENT_URL) ? /"([\da-f]{64})"/.exec(passed)?.[1] : undefined
    if (sha256 === undefined) {
      this.#out.push(passed)
      return true
    }
    const size = this.#contents?.get(sha256)
    this.#out.push(JSON.stringify(described(size, sha256)))
    return true
  }

  /** What is no JSON. */
  #rest(): void {
    const rest = this.#text.slice(this.#at)
    this.#out.push(mayNameSecret(rest) || LONG_RUN.test(rest) ? REMOVED : rest)
    this.#at = this.#text.length
  }

  #copy(pattern: RegExp): void {
    this.#out.push(this.#match(pattern) ?? '')
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

const LONG_RUN = new RegExp(`(?<![A-Za-z\\d+/])[A-Za-z\\d+/]{${LONG}}`)

/** @param token a text as JSON, with or without its end */
function isContent(name: string, token: string): boolean {
  const text = token.slice(1, token.endsWith('"') && token.length > 1 ? -1 : undefined)
  if (text === '') return false
  if (name === 'data') return BASE64.test(text)
  return text.length >= LONG && BASE64.test(text)
}

function contentOf(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  return described(bytes.length, hash('sha256', bytes))
}

const described = (size: number | undefined, sha256: string): string =>
  `[content: ${size === undefined ? '' : `${size} bytes, `}sha256 ${sha256}]`

/** Of a JSON text; what is none is given back as it is. */
function unescaped(token: string): string {
  if (!token.startsWith('"')) return token
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return String(JSON.parse(token))
  } catch {
    return token.slice(1, -1)
  }
}
