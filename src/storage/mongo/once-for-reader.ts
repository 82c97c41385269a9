/** What several parts of a search read is read once, where all that it reads is of one state. */
import type { Reader } from './engine.ts'

type Texts = Promise<readonly string[]>

const known = new WeakMap<Reader, Map<string, Texts>>()

/** What was read under the key before, where the reader has a session: without one, what is read is not all of one state. */
export function onceForReader(reader: Reader, key: string, read: () => Texts): Texts {
  if (reader.session === undefined) return read()
  const ofReader = known.get(reader) ?? new Map<string, Texts>()
  known.set(reader, ofReader)
  const texts = ofReader.get(key) ?? read()
  ofReader.set(key, texts)
  return texts
}

export const isReadFor = (reader: Reader, key: string): boolean => known.get(reader)?.has(key) === true
