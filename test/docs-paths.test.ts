/** Every file and folder of the project that a page of documentation or a comment names is there. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const ROOT = join(import.meta.dirname, '..')

/** `src/fhir-api/http.ts`, `test/storage/contract/`, `docs/adr/001-one-declaration.md`; not `src/providers/<type>.ts`. */
const PATH =
  /(?<![\w/.-])(?:src|test|bench|scripts|docs|resources|capability|examples)\/[\w./-]*[\w/](?![\w./-]*[\w<{*[])/g

const pages = globSync('{*.md,docs/**/*.md}', { cwd: ROOT }).filter((page) => page !== 'CHANGELOG.md')
const sources = globSync('{src,scripts,bench}/**/*.ts', { cwd: ROOT })

/** Made when they are needed, and ignored by git. */
const MADE_LATER = ['bench/results']

const isThere = (path: string): boolean =>
  MADE_LATER.includes(path) || existsSync(join(ROOT, path)) || existsSync(join(ROOT, `${path}.ts`))

/** Paths in backquotes or link targets, and those that a comment refers to. */
const namedIn = (text: string): readonly string[] => [...text.matchAll(PATH)].map(([path]) => path)

describe('every path is there that is named by', () => {
  test.each(pages)('%s', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => (/\s/.test(code) ? [] : namedIn(code)))
    expect(quoted.filter((path) => !isThere(path))).toEqual([])
  })

  test('the comments of the sources', () => {
    const missing = sources.flatMap((file) => {
      const comments = readFileSync(join(ROOT, file), 'utf8').match(/\/\*\*[\s\S]*?\*\/|\/\/ .*/g) ?? []
      return comments
        .flatMap(namedIn)
        .filter((path) => !isThere(path))
        .map((path) => `${file}: ${path}`)
    })
    expect(sources.length).toBeGreaterThan(300)
    expect(missing).toEqual([])
  })
})
