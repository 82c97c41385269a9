/** Names as callers state them, beside the names on a record. */
import { describe, expect, test } from '@jest/globals'
import { sameName, statedName } from '../../src/calls/stated-name.ts'

const same = (stated: string, family: string, ...given: string[]): boolean =>
  sameName(statedName(stated), [{ family, given }])

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
    expect(sameName(statedName(stated), [{ family: 'Whitaker', given: ['James'], suffix: [suffix] }])).toBe(expected)
  })
})

describe('a stated name is not the name on the record', () => {
  test.each([
    ['Smith', 'Smith', ['John']],
    ['John', 'Smith', ['John']],
    ['Jane Smith', 'Smith', ['John']],
    ['John Smithson', 'Smith', ['John']],
    ['John Paul Smith', 'Smith', ['John', 'Michael']],
    ['J Smith', 'Smith', ['John']],
    ['', 'Smith', ['John']],
    ['!?', 'Smith', ['John']],
  ])('%s is not %s, %s', (stated, family, given) => {
    expect(same(stated, family, ...given)).toBe(false)
  })

  test('a record without family or given name matches nobody', () => {
    expect(sameName(statedName('John Smith'), [{ text: 'John Smith' }, { family: 'Smith' }, { given: ['John'] }])).toBe(
      false,
    )
  })
})
