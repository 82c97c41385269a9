/**
 * htmlChecks() for txt-1 and txt-2: https://hl7.org/fhir/R4/narrative.html#xhtml. Accepts well-formed XHTML in one div
 * with visible content and only the elements and attributes of HTML 4.0 chapters 7-11 and 15, and `xml:lang` and
 * `xml:space` of XML 1.0. An address that runs something (`javascript:`) is active content, which R4 excludes ("scripts,
 * forms, …"). Not a sanitizer.
 */
import { spend } from '../../isolation/budget.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const ELEMENTS = words(`
  p br div h1 h2 h3 h4 h5 h6 a span b em i strong small big tt dfn q var abbr acronym cite blockquote hr address bdo kbd
  sub sup ul ol li dl dt dd pre table caption colgroup col thead tr tfoot tbody th td code samp img`)

const ATTRIBUTES = words(`
  title style class id lang xml:lang xml:space dir accesskey tabindex xmlns span align valign char charoff abbr axis
  headers scope rowspan colspan a.href a.name img.src img.border img.alt img.longdesc img.height img.width
  blockquote.cite q.cite table.summary table.width table.border table.frame table.rules table.cellspacing
  table.cellpadding col.width colgroup.width th.width td.width td.nowrap`)

const XHTML = 'http://www.w3.org/1999/xhtml'
/** Attributes that have certain values only; xml:space by https://www.w3.org/TR/xml/#sec-white-space. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['xmlns', [XHTML]],
  ['xml:space', ['default', 'preserve']],
])
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const COMMENT = '<!--(?<comment>(?!-?>)(?:(?!--).)*)-->'
const CLOSE = String.raw`</(?<close>\w+)\s*>`
const OPEN = String.raw`<(?<open>\w+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>/?)>`
const PIECE = new RegExp([COMMENT, CLOSE, OPEN, '(?<text>[^<]+)'].join('|'), 'sy')
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/
const CHARACTER = /&#(x?)([0-9a-fA-F]+);/g
const BLANK = /^[\t\n\r ]*$/

interface ParseState {
  /** The open elements, outermost first. */
  readonly open: string[]
  roots: number
}
type Piece = Readonly<Record<string, string | undefined>>

/** Characters that are checked in a microsecond. */
const CHARACTERS_PER_STEP = 8
const WHAT = 'its narrative'

/** Whether the div is well-formed, and has only what is allowed (txt-1). @throws BudgetError */
export function isAllowedMarkup(div: string): boolean {
  spend(div.length / CHARACTERS_PER_STEP, WHAT)
  if (NOT_XML.test(div)) return false
  const state: ParseState = { open: [], roots: 0 }
  for (let at = 0; at < div.length; at = PIECE.lastIndex) {
    const piece = pieceAt(div, at)
    if (piece === undefined || !accepts(state, piece)) return false
  }
  return state.roots === 1 && state.open.length === 0
}

/**
 * Whether there is text or an image to see (txt-2). It looks no further than to the first of them, or to what it cannot
 * read, which txt-1 does not allow.
 * @throws BudgetError
 */
export function hasVisibleContent(div: string): boolean {
  for (let at = 0; at < div.length; at = PIECE.lastIndex) {
    const piece = pieceAt(div, at)
    if (piece === undefined || piece.open === 'img' || (piece.text !== undefined && !BLANK.test(piece.text))) {
      spend(at / CHARACTERS_PER_STEP, WHAT)
      return true
    }
  }
  spend(div.length / CHARACTERS_PER_STEP, WHAT)
  return false
}

function pieceAt(div: string, at: number): Piece | undefined {
  PIECE.lastIndex = at
  return PIECE.exec(div)?.groups
}

function accepts(state: ParseState, piece: Piece): boolean {
  if (piece.open !== undefined) return acceptsElement(state, piece.open, piece)
  if (piece.close !== undefined) return state.open.pop() === piece.close
  return piece.text === undefined ? state.open.length > 0 : acceptsText(state, piece.text)
}

function acceptsElement(state: ParseState, name: string, { attributes = '', empty }: Piece): boolean {
  if (state.open.length === 0) {
    state.roots++
    if (name !== 'div' || state.roots > 1) return false
  }
  if (empty === '') state.open.push(name)
  return isAllowed(name, attributes)
}

function acceptsText(state: ParseState, text: string): boolean {
  return isText(text) && (state.open.length > 0 || BLANK.test(text))
}

function isAllowed(element: string, attributes: string): boolean {
  if (!ELEMENTS.has(element)) return false
  const seen = new Set<string>()
  for (const [, name = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? ''
    const known = ATTRIBUTES.has(name) || ATTRIBUTES.has(`${element}.${name}`)
    if (!known || seen.has(name) || !hasCharactersOnly(value) || VALUES.get(name)?.includes(value) === false)
      return false
    if (ADDRESSES.has(name) && isActive(value, name)) return false
    seen.add(name)
  }
  return true
}

const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'longdesc', 'cite'])

/** Schemes whose addresses a browser runs, or opens as a page of their own; pictures may be data. */
const ACTIVE = /^(?:javascript|vbscript|data|livescript|mocha):/
const PICTURE = /^data:image\/(?!svg)/

/** As a browser reads the address: with its entities, and without spaces and control characters, also within the scheme. */
function isActive(value: string, name: string): boolean {
  const address = unescapedText(value)
    .replace(/[\p{C}\p{Z}]/gu, '')
    .toLowerCase()
  return ACTIVE.test(address) && !(name === 'src' && PICTURE.test(address))
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** With the characters that its entities and character references stand for. */
const unescapedText = (text: string): string =>
  text
    .replace(CHARACTER, (_, hex: string, digits: string) =>
      String.fromCodePoint(Number.parseInt(digits, hex === 'x' ? 16 : 10)),
    )
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')

const isText = (text: string): boolean => !text.includes(']]>') && hasCharactersOnly(text)

/** Allows the five entities of XML, and character references to valid characters only. */
function hasCharactersOnly(text: string): boolean {
  if (!text.includes('&')) return true
  if (ENTITY.test(text)) return false
  return [...text.matchAll(CHARACTER)].every(([, hex, digits = '']) => {
    const code = Number.parseInt(digits, hex === 'x' ? 16 : 10)
    return code <= 0x10_ffff && !NOT_XML.test(String.fromCodePoint(code))
  })
}
