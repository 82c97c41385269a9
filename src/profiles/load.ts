/** Profiles by canonical, each with the profiles that it narrows. */
import type { StructureDefinition } from 'fhir/r4'
import { canonicalOf, newest } from '../terminology/canonical.ts'
import { coreType, isA } from './item.ts'
import { packagedProfile } from './packaged.ts'
import { type Profile, profileOf } from './profile.ts'
import { isProfile } from './snapshot.ts'

/** All that the clinic has under these urls. The same object for the same content: what is made of it is kept with it. */
export type FindDefinitions = (urls: readonly string[]) => Promise<readonly StructureDefinition[]>

/** Profiles of profiles. */
const MAX_CHAIN_LENGTH = 20

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
  readonly #held = new Map<string, StructureDefinition[]>()

  constructor(find: FindDefinitions) {
    this.#find = find
  }

  async read(canonicals: readonly string[]): Promise<void> {
    const urls = new Set(canonicals.map((canonical) => canonicalOf(canonical).url))
    const unread = [...urls].filter((url) => url !== '' && !this.#held.has(url))
    for (const url of unread) this.#held.set(url, [])
    if (unread.length === 0) return
    for (const definition of await this.#find(unread)) this.#held.get(definition.url)?.push(definition)
  }

  /** @param trail the urls that led here */
  async load(canonical: string, trail: readonly string[]): Promise<Profile | undefined> {
    const definition = this.#chosen(canonical)
    if (definition === undefined) return undefined
    if ((definition.snapshot?.element.length ?? 0) > 0) return made(definition, undefined, [])
    const { base, problems } = await this.#base(definition, [...trail, definition.url])
    return made(definition, base, problems)
  }

  async #base({ type, baseDefinition = '' }: StructureDefinition, trail: readonly string[]) {
    const without = (problem: string) => ({
      base: undefined,
      problems: [`its baseDefinition ${baseDefinition} ${problem}`],
    })
    const core = coreType(baseDefinition)
    if (core !== undefined)
      return isA(type, core) ? { base: undefined, problems: [] } : without(`is no type of ${type}`)
    if (trail.includes(canonicalOf(baseDefinition).url)) return without('leads back to itself')
    if (trail.length >= MAX_CHAIN_LENGTH)
      return without(`is the end of a chain of ${MAX_CHAIN_LENGTH}, the longest that is followed`)
    await this.read([baseDefinition])
    const base = await this.load(baseDefinition, trail)
    if (base === undefined) return without('is neither stored in this clinic nor part of R4')
    if (base.type !== type) return without(`is for ${base.type}, not ${type}`)
    return { base, problems: base.problems }
  }

  #chosen(canonical: string): StructureDefinition | undefined {
    const { url, version } = canonicalOf(canonical)
    const held = (this.#held.get(url) ?? []).filter(isProfile)
    const own = newest(version === undefined ? held : held.filter((one) => one.version === version))
    return own ?? packagedProfile(url, version)
  }
}

interface Made {
  readonly base: Profile | undefined
  readonly problems: string
  readonly profile: Profile
}
const kept = new WeakMap<StructureDefinition, Made>()

/** Made once of the same definition on the same base. */
function made(definition: StructureDefinition, base: Profile | undefined, problems: readonly string[]): Profile {
  const known = kept.get(definition)
  const said = problems.join('\n')
  if (known !== undefined && known.base === base && known.problems === said) return known.profile
  const profile = profileOf(definition, base, problems)
  kept.set(definition, { base, problems: said, profile })
  return profile
}
