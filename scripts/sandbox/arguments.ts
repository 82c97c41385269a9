/** The arguments of a command: their types, and errors that say what would be right. */

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** A command that cannot be understood. */
export class UsageError extends Error {}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may come several times. */
export function textsOf(values: Values, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.map(String) : []
}

/** @param what the word is, for the message. @throws UsageError where it is missing, or more follow */
export function onlyWord(words: readonly string[], what: string): string {
  const [word, ...more] = words
  if (word === undefined) throw new UsageError(`${what} is missing`)
  noMore(more)
  return word
}

/** @throws UsageError */
export function noMore(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`'${words.join(' ')}' is too much`)
}

/** `type=Appointment` as a pair. @throws UsageError */
export function pairOf(text: string, option: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new UsageError(`--${option} ${text}: it must be NAME=VALUE`)
  return [name, value]
}

/** @throws UsageError */
export function numberOf(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} ${text}: it must be a whole number`)
  return Number(text)
}
