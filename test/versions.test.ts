/** The versions that are stated in several places are the same everywhere: of this release, and of the stores that it writes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { extraction } from '../src/search/index/versions.ts'
import { STORE_VERSION as ON_MONGODB } from '../src/storage/mongo/schema.ts'
import { STORE_VERSION as ON_SQLITE } from '../src/storage/sqlite/schema.ts'

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
const jsonOf = (path: string) => JSON.parse(textOf(path))
const { version } = jsonOf('package.json')

test('the version of this release is stated alike by the packages, the CapabilityStatement, and what deploys it', () => {
  const lock = jsonOf('package-lock.json')
  const { software } = jsonOf('capability/statement.json')
  const stated = [lock.version, lock.packages[''].version, lock.packages.dashboard.version, software.version]
  expect([...stated, jsonOf('dashboard/package.json').version]).toEqual(Array(5).fill(version))
  expect(textOf('src/voice-api/openapi.ts')).toContain(`version: '${version}'`)
  expect(textOf('deploy/kubernetes.yaml')).toContain(`/sandbox-emr:${version}\n`)
})

test('CHANGELOG has a section of this release, with a date, below what is not released yet', () => {
  const [unreleased, released] = [...textOf('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  expect(unreleased).toBe('[Unreleased]')
  expect(released).toMatch(new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`))
})

/** The cells of the rows of the tables of a page, by the first one. */
const rowsOf = (page: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...textOf(page).matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => {
      const [first = '', ...cells] = row.split(' | ')
      return [first, cells] as const
    }),
  )

test('docs/upgrading.md has the store versions of this release, and what each version of a store has changed', () => {
  const rows = rowsOf('docs/upgrading.md')
  const [node = ''] = jsonOf('scripts/runtimes.json')['linux-x64'].version.split('.')
  const stores = [ON_SQLITE, ON_MONGODB, extraction('').version].map(String)
  expect(rows.get(version)).toEqual([...stores, 'form 1', node])
  const changes = [...rows.keys()].join(', ').split(', ')
  for (let one = 2; one <= ON_SQLITE; one += 1) expect(changes).toContain(`SQLite ${one}`)
  for (let one = 2; one <= ON_MONGODB; one += 1) expect(changes).toContain(`MongoDB ${one}`)
})
