/** The promise of the table of magic people and values: a row is changed or removed in a major version only. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type MagicRow, magic } from '../../../src/rehearsal/magic/table.ts'
import { magicLines } from './page.ts'

/** The rows of this major version, by name. A new row is added here; of none more than the words is changed. */
const ROWS: Readonly<Record<string, string>> = {
  certain: '202406c82d0c',
  twins: '2e6ea2bfe1f6',
  twin: '9c6ba2d878a7',
  'same-person-twice': '39cfc8571371',
  nobody: '629bbeae6e10',
  'too-many': 'f0df1ebe9799',
  'one-of-too-many': '49650be45e0e',
  merged: '20bc23d9a2a6',
  deceased: '01f9da596065',
  inactive: '76ec5a89b204',
  restricted: '36c7dbfbd095',
  'one-phone': '354e81d84758',
  child: '03a970def495',
  mononym: 'e29a19bcc943',
  'two-surnames': '7bc0f0c2c8fc',
  diacritics: '7e006b6d85dc',
  suffix: '97b5cadbb32c',
  'year-only': '5b55322ce6ba',
  unfinished: '449bcc884e61',
  gone: '841821332f27',
  late: '2b0cc4ae793e',
  lost: 'd0308f16dbb2',
  mover: 'c2d3b5355bd1',
  full: '623d5e28b898',
  fall: 'e6d4a4707c4c',
  'member-pending': '09696e7b798a',
  'member-inactive': 'c27c3d9b063a',
  'member-not-covered': '6c71c8d90fdd',
  'member-not-found': '51efc8bc489c',
  'member-invalid': 'a90700ac9c2d',
  'member-no-payer': '77864db72643',
  'member-payer-down': '4b91e776a55b',
  'member-failing': 'c4838c01c760',
  'member-slow': '556dfdbcfd3c',
  'recipient-bounce': '724d178446ae',
  'recipient-slow': '5ece0304f0f9',
  'recipient-throttle': 'a8c3900deca2',
  'recipient-denied': 'b4da831bcbb5',
  'recipient-down': 'ff6d117300bd',
  'recipient-silent': '94be1cc6cf77',
}

const hashOf = (row: MagicRow): string => createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 12)

const rows = [...magic.patients, ...magic.practitioners, ...magic.values]

describe('the table of major version 1', () => {
  test('has each row as it has been, and no other', () => {
    expect(magic.version).toMatch(/^1\./)
    expect(Object.fromEntries(rows.map((row) => [row.name, hashOf(row)]))).toEqual(ROWS)
  })

  test('has each name once', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  })

  test('is on docs/magic.md, row by row', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/magic.md'), 'utf8').split('\n')
    expect(magicLines.filter((line) => !page.includes(line))).toEqual([])
  })
})
