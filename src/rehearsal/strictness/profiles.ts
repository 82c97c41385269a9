/** The strictness profiles of a server: those of resources/strictness, and those of extensions. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { didYouMean } from '../../fhir/closest-name.ts'
import { notFound } from '../../fhir/outcome.ts'
import { parseProfile } from './parse-profile.ts'
import type { Profile } from './profile.ts'

const FOLDER = join(import.meta.dirname, '../../../resources/strictness')
const FILES = readdirSync(FOLDER)

/** The names of the server's own profiles. */
export const builtInProfiles: ReadonlySet<string> = new Set(FILES.map((file) => file.replace(/\.json$/, '')))

/** @throws Error naming the profile, its rule, and what is wrong */
const builtIn = (): readonly Profile[] =>
  FILES.map((file) => parseProfile(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))))

export class StrictnessProfiles {
  readonly #added: readonly Profile[]
  #byName: ReadonlyMap<string, Profile> | undefined

  /** @param added those of extensions, whose names are free */
  constructor(added: readonly Profile[] = []) {
    this.#added = added
  }

  /** By name; the files are read on first use. @throws Error naming a profile and what is wrong with it */
  get all(): readonly Profile[] {
    return [...this.#profiles.values()]
  }

  /** @throws FhirError 404 with the nearest name */
  named(name: string): Profile {
    const found = this.#profiles.get(name)
    if (found !== undefined) return found
    const names = [...this.#profiles.keys()]
    const hint = didYouMean(name, names, `there are ${names.join(', ')}`)
    throw notFound(`There is no strictness profile '${name.slice(0, 64)}'; ${hint}`)
  }

  get #profiles(): ReadonlyMap<string, Profile> {
    this.#byName ??= new Map(
      [...builtIn(), ...this.#added]
        .sort((one, other) => (one.name < other.name ? -1 : 1))
        .map((profile) => [profile.name, profile]),
    )
    return this.#byName
  }
}
