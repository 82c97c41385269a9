/** The launcher, tried in a project of its own with an npm that only pretends: nothing is downloaded. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'

/**
 * Records each call; `ci` leaves the same files as the real one, in the project or, for Node, in the folder of
 * --prefix.
 */
const NPM = `#!/bin/sh
echo "$@" >> "$NPM_CALLS"
if [ -n "$NPM_ERROR" ]; then echo "npm error code $NPM_ERROR" >&2; exit 1; fi
if [ "$2" = --prefix ]; then
  package=$(sed -E 's|.*"node_modules/([^"]*)".*"version":"([^"]*)".*|\\1@\\2|' "$3/package-lock.json")
  bin="$3/node_modules/\${package%@*}/bin"
  mkdir -p "$bin"
  printf '#!/bin/sh\\nif [ "$1" = --version ]; then echo v%s; else exec "%s" "$@"; fi\\n' "\${package##*@}" "$REAL_NODE" > "$bin/node"
  chmod +x "$bin/node"
else
  sleep "\${NPM_SECONDS:-0}"
  mkdir -p node_modules
fi
`

const ECHO = 'console.log(JSON.stringify(process.argv.slice(2)))'
const OLD_NODE = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })"

let project: string

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'launcher-'))
  write('npm/npm', NPM, 0o755)
  write('old-node.cjs', OLD_NODE)
  write('src/echo.ts', ECHO)
  writeLock({ koa: '3.0.0' })
  mkdirSync(join(project, 'scripts/packages'), { recursive: true })
  for (const file of ['run.mjs', 'lock.mjs', 'packages/reach.mjs', 'runtimes.json'])
    copyFileSync(join(import.meta.dirname, '../../scripts', file), join(project, 'scripts', file))
})

afterEach(() => rmSync(project, { recursive: true, force: true }))

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(project, path, '..'), { recursive: true })
  writeFileSync(join(project, path), text, { mode })
}

function lockOf(versions: Record<string, string>, flags: Record<string, object> = {}): string {
  const packages = Object.entries(versions).map(([name, version]) => [
    `node_modules/${name}`,
    { version, ...flags[name] },
  ])
  return JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'scratch' }, ...Object.fromEntries(packages) } })
}

const writeLock = (versions: Record<string, string>, flags?: Record<string, object>): void =>
  write('package-lock.json', lockOf(versions, flags))

/** Packages as a plain `npm install` leaves them. */
function writeInstalled(versions: Record<string, string>): void {
  write('node_modules/.package-lock.json', lockOf(versions))
  for (const name of Object.keys(versions)) write(`node_modules/${name}/package.json`, '{}')
}

function environment(extra: Record<string, string>): NodeJS.ProcessEnv {
  return {
    PATH: `${join(project, 'npm')}:${process.env.PATH}`,
    NPM_CALLS: join(project, 'npm-calls'),
    REAL_NODE: process.execPath,
    ...extra,
  }
}

const OLD = { NODE_OPTIONS: '--require ./old-node.cjs' }

function launch(args: readonly string[], extra: Record<string, string> = {}, flags: readonly string[] = []) {
  const result = spawnSync(process.execPath, [...flags, 'scripts/run.mjs', ...args], {
    cwd: project,
    env: environment(extra),
    encoding: 'utf8',
  })
  return { status: result.status, stdout: result.stdout.trim(), stderr: result.stderr.trim() }
}

const start = (args: readonly string[], extra: Record<string, string> = {}): ChildProcess =>
  spawn(process.execPath, ['scripts/run.mjs', ...args], { cwd: project, env: environment(extra) })

