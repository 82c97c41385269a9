/** The plans of a clinic: those of resources/plans, and those that it stores itself. docs/plans.md */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClinicAccess } from '../../core/context.ts'
import { ensureResources, stageResources } from '../../core/shipped.ts'
import { didYouMean } from '../../fhir/closest-name.ts'
import { parseJson } from '../../fhir/json.ts'
import { badRequest, conflict, notFound } from '../../fhir/outcome.ts'
import { listForAddition } from '../../repository/additions.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { checkedPlan, parsePlan } from './parse-plan.ts'
import type { Plan } from './plan.ts'
import { testScriptOf, testScriptsOf } from './test-script.ts'

const FOLDER = join(import.meta.dirname, '../../../resources/plans')

const STORED = recordKind<Plan>('plan')

/** Plans that a clinic stores. */
const MOST = 50

let read: ReadonlyMap<string, Plan> | undefined

/** By their names; the files are read on first use. @throws Error naming a file and what is wrong with it */
export function builtInPlans(): ReadonlyMap<string, Plan> {
  read ??= new Map(
    readdirSync(FOLDER)
      .toSorted()
      .map((file) => checkedPlan(file, parseJson(readFileSync(join(FOLDER, file), 'utf8'))))
      .map((plan) => [plan.plan, plan]),
  )
  return read
}

export interface KnownPlan extends Plan {
  /** It belongs to the server, so the clinic can't change it. */
  readonly builtIn?: true
}

/** All, by name. */
export async function listPlans(repository: Repository, clinic: string): Promise<readonly KnownPlan[]> {
  const stored = await repository.records(STORED, { clinic, limit: MOST })
  const own = stored.map(({ value }): KnownPlan => value)
  const builtIn = [...builtInPlans().values()].map((plan): KnownPlan => ({ ...plan, builtIn: true }))
  return [...builtIn, ...own].toSorted((one, other) => (one.plan < other.plan ? -1 : 1))
}

/** Writes the TestScripts of all plans where the clinic lacks them or has them in another version. */
export const ensureTestScripts = async (target: ClinicAccess, repository: Repository, clinic: string): Promise<void> =>
  ensureResources(target, testScriptsOf(await listPlans(repository, clinic)))

/** Whether it is the TestScript of a plan of the server, which every clinic has. */
export const isShippedScript = (type: string, id: string): boolean => type === 'TestScript' && builtInPlans().has(id)

/** @throws FhirError 404 with the nearest name */
export async function findPlan(repository: Repository, clinic: string, name: string): Promise<KnownPlan> {
  const builtIn = builtInPlans().get(name)
  if (builtIn !== undefined) return { ...builtIn, builtIn: true }
  const stored = /^[\w.-]{1,64}$/.test(name) ? await repository.readRecord(clinic, STORED, name) : undefined
  if (stored !== undefined) return stored.value
  const names = (await listPlans(repository, clinic)).map(({ plan }) => plan)
  throw notFound(`There is no plan '${name.slice(0, 64)}'; ${didYouMean(name, names, `there are ${names.join(', ')}`)}`)
}

/** @returns whether there was none of this name. @throws FhirError 400 for a plan that is wrong, 409 for one too many */
export async function storePlan(repository: Repository, clinic: string, name: string, body: unknown): Promise<boolean> {
  const plan = parsePlan(body)
  if (plan.plan !== name)
    throw badRequest(`The plan is called '${plan.plan}', but its address says '${name.slice(0, 64)}'`)
  if (builtInPlans().has(name))
    throw conflict(`The plan '${name}' belongs to the server; store yours under another name`)
  return await repository.change(clinic, async (unit) => {
    const isNew = (await unit.records.read(STORED, name)) === undefined
    if (isNew && (await listForAddition(unit, STORED, MOST)).length >= MOST)
      throw conflict(`The clinic has ${MOST} plans, which is the most; delete one first`)
    unit.records.put(STORED, name, plan)
    await stageResources(unit, [testScriptOf(plan)])
    return isNew
  })
}

/** @throws FhirError 404, and 409 for a plan of the server */
export async function deletePlan(repository: Repository, clinic: string, name: string): Promise<void> {
  const { builtIn } = await findPlan(repository, clinic, name)
  if (builtIn) throw conflict(`The plan '${name}' belongs to the server and can't be deleted`)
  await repository.change(clinic, async (unit) => {
    const stored = await unit.records.read(STORED, name)
    if (stored === undefined) return
    unit.records.delete(STORED, name)
    // TestReports refer to it.
    await stageResources(unit, [testScriptOf(stored.value, 'retired')])
  })
}
