/**
 * The rules of a clinic: which of its requests meet a fault. A rule counts the requests that match it, in the store, so that
 * all processes count together and chance has no part in it.
 */

import { type ClinicFacts, FAULT_RULES } from '../../clinics/clinics.ts'
import { didYouMean, resourceTypeHint } from '../../fhir/closest-name.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { badRequest, conflict } from '../../fhir/outcome.ts'
import { ID } from '../../fhir/reference.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { type RecordKind, recordKind } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import type { Fault } from './catalogue.ts'
import { INTERACTIONS, WHEN, type When } from './matching.ts'
import { namedFault, type Values } from './named.ts'

/** All conditions must hold; one without any holds for each matching request. */
export interface Occasions {
  /** Numbers of matching requests, from 1. */
  readonly on?: readonly number[]
  /** Each matching request whose number is a multiple. */
  readonly every?: number
  /** Most times that it fires. */
  readonly times?: number
  /** FHIR instant from which on it fires no more. */
  readonly until?: string
}

export interface Rule extends Occasions {
  readonly fault: string
  /** Absent: every request of the clinic in which the fault can occur. */
  readonly when?: When
  readonly with: Values
}

/** A rule, and what it has counted so far. */
export interface ShownRule extends Rule, Count {
  readonly name: string
}

export interface Count {
  /** Requests that it matched, and those that met the fault. */
  readonly matched: number
  readonly fired: number
  /** FHIR instant at which it fired last. */
  readonly last?: string
}

/** By their names. */
export type Rules = Readonly<Record<string, Rule>>

const RULES = recordKind<Rules>(FAULT_RULES.name)
const RULES_KEY = FAULT_RULES.key
const COUNT = recordKind<Count>('fault-count')
const RUN_COUNT = recordKind<Count>('run-fault-count')
const NOTHING: Count = { matched: 0, fired: 0 }

/** Rules of a clinic. */
const MOST_RULES = 50

/** The rules of a clinic whose facts are known; undefined where there are none. */
export const rulesIn = ({ faultRules }: Pick<ClinicFacts, 'faultRules'>): Rules | undefined =>
  faultRules as Rules | undefined

export async function listRules(repository: Repository, clinic: string): Promise<readonly ShownRule[]> {
  const unit = await repository.reader(clinic)
  const shown: ShownRule[] = []
  for (const [name, rule] of Object.entries(await readRules(unit))) shown.push(await shownRule(unit, name, rule))
  return shown
}

export async function findRule(repository: Repository, clinic: string, name: string): Promise<ShownRule | undefined> {
  const unit = await repository.reader(clinic)
  const rules = await readRules(unit)
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  return rule && shownRule(unit, name, rule)
}

const readRules = async ({ records }: UnitOfWork): Promise<Rules> => (await records.read(RULES, RULES_KEY))?.value ?? {}

const shownRule = async ({ records }: UnitOfWork, name: string, rule: Rule): Promise<ShownRule> => ({
  name,
  ...rule,
  ...((await records.read(COUNT, keyOfRule(name)))?.value ?? NOTHING),
})

const keyOfRule = (name: string): string => `rule ${name}`

/**
 * Sets a rule, which counts anew.
 * @returns whether there was none of this name
 * @throws FhirError 409 where the clinic has too many
 */
export async function setRule(repository: Repository, clinic: string, name: string, rule: Rule): Promise<boolean> {
  return repository.change(clinic, async (unit) => {
    const rules = await readRules(unit)
    const isNew = !Object.hasOwn(rules, name)
    if (isNew && Object.keys(rules).length >= MOST_RULES)
      throw conflict(`The clinic has ${MOST_RULES} rules for faults, which is the most; delete one first`)
    const sorted = Object.entries({ ...rules, [name]: rule }).sort(([one], [other]) => (one < other ? -1 : 1))
    unit.records.put(RULES, RULES_KEY, Object.fromEntries(sorted))
    await forgetCount(unit, name)
    return isNew
  })
}

