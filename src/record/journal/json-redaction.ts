/**
 * JSON without secrets and without the bytes of attachments. It is processed token by token, since a body may be cut,
 * and the rest of it stays as it was written.
 */
import { CONTENT_URL } from '../../fhir/content/marker.ts'
import { BASE64, contentOf, described, type SeenBody, shownContent } from './exchange.ts'
import { JsonTokens, unescaped } from './json-tokens.ts'
import { hasPieceOfName, isSecretName, mayNameSecret, REMOVED, type Secrets } from './secrets.ts'

/** A body with its text, or the part of a body that is a text of its own. */
type JsonText = Pick<SeenBody, 'isCut' | 'contents' | 'cutContent'> & { readonly text: string }

/** Length from which base64 counts as content, whatever its name. */
const LONG = 1_000

/** Whether there may be something to remove: a name of a secret, perhaps with escapes, a content, or long base64. */
function mayNeed(text: string): boolean {
  const lower = text.toLowerCase()
  if (hasPieceOfName(lower) || SIGNS.some((sign) => lower.includes(sign))) return true
  return text.length >= LONG && LONG_RUN.test(text)
}

/** Subscription.channel.header: lines of headers, each of which may be a credential. */
const LINES = 'header'
/** The same in a patch: `/channel/header/-`, `Subscription.channel.header`. */
const PATH_OF_LINES = /(?:^|[/.])header(?:[/[]|$)/
const SIGNS = ['\\u', '"data"', '"_data"', LINES]

const LONG_RUN = new RegExp(`(?<![A-Za-z\\d+/])[A-Za-z\\d+/]{${LONG}}`)

const COLON = 0x3a
const COMMA = 0x2c

/** Members that name the value of another member of the same object: `{"name": "password", "value": …}`. */
const NAMING: ReadonlySet<string> = new Set([
  ...['name', 'key', 'code', 'id', 'linkid', 'field', 'header', 'property', 'param', 'parameter', 'label', 'path'],
  ...['system', 'type', 'url', 'attribute', 'variable', 'k', 'n'],
])
/** Members with such a value, besides all whose names begin with `value`. */
const VALUES: ReadonlySet<string> = new Set([
  ...['v', 'val', 'text', 'content', 'data', 'part', 'resource', 'answer', 'current', 'new', 'old', 'default'],
])
const isValue = (name: string): boolean => name.startsWith('value') || VALUES.has(name)
const isNaming = (name: string): boolean => NAMING.has(name.toLowerCase())

/** Longest text that may name something: longer ones are prose. */
const MAX_NAME = 64
const namesSecretIn = (text: string): boolean =>
  text.length <= MAX_NAME && (isSecretName(text) || PATH_OF_LINES.test(text))

interface Frame {
  readonly isObject: boolean
  readonly start: number
  /** The kind of token that must come next. */
  expects: 'name' | 'colon' | 'value' | 'comma'
  name: string
  /** For a Parameters.parameter: its name is that of a secret. */
  namesSecret: boolean
  hasName: boolean
  /** Values that are secrets when the name turns out to be one. */
  values: Span[] | undefined
  /** A text in it, as in a CodeableConcept, is the name of a secret. */
  mentionsSecret: boolean
  /** The texts of its member `name` and of the last value. */
  ownName: string
  ownValue: string
  /** The first three elements of an array, and the values of parts that another part names. */
  readonly elements: (Span & { readonly isName: boolean })[]
  readonly partValues: Span[]
}

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The text without secrets and contents; undefined for a text that is not JSON. `secrets` receives each secret found.
 */
export function withoutSecrets(json: JsonText, secrets: Secrets): string | undefined {
  if (json.isCut) return new Redaction(json, secrets).run()
  if (!isJson(json.text)) return undefined
  return mayNeed(json.text) ? new Redaction(json, secrets).run() : json.text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
    return true
  } catch {
    return false
  }
}

