/** The switch that disables the sandbox of a clinic; it is stored, so it applies to all processes. */
import { recordKind } from '../repository/record-kinds.ts'
import { type KindRecord, Repository, type UnitOfWork } from '../repository/repository.ts'

interface SandboxSwitch {
  readonly enabled: boolean
}

const SANDBOX = recordKind<SandboxSwitch>('sandbox')
const KEY = 'enabled'

/**
 * Whether requests are served, from a cache that may be slightly stale when another process changes it. On by default.
 */
export function isSandboxEnabled(repository: Repository, clinic: string): boolean | Promise<boolean> {
  const found = repository.readRecent(clinic, SANDBOX, KEY)
  return found instanceof Promise ? found.then(isOn) : isOn(found)
}

export interface VersionedSandbox extends SandboxSwitch {
  /** 0 for a switch that has never been changed; each change increments it. */
  readonly version: number
}

/** The current state of the switch. */
export async function readSandbox(source: Repository | UnitOfWork, clinic: string): Promise<VersionedSandbox> {
  const record =
    source instanceof Repository
      ? await source.readRecord(clinic, SANDBOX, KEY)
      : await source.records.read(SANDBOX, KEY)
  return { enabled: isOn(record), version: record?.version ?? 0 }
}

const isOn = (record: KindRecord<SandboxSwitch> | undefined): boolean => record?.value.enabled !== false

/** Stages the switch of the unit's clinic, which has been read; its data is not affected. */
export function setSandbox({ records }: UnitOfWork, enabled: boolean): VersionedSandbox {
  const version = records.nextVersion(SANDBOX, KEY)
  records.put(SANDBOX, KEY, { enabled })
  return { enabled, version }
}
