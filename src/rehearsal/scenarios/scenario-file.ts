/**
 * A scenario in JSON: `<name>.json`, or scenario.json in a folder of that name. Each item of its `resources` is a resource, or
 * the path of another file with a list of them, relative to the first. docs/scenarios.md
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { resourceTypes } from '../../fhir/definitions.ts'
import { parseJson } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { validate } from '../../fhir/validate/validate.ts'
import { parseRule } from '../faults/rules.ts'
import type { ClinicDay } from './moments.ts'
import { resolved } from './placeholders.ts'
import type { Scenario, ScenarioResource } from './scenario.ts'

type Members = Readonly<Record<string, unknown>>

/** Every member that a file can have, and whether it must. */
const MEMBERS: Readonly<Record<string, { readonly is: 'text' | 'list' | 'object'; readonly optional?: true }>> = {
  name: { is: 'text' },
  title: { is: 'text' },
  version: { is: 'text' },
  description: { is: 'text' },
  clock: { is: 'text', optional: true },
  settings: { is: 'object', optional: true },
  faults: { is: 'object', optional: true },
  people: { is: 'list' },
  oddities: { is: 'list', optional: true },
  resources: { is: 'list' },
}

const IS = { text: (value: unknown) => typeof value === 'string', list: Array.isArray, object: isObject } as const
const SAID = { text: 'a text', list: 'a list', object: 'an object' } as const

/** A scenario whose templates are the same on every day. */
export interface FileScenario extends Scenario {
  resources(): readonly ScenarioResource[]
}

/** Any day: what is wrong with a resource is wrong on every day. */
const SOME_DAY: ClinicDay = {
  clinic: 'some-clinic',
  clinicName: 'Some Clinic',
  timeZone: 'America/New_York',
  now: Date.UTC(2026, 2, 2, 15),
}

/**
 * @param path of the file, with or without `.json`, or of the folder that holds scenario.json
 * @throws Error naming the file, the path in it, and what is wrong
 */
export function readScenario(path: string): FileScenario {
  const file = fileOf(path)
  const members = checkedMembers(file, readJson(file))
  const resources = (members.resources as readonly unknown[]).flatMap((item, index) =>
    typeof item === 'string' ? listIn(resolve(dirname(file), item)) : [checked(item, `${file}: resources[${index}]`)],
  )
  checkVersions(file, resources)
  return { ...(members as unknown as Scenario), count: resources.length, resources: () => resources }
}

function fileOf(path: string): string {
  if (path.endsWith('.json')) return path
  const inFolder = join(path, 'scenario.json')
  return existsSync(inFolder) ? inFolder : `${path}.json`
}

function readJson(file: string): unknown {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`)
  try {
    return parseJson(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A scenario that a module makes. @throws Error naming the member that is wrong */
export function checkScenario(scenario: Scenario): void {
  const { resources, count, ...members } = scenario as unknown as Members
  checkMembers(`the scenario '${String(members.name)}'`, { ...members, resources: [] })
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(scenario.name))
    throw new Error(`the scenario '${scenario.name}' must have a name of lower-case words joined by hyphens`)
  if (typeof count !== 'number' || typeof resources !== 'function')
    throw new Error(`the scenario '${scenario.name}' must have resources, a function, and their number as count`)
}

function checkedMembers(file: string, value: unknown): Members {
  if (!isObject(value)) throw new Error(`${file} holds no object`)
  checkMembers(file, value)
  const named = basename(file) === 'scenario.json' ? basename(dirname(file)) : basename(file, '.json')
  if (value.name !== named) throw new Error(`${file}: name must be '${named}', as the file is called`)
  return value
}

/** @param where they are */
function checkMembers(where: string, value: Members): void {
  const unknown = Object.keys(value).find((member) => !Object.hasOwn(MEMBERS, member))
  if (unknown !== undefined)
    throw new Error(`${where}: a scenario has no member '${unknown}'; they are ${Object.keys(MEMBERS).join(', ')}`)
  for (const [member, { is, optional }] of Object.entries(MEMBERS)) {
    if (value[member] === undefined ? !optional : !IS[is](value[member]))
      throw new Error(`${where}: ${member} must be ${SAID[is]}`)
  }
  for (const [name, rule] of Object.entries(value.faults ?? {})) checkRule(`${where}: faults.${name}`, name, rule)
}

function checkRule(where: string, name: string, rule: unknown): void {
  try {
    parseRule(name, rule)
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function listIn(file: string): readonly ScenarioResource[] {
  const list = readJson(file)
  if (!Array.isArray(list)) throw new Error(`${file} holds no list of resources`)
  return list.map((item, index) => checked(item, `${file}: [${index}]`))
}

/** @param where file and path of the resource */
function checked(value: unknown, where: string): ScenarioResource {
  const { resourceType: type, id } = isObject(value) ? value : {}
  if (typeof type !== 'string' || !resourceTypes.includes(type))
    throw new Error(`${where} is no resource: resourceType must be a type of R4`)
  if (typeof id !== 'string') throw new Error(`${where} must have an id, by which rehearsals name it`)
  const { $version: _version, $delete, ...resource } = value as unknown as ScenarioResource
  const [issue] = $delete ? [] : validate(resolvedIn(resource, where))
  if (issue !== undefined) throw new Error(`${where} (${type}/${id}): ${issue.diagnostics}`)
  return value as unknown as ScenarioResource
}

function resolvedIn(resource: ScenarioResource, where: string): unknown {
  try {
    return resolved(resource, SOME_DAY)
  } catch (error) {
    throw new Error(
      `${where} (${resource.resourceType}/${resource.id}): ${error instanceof Error ? error.message : ''}`,
    )
  }
}

/** Each resource is there once, or version after version. */
function checkVersions(file: string, resources: readonly ScenarioResource[]): void {
  const versions = new Map<string, number>()
  for (const { resourceType: type, id, $version, $delete } of resources) {
    const before = versions.get(`${type}/${id}`) ?? 0
    const version = $version ?? ($delete ? before + 1 : 1)
    if (before === 0 && ($delete || version !== 1))
      throw new Error(`${file}: ${type}/${id} is changed or deleted before it is there`)
    if (version !== before + 1)
      throw new Error(
        `${file}: there are two resources ${type}/${id}; the next version of one has "$version": ${before + 1}`,
      )
    versions.set(`${type}/${id}`, version)
  }
}
