/** CSV: https://www.rfc-editor.org/rfc/rfc4180 */

export type Cell = string | number | undefined

/** @param rows the first one names the columns */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')

/** A text that a spreadsheet would take for a formula gets an apostrophe: https://owasp.org/www-community/attacks/CSV_Injection. */
function cellOf(value: Cell): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const text = /^\s*[=+\-@]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
