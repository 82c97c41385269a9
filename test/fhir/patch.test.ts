/** JSON Patch as the server applies it: https://hl7.org/fhir/R4/http.html#patch, RFC 6902. */
import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { applyJsonPatch, type JsonPatch, readJsonPatch } from '../../src/fhir/patch/patch.ts'

const patched = (document: string, patch: string): string =>
  JSON.stringify(applyJsonPatch(parseJson(document), readJsonPatch(parseJson(patch))))

function refusal(document: unknown, patch: JsonPatch): unknown {
  try {
    return applyJsonPatch(document, patch)
  } catch (error) {
    return error instanceof FhirError ? [error.status, error.code] : error
  }
}

test.each([
  ['add', '[{"op":"add","path":"/b","value":2.50}]', '{"a":[1.00],"b":2.50}'],
  ['replace', '[{"op":"replace","path":"/a/0","value":2.50}]', '{"a":[2.50]}'],
  ['move', '[{"op":"move","from":"/a","path":"/b"}]', '{"b":[1.00]}'],
  ['copy', '[{"op":"copy","from":"/a","path":"/b"}]', '{"a":[1.00],"b":[1.00]}'],
])('%s keeps the digits of decimals', (_op, patch, expected) => {
  expect(patched('{"a":[1.00]}', patch)).toBe(expected)
})

test('a copy is independent of what it was copied from', () => {
  const patch = '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/-","value":2}]'
  expect(patched('{"a":[1]}', patch)).toBe('{"a":[1],"b":[1,2]}')
})

test('a patch gives the same result when it is applied again, as it is when another change came between', () => {
  const patch = readJsonPatch([
    { op: 'add', path: '/name', value: [{ family: 'a' }] },
    { op: 'add', path: '/name/-', value: { family: 'b' } },
    { op: 'replace', path: '/contact', value: { given: [] } },
    { op: 'add', path: '/contact/given/-', value: 'c' },
  ])
  const expected = { name: [{ family: 'a' }, { family: 'b' }], contact: { given: ['c'] } }
  expect(applyJsonPatch({ contact: {} }, patch)).toEqual(expected)
  expect(applyJsonPatch({ contact: {} }, patch)).toEqual(expected)
})

describe('copies', () => {
  test('that double each other are refused before they fill the memory', () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy' as const, from: '/a', path: '/a/-' }))
    expect(refusal({ a: ['x'.repeat(100)] }, doubling)).toEqual([413, 'too-costly'])
  })

  test.each(['/nothing', '/a/7', '/a/0/b/c', '/constructor', '/__proto__', '/a/-'])(
    'of nothing (%s) are 422',
    (from) => {
      expect(refusal({ a: ['x'] }, [{ op: 'copy', from, path: '/b' }])).toEqual([422, 'patch-path-not-found'])
    },
  )
})

test.each(['/__proto__/active', '/constructor/prototype/active', '/a/__proto__/active'])(
  '%s leads to no element, and changes no other object',
  (path) => {
    expect(refusal({ a: {} }, [{ op: 'add', path, value: true }])).toEqual([422, 'patch-path-not-found'])
    expect('active' in {}).toBe(false)
  },
)