/**
 * Stages the rules that a clinic begins with, by their names, as clients send them.
 * @throws FhirError 400 naming what is wrong
 */
export async function stageRules({ records }: UnitOfWork, rules: Readonly<Record<string, unknown>>): Promise<void> {
  const parsed = Object.entries(rules).map(([name, rule]): [string, Rule] => [name, parseRule(name, rule)])
  await records.read(RULES, RULES_KEY)
  records.put(RULES, RULES_KEY, Object.fromEntries(parsed))
}

/** Deletes a rule, or all. @returns the number of rules deleted */
export async function deleteRules(repository: Repository, clinic: string, name?: string): Promise<number> {
  return repository.change(clinic, async (unit) => {
    const rules = await readRules(unit)
    const deleted = Object.keys(rules).filter((one) => name === undefined || one === name)
    if (deleted.length === 0) return 0
    unit.records.put(
      RULES,
      RULES_KEY,
      Object.fromEntries(Object.entries(rules).filter(([one]) => !deleted.includes(one))),
    )
    for (const one of deleted) await forgetCount(unit, one)
    return deleted.length
  })
}

async function forgetCount({ records }: UnitOfWork, name: string): Promise<void> {
  if ((await records.read(COUNT, keyOfRule(name))) !== undefined) records.delete(COUNT, keyOfRule(name))
}

/**
 * Counts a request that the rule matches.
 * @returns how often the rule has fired with it; undefined where it does not fire for it
 */
export const countForRule = (repository: Repository, clinic: string, name: string, rule: Rule) =>
  count(repository, clinic, { kind: COUNT, key: keyOfRule(name) }, rule)

/** The faults that a run provokes, by the steps of its plan; they meet only requests of the run. */
export interface RunFaults {
  /** The id of the run. */
  readonly id: string
  readonly faults: Rules
}

/** Counts a request of a run that the fault of a step matches. It counts on where the clinic is reset meanwhile. */
export const countForStep = (repository: Repository, clinic: string, run: string, step: string, rule: Rule) =>
  count(repository, clinic, { kind: RUN_COUNT, key: keyOfStep(run, step) }, rule)

const keyOfStep = (run: string, step: string): string => `${run} ${step}`

/** Stages the end of all that a run has counted. */
export function forgetStepCounts({ records }: UnitOfWork, { id, faults }: RunFaults): void {
  for (const step of Object.keys(faults)) records.delete(RUN_COUNT, keyOfStep(id, step), { expect: 'any' })
}

/** Counts a request that names the fault itself, by a header or a magic value. */
export const countNamed = async (repository: Repository, clinic: string, fault: string): Promise<number> =>
  (await count(repository, clinic, { kind: COUNT, key: `fault ${fault}` }, {})) ?? 0

/** The record in which requests are counted. */
interface Counter {
  readonly kind: RecordKind<Count>
  readonly key: string
}

function count(
  repository: Repository,
  clinic: string,
  { kind, key }: Counter,
  on: Occasions,
): Promise<number | undefined> {
  return repository.change(clinic, async ({ records, now }) => {
    const before = (await records.read(kind, key))?.value ?? NOTHING
    const matched = before.matched + 1
    const fires = isOccasion(on, matched, before.fired, now)
    const fired = before.fired + Number(fires)
    const last = fires ? new Date(now).toISOString() : before.last
    records.put(kind, key, { matched, fired, ...present({ last }) })
    return fires ? fired : undefined
  })
}

/** @param fired how often before */
const isOccasion = ({ on, every, times, until }: Occasions, matched: number, fired: number, now: number): boolean =>
  (on === undefined || on.includes(matched)) &&
  (every === undefined || matched % every === 0) &&
  (times === undefined || fired < times) &&
  (until === undefined || now < Date.parse(until))

const MEMBERS = ['fault', 'when', 'on', 'every', 'times', 'until', 'with']

/**
 * A rule as a client sends it.
 * @throws FhirError 400 naming what is wrong
 */
