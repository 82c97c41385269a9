/** Base64 with white space anywhere, in pieces. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { base64Pieces } from '../../src/fhir/base64.ts'
import { PRIMITIVES } from '../../src/fhir/validate/primitives.ts'
import { randomRuns } from '../support/random-runs.ts'

const LARGE = Buffer.alloc(600_000, 'any bytes of some length')

/** With a space behind each `every` characters. */
const spaced = (text: string, every: number, space: string): string =>
  every === 0 ? text : text.replace(new RegExp(`.{${every}}`, 'g'), `$&${space}`)

test('pieces are decoded one by one to the bytes of the whole, wherever white space stands', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: LARGE.length }),
      fc.integer({ min: 0, max: 90 }),
      fc.constantFrom(' ', '\n', '\r\n', '\t  '),
      (length, every, space) => {
        const bytes = LARGE.subarray(0, length)
        const pieces = base64Pieces(spaced(bytes.toString('base64'), every, space))
        const decoded = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')).toArray())
        expect(decoded.equals(bytes)).toBe(true)
      },
    ),
    { numRuns: randomRuns(200) },
  )
})

test.each([
  ['AAAA', undefined],
  ['AA==', undefined],
  ['A A\n=\t= ', undefined],
  ['AAA', 'it ends at character 3 within a group of four: it is cut off, or its padding (=) is missing'],
  ['AAAAA AA', 'it ends at character 8 within a group of four: it is cut off, or its padding (=) is missing'],
  ['AAA*', 'it is not from character 4 on'],
  ['AA-_', 'it is not from character 3 on'],
  ['AA=A', 'it is not from character 3 on'],
  ['A===', 'it is not from character 2 on'],
  [' \n ', 'it is empty'],
])('%j has its fault and its place', (text, fault) => {
  expect(PRIMITIVES.get('base64Binary')?.faultOf?.(text)).toBe(fault)
})

test('the place of a fault is found behind many characters', () => {
  const fault = PRIMITIVES.get('base64Binary')?.faultOf?.(`${'A'.repeat(600_000)}*`)
  expect(fault).toBe('it is not from character 600001 on')
})