class Redaction {
  readonly #text: string
  readonly #tokens: JsonTokens
  readonly #json: JsonText
  readonly #secrets: Secrets
  readonly #frames: Frame[] = []
  readonly #replaced: (Span & { readonly instead: string })[] = []
  /** The text ends within a content that is known: whatever comes after, it is shown by its hash. */
  #isCutInContent = false

  constructor(json: JsonText, secrets: Secrets) {
    this.#text = json.text
    this.#tokens = new JsonTokens(json.text)
    this.#json = json
    this.#secrets = secrets
  }

  /** Undefined for a text that is not JSON. */
  run(): string | undefined {
    while (this.#tokens.at < this.#text.length) {
      this.#tokens.passSpace()
      if (this.#tokens.at >= this.#text.length) break
      if (!this.#token()) {
        if (!this.#isCutToken()) return undefined
        this.#rest()
        break
      }
    }
    if (this.#json.isCut) this.#removeUnnamed()
    return this.#assembled()
  }

  /** Whether the unreadable rest is a token whose end is missing. */
  #isCutToken(): boolean {
    const rest = this.#text.slice(this.#tokens.at)
    return this.#json.isCut === true && (rest.startsWith('"') || isLiteralPart(rest))
  }

  /** Removes values whose name may have come after the cut: they may be secrets. */
  #removeUnnamed(): void {
    for (const [index, frame] of this.#frames.entries()) {
      if (frame.hasName || !frame.isObject) continue
      const open = this.#frames[index + 1]
      if (open !== undefined && (frame.name === 'part' || frame.name.startsWith('value'))) {
        this.#removeSpan({ start: open.start, end: this.#text.length })
      }
      this.#removeValues(frame)
    }
  }

  #assembled(): string {
    const parts: string[] = []
    let end = 0
    for (const { start, end: next, instead } of this.#replaced.sort((one, other) => one.start - other.start)) {
      if (start < end) continue
      parts.push(this.#text.slice(end, start), instead)
      end = next
    }
    parts.push(this.#text.slice(end))
    return parts.join('')
  }

  /** @returns whether it is a JSON token in a valid place */
  #token(): boolean {
    const frame = this.#frames.at(-1)
    const code = this.#text.charCodeAt(this.#tokens.at)
    if (frame === undefined) return this.#value(undefined)
    if (isEndOf(frame, code) && frame.expects !== 'colon') {
      this.#tokens.at += 1
      this.#close(frame)
      return true
    }
    switch (frame.expects) {
      case 'name':
        return this.#name(frame)
      case 'colon':
        frame.expects = 'value'
        return this.#pass(code === COLON)
      case 'comma':
        frame.expects = frame.isObject ? 'name' : 'value'
        return this.#pass(code === COMMA)
      case 'value':
        frame.expects = 'comma'
        return this.#value(frame)
    }
  }

  #pass(isRight: boolean): boolean {
    if (isRight) this.#tokens.at += 1
    return isRight
  }

