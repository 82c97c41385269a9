/**
 * Clinics: a clinic is a tenant, and the FHIR Organization of the same id (https://hl7.org/fhir/R4/organization.html).
 */

import type { Organization } from 'fhir/r4'
import { badRequest, conflict } from '../fhir/outcome.ts'
import { ID } from '../fhir/reference.ts'
import { recordKind } from '../repository/record-kinds.ts'
import { type KindRecord, Repository, type UnitOfWork } from '../repository/repository.ts'
import { removeDemoAccounts } from './accounts.ts'
import {
  type ClinicSettings,
  effectiveSettings,
  findSettings,
  SETTINGS,
  SETTINGS_KEY,
  type SettingsRecord,
  writeSettings,
} from './settings.ts'

/** A FHIR id, but for the two that mean another folder in an address. */
export const isClinicId = (value: unknown): value is string =>
  typeof value === 'string' && ID.test(value) && value !== '.' && value !== '..'

/**
 * Creates a clinic with its Organization and settings, in one change. It ends the accounts of the demo: their passwords
 * are published, and the store is no longer a demo.
 * @throws FhirError 400 when the id is not a FHIR id, 409 when the clinic exists, 422 when a dialled number is taken
 */
export async function createClinic(repository: Repository, clinic: string, settings: ClinicSettings): Promise<void> {
  if (!isClinicId(clinic)) {
    throw badRequest(`The clinic id '${clinic}' must have 1 to 64 letters, digits, '-' or '.'`)
  }
  await repository.change(clinic, async (unit) => {
    await stageClinic(unit, settings)
    await removeDemoAccounts(repository, unit)
  })
}

/**
 * Stages the unit's clinic and its Organization.
 * @throws FhirError 409 when the clinic exists, 422 when a dialled number is taken
 */
export async function stageClinic(unit: UnitOfWork, settings: ClinicSettings): Promise<void> {
  if ((await findSettings(unit, unit.clinic)) !== undefined)
    throw conflict(`The clinic '${unit.clinic}' exists already`)
  await writeSettings(unit, settings)
  const organization: Organization = {
    resourceType: 'Organization',
    id: unit.clinic,
    active: true,
    name: settings.name,
  }
  await unit.put(organization, 'PUT')
}

/** The facts of a clinic that decide whether its requests are served: one object, as long as its settings and its sandbox stay. */
export interface ClinicFacts {
  readonly settings: ClinicSettings
  readonly isSandboxEnabled: boolean
  /** The rules for faults, by their names; undefined where there are none: rehearsal/faults/rules.ts. */
  readonly faultRules: object | undefined
  /** The runs that are open, or were when one was started or ended last; undefined where there are none: rehearsal/runs/open-runs.ts. */
  readonly openRuns: object | undefined
}

/** The record of the rules for faults, and that of the open runs. */
export const FAULT_RULES = { name: 'fault-rules', key: 'rules' } as const
export const OPEN_RUNS = { name: 'open-runs', key: 'runs' } as const
const RULES = recordKind<object>(FAULT_RULES.name)
const RUNS = recordKind<{ readonly runs: readonly object[] }>(OPEN_RUNS.name)

/** The records that the facts are made of, besides the settings. */
type Others = readonly [
  sandbox: KindRecord<SandboxSwitch> | undefined,
  rules: KindRecord<object> | undefined,
  runs: KindRecord<{ readonly runs: readonly object[] }> | undefined,
]

/** By the record of its settings, which is one object while it is remembered. */
const known = new WeakMap<SettingsRecord, { readonly others: Others; readonly facts: ClinicFacts }>()

/**
 * The facts of a clinic, known at once where they are in memory; undefined where there is no such clinic. They come from a
 * cache that may be slightly stale when another process changes them.
 */
export function clinicFacts(
  repository: Repository,
  clinic: string,
): ClinicFacts | undefined | Promise<ClinicFacts | undefined> {
  const settings = repository.readRecent(clinic, SETTINGS, SETTINGS_KEY)
  const sandbox = repository.readRecent(clinic, SANDBOX, KEY)
  const rules = repository.readRecent(clinic, RULES, FAULT_RULES.key)
  const runs = repository.readRecent(clinic, RUNS, OPEN_RUNS.key)
  return settings instanceof Promise ||
    sandbox instanceof Promise ||
    rules instanceof Promise ||
    runs instanceof Promise
    ? Promise.all([settings, sandbox, rules, runs]).then((records) => factsIn(...records))
    : factsIn(settings, sandbox, rules, runs)
}

function factsIn(record: SettingsRecord | undefined, ...others: Others): ClinicFacts | undefined {
  if (record === undefined) return undefined
  const last = known.get(record)
  if (last?.others.every((one, index) => one === others[index])) return last.facts
  const [sandbox, rules, runs] = others
  const faultRules = rules === undefined || Object.keys(rules.value).length === 0 ? undefined : rules.value
  const openRuns = runs === undefined || runs.value.runs.length === 0 ? undefined : runs.value
  const facts = { settings: effectiveSettings(record), isSandboxEnabled: isOn(sandbox), faultRules, openRuns }
  known.set(record, { others, facts })
  return facts
}

/** The switch that disables the sandbox of a clinic; it is stored, so it applies to all processes. */
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
