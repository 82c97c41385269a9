/** Free text of a caller, which is kept: on one line, and cut with a mark where it is too long. */
const MARK = ' […]'

/** Characters of what a caller tells in their own words: several minutes of speech. */
export const KEPT_LENGTH = 4000

/** Undefined where there is none. @param maxLength characters, with the mark */
export function keptText(value: unknown, maxLength: number): string | undefined {
  if (value === undefined) return undefined
  const text = String(value)
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  if (text === '') return undefined
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - MARK.length).toWellFormed()}${MARK}`
}
