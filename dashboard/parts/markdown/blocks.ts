/**
 * Markdown as the documentation uses it, read into blocks and marks: https://github.github.com/gfm/. No markup of HTML is read: it
 * is shown as it stands, so a page can bring no script along.
 */

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly id: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'text'; readonly text: string }

export type Mark =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly to: string }

const FENCE = /^```/
const HEADING = /^(#{1,6}) +(.+?) *#*$/
const ITEM = /^ {0,3}(?:[-*]|(\d+)\.) +(.*)$/
const ROW = /^\|.*\|\s*$/
const RULE = /^\|[\s|:-]+\|\s*$/

/** @param text a whole page */
export function blocksOf(text: string): readonly Block[] {
  const lines = text.split(/\r?\n/)
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at)
    if (block !== undefined) blocks.push(block)
    at = next
  }
  return blocks
}

/** @returns the block that begins at a line, and the number of the line behind it */
function blockAt(lines: readonly string[], at: number): readonly [Block | undefined, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [undefined, at + 1]
  if (FENCE.test(line)) return codeAt(lines, at)
  const [, marks, title] = HEADING.exec(line) ?? []
  if (marks !== undefined && title !== undefined) {
    return [{ kind: 'heading', level: marks.length, text: title, id: idOf(title) }, at + 1]
  }
  if (ROW.test(line)) return tableAt(lines, at)
  if (ITEM.test(line)) return listAt(lines, at)
  const end = endOf(lines, at, (one) => !beginsAnother(one))
  return [{ kind: 'text', text: joined(lines.slice(at, end)) }, end]
}

function codeAt(lines: readonly string[], at: number): readonly [Block, number] {
  const end = endOf(lines, at + 1, (line) => !FENCE.test(line))
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function tableAt(lines: readonly string[], at: number): readonly [Block, number] {
  const end = endOf(lines, at, (line) => ROW.test(line))
  const [head = [], ...rows] = lines
    .slice(at, end)
    .filter((line) => !RULE.test(line) || line === lines[at])
    .map(cellsOf)
  return [{ kind: 'table', head, rows }, end]
}

/** A bar within code, or behind a backslash, separates no cells. */
const cellsOf = (line: string): readonly string[] =>
  Array.from(
    line
      .trim()
      .slice(1)
      .matchAll(/((?:`[^`]*`|\\\||[^|])*)\|/g),
    ([, cell = '']) => cell.trim().replaceAll('\\|', '|'),
  )

function listAt(lines: readonly string[], at: number): readonly [Block, number] {
  const end = endOf(lines, at, (line) => line.trim() !== '' && (ITEM.test(line) || /^\s+\S/.test(line)))
  const items: string[] = []
  for (const line of lines.slice(at, end)) {
    const [, , text] = ITEM.exec(line) ?? []
    if (text !== undefined) items.push(text)
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return [{ kind: 'list', isOrdered: /^\s*\d/.test(lines[at] ?? ''), items }, end]
}

const beginsAnother = (line: string): boolean =>
  line.trim() === '' || FENCE.test(line) || HEADING.test(line) || ROW.test(line) || ITEM.test(line)

/** The number of the first line from `at` on, itself always taken, that is not taken. */
function endOf(lines: readonly string[], at: number, isTaken: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && (isTaken(lines[end] ?? '') || (end === at && !FENCE.test(lines[end] ?? '')))) end += 1
  return end
}

const joined = (lines: readonly string[]): string => lines.map((line) => line.trim()).join(' ')

/** The name of a heading in links, as GitHub makes it. */
export const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

const MARKS =
  /(`+)(?<code>.+?)\1|\*\*(?<strong>.+?)\*\*|\*(?<emphasis>[^*\s][^*]*)\*|!\[(?<picture>[^\]]*)\]\([^)]*\)|\[(?<link>(?:`[^`]*`|[^\]])+)\]\((?<to>[^)\s]+)\)/g

/** The marks within a line of text. */
export function marksOf(text: string): readonly Mark[] {
  const marks: Mark[] = []
  let last = 0
  for (const found of text.matchAll(MARKS)) {
    if (found.index > last) marks.push({ kind: 'text', text: text.slice(last, found.index) })
    marks.push(markOf(found.groups ?? {}))
    last = found.index + found[0].length
  }
  if (last < text.length) marks.push({ kind: 'text', text: text.slice(last) })
  return marks
}

function markOf({ code, strong, emphasis, picture, link, to }: Readonly<Record<string, string | undefined>>): Mark {
  if (code !== undefined) return { kind: 'code', text: code.trim() }
  if (strong !== undefined) return { kind: 'strong', text: strong }
  if (emphasis !== undefined) return { kind: 'emphasis', text: emphasis }
  // Pictures are not served.
  if (picture !== undefined) return { kind: 'emphasis', text: picture }
  return { kind: 'link', text: link ?? '', to: to ?? '' }
}

/**
 * The page that a link of the documentation leads to.
 * @param from the path of the page with the link
 * @returns undefined for a link that leads elsewhere
 */
export function docTarget(to: string, from: string): { readonly path: string; readonly section: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(to) || to.startsWith('/')) return undefined
  const { pathname, hash } = new URL(to, `https://docs.invalid/docs/${from}`)
  if (!pathname.startsWith('/docs/')) return undefined
  const path = to.startsWith('#') ? from : decodeURIComponent(pathname.slice('/docs/'.length))
  return /\.md$/.test(path) ? { path, section: decodeURIComponent(hash.slice(1)) } : undefined
}

/** For links to other servers; anything else, such as `javascript:`, is no link. */
export const isWebAddress = (to: string): boolean => /^https?:\/\//i.test(to)