function npmCalls(): readonly string[] {
  const file = join(project, 'npm-calls')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

const commands = (): readonly (string | undefined)[] => npmCalls().map((call) => call.split(' ')[0])

describe('packages', () => {
  test('are installed before the first run and not before the second', () => {
    const first = launch(['src/echo.ts'])
    expect(first).toMatchObject({ status: 0, stdout: '[]' })
    expect(first.stderr).toBe('Installing the packages that package-lock.json names; this takes a minute, once.')
    expect(launch(['src/echo.ts'])).toEqual({ status: 0, stdout: '[]', stderr: '' })
    expect(commands()).toEqual(['ci'])
  })

  test('are installed again when package-lock.json has changed', () => {
    launch(['src/echo.ts'])
    writeLock({ koa: '3.0.1' })
    expect(launch(['src/echo.ts']).status).toBe(0)
    expect(commands()).toEqual(['ci', 'ci'])
  })

  test('are left alone when somebody installed just these by hand', () => {
    writeInstalled({ koa: '3.0.0' })
    expect(launch(['src/echo.ts'])).toEqual({ status: 0, stdout: '[]', stderr: '' })
    expect(npmCalls()).toEqual([])
  })

  test.each([
    ['another version', { koa: '2.9.9' }],
    ['a package missing', {}],
  ])('are installed when the present ones have %s', (_difference, installed) => {
    writeInstalled(installed)
    launch(['src/echo.ts'])
    expect(commands()).toEqual(['ci'])
  })

  test('for another platform may be missing', () => {
    writeLock({ koa: '3.0.0', 'other-platform': '1.0.0' }, { 'other-platform': { optional: true } })
    writeInstalled({ koa: '3.0.0' })
    launch(['src/echo.ts'])
    expect(npmCalls()).toEqual([])
  })

  test('for development may be missing in production, and are installed outside it', () => {
    writeLock({ koa: '3.0.0', jest: '30.0.0' }, { jest: { dev: true } })
    writeInstalled({ koa: '3.0.0' })
    launch(['src/echo.ts'], { NODE_ENV: 'production' })
    expect(npmCalls()).toEqual([])
    launch(['src/echo.ts'])
    expect(commands()).toEqual(['ci'])
  })

  describe('of a workspace', () => {
    const PRODUCTION = { NODE_ENV: 'production' }
    /** koa is the server's, react the workspace's, jest for development. */
    const LOCK = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { name: 'scratch', workspaces: ['dashboard'], dependencies: { koa: '3.0.0' } },
        dashboard: { name: 'board', dependencies: { react: '19.0.0' } },
        'node_modules/board': { resolved: 'dashboard', link: true },
        'node_modules/jest': { version: '30.0.0', dev: true },
        'node_modules/koa': { version: '3.0.0' },
        'node_modules/react': { version: '19.0.0' },
      },
    })
    beforeEach(() => {
      write('package-lock.json', LOCK)
      write('scripts/dashboard.ts', ECHO)
      writeInstalled({ koa: '3.0.0' })
    })

    test('may be missing in production, and are installed outside it', () => {
      expect(launch(['src/echo.ts'], PRODUCTION).stderr).toBe('')
      expect(npmCalls()).toEqual([])
      launch(['src/echo.ts'])
      expect(commands()).toEqual(['ci'])
    })

    test('are installed where the dashboard is built, in production too', () => {
      launch(['src/echo.ts'], PRODUCTION)
      launch(['scripts/dashboard.ts'], PRODUCTION)
      launch(['scripts/dashboard.ts'], PRODUCTION)
      expect(commands()).toEqual(['ci'])
    })

    test('may not be missing where the workspace is linked, as that is an installation with it', () => {
      const { packages } = JSON.parse(LOCK)
      const installed = {
        'node_modules/board': packages['node_modules/board'],
        'node_modules/koa': { version: '3.0.0' },
      }
      write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }))
      write('node_modules/board/package.json', '{}')
      launch(['src/echo.ts'], PRODUCTION)
      expect(commands()).toEqual(['ci'])
    })

    test('do not excuse that a package of the server is missing', () => {
      writeInstalled({ react: '19.0.0' })
      launch(['src/echo.ts'], PRODUCTION)
      expect(commands()).toEqual(['ci'])
    })
  })

  test('that could not be installed stop the start with npm’s own words, and are tried again next time', () => {
    const failed = launch(['src/echo.ts'], { NPM_ERROR: 'EINTEGRITY' })
    expect(failed).toMatchObject({ status: 1, stdout: '' })
    expect(failed.stderr).toContain('npm error code EINTEGRITY')
    expect(failed.stderr).toContain('Installing the packages failed: npm ci ended with exit code 1.')
    expect(launch(['src/echo.ts'])).toMatchObject({ status: 0, stdout: '[]' })
  })

  test('that are out of reach are explained by the network', () => {
    const failed = launch(['src/echo.ts'], { NPM_ERROR: 'EAI_AGAIN' })
    expect(failed.status).toBe(1)
    expect(failed.stderr).toContain('the npm registry could not be reached')
  })

  test('are installed once by two starts at the same time', async () => {
    const children = [1, 2].map(() => start(['src/echo.ts'], { NPM_SECONDS: '0.5' }))
    const codes = await Promise.all(children.map((child) => once(child, 'exit')))
    expect(codes.map(([code]) => code)).toEqual([0, 0])
    expect(commands()).toEqual(['ci'])
  })

  test('are installed although a start that was killed has left its lock behind', () => {
    const gone = spawnSync(process.execPath, ['--version']).pid
    write('.runtime/install.lock', String(gone))
    expect(launch(['src/echo.ts']).status).toBe(0)
    expect(commands()).toEqual(['ci'])
    expect(existsSync(join(project, '.runtime/install.lock'))).toBe(false)
  })
})

