/** What a copy keeps in its target, as records, so that it can go on where it was ended: see copy-store.ts. */
import { UNFINISHED_COPY } from '../../src/app.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import type { RecordChange, ResourceStore, StoredRecord } from '../../src/storage/port.ts'

const CLINIC = 'copy-clinic'

/** How far the versions of a clinic are. */
export interface ClinicMark {
  /** Cursor of the next page; absent: at the beginning, or at the end. */
  readonly after?: string
  /** The latest change that was copied (ms). */
  readonly latest: number
  /** Everything was copied once; what is written since may be missing. */
  readonly isWhole: boolean
}

export const isMark = ({ clinic, kind }: StoredRecord): boolean =>
  clinic === SERVICE && (kind === UNFINISHED_COPY.kind || kind === CLINIC)

/** The name of the store that `target` is a started copy of. */
export async function startedFrom(target: ResourceStore): Promise<string | undefined> {
  const found = await target.readRecord(SERVICE, UNFINISHED_COPY.kind, UNFINISHED_COPY.key)
  return found === undefined ? undefined : String(found.value)
}

export const start = (target: ResourceStore, from: string): Promise<void> =>
  write(target, [{ clinic: SERVICE, ...UNFINISHED_COPY, expect: 0, value: from }])

export async function clinicMark(target: ResourceStore, clinic: string): Promise<ClinicMark> {
  const found = await target.readRecord(SERVICE, CLINIC, clinic)
  return found === undefined ? { latest: 0, isWhole: false } : (found.value as ClinicMark)
}

export const markChange = (clinic: string, mark: ClinicMark): RecordChange => ({
  clinic: SERVICE,
  kind: CLINIC,
  key: clinic,
  expect: 'any',
  value: mark,
})

/** The target is an ordinary store from now on. */
export async function removeMarks(target: ResourceStore, clinics: readonly string[]): Promise<void> {
  await write(target, [
    ...clinics.map((key): RecordChange => ({ clinic: SERVICE, kind: CLINIC, key, expect: 'any', value: undefined })),
    { clinic: SERVICE, ...UNFINISHED_COPY, expect: 'any', value: undefined },
  ])
}

const write = (target: ResourceStore, records: readonly RecordChange[]): Promise<void> =>
  target.write({ clinic: SERVICE, resources: [], records, guards: [] })
