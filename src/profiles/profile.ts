/**
 * A profile, a StructureDefinition that constrains a type of R4 (https://hl7.org/fhir/R4/profiling.html), compiled for
 * validation and loaded by canonical, with the profiles that it is derived from.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StructureDefinition, StructureDefinitionContext } from 'fhir/r4'
import { canonicalOf, canonicalText, newest } from '../terminology/canonical.ts'
import type { Draft, Shape } from './shape.ts'
import { isProfile, snapshotOf } from './snapshot.ts'
import { coreType, isA } from './typed-element.ts'

export interface Profile {
  /** For messages, `http://example.org/my-patient|1.0`. */
  readonly canonical: string
  readonly url: string
  /** The R4 type. */
  readonly type: string
  readonly root: Shape
  /** For an extension: whether it is a modifier extension. */
  readonly isModifier: boolean
  /** For an extension: where it may be used. */
  readonly context: readonly StructureDefinitionContext[]
  /** The parts of the StructureDefinition that could not be used, in words. */
  readonly problems: readonly string[]
}

/** The draft of each profile, from which derived profiles are built. */
const drafts = new WeakMap<Profile, Draft>()

/**
 * Compiles a profile.
 * @param base the profile it is derived from; required without a snapshot, unless its baseDefinition is a type of R4
 * @param problems the problems found when loading the base
 */
function profileOf(
  definition: StructureDefinition,
  base: Profile | undefined,
  problems: readonly string[] = [],
): Profile {
  const { url = '', version, type = '', context = [] } = definition
  const tree = snapshotOf(definition, base && drafts.get(base))
  const profile: Profile = {
    canonical: canonicalText({ url, version }),
    url,
    type,
    root: tree.root,
    isModifier: isModifier(definition, base),
    context,
    problems: [...problems, ...tree.problems],
  }
  drafts.set(profile, tree.root)
  return profile
}

const isModifier = ({ snapshot, differential }: StructureDefinition, base: Profile | undefined): boolean => {
  const [root] = snapshot?.element ?? differential?.element ?? []
  return (root?.path?.includes('.') === false ? root.isModifier : undefined) ?? base?.isModifier ?? false
}

/**
 * Finds all definitions of the clinic with these urls. Unchanged definitions must be the same objects, as they are
 * cache keys.
 */
export type FindDefinitions = (urls: readonly string[]) => Promise<readonly StructureDefinition[]>

/** Levels of derivation. */
const MAX_CHAIN_LENGTH = 20

/** The profiles by canonical; undefined for an unknown one. */
export async function loadProfiles(
  find: FindDefinitions,
  canonicals: readonly string[],
): Promise<ReadonlyMap<string, Profile | undefined>> {
  const loader = new Loader(find)
  await loader.read(canonicals)
  const loaded = new Map<string, Profile | undefined>()
  for (const canonical of canonicals) loaded.set(canonical, await loader.load(canonical, []))
  return loaded
}

class Loader {
  readonly #find: FindDefinitions
  readonly #definitions = new Map<string, StructureDefinition[]>()

  constructor(find: FindDefinitions) {
    this.#find = find
  }

  async read(canonicals: readonly string[]): Promise<void> {
    const urls = new Set(canonicals.map((canonical) => canonicalOf(canonical).url))
    const unread = [...urls].filter((url) => url !== '' && !this.#definitions.has(url))
    for (const url of unread) this.#definitions.set(url, [])
    if (unread.length === 0) return
    for (const definition of await this.#find(unread)) this.#definitions.get(definition.url ?? '')?.push(definition)
  }

  /** @param trail the urls of the profiles derived from this one */
  async load(canonical: string, trail: readonly string[]): Promise<Profile | undefined> {
    const definition = this.#definitionOf(canonical)
    if (definition === undefined) return undefined
    if ((definition.snapshot?.element.length ?? 0) > 0) return compiledProfile(definition, undefined, [])
    const { base, problems } = await this.#base(definition, [...trail, definition.url ?? ''])
    return compiledProfile(definition, base, problems)
  }

  async #base({ type = '', baseDefinition = '' }: StructureDefinition, trail: readonly string[]) {
    const without = (problem: string) => ({
      base: undefined,
      problems: [`its baseDefinition ${baseDefinition} ${problem}`],
    })
    const core = coreType(baseDefinition)
    if (core !== undefined)
      return isA(type, core) ? { base: undefined, problems: [] } : without(`is no type of ${type}`)
    if (trail.includes(canonicalOf(baseDefinition).url)) return without('leads back to itself')
    if (trail.length >= MAX_CHAIN_LENGTH)
      return without(`is the end of a chain of ${MAX_CHAIN_LENGTH} profiles, the longest that is followed`)
    await this.read([baseDefinition])
    const base = await this.load(baseDefinition, trail)
    if (base === undefined) return without('is neither stored in this clinic nor part of R4')
    if (base.type !== type) return without(`is for ${base.type}, not ${type}`)
    return { base, problems: base.problems }
  }

  #definitionOf(canonical: string): StructureDefinition | undefined {
    const { url, version } = canonicalOf(canonical)
    const stored = (this.#definitions.get(url) ?? []).filter(isProfile)
    const own = newest(version === undefined ? stored : stored.filter((one) => one.version === version))
    return own ?? packagedProfile(url, version)
  }
}

interface CachedProfile {
  readonly base: Profile | undefined
  readonly problems: string
  readonly profile: Profile
}
const cache = new WeakMap<StructureDefinition, CachedProfile>()

/** The profile of a definition, cached as long as its base is the same. */
function compiledProfile(
  definition: StructureDefinition,
  base: Profile | undefined,
  problems: readonly string[],
): Profile {
  const cached = cache.get(definition)
  const problemText = problems.join('\n')
  if (cached !== undefined && cached.base === base && cached.problems === problemText) return cached.profile
  const profile = profileOf(definition, base, problems)
  cache.set(definition, { base, problems: problemText, profile })
  return profile
}

const FILE = join(import.meta.dirname, '../../resources/r4/profiles.jsonl')
const HEAD = /^\{"resourceType":"StructureDefinition","url":"([^"]+)"/

let lines: ReadonlyMap<string, string> | undefined
const parsed = new Map<string, StructureDefinition>()

/** Undefined when R4 has none with this url and version. The file is read on first use. */
function packagedProfile(url: string, version?: string): StructureDefinition | undefined {
  lines ??= new Map(
    readFileSync(FILE, 'utf8')
      .split('\n')
      .map((line) => [HEAD.exec(line)?.[1] ?? '', line]),
  )
  const line = lines.get(url)
  if (line === undefined || url === '') return undefined
  const definition = parsed.get(url) ?? (JSON.parse(line) as StructureDefinition)
  parsed.set(url, definition)
  return version === undefined || version === definition.version ? definition : undefined
}
