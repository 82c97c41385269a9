/** The list of record kinds is right about where each is written and the shape of its values. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { RECORD_KINDS, recentKinds } from '../../src/repository/record-kinds.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (file: string) =>
  readFileSync(join(ROOT, file.startsWith('scripts/') ? file : join('src', file)), 'utf8')
const sources = globSync('{src,scripts}/**/*.ts', { cwd: ROOT }).map((file) => [
  file,
  readFileSync(join(ROOT, file), 'utf8'),
])

test.each(Object.entries(RECORD_KINDS))('%s has its shape and its writers where the list says', (name, kind) => {
  const [, type = '', file] = /^(\w+) \((.+)\)$/.exec(kind.shape) ?? []
  if (file !== undefined) expect(textOf(file)).toMatch(new RegExp(`(interface|type) ${type}\\b`))
  for (const writer of kind.writtenBy.split(', ')) expect(textOf(writer)).toMatch(/\brecords?\b/)
  const bound = sources.filter(([, text = '']) => new RegExp(`recordKind<[^>]+(<[^>]+>)?>\\('${name}'\\)`).test(text))
  expect(bound.length).toBeLessThanOrEqual(1)
})

test('every kind that a module binds is in the list', () => {
  const bound = sources.flatMap(([, text = '']) =>
    [...text.matchAll(/recordKind<.+?>\('([^']+)'\)/g)].map(([, name]) => name),
  )
  expect(bound.length).toBeGreaterThan(8)
  for (const name of bound) expect(Object.keys(RECORD_KINDS)).toContain(name)
})

test('engines keep in memory what is read with every request', () => {
  expect(recentKinds).toEqual([
    ...[
      'account',
      'program-token',
      'settings',
      'sandbox',
      'generation',
      'subscribed',
      'search-parameters',
      'search-index',
      'fault-rules',
      'open-runs',
    ],
  ])
})
