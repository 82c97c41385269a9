/** The scenarios of a server: those of resources/scenarios, those that modules make, and those of extensions. */
import { readdirSync } from 'node:fs'
import { didYouMean } from '../../fhir/closest-name.ts'
import { notFound } from '../../fhir/outcome.ts'
import { builtInScenario, SCENARIOS } from './built-in.ts'
import { busyMonday } from './busy-monday.ts'
import { dstWeekend, matchingZoo } from './magic-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { synthetic } from './synthetic/synthetic.ts'

/** Scenarios whose resources a module makes. */
const GENERATED: readonly Scenario[] = [busyMonday, dstWeekend, matchingZoo, synthetic]

const FILES = readdirSync(SCENARIOS)

/** The names of the server's own scenarios. */
export const builtInNames: ReadonlySet<string> = new Set([
  ...FILES.map((entry) => entry.replace(/\.json$/, '')),
  ...GENERATED.map(({ name }) => name),
])

export class Scenarios {
  readonly #added: readonly Scenario[]
  #all: readonly Scenario[] | undefined

  /** @param added those of extensions, whose names are free: see `checkScenario` */
  constructor(added: readonly Scenario[] = []) {
    this.#added = added
  }

  /** By name; the files are read on first use. @throws Error naming a file and what is wrong with it */
  get all(): readonly Scenario[] {
    const files = FILES.map((entry) => builtInScenario(entry))
    this.#all ??= [...files, ...GENERATED, ...this.#added].sort((one, other) => (one.name < other.name ? -1 : 1))
    return this.#all
  }

  /** @throws FhirError 404 with the nearest name */
  named(name: string): Scenario {
    const found = this.all.find((scenario) => scenario.name === name)
    if (found !== undefined) return found
    const names = this.all.map((scenario) => scenario.name)
    throw notFound(`There is no scenario '${name}'; ${didYouMean(name, names, `there are ${names.join(', ')}`)}`)
  }
}
