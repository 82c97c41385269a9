/** XML for reading: an element on each line. */

/** A narrative, in which space counts; or a tag that opens, one that closes or is empty, and the text up to the next. */
const TAG = /<div[\s>][\s\S]*?<\/div>(?=\s*<\/text>)|<(\/?)[^<>]*?(\/?)>([^<]*)/g

export const isXml = (text: string): boolean => text.startsWith('<')

/** The text with a line for each element and narrative; the text itself where it has lines already or is not XML. */
export function prettyXml(text: string): string {
  if (!isXml(text) || text.trim().includes('\n')) return text
  let depth = 0
  return text
    .replace(TAG, (tag, closes?: string, isEmpty?: string) => {
      if (closes === '/') depth -= 1
      const line = `${'  '.repeat(Math.max(depth, 0))}${tag}\n`
      if (closes === '' && isEmpty === '' && !tag.startsWith('<?')) depth += 1
      return line
    })
    .trimEnd()
}
