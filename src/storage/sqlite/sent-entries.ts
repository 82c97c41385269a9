/**
 * Index entries as they are sent to the writer thread: one list of texts and numbers, since a message with an object
 * for each entry takes three times as long to send and to receive.
 */
import type { IndexEntry } from '../../search/plan.ts'

type Kind = IndexEntry['kind']
type FieldsOf<K extends Kind> = Exclude<keyof Extract<IndexEntry, { kind: K }>, 'kind' | 'param'> & string

/** The fields of each kind, besides the parameter. */
const FIELDS: { readonly [K in Kind]: readonly FieldsOf<K>[] } = {
  string: ['folded', 'exact'],
  words: ['words'],
  token: ['system', 'code'],
  key: ['key'],
  reference: ['type', 'id', 'version'],
  uri: ['value'],
  date: ['low', 'high'],
  number: ['low', 'high'],
  quantity: ['low', 'high', 'system', 'code'],
  position: ['latitude', 'longitude'],
  composite: ['parts'],
  inner: ['type', 'id', 'entries'],
}

/** For entries of the same parameter that follow each other: kind, parameter, their number, and their fields. */
export type SentEntries = readonly unknown[]

export function packed(entries: readonly IndexEntry[]): SentEntries {
  const list: unknown[] = []
  let before: IndexEntry | undefined
  let countAt = 0
  for (const entry of entries) {
    if (entry.param !== before?.param || entry.kind !== before.kind) {
      countAt = list.push(entry.kind, entry.param, 0) - 1
    }
    before = entry
    list[countAt] = Number(list[countAt]) + 1
    const fields = entry as unknown as Readonly<Record<string, unknown>>
    for (const field of FIELDS[entry.kind]) list.push(fields[field])
  }
  return list
}

export function unpacked(list: SentEntries): readonly IndexEntry[] {
  const entries: IndexEntry[] = []
  for (let at = 0; at < list.length; ) {
    const [kind, param, count] = [list[at] as Kind, list[at + 1] as string, list[at + 2] as number]
    at += 3
    const fields = FIELDS[kind]
    for (let n = 0; n < count; n += 1) {
      const entry: Record<string, unknown> = { kind, param }
      for (const field of fields) {
        const value = list[at++]
        if (value !== undefined) entry[field] = value
      }
      entries.push(entry as unknown as IndexEntry)
    }
  }
  return entries
}
