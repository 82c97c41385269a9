/**
 * Which suites run on every engine: those whose imports lead to test/support/database.ts, for that is where a store
 * comes from. Suites in test/storage and test/faults are about one engine, or name them all.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const DATABASE = join(import.meta.dirname, 'database.ts')
const IMPORT = /\b(?:from|import) '(\.[^']+\.ts)'/g

/** Paths relative to the project's folder. */
export function suitesOnEveryEngine(): readonly string[] {
  const suites = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: ['test/storage/**', 'test/faults/**'] })
  return suites.filter((suite) => reaches(join(ROOT, suite))).sort()
}

const known = new Map<string, boolean>([[DATABASE, true]])

function reaches(file: string): boolean {
  const answer = known.get(file)
  if (answer !== undefined) return answer
  // Files that import each other are looked at once.
  known.set(file, false)
  const found = importsOf(file).some(reaches)
  known.set(file, found)
  return found
}

/** Of the tests' own files; the sources never lead back here. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const imports = [...text.matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path))
  return imports.filter((path) => relative(ROOT, path).startsWith('test'))
}
