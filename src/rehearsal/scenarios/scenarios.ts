/** The scenarios of a server: those of resources/scenarios, those that modules make, and those of extensions. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { closestName } from '../../fhir/closest-name.ts'
import { memoize } from '../../fhir/memoize.ts'
import { notFound } from '../../fhir/outcome.ts'
import type { Scenario } from './scenario.ts'
import { type FileScenario, readScenario } from './scenario-file.ts'
import { synthetic } from './synthetic/synthetic.ts'

const FOLDER = join(import.meta.dirname, '../../../resources/scenarios')

/** Scenarios whose resources a module makes. */
const GENERATED: readonly Scenario[] = [synthetic]

export class Scenarios {
  readonly #added: readonly Scenario[]
  #all: readonly Scenario[] | undefined

  /** @param added those of extensions */
  constructor(added: readonly Scenario[] = []) {
    this.#added = added
  }

  /** By name; the files are read on first use. @throws Error naming a file and what is wrong with it */
  get all(): readonly Scenario[] {
    const files = readdirSync(FOLDER).map((entry) => builtInScenario(entry))
    this.#all ??= [...files, ...GENERATED, ...this.#added].sort((one, other) => (one.name < other.name ? -1 : 1))
    return this.#all
  }

  /** @throws FhirError 404 with the nearest name */
  named(name: string): Scenario {
    const found = this.all.find((scenario) => scenario.name === name)
    if (found !== undefined) return found
    const names = this.all.map((scenario) => scenario.name)
    const nearest = closestName(name, names)
    const hint = nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${nearest}?`
    throw notFound(`There is no scenario '${name}'; ${hint}`)
  }
}

/** More than there are. */
const MOST_FILES = 64

/** A scenario of resources/scenarios. @throws Error naming the file and what is wrong with it */
export const builtInScenario = memoize(MOST_FILES, (name): FileScenario => readScenario(join(FOLDER, name)))
