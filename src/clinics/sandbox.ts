/** The switch that turns the sandbox of a clinic off and on. It is in the store, so it works for every process. */
import { recordKind } from '../repository/record-kinds.ts'
import type { KindRecord, Repository, UnitOfWork } from '../repository/repository.ts'

interface SandboxSwitch {
  readonly enabled: boolean
}

const SANDBOX = recordKind<SandboxSwitch>('sandbox')
const KEY = 'enabled'

/** Whether a request is let through; another process may have turned the switch a moment ago. On unless it was turned off. */
export const isSandboxEnabled = async (repository: Repository, clinic: string): Promise<boolean> =>
  isOn(await repository.readRecent(clinic, SANDBOX, KEY))

/** The switch itself, to show it. */
export const readSandbox = async (repository: Repository, clinic: string): Promise<boolean> =>
  isOn(await repository.readRecord(clinic, SANDBOX, KEY))

const isOn = (record: KindRecord<SandboxSwitch> | undefined): boolean => record?.value.enabled !== false

/** Stages the switch of the unit's clinic; its data stays as it is either way. */
export function setSandbox(unit: UnitOfWork, enabled: boolean): void {
  unit.records.put(SANDBOX, KEY, { enabled }, { expect: 'any' })
}
