/** Loads the modules that EXTENSIONS names. */
import { statSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../fhir/resource.ts'
import type { LoadedExtension, ServerExtension } from './extension.ts'

/** Every part that an extension can have. */
const PARTS: Readonly<Record<keyof ServerExtension, 'text' | 'list' | 'object'>> = {
  name: 'text',
  providers: 'list',
  operations: 'list',
  tools: 'object',
  searchParameters: 'list',
  profiles: 'list',
  codeSystems: 'list',
  valueSets: 'list',
  topics: 'list',
  scenarios: 'list',
  strictness: 'list',
}

/**
 * The extensions that these modules export, in their order.
 * @param modules paths of files or names of packages, relative to the working directory
 * @throws Error naming the module that cannot be loaded, or does not export an extension
 */
export async function loadExtensions(modules: readonly string[]): Promise<readonly LoadedExtension[]> {
  const loaded: LoadedExtension[] = []
  for (const module of modules) loaded.push(await loadExtension(module))
  return loaded
}

async function loadExtension(module: string): Promise<LoadedExtension> {
  const { extension } = await importModule(module)
  if (extension === undefined)
    throw new Error(`The module ${module} of EXTENSIONS has no export named 'extension'; see docs/extending.md`)
  const problem = problemOf(extension)
  if (problem !== undefined) throw new Error(`The module ${module} of EXTENSIONS: its export 'extension' ${problem}`)
  return { ...(extension as ServerExtension), module }
}

async function importModule(module: string): Promise<{ readonly extension?: unknown }> {
  const folder = process.cwd()
  try {
    return await importFrom(module, folder)
  } catch (error) {
    if (isNotFound(error, module)) throw new Error(`The module ${module} of EXTENSIONS is not found from ${folder}`)
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The module ${module} of EXTENSIONS cannot be loaded: ${reason}`, { cause: error })
  }
}

/**
 * A file has precedence over a package.
 * @throws Error as `require.resolve` and `import` do
 */
async function importFrom(module: string, folder: string): Promise<{ readonly extension?: unknown }> {
  const path = resolve(folder, module)
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return import(pathToFileURL(path).href)
  const manifest = join(folder, 'package.json')
  const entry = requiredEntry(module, manifest)
  return entry === undefined ? importPackage(module, pathToFileURL(manifest).href) : import(pathToFileURL(entry).href)
}

/**
 * The file of a package; undefined when its `exports` has no entry for `require`, as there may be one for `import`.
 * @throws Error as `require.resolve` does
 */
function requiredEntry(module: string, manifest: string): string | undefined {
  try {
    return createRequire(manifest).resolve(module)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined
    throw error
  }
}

/** As `import` does in the module `importer`; `import.meta.resolve` takes no other importer without a flag of Node. */
async function importPackage(name: string, importer: string): Promise<{ readonly extension?: unknown }> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === name && context.parentURL === import.meta.url
        ? next(specifier, { ...context, parentURL: importer })
        : next(specifier, context),
  })
  try {
    return await import(name)
  } finally {
    hooks.deregister()
  }
}

/** The module itself, not one that it imports. */
const isNotFound = (error: unknown, module: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'MODULE_NOT_FOUND' &&
  error.message.startsWith(`Cannot find module '${module}'`)

function problemOf(extension: unknown): string | undefined {
  if (!isObject(extension)) return 'is no object; make it with defineExtension'
  if (typeof extension['name'] !== 'string' || extension['name'] === '') return 'has no name'
  for (const [part, value] of Object.entries(extension)) {
    if (!isPart(part)) return `has a part '${part}'; the parts are ${Object.keys(PARTS).join(', ')}`
    if (value !== undefined && !IS[PARTS[part]](value)) return `has a part '${part}' that is not ${SAID[PARTS[part]]}`
  }
  return undefined
}

const isPart = (name: string): name is keyof ServerExtension => Object.hasOwn(PARTS, name)

const IS = { text: (value: unknown) => typeof value === 'string', list: Array.isArray, object: isObject } as const
const SAID = { text: 'a text', list: 'a list', object: 'an object' } as const