export function parseRule(name: string, body: unknown): Rule {
  if (!ID.test(name)) throw badRequest("The name of a rule has 1 to 64 letters, digits, '-' or '.'")
  if (!isObject(body)) throw badRequest('The body must be a JSON object with the "fault" that the rule is for')
  for (const member of Object.keys(body)) requireKnown('the rule', member, MEMBERS)
  const { fault, with: values } = namedFault(body.fault, body.with ?? {})
  const { when, on, every, times, until } = body
  return {
    fault: fault.name,
    ...present({
      when: when === undefined ? undefined : parseWhen(when),
      on: on === undefined ? undefined : parseOn(on),
      every: every === undefined ? undefined : count1('every', every),
      times: times === undefined ? undefined : count1('times', times),
      until: until === undefined ? undefined : parseUntil(until),
    }),
    with: values,
  }
}

/** @throws FhirError 400 with the nearest name */
function requireKnown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const hint = didYouMean(name, known, `known are ${known.join(', ')}`)
  throw badRequest(`'${name.slice(0, 60)}' is not known in ${what}; ${hint}`)
}

/** Characters of a condition. */
const LONGEST = 500

function parseWhen(when: unknown): When {
  if (!isObject(when)) throw badRequest(`'when' must be an object with some of ${WHEN.join(', ')}`)
  for (const [name, value] of Object.entries(when)) {
    requireKnown("'when'", name, WHEN)
    if (typeof value !== 'string' || value === '' || value.length > LONGEST)
      throw badRequest(`when.${name} must be a text of 1 to ${LONGEST} characters`)
  }
  if (when.interaction !== undefined) requireKnown('when.interaction', String(when.interaction), INTERACTIONS)
  return when as When
}

/**
 * Refuses a rule that would wait for ever, as its fault never occurs under its conditions. Rules of plans and scenarios may be
 * such: those of earlier servers are still read.
 * @throws FhirError 400 naming what would be right
 */
export function requirePossible({ fault: name, when: { interaction, type, path, tool } = {} }: Rule): void {
  if (type !== undefined && !resourceTypes.includes(type))
    throw badRequest(`'${type.slice(0, 60)}' is no resource type; ${resourceTypeHint(type)}`)
  if (path?.startsWith('/') === false) throw badRequest(`when.path must begin with '/', as '/Patient/*' does`)
  const { fault } = namedFault(name)
  const { of, at } = fault
  const types = at.type === undefined ? undefined : [at.type]
  requireAmong(fault, 'type', type, of === 'tools' ? [] : types)
  requireAmong(fault, 'interaction', interaction, of === 'tools' ? [] : at.interactions)
  requireAmong(fault, 'tool', tool, of === 'fhir' ? [] : at.tools)
}

/** @param allowed absent: all */
function requireAmong({ name, of }: Fault, what: string, given?: string, allowed?: readonly string[]): void {
  if (given === undefined || allowed === undefined || allowed.includes(given)) return
  const kind = of === 'tools' ? 'tool calls' : 'FHIR requests'
  const right = allowed.length === 0 ? `it is a fault of ${kind}` : `it does where it is ${allowed.join(', ')}`
  throw badRequest(`The fault '${name}' never occurs where the ${what} is ${given.slice(0, 60)}; ${right}`)
}

const MOST = 1_000_000

function count1(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST) return value
  throw badRequest(`'${name}' must be a whole number from 1 to ${MOST}`)
}

const MOST_NUMBERS = 100

function parseOn(on: unknown): readonly number[] {
  if (!Array.isArray(on) || on.length === 0 || on.length > MOST_NUMBERS)
    throw badRequest(`'on' must be a list of 1 to ${MOST_NUMBERS} numbers of matching requests, the first one is 1`)
  return on.map((number, index) => count1(`on[${index}]`, number))
}

function parseUntil(until: unknown): string {
  if (typeof until === 'string' && /^\d{4}-\d\d-\d\dT/.test(until) && !Number.isNaN(Date.parse(until))) return until
  throw badRequest("'until' must be an instant such as 2026-03-01T08:00:00Z")
}
