/** Shared by the tests of all spoken values. */
import type { ParsedValue } from '../../src/spoken/spoken.ts'

/** The value, or the error as text that no value looks like. */
export const heardValue = (heard: ParsedValue): string => (heard.ok ? heard.value : `error: ${heard.error}`)

/** Texts that take long where a reader looks at every way to read them. */
export const ENDLESS = [
  'one '.repeat(100_000),
  '1'.repeat(100_000),
  'a '.repeat(499),
  '1 2 '.repeat(249),
  ' '.repeat(100_000),
  '#'.repeat(999),
]
