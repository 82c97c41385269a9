/** Names as callers state them, beside the names on a record. */
import { describe, expect, test } from '@jest/globals'
import { hasStatedName, statedName } from '../../../src/calls/spoken/stated-name.ts'

const same = (stated: string, family: string, ...given: string[]): boolean =>
  hasStatedName(statedName(stated), { name: [{ family, given }] })

describe('a stated name is the name on the record', () => {
  test.each([
    ['John Smith', 'Smith', ['John']],
    ['Smith John', 'Smith', ['John']],
    ['Smith, John', 'Smith', ['John']],
    ['JOHN SMITH', 'Smith', ['John']],
    ['Mr. John Smith', 'Smith', ['John']],
    ['my name is John Smith', 'Smith', ['John']],
    ["It's John Smith", 'Smith', ['John']],
    ['John Michael Smith', 'Smith', ['John']],
    ['John M. Smith', 'Smith', ['John', 'Michael']],
    ['John Smith', 'Smith', ['John', 'Michael']],
    ['Jose Garcia', 'García', ['José']],
    ["Mary O'Brien", 'OBrien', ['Mary']],
    ['Mary Ann Jones', 'Jones', ['Mary Ann']],
    ['Maria de la Cruz', 'de la Cruz', ['Maria']],
    ['de la Cruz, Maria', 'de la Cruz', ['Maria']],
    ['Anna Meyer-Schmidt', 'Meyer Schmidt', ['Anna']],
    ['Smith', 'Smith', ['John']],
    ['It is John', 'Smith', ['John', 'Michael']],
  ])('%s is %s, %s', (stated, family, given) => {
    expect(same(stated, family, ...given)).toBe(true)
  })
})

describe('a generation suffix', () => {
  test.each([
    ['James Whitaker Junior', 'Jr.', true],
    ['James Whitaker Jr.', 'Sr.', false],
    ['James Whitaker', 'Sr.', true],
    ['Whitaker, James III', 'III', true],
  ])('%s beside a record with the suffix %s: %s', (stated, suffix, expected) => {
    expect(
      hasStatedName(statedName(stated), { name: [{ family: 'Whitaker', given: ['James'], suffix: [suffix] }] }),
    ).toBe(expected)
  })
})

describe('a stated name is not the name on the record', () => {
  test.each([
    ['Michael', 'Smith', ['John', 'Michael']],
    ['Smit', 'Smith', ['John']],
    ['Jane Smith', 'Smith', ['John']],
    ['John Smithson', 'Smith', ['John']],
    ['John Paul Smith', 'Smith', ['John', 'Michael']],
    ['J Smith', 'Smith', ['John']],
    ['', 'Smith', ['John']],
    ['!?', 'Smith', ['John']],
  ])('%s is not %s, %s', (stated, family, given) => {
    expect(same(stated, family, ...given)).toBe(false)
  })

  test('of a record without family or without given name', () => {
    const names = [{ family: 'Smith' }, { given: ['John'] }]
    expect(hasStatedName(statedName('John Smith'), { name: names })).toBe(false)
  })
})

test.each(['John Smith', 'Smith, John', 'john m smith'])(
  '%s is the name that a record holds as a text only',
  (stated) => {
    expect(hasStatedName(statedName(stated), { name: [{ text: 'John Smith' }] })).toBe(true)
    expect(hasStatedName(statedName(stated), { name: [{ text: 'Jane Smith' }] })).toBe(false)
  },
)
