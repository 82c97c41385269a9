/**
 * The conformance resources the server ships (resources/): its OperationDefinitions, StructureDefinitions,
 * SearchParameters and CodeSystems can be read at the addresses their canonical ids name, in every clinic.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unprocessable } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { Versioned } from '../repository.ts'
import { defineProvider, type Provider } from './provider.ts'
import { standard } from './standard.ts'

const RESOURCES = join(import.meta.dirname, '../../resources')
const FOLDERS = {
  OperationDefinition: 'operation-definitions',
  StructureDefinition: 'structure-definitions',
  SearchParameter: 'search-parameters',
  CodeSystem: 'code-systems',
} as const

export const builtInProviders: readonly Provider[] = Object.entries(FOLDERS).map(([type, folder]) =>
  builtInProvider(type, join(RESOURCES, folder)),
)

function builtInProvider(type: string, folder: string): Provider {
  let loaded: ReadonlyMap<string, Versioned> | undefined
  const builtIn = (id: string): Versioned | undefined => {
    loaded ??= load(type, folder)
    return loaded.get(id)
  }
  const refuse = (id: string): void => {
    if (builtIn(id) !== undefined)
      throw unprocessable(`${type}/${id} belongs to the server and cannot be changed; store yours under another id`, {
        expression: `${type}.id`,
      })
  }
  return defineProvider(type, {
    interactions: {
      ...standard,
      read: async (ctx, _type, id) => builtIn(id) ?? standard.read(ctx, type, id),
      vread: async (ctx, _type, id, version) =>
        (version === 1 ? builtIn(id) : undefined) ?? standard.vread(ctx, type, id, version),
      update: async (ctx, resource, precondition) => {
        refuse(resource.id)
        return standard.update(ctx, resource, precondition)
      },
    },
  })
}

/** @throws Error naming the file that is no resource of `type`; it stops what asked for it. */
function load(type: string, folder: string): ReadonlyMap<string, Versioned> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.name.endsWith('.json'))
  return new Map(files.map((file) => readBuiltIn(type, join(folder, file.name))))
}

function readBuiltIn(type: string, file: string): readonly [string, Versioned] {
  const resource = JSON.parse(readFileSync(file, 'utf8')) as AnyResource
  if (resource.resourceType !== type || resource.id === undefined) throw new Error(`${file} is no ${type} with an id`)
  const lastUpdated = Date.parse('2026-11-21T00:00:00Z')
  const meta = { versionId: '1', lastUpdated: new Date(lastUpdated).toISOString() }
  const stamped = { ...resource, meta }
  return [
    resource.id,
    new Versioned(
      { type, id: resource.id, version: 1, lastUpdated, method: 'PUT', text: JSON.stringify(stamped) },
      stamped,
    ),
  ]
}