  #name(frame: Frame): boolean {
    const token = this.#tokens.passString()
    if (token === undefined) return false
    frame.name = unescaped(token)
    frame.expects = 'colon'
    return true
  }

  #value(frame: Frame | undefined): boolean {
    const name = frame?.isObject ? frame.name : ''
    const character = this.#text[this.#tokens.at]
    if (name !== '' && (isSecretName(name) || (frame?.namesSecret && isValue(name)))) return this.#skip()
    if (this.#isNamedByElement(frame) || (name === LINES && character === '[')) return this.#skip()
    if (name === '_data' && character === '{') return this.#marker()
    if (character === '{' || character === '[') return this.#open(character === '{')
    const start = this.#tokens.at
    const isRight = character === '"' ? this.#string(frame, name) : this.#tokens.passLiteral()
    if (isRight && frame !== undefined && !this.#isCutInContent) this.#passed(frame, name, start)
    return isRight
  }

  /** Remembers a value that may turn out to be a secret. */
  #passed(frame: Frame, name: string, start: number): void {
    if (isValue(name)) {
      frame.values ??= []
      frame.values.push({ start, end: this.#tokens.at })
    }
    if (frame.isObject || frame.elements.length === 3) return
    const text = unescaped(this.#text.slice(start, this.#tokens.at))
    frame.elements.push({ start, end: this.#tokens.at, isName: namesSecretIn(text) && /^[-\w.]+$/.test(text) })
  }

  /** `["--password", …]` */
  #isNamedByElement(frame: Frame | undefined): boolean {
    const last = frame?.elements.at(-1)
    return last?.isName === true && frame?.isObject === false && this.#text[last.start + 1] === '-'
  }

  #open(isObject: boolean): boolean {
    this.#frames.push({
      isObject,
      start: this.#tokens.at,
      expects: isObject ? 'name' : 'value',
      ...{ name: '', namesSecret: false, hasName: false, values: undefined, mentionsSecret: false },
      ...{ ownName: '', ownValue: '', elements: [], partValues: [] },
    })
    this.#tokens.at += 1
    return true
  }

  #close(frame: Frame): void {
    this.#frames.pop()
    const [first, second, third] = frame.elements
    // `["password", …]`
    if (first?.isName && second !== undefined && third === undefined) this.#removeSpan(second)
    const around = this.#frames.at(-1)
    if (around === undefined) return
    if (!around.isObject) this.#closeElement(frame, around)
    if (!frame.mentionsSecret) this.#passed(around, around.isObject ? around.name : '', frame.start)
    else if (!around.isObject || around.name === 'coding') around.mentionsSecret = true
    else if (isNaming(around.name)) this.#foundName(around)
  }

  /** Notes parts of Parameters that belong together: one names a secret, and another holds its value. */
  #closeElement({ ownName, ownValue, values = [] }: Frame, list: Frame): void {
    if (isNaming(ownName) && namesSecretIn(ownValue)) {
      list.namesSecret = true
      for (const span of list.partValues.splice(0)) this.#removeSpan(span)
    } else if (isValue(ownName)) {
      if (list.namesSecret) for (const span of values) this.#removeSpan(span)
      else list.partValues.push(...values)
    }
  }

  #string(frame: Frame | undefined, name: string): boolean {
    const start = this.#tokens.at
    const token = this.#tokens.passString()
    if (token === undefined) return this.#unfinished(frame, name)
    if (frame !== undefined) this.#noteName(frame, name, unescaped(token))
    const kept = this.#kept(name, token)
    if (kept !== token) this.#replaced.push({ start, end: this.#tokens.at, instead: kept })
    return true
  }

  /** @param token a text, as JSON */
  #kept(name: string, token: string): string {
    if (isContent(name, token)) return JSON.stringify(shownContent(contentOf(token.slice(1, -1))))
    // Platforms send arguments, and get results, as JSON in a text.
    if (!/^"\s{0,9}(?:\{|\[|\\)/.test(token)) return token
    const inner = unescaped(token)
    const { contents } = this.#json
    const left = withoutSecrets({ text: inner, ...(contents && { contents }) }, this.#secrets)
    if (left === undefined) return mayNameSecret(inner) ? JSON.stringify(REMOVED) : token
    return left === inner ? token : JSON.stringify(left)
  }

  /** Notes that a text, as the value of a member, may name other members. */
  #noteName(frame: Frame, name: string, text: string): void {
    if (name === 'name') {
      frame.hasName = true
      frame.ownName = text
    } else if (isValue(name)) frame.ownValue = text
    if (!namesSecretIn(text)) return
    if (isNaming(name)) this.#foundName(frame)
    if (isNaming(name) || name === 'text' || name === 'display') frame.mentionsSecret = true
  }

  #foundName(frame: Frame): void {
    frame.namesSecret = true
    this.#removeValues(frame)
  }

  #removeValues(frame: Frame): void {
    for (const span of frame.values ?? []) this.#removeSpan(span)
    frame.values = undefined
  }

  #removeSpan({ start, end }: Span): void {
    this.#learn(this.#text.slice(start, end))
    // The earlier replacement is a part of it.
    const others = this.#replaced.filter((one) => one.start < start || one.start >= end)
    if (others.length < this.#replaced.length) this.#replaced.splice(0, this.#replaced.length, ...others)
    this.#replaced.push({ start, end, instead: `"${REMOVED}"` })
  }

  /** Adds the texts and numbers of a value to the secrets, but not the names in it. */
  #learn(value: string): void {
    for (const [text, name] of value.matchAll(
      /("[^"\\]*(?:\\.[^"\\]*)*"\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+/gs,
    )) {
      if (name === undefined) this.#secrets.add(unescaped(text))
      if (this.#secrets.areTooMany) break
    }
  }

  /** Handles a text without an end, where the body was cut. */
  #unfinished(frame: Frame | undefined, name: string): boolean {
    const begun = this.#text.slice(this.#tokens.at)
    const { isCut, cutContent } = this.#json
    const mayBeSecret = frame !== undefined && name.startsWith('value') && !frame.hasName
    const content = isContent(name, begun) && !mayBeSecret ? cutContent : undefined
    // Base64 may spell the name of a secret by chance.
    if (!isCut || (content === undefined && (mayNameSecret(begun) || begun.startsWith('"{')))) return false
    this.#isCutInContent = content !== undefined
    if (content !== undefined) this.#replaceRest(JSON.stringify(shownContent(content)))
    else if (mayBeSecret || isContent(name, begun))
      this.#replaceRest(`"[removed: more than ${begun.length} characters]`)
    this.#tokens.at = this.#text.length
    return true
  }

  /** Replaces the value of a secret, of whatever type. */
  #skip(): boolean {
    const start = this.#tokens.at
    const isWhole = this.#tokens.passValue()
    const passed = this.#text.slice(start, this.#tokens.at)
    if (isWhole && /^(?:null|true|false|"")$/.test(passed)) return true
    this.#learn(passed)
    if (!isWhole) this.#tokens.at = this.#text.length
    this.#replaced.push({ start, end: this.#tokens.at, instead: `"${REMOVED}"` })
    return true
  }

  /** Replaces the marker of a content that is kept elsewhere. */
  #marker(): boolean {
    const start = this.#tokens.at
    if (!this.#tokens.passValue()) return false
    const passed = this.#text.slice(start, this.#tokens.at)
    const sha256 = passed.includes(CONTENT_URL) ? /"([\da-f]{64})"/.exec(passed)?.[1] : undefined
    if (sha256 === undefined) return true
    const instead = JSON.stringify(described(sha256, this.#json.contents?.get(sha256)))
    this.#replaced.push({ start, end: this.#tokens.at, instead })
    return true
  }

  /** Handles a rest that is not JSON. */
  #rest(): void {
    const rest = this.#text.slice(this.#tokens.at)
    // The rest may hold the value of any name before it.
    const isNamed = this.#frames.some(({ name, namesSecret }) => namesSecret || isSecretName(name))
    if (isNamed || mayNameSecret(rest) || LONG_RUN.test(rest)) this.#replaceRest(REMOVED)
    this.#tokens.at = this.#text.length
  }

  #replaceRest(instead: string): void {
    this.#replaced.push({ start: this.#tokens.at, end: this.#text.length, instead })
  }
}

const isLiteralPart = (text: string): boolean => /^[\w.+-]*$/.test(text)

const isEndOf = ({ isObject }: Frame, code: number): boolean => code === (isObject ? 0x7d : 0x5d)

/** @param token a text as JSON, with or without its end */
function isContent(name: string, token: string): boolean {
  const text = token.slice(1, token.endsWith('"') && token.length > 1 ? -1 : undefined)
  if (text === '') return false
  if (name === 'data') return BASE64.test(text)
  return text.length >= LONG && BASE64.test(text)
}
