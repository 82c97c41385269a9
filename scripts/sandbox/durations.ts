/** Spans of time as people type them: `90m`, `1h`, `+1d`, `2w`, or as ISO 8601 has them. */
import { UsageError } from './arguments.ts'

const UNITS: Readonly<Record<string, (count: string) => string>> = {
  s: (count) => `PT${count}S`,
  m: (count) => `PT${count}M`,
  h: (count) => `PT${count}H`,
  d: (count) => `P${count}D`,
  w: (count) => `P${Number(count) * 7}D`,
}

/** `PT1H` for `1h`. @throws UsageError */
export function isoDuration(text: string): string {
  if (/^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/.test(text)) return text
  const [, count = '', unit = ''] = /^\+?(\d+)([smhdw])$/.exec(text) ?? []
  const write = UNITS[unit]
  if (write === undefined) throw new UsageError(`'${text}' is no span of time: 90m, 1h, 1d, 2w or PT1H30M`)
  return write(count)
}
