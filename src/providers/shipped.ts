/** Resources that come with the server as files: https://hl7.org/fhir/R4/conformance-module.html. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyResource } from '../fhir/resource.ts'
import { Versioned } from '../repository.ts'
import { extractEntries } from '../search/extract.ts'
import { type Candidate, holds } from '../search/holds.ts'
import type { SearchPlan } from '../search/plan.ts'

/** The day that the resources as they are now were made. */
const LAST_UPDATED = Date.parse('2026-11-21T00:00:00Z')

/** The resources of one folder, read when first asked for. */
export class Shipped {
  readonly #type: string
  readonly #folder: string
  #resources: ReadonlyMap<string, Versioned> | undefined
  #candidates: readonly Candidate[] | undefined

  constructor(type: string, folder: string) {
    this.#type = type
    this.#folder = folder
  }

  get(id: string): Versioned | undefined {
    return this.#all().get(id)
  }

  /** In the order of their ids. */
  find({ where }: SearchPlan): readonly Versioned[] {
    this.#candidates ??= Array.from(this.#all().values(), ({ id, lastUpdated, resource }) => ({
      id,
      lastUpdated,
      entries: extractEntries(resource),
    }))
    return this.#candidates
      .filter((candidate) => where.every((condition) => holds(condition, candidate)))
      .flatMap(({ id }) => this.get(id) ?? [])
  }

  #all(): ReadonlyMap<string, Versioned> {
    this.#resources ??= load(this.#type, this.#folder)
    return this.#resources
  }
}

/** @throws Error naming the file that is no resource of `type`. */
function load(type: string, folder: string): ReadonlyMap<string, Versioned> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.name.endsWith('.json'))
  const resources = files.map((file) => readResource(type, join(folder, file.name)))
  return new Map(resources.sort((a, b) => (a.id < b.id ? -1 : 1)).map((resource) => [resource.id, resource]))
}

function readResource(type: string, file: string): Versioned {
  const resource = JSON.parse(readFileSync(file, 'utf8')) as AnyResource
  const { resourceType, id, ...rest } = resource
  if (resourceType !== type || id === undefined) throw new Error(`${file} is no ${type} with an id`)
  const meta = { versionId: '1', lastUpdated: new Date(LAST_UPDATED).toISOString() }
  const stamped = { resourceType, id, meta, ...rest }
  const text = JSON.stringify(stamped)
  return new Versioned({ type, id, version: 1, lastUpdated: LAST_UPDATED, method: 'PUT', text }, stamped)
}
