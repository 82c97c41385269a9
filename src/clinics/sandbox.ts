/** The switch that turns the sandbox of a clinic off and on. Read from the store each time: it works at once, everywhere. */
import { isObject } from '../fhir/resource.ts'
import type { Repository, UnitOfWork } from '../repository.ts'

const KIND = 'sandbox'
const KEY = 'enabled'

/** On unless it was turned off. */
export async function isSandboxEnabled(repository: Repository, clinic: string): Promise<boolean> {
  const record = await repository.readRecord(clinic, KIND, KEY)
  return !(isObject(record?.value) && record.value.enabled === false)
}

/** Stages the switch of the unit's clinic; its data stays as it is either way. */
export function setSandbox(unit: UnitOfWork, enabled: boolean): void {
  unit.record({ kind: KIND, key: KEY, expect: 'any', value: { enabled } })
}
