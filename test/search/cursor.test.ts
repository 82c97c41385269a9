/** Page cursors as text: what is read back, and what is refused. */
import { describe, expect, test } from '@jest/globals'
import { InvalidCursor, readCursor, writeCursor } from '../../src/search/cursor.ts'

const isText = (keys: readonly unknown[]): keys is readonly [string] => keys.length === 1 && typeof keys[0] === 'string'

describe('a page cursor', () => {
  test('is read as it was written, and is safe in an address', () => {
    const cursor = writeCursor(['list', 1], ['Grüße?/+'])
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(readCursor(cursor, ['list', 1], isText)).toEqual(['Grüße?/+'])
  })

  test.each([
    ['of another list', writeCursor('other', ['a'])],
    ['of another shape', writeCursor('list', [1])],
    ['of the form that servers wrote before', Buffer.from('{"id":"a"}').toString('base64url')],
    ['that is no JSON', 'made-up'],
    ['that is longer than any page needs', writeCursor('list', ['a'.repeat(100_000)])],
  ])('%s is refused with 400, in the one sentence that says what to do', (_what, cursor) => {
    const read = () => readCursor(cursor, 'list', isText)
    expect(read).toThrow(InvalidCursor)
    expect(read).toThrow(/page cursor does not belong to this list; follow the next link as given/)
    expect(new InvalidCursor()).toMatchObject({ status: 400, issues: [{ expression: '_cursor' }] })
  })
})
