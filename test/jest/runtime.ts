/**
 * The modules of a test file (https://jestjs.io/docs/configuration#runtime-string): they are loaded by Node, in the realm
 * in which the server runs, and not compiled. The sources and packages are loaded once per worker; each test file has
 * instances of its own of the modules in test/, so that nothing they keep is shared. Jest itself is loaded once, too.
 */
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import JestRuntime from 'jest-runtime'
import { changesSources } from '../suites.ts'

const ROOT = join(import.meta.dirname, '../..')
const urlOf = (folder: string): string => pathToFileURL(join(ROOT, folder, '/')).href
const TESTS = urlOf('test')
const SOURCES = urlOf('src')

/** The parameters of a module's URL that tell its instances apart: the number of the test file. */
const OF_TESTS = 'test-file'
const OF_SOURCES = 'sources-of'

const GLOBALS = 'jest-globals:'
/** The exports of `@jest/globals`, by the parameters of the test file. */
const globalsOf = new Map<string, object>()
Object.assign(globalThis, { jestGlobalsOf: globalsOf })

registerHooks({
  resolve(specifier, context, next) {
    const instance = new URL(context.parentURL ?? import.meta.url).search
    if (!instance.includes(OF_TESTS)) return next(specifier, context)
    if (specifier === '@jest/globals') return { url: `${GLOBALS}${instance}`, format: 'module', shortCircuit: true }
    const resolved = next(specifier, context)
    const isOwn = resolved.url.startsWith(TESTS) || (instance.includes(OF_SOURCES) && resolved.url.startsWith(SOURCES))
    return isOwn ? { ...resolved, url: `${resolved.url}${instance}` } : resolved
  },
  load(url, context, next) {
    if (!url.startsWith(GLOBALS)) return next(url, context)
    const instance = url.slice(GLOBALS.length)
    const names = Object.keys(globalsOf.get(instance) ?? {})
    const source = `export const { ${names.join(', ')} } = globalThis.jestGlobalsOf.get('${instance}')`
    return { format: 'module', source, shortCircuit: true }
  },
})

const require = createRequire(import.meta.url)
let files = 0

type Arguments = ConstructorParameters<typeof JestRuntime>

export default class NativeRuntime extends JestRuntime {
  readonly #instance: string

  constructor(...given: Arguments) {
    super(...given)
    const [{ globals }, , , , , , path] = given
    const { TEST_ENGINE, TEST_TIER } = globals
    Object.assign(globalThis, { TEST_ENGINE, TEST_TIER })
    files += 1
    this.#instance = `?${OF_TESTS}=${files}${changesSources(path) ? `&${OF_SOURCES}=${files}` : ''}`
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true
  }

  override async unstable_importModule(path: string): Promise<never> {
    globalsOf.set(this.#instance, this.requireModuleOrMock(path, '@jest/globals'))
    return (await import(`${pathToFileURL(path).href}${this.#instance}`)) as never
  }

  override requireInternalModule<T>(path: string): T {
    // Collects and runs the tests of one file, whose state it keeps.
    if (path.endsWith('jestAdapterInit.js')) {
      delete require.cache[path]
      Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'))
    }
    return require(path)
  }

  override teardown(): void {
    globalsOf.delete(this.#instance)
    super.teardown()
  }
}
