/**
 * Additions to records of which there may be so many at most. The number of those ever made is a record that each addition changes:
 * of several at once the store takes one, and the others are tried again and count it.
 */
import { type RecordKind, recordKind } from './record-kinds.ts'
import type { UnitOfWork } from './repository.ts'
import type { KindRecord } from './unit-records.ts'

const ADDED = { clinic: recordKind<number>('additions'), service: recordKind<number>('service-additions') }

/**
 * The stored records of a kind that is not of a generation, for a unit that adds one unless there are too many.
 * @param limit the most that are listed
 */
export async function listForAddition<Value>(
  { records }: UnitOfWork,
  kind: RecordKind<Value>,
  limit: number,
): Promise<readonly KindRecord<Value>[]> {
  const counter = kind.of === 'service' ? ADDED.service : ADDED.clinic
  const added = (await records.read(counter, kind.name))?.value ?? 0
  records.put(counter, kind.name, added + 1)
  return await records.list(kind, { after: '', limit })
}
