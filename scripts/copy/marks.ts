/** The progress of a copy, kept as records in the target so that it can be resumed: see copy-store.ts. */
import { UNFINISHED_COPY } from '../../src/main/open-store.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import type { RecordChange, ResourceStore, StoredRecord } from '../../src/storage/port.ts'

const CLINIC = 'copy-clinic'

/** The progress of copying the versions of a clinic. */
export interface ClinicMark {
  /** Cursor of the next page; absent at the beginning and at the end. */
  readonly after?: string
  /** The timestamp of the latest change copied, in milliseconds. */
  readonly latest: number
  /** All versions were copied once; those written since may be missing. */
  readonly isWhole: boolean
}

export const isMark = ({ clinic, kind }: StoredRecord): boolean =>
  clinic === SERVICE && (kind === UNFINISHED_COPY.kind || kind === CLINIC)

/** The name of the store that `target` is an unfinished copy of. */
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

/** Turns the target into an ordinary store. */
export async function removeMarks(target: ResourceStore, clinics: readonly string[]): Promise<void> {
  await write(target, [
    ...clinics.map((key): RecordChange => ({ clinic: SERVICE, kind: CLINIC, key, expect: 'any', value: undefined })),
    { clinic: SERVICE, ...UNFINISHED_COPY, expect: 'any', value: undefined },
  ])
}

const write = (target: ResourceStore, records: readonly RecordChange[]): Promise<void> =>
  target.write({ clinic: SERVICE, resources: [], records, guards: [] })
