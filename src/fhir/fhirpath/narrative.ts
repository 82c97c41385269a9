/**
 * htmlChecks() for txt-1 and txt-2: https://hl7.org/fhir/R4/narrative.html#xhtml. Well-formed XHTML in one div, the
 * elements and attributes of HTML 4.0 chapters 7-11 and 15 only, and something to see. Not a sanitizer.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const ELEMENTS = words(`
  p br div h1 h2 h3 h4 h5 h6 a span b em i strong small big tt dfn q var abbr acronym cite blockquote hr address bdo kbd
  sub sup ul ol li dl dt dd pre table caption colgroup col thead tr tfoot tbody th td code samp img`)

const ATTRIBUTES = words(`
  title style class id lang dir accesskey tabindex xmlns span align valign char charoff abbr axis headers scope rowspan
  colspan a.href a.name img.src img.border img.alt img.longdesc img.height img.width blockquote.cite q.cite table.summary
  table.width table.border table.frame table.rules table.cellspacing table.cellpadding col.width colgroup.width th.width
  td.width td.nowrap`)

const XHTML = 'http://www.w3.org/1999/xhtml'
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u
const COMMENT = '<!--(?<comment>(?!-?>)(?:(?!--).)*)-->'
const CLOSE = String.raw`</(?<close>\w+)\s*>`
const OPEN = String.raw`<(?<open>\w+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>/?)>`
const PIECE = new RegExp([COMMENT, CLOSE, OPEN, '(?<text>[^<]+)'].join('|'), 'sy')
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/
const CHARACTER = /&#(x?)([0-9a-fA-F]+);/g
const BLANK = /^[\t\n\r ]*$/

interface Progress {
  /** The elements around the place that is looked at, outermost first. */
  readonly open: string[]
  roots: number
  visible: boolean
}
type Piece = Readonly<Record<string, string | undefined>>

/** The div is narrative that FHIR allows: the rules of txt-1 and txt-2 together. */
export function isNarrative(div: string): boolean {
  if (NOT_XML.test(div)) return false
  const progress: Progress = { open: [], roots: 0, visible: false }
  for (let at = 0; at < div.length; at = PIECE.lastIndex) {
    PIECE.lastIndex = at
    const piece = PIECE.exec(div)?.groups
    if (piece === undefined || !accepts(progress, piece)) return false
  }
  return progress.roots === 1 && progress.open.length === 0 && progress.visible
}

function accepts(progress: Progress, piece: Piece): boolean {
  if (piece.open !== undefined) return acceptsElement(progress, piece.open, piece)
  if (piece.close !== undefined) return progress.open.pop() === piece.close
  return piece.text === undefined ? progress.open.length > 0 : acceptsText(progress, piece.text)
}

function acceptsElement(progress: Progress, name: string, { attributes = '', empty }: Piece): boolean {
  if (progress.open.length === 0) {
    progress.roots++
    if (name !== 'div' || progress.roots > 1) return false
  }
  progress.visible ||= name === 'img'
  if (empty === '') progress.open.push(name)
  return isAllowed(name, attributes)
}

function acceptsText(progress: Progress, text: string): boolean {
  const blank = BLANK.test(text)
  progress.visible ||= !blank
  return isText(text) && (blank || progress.open.length > 0)
}

function isAllowed(element: string, attributes: string): boolean {
  if (!ELEMENTS.has(element)) return false
  const seen = new Set<string>()
  for (const [, name = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? ''
    const known = ATTRIBUTES.has(name) || ATTRIBUTES.has(`${element}.${name}`)
    if (!known || seen.has(name) || !hasCharactersOnly(value) || (name === 'xmlns' && value !== XHTML)) return false
    seen.add(name)
  }
  return true
}

const isText = (text: string): boolean => !text.includes(']]>') && hasCharactersOnly(text)

/** No entity but the five of XML, and no number that stands for no character. */
function hasCharactersOnly(text: string): boolean {
  if (!text.includes('&')) return true
  if (ENTITY.test(text)) return false
  return [...text.matchAll(CHARACTER)].every(([, hex, digits = '']) => {
    const code = Number.parseInt(digits, hex === 'x' ? 16 : 10)
    return code <= 0x10_ffff && !NOT_XML.test(String.fromCodePoint(code))
  })
}
