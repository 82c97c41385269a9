/** The switch that disables the sandbox of a clinic; it is stored, so it applies to all processes. */
import { recordKind } from '../repository/record-kinds.ts'
import type { KindRecord, Repository, UnitOfWork } from '../repository/repository.ts'

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

/** The current state of the switch. */
export const readSandbox = async (repository: Repository, clinic: string): Promise<boolean> =>
  isOn(await repository.readRecord(clinic, SANDBOX, KEY))

const isOn = (record: KindRecord<SandboxSwitch> | undefined): boolean => record?.value.enabled !== false

/** Stages the switch of the unit's clinic; its data is not affected. */
export function setSandbox(unit: UnitOfWork, enabled: boolean): void {
  unit.records.put(SANDBOX, KEY, { enabled }, { expect: 'any' })
}
