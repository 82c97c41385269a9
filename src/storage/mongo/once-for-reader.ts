/** Shares reads between several parts of a search, where all its reads are of one state. */
import type { Reader } from './engine.ts'

type Texts = Promise<readonly string[]>

const known = new WeakMap<Reader, Map<string, Texts>>()

/** The earlier result for the key, where the reader has a session: without one, reads are not all of one state. */
export function onceForReader(reader: Reader, key: string, read: () => Texts): Texts {
  if (reader.session === undefined) return read()
  const ofReader = known.get(reader) ?? new Map<string, Texts>()
  known.set(reader, ofReader)
  const texts = ofReader.get(key) ?? read()
  ofReader.set(key, texts)
  return texts
}

export const isReadFor = (reader: Reader, key: string): boolean => known.get(reader)?.has(key) === true
