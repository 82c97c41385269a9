/** The hostile cases of the bench: each has a name of its own, and a row in the documentation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { HOSTILE_CASES } from '../bench/isolation/cases.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/bench.md'), 'utf8')
const names = HOSTILE_CASES.map(({ name }) => name)

test('no two hostile cases have the same name', () => {
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('docs/bench.md has a row for each hostile case, and for no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(names)
})
