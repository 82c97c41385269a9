/** Where a command writes: its result to standard output, as text or as JSON, and progress to a terminal. */
import { Progress } from '../copy/progress.ts'

export interface Output {
  readonly isJson: boolean
  /** The result of a command: one JSON value, or lines. */
  readonly result: (value: unknown, lines: readonly string[]) => void
  /** One of many results: a line of JSON, or of text. */
  readonly item: (value: unknown, line: string) => void
  /** Something beside the result, on standard error. */
  readonly note: (sentence: string) => void
}

export function outputTo(isJson: boolean): Output {
  const write = (line: string) => process.stdout.write(`${line}\n`)
  return {
    isJson,
    result: (value, lines) => {
      if (isJson) write(JSON.stringify(value, undefined, 2))
      else lines.map(write)
    },
    item: (value, line) => write(isJson ? JSON.stringify(value) : line),
    note: (sentence) => process.stderr.write(`${sentence}\n`),
  }
}

/** Undefined where nobody would see it. */
export const progressOf = (what: string, total: number): Progress | undefined =>
  process.stderr.isTTY ? new Progress(what, total, 0, process.stderr) : undefined

/** Columns as wide as their longest text. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows) row.map((text, column) => (widths[column] = Math.max(widths[column] ?? 0, text.length)))
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
