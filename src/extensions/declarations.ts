/** The providers, operations and tools of extensions, beside and around those of the server. */
import { mergeFamilies, registerTools, type ToolFamilies } from '../calls/tool.ts'
import type { Operation } from '../core/operation.ts'
import { type InteractionCode, type Interactions, type Provider, standardProvider } from '../core/provider.ts'
import { isResourceType, resourceTypes } from '../fhir/definitions.ts'
import { valuesIn } from '../fhir/resource.ts'
import { checkProvider, everyTypeOperations } from '../providers/registry.ts'
import type { Scenario } from '../rehearsal/scenarios/scenario.ts'
import { checkScenario } from '../rehearsal/scenarios/scenario-file.ts'
import { builtInNames, Scenarios } from '../rehearsal/scenarios/scenarios.ts'
import { parseProfile } from '../rehearsal/strictness/parse-profile.ts'
import type { Profile } from '../rehearsal/strictness/profile.ts'
import { builtInProfiles, StrictnessProfiles } from '../rehearsal/strictness/profiles.ts'
import { type InteractionWrappers, type LoadedExtension, naming, type ProviderExtension } from './extension.ts'

export interface Declarations {
  /** Providers of the types that are not served in the standard way. */
  readonly providers: readonly Provider[]
  /** The operations at system level. */
  readonly systemOperations: readonly Operation[]
}

/**
 * The declarations of the server and its extensions: first their providers, then their rules around providers, then
 * their operations, so that the order of the extensions only decides the order of their rules.
 * @throws Error naming the extension and its wrong declaration
 */
export function declarationsWith(extensions: readonly LoadedExtension[], own: Declarations): Declarations {
  checkNames(extensions)
  const types = new ExtendedTypes(own.providers)
  const systemOperations = [...own.systemOperations]
  const each = (declare: (extension: LoadedExtension) => void): void => {
    for (const extension of extensions) naming(extension, () => declare(extension))
  }
  each((extension) => {
    for (const provider of providersOf(extension)) types.provide(provider, extension.name)
  })
  each(({ providers = [] }) => {
    for (const one of providers) if (isAround(one)) types.putAround(one)
  })
  each((extension) => {
    for (const operation of extension.operations ?? []) types.addOperation(operation)
    for (const operation of operationsOf(extension)) addSystemOperation(systemOperations, operation)
  })
  return { providers: types.providers, systemOperations }
}

/** An extension that is loaded twice would put its rules around a provider twice. */
function checkNames(extensions: readonly LoadedExtension[]): void {
  const names = new Set<string>()
  for (const extension of extensions) {
    naming(extension, () => {
      if (!names.has(extension.name)) return
      throw new Error('an extension of that name is loaded already; each has a name of its own')
    })
    names.add(extension.name)
  }
}

const isAround = (one: Provider | ProviderExtension): one is ProviderExtension => 'around' in one

const providersOf = ({ providers = [] }: LoadedExtension): readonly Provider[] =>
  providers.filter((one): one is Provider => !isAround(one))

/** The operations that an extension adds to types, and those of its own providers. */
export const operationsOf = (extension: LoadedExtension): readonly Operation[] => [
  ...(extension.operations ?? []),
  ...providersOf(extension).flatMap(({ operations }) => operations),
]

function addSystemOperation(operations: Operation[], operation: Operation): void {
  if (!operation.definition.system) return
  refuseSecond(operations, operation, 'the system')
  operations.push(operation)
}

function refuseSecond(operations: readonly Operation[], { code }: Operation, where: string): void {
  const present = operations.find((one) => one.code === code)
  if (present === undefined) return
  throw new Error(`operation $${code}: ${where} has one of that code already (${present.definition.url})`)
}

/** The providers by type while extensions change them. */
class ExtendedTypes {
  readonly #own: readonly Provider[]
  readonly #changed = new Map<string, Provider>()
  readonly #owners = new Map<string, string>()

  constructor(own: readonly Provider[]) {
    this.#own = own
  }

