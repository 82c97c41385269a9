/**
 * EXTENSIONS, as the process reads it: a module that cannot be loaded ends it with one sentence that names the module.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { startCollector } from '../support/collector.ts'
import { endProcessesAfterEach } from '../support/server-process.ts'
import { launchIn, newProject, SECRETS, staffOf, startIn } from './outside.ts'

endProcessesAfterEach()

/** Modules with their text and the sentence expected; without a text, there is no such module. */
const MODULES: Readonly<Record<string, { readonly text?: string; readonly said: RegExp }>> = {
  'no-such-package': { said: /^The module no-such-package of EXTENSIONS is not found from \S+$/ },
  './no-such-file.ts': { said: /^The module \.\/no-such-file\.ts of EXTENSIONS is not found from \S+$/ },
  './unreadable.ts': {
    text: 'export const extension = {',
    said: /^The module \.\/unreadable\.ts of EXTENSIONS cannot be loaded: /,
  },
  './imports-nothing.ts': {
    text: "import 'no-such-package'",
    said: /^The module \.\/imports-nothing\.ts of EXTENSIONS cannot be loaded: Cannot find package 'no-such-package'/,
  },
  './other-export.ts': {
    text: 'export const extensions = []',
    said: /^The module \.\/other-export\.ts of EXTENSIONS has no export named 'extension'; see docs\/extending\.md$/,
  },
  './list.ts': {
    text: 'export const extension = []',
    said: /^The module \.\/list\.ts of EXTENSIONS: its export 'extension' is no object; make it with defineExtension$/,
  },
  './nameless.ts': {
    text: 'export const extension = {}',
    said: /^The module \.\/nameless\.ts of EXTENSIONS: its export 'extension' has no name$/,
  },
  './unknown-part.ts': {
    text: "export const extension = { name: 'acme', operation: [] }",
    said: /its export 'extension' has a part 'operation'; the parts are name, providers, operations, tools, searchParameters, profiles, codeSystems, valueSets, topics, scenarios, strictness$/,
  },
  './part-of-another-kind.ts': {
    text: "export const extension = { name: 'acme', operations: {} }",
    said: /its export 'extension' has a part 'operations' that is not a list$/,
  },
}

/** One process for all of them, in the folder. */
const SCRIPT = `
  import { loadExtensions } from 'sandbox-emr'
  const messageOf = (module) => loadExtensions([module]).then(() => [module, ''], ({ message }) => [module, message])
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(${JSON.stringify(Object.keys(MODULES))}.map(messageOf)))))`

describe('the start is stopped by', () => {
  let said: Readonly<Record<string, string>>
  beforeAll(async () => {
    const cwd = newProject()
    for (const [name, { text }] of Object.entries(MODULES)) if (text !== undefined) writeFileSync(join(cwd, name), text)
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT], { cwd })
    said = JSON.parse(stdout)
  })

  test.each(Object.keys(MODULES))('%s', (module) => {
    expect(said[module]).toMatch(MODULES[module]?.said ?? '')
  })

  test('a wrong declaration, with the sentence that names extension and module', async () => {
    const folder = newProject()
    const text = `import { defineExtension, defineProvider } from 'sandbox-emr'
      const flag = defineProvider('Flag', { interactions: { read: undefined as never } })
      export const extension = defineExtension({ name: 'acme', providers: [flag] })`
    writeFileSync(join(folder, 'acme.ts'), text)
    const { exited, output } = launchIn(folder, { DATABASE_URL: 'sqlite::memory:', EXTENSIONS: 'acme.ts' })
    expect(await exited).toBe(1)
    expect(output().trim()).toBe(
      'The server cannot start: Extension acme (acme.ts): Provider Flag declares read without a handler',
    )
  })
})

test('a package is found from the working directory, and every worker has its extension', async () => {
  const folder = newProject()
  writeFileSync(join(folder, 'acme.ts'), 'export { extension } from "./patient-age.ts"')
  writeFileSync(join(folder, 'package.json'), '{"name":"acme","type":"module","exports":"./acme.ts"}')
  const { url } = await startIn(folder, { DATABASE_URL: `sqlite:${folder}/emr.db`, EXTENSIONS: 'acme', WORKERS: '2' })
  const headers = { connection: 'close' }
  const statements = await Promise.all(Array.from({ length: 8 }, () => fetch(`${url}/metadata`, { headers })))
  for (const statement of statements) expect(await statement.text()).toContain('example-patient-age')
})

test('a package may have an entry for import only', async () => {
  const cwd = newProject()
  const folder = join(cwd, 'node_modules/acme')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"name":"acme","type":"module","exports":{"import":"./acme.js"}}')
  const text = `import { defineExtension } from 'sandbox-emr'
    export const extension = defineExtension({ name: 'acme' })`
  writeFileSync(join(folder, 'acme.js'), text)
  const script = `import { loadExtensions } from 'sandbox-emr'
    console.log((await loadExtensions(['acme']))[0].name)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd })
  expect(stdout).toBe('acme\n')
})

/** Starts a server with an extension that leaves an error uncaught, and meets it. */
async function meetUncaughtError(env: Record<string, string> = {}) {
  const folder = newProject()
  const text = `import { defineExtension, extendProvider } from 'sandbox-emr'
    const flag = extendProvider('Flag', {
      create: () => async (ctx, flag) => {
        void Promise.reject(new Error(JSON.stringify(flag)))
        return new Promise(() => {})
      },
    })
    export const extension = defineExtension({ name: 'acme', providers: [flag] })`
  writeFileSync(join(folder, 'acme.ts'), text)
  const { url, exited, output } = await startIn(folder, {
    ...SECRETS,
    DATABASE_URL: 'sqlite::memory:',
    EXTENSIONS: 'acme.ts',
    LOG_LEVEL: 'info',
    ...env,
  })
  const flag = { resourceType: 'Flag', status: 'active', code: { text: 'Falls' }, subject: { display: 'Celia Moreau' } }
  await expect(staffOf('demo-clinic', { url })('POST', '/Flag', flag)).rejects.toThrow()
  expect(await exited).toBe(1)
  return output()
}

test('an error that an extension leaves uncaught ends the process, and its message stays out of the log', async () => {
  const output = await meetUncaughtError()
  expect(output).toContain('acme.ts')
  expect(output).not.toContain('Celia')
})

test('an error that is left uncaught reaches the collector of OpenTelemetry before the process ends', async () => {
  const collector = await startCollector()
  await meetUncaughtError({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  await collector.close()
  expect(collector.lines().map(({ text }) => text)).toContain('an error was not caught; the process ends')
  expect(collector.texts()).not.toContain('Celia')
})
