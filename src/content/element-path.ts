/**
 * The path of the next element of a partially received body, for errors about unparsed text. It is found at once, so it
 * is not determined for a long or deeply nested text.
 */

const MOST_NAMED = 200
/** Most characters that are read: some milliseconds. */
const MOST_READ = 512 * 1024
/** Depth of nested elements. */
const MOST_OPEN = 1000

/**
 * @param text of a JSON body up to a property
 * @returns such as `DocumentReference.content[0].attachment`; '' where it cannot be determined
 */
export const pathInJson = (text: string): string => (text.length > MOST_READ ? '' : jsonPath(text))

function jsonPath(text: string): string {
  const open: { name: string; index: number | undefined }[] = []
  let type = ''
  let string = ''
  for (let at = 0; at < text.length; at++) {
    if (open.length > MOST_OPEN) return ''
    const top = open.at(-1)
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at)
        string = text.slice(at + 1, Math.min(end, at + MOST_NAMED))
        at = end
        if (open.length === 1 && top?.name === 'resourceType' && type === '') type = string
        break
      }
      case ':':
        if (top !== undefined) top.name = string
        break
      case ',':
        if (top?.index !== undefined) top.index++
        break
      case '{':
        open.push({ name: '', index: undefined })
        break
      case '[':
        open.push({ name: '', index: 0 })
        break
      case '}':
      case ']':
        open.pop()
    }
  }
  // The name in the innermost frame is that of the property before.
  const steps = open.slice(0, -1).map(({ name, index }) => (index === undefined ? `.${name}` : `[${index}]`))
  return `${type}${steps.join('')}`.replace(/^\./, '')
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

const SKIPPED: readonly (readonly [begin: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
]

interface OpenElement {
  readonly step: string
  /** Numbers of its children, by their names. */
  readonly counts: Map<string, number>
}

/** @param text of an XML body up to an element; in the path, a repeated element has its index */
export const pathInXml = (text: string): string => (text.length > MOST_READ ? '' : xmlPath(text))

function xmlPath(text: string): string {
  const open: OpenElement[] = []
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    if (open.length > MOST_OPEN) return ''
    const skipped = SKIPPED.find(([begin]) => text.startsWith(begin, at))
    const end = skipped === undefined ? endOfTag(text, at) : text.indexOf(skipped[1], at)
    if (end === -1) break
    if (skipped === undefined) readTag(text.slice(at, end + 1), open)
    at = end
  }
  // A nested resource has its type as an element of its own, which is not a step of a path.
  return open
    .map(({ step }) => step)
    .filter((step, index) => index === 0 || !/^[A-Z]/.test(step))
    .join('.')
}

function readTag(tag: string, open: OpenElement[]): void {
  if (tag.startsWith('</')) {
    open.pop()
    return
  }
  const name = /[^\s/>]*/.exec(tag.slice(1, MOST_NAMED))?.[0] ?? ''
  const counts = open.at(-1)?.counts
  const count = counts?.get(name) ?? 0
  counts?.set(name, count + 1)
  if (!tag.endsWith('/>')) open.push({ step: count === 0 ? name : `${name}[${count}]`, counts: new Map() })
}

function endOfTag(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '>') return at
    if (character === '"' || character === "'") {
      const end = text.indexOf(character, at + 1)
      if (end === -1) break
      at = end
    }
  }
  return text.length
}