  get providers(): readonly Provider[] {
    return [...this.#own.filter(({ type }) => !this.#changed.has(type)), ...this.#changed.values()]
  }

  /** @throws Error when the type has a provider of its own already */
  provide(provider: Provider, extension: string): void {
    const { type } = provider
    checkType(type)
    const owner = this.#own.some((one) => one.type === type) ? 'the server' : this.#owners.get(type)
    if (owner !== undefined)
      throw new Error(`provider ${type}: ${owner} has one for ${type} already; put rules around it with extendProvider`)
    checkProvider(provider)
    this.#owners.set(type, `extension ${extension}`)
    this.#changed.set(type, provider)
  }

  /** @throws Error when the type does not offer the interaction */
  putAround({ type, around }: ProviderExtension): void {
    checkType(type)
    const provider = this.#current(type)
    const interactions: Mutable<Partial<Interactions>> = { ...provider.interactions }
    for (const code of Object.keys(around) as InteractionCode[]) wrap(type, interactions, around, code)
    const extended = { ...provider, interactions }
    checkProvider(extended)
    this.#changed.set(type, extended)
  }

  addOperation(operation: Operation): void {
    const { resource = [], type: onType, instance } = operation.definition
    if (!onType && !instance) return
    for (const type of resource.includes('Resource') ? resourceTypes : new Set<string>(valuesIn(resource))) {
      checkType(type)
      const provider = this.#current(type)
      refuseSecond([...provider.operations, ...everyTypeOperations], operation, type)
      this.#changed.set(type, { ...provider, operations: [...provider.operations, operation] })
    }
  }

  #current(type: string): Provider {
    return this.#changed.get(type) ?? this.#own.find((one) => one.type === type) ?? standardProvider(type)
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

function wrap<Code extends InteractionCode>(
  type: string,
  interactions: Mutable<Partial<Interactions>>,
  around: InteractionWrappers,
  code: Code,
): void {
  const next: Interactions[Code] | undefined = interactions[code]
  const wrapper = around[code]
  if (next === undefined)
    throw new Error(
      `${type} offers no interaction '${code}' to extend; it offers ${Object.keys(interactions).join(', ')}`,
    )
  if (typeof wrapper !== 'function') throw new Error(`the extension of ${type} declares ${code} without a handler`)
  interactions[code] = wrapper(next)
}

function checkType(type: string): void {
  if (!isResourceType(type)) throw new Error(`provider ${type}: R4 has no such resource type`)
}

interface Surroundings {
  /** They declare the operations behind the tools. */
  readonly providers: ReadonlyMap<string, Provider>
  /** First path segments that other routes answer for. */
  readonly reserved: ReadonlySet<string>
}

/**
 * `own`, and the families and tools that the extensions add.
 * @throws Error naming the extension, and the family or tool that it defines wrongly
 */
export const familiesWith = (
  extensions: readonly LoadedExtension[],
  own: ToolFamilies,
  { providers, reserved }: Surroundings,
): ToolFamilies =>
  extensions.reduce(
    (families, extension) =>
      naming(extension, () => {
        const { tools = {} } = extension
        registerTools(tools, providers, reserved)
        return mergeFamilies(families, tools)
      }),
    own,
  )

/**
 * The server's own scenarios, and those of the extensions.
 * @throws Error naming the extension, and the scenario that it defines wrongly
 */
export function scenariosWith(extensions: readonly LoadedExtension[]): Scenarios {
  const names = new Set(builtInNames)
  for (const extension of extensions) naming(extension, () => addNames(names, extension.scenarios ?? []))
  return new Scenarios(extensions.flatMap(({ scenarios = [] }) => scenarios))
}

function addNames(names: Set<string>, scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    checkScenario(scenario)
    if (names.has(scenario.name))
      throw new Error(`there is a scenario '${scenario.name}' already; give it another name`)
    names.add(scenario.name)
  }
}

/**
 * The server's own strictness profiles, and those of the extensions.
 * @throws Error naming the extension, the profile, and the rule that it defines wrongly
 */
export function strictnessWith(extensions: readonly LoadedExtension[]): StrictnessProfiles {
  const names = new Set(builtInProfiles)
  for (const extension of extensions) naming(extension, () => addProfiles(names, extension.strictness ?? []))
  return new StrictnessProfiles(extensions.flatMap(({ strictness = [] }) => strictness))
}

function addProfiles(names: Set<string>, profiles: readonly Profile[]): void {
  for (const profile of profiles) {
    const { name } = parseProfile(profile)
    if (names.has(name)) throw new Error(`there is a strictness profile '${name}' already; give it another name`)
    names.add(name)
  }
}