describe('an older Node', () => {
  test('brings Node 24 along on the first start only, and says so in one line', () => {
    const first = launch(['src/echo.ts'], OLD)
    expect(first).toMatchObject({ status: 0, stdout: '[]' })
    expect(first.stderr).toMatch(/^This is Node 18\.20\.0: bringing Node 24\.\S+ along into \.runtime, once\.$/m)
    expect(launch(['src/echo.ts'], OLD)).toEqual({ status: 0, stdout: '[]', stderr: '' })
    expect(npmCalls()).toHaveLength(2)
    expect(npmCalls()[0]).toMatch(/^ci --prefix \S+\.runtime /)
  })

  test('takes no other archive for Node than the one whose hash scripts/runtimes.json has', () => {
    launch(['src/echo.ts'], OLD)
    const { packages } = JSON.parse(readFileSync(join(project, '.runtime/package-lock.json'), 'utf8'))
    const runtimes = JSON.parse(readFileSync(join(project, 'scripts/runtimes.json'), 'utf8'))
    const { name, ...entry } = runtimes[`${process.platform}-${process.arch}`]
    expect(packages[`node_modules/${name}`]).toEqual(entry)
    expect(entry.integrity).toMatch(/^sha512-/)
  })

  test('fetches Node again when the binary is gone', () => {
    launch(['src/echo.ts'], OLD)
    rmSync(join(project, '.runtime/node_modules'), { recursive: true })
    expect(launch(['src/echo.ts'], OLD)).toMatchObject({ status: 0, stdout: '[]' })
    expect(npmCalls().map((call) => call.includes('--prefix'))).toEqual([true, false, true])
  })
})

describe.each([
  ['in the same process', {}],
  ['in a process of its own', OLD],
])('the file, run %s,', (_where, extra) => {
  beforeEach(() => writeInstalled({ koa: '3.0.0' }))

  test('gets the arguments as they are', () => {
    expect(launch(['src/echo.ts', 'a b', '--watch', '$HOME', ''], extra).stdout).toBe('["a b","--watch","$HOME",""]')
  })

  test('runs with the flags of Node that the launcher was given', () => {
    write('src/flags.ts', 'console.log(JSON.stringify(process.execArgv))')
    const flag = '--max-semi-space-size=16'
    expect(launch(['src/flags.ts'], extra, [flag]).stdout).toBe(JSON.stringify([flag]))
  })

  test('decides the exit code', () => {
    write('src/seven.ts', 'process.exitCode = 7 as number')
    expect(launch(['src/seven.ts'], extra).status).toBe(7)
  })

  test('ends with code 1 and its error when it throws', () => {
    write('src/broken.ts', "throw new Error('no such clinic')")
    const result = launch(['src/broken.ts'], extra)
    expect(result.status).toBe(1)
    expect(result.stderr).toContain('no such clinic')
  })

  test('is named when it does not exist', () => {
    const result = launch(['src/missing.ts'], extra)
    expect(result.status).toBe(1)
    expect(result.stderr).toContain(`There is no file ${join(project, 'src/missing.ts')} to run.`)
  })

  test('writes no warning about experimental features', () => {
    write('src/warns.ts', "process.emitWarning('soon', 'ExperimentalWarning'); process.emitWarning('real')")
    const { stderr } = launch(['src/warns.ts'], extra)
    expect(stderr).toContain('real')
    expect(stderr).not.toContain('soon')
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('is told of %s and ends as it likes', async (signal) => {
    write(
      'src/wait.ts',
      `process.on('${signal}', () => process.exit(9)); setInterval(() => {}, 1000); console.log('on')`,
    )
    const child = start(['src/wait.ts'], extra)
    const ended = once(child, 'exit')
    await Promise.race([once(child.stdout as Readable, 'data'), ended])
    child.kill(signal)
    expect(await ended).toEqual([9, null])
  })

  test('passes on by which signal it was ended', () => {
    write('src/killed.ts', "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)")
    const result = spawnSync(process.execPath, ['scripts/run.mjs', 'src/killed.ts'], {
      cwd: project,
      env: environment(extra),
    })
    expect(result.signal).toBe('SIGKILL')
  })
})
