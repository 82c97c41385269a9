/** A caller's free text, stored on one line and truncated with a mark if too long. */
const MARK = ' […]'

/** Most characters of a caller's own words: several minutes of speech. */
export const KEPT_LENGTH = 4000

/** Returns undefined if there is no text. @param maxLength characters, including the mark */
export function keptText(value: unknown, maxLength: number): string | undefined {
  if (value === undefined) return undefined
  const text = String(value)
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  if (text === '') return undefined
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - MARK.length).toWellFormed()}${MARK}`
}
