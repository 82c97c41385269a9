/** The cost of patches: the work of an operation does not grow with the list that it changes. */
import { describe, expect, test } from '@jest/globals'
import { FhirError } from '../../src/fhir/outcome.ts'
import { readPatch } from '../../src/fhir/patch/patch.ts'
import { isObject } from '../../src/fhir/resource.ts'
import { Budget, OffloadRequired, withBudget } from '../../src/isolation/budget.ts'

const NAMES = 20_000
const patient = () => ({
  resourceType: 'Patient',
  id: 'p',
  name: Array.from({ length: NAMES }, (_none, index) => ({ family: `f${index}` })),
})

const fhirPath = (count: number, part: readonly object[]) => ({
  resourceType: 'Parameters',
  parameter: Array.from({ length: count }, () => ({ name: 'operation', part })),
})

const insert = [
  { name: 'type', valueCode: 'insert' },
  { name: 'path', valueString: 'Patient.name' },
  { name: 'index', valueInteger: 0 },
  { name: 'value', valueHumanName: { family: 'x' } },
]
const move = [
  { name: 'type', valueCode: 'move' },
  { name: 'path', valueString: 'Patient.name' },
  { name: 'source', valueInteger: NAMES - 1 },
  { name: 'destination', valueInteger: 0 },
]
const replace = [
  { name: 'type', valueCode: 'replace' },
  { name: 'path', valueString: `Patient.name[${NAMES - 1}].family` },
  { name: 'value', valueString: 'x' },
]

const moves = Array.from({ length: 1_000 }, () => ({ op: 'move', from: `/name/${NAMES - 1}`, path: '/name/0' }))

function statusAndText(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof FhirError ? [error.status, error.message] : error
  }
}

/** How often the patch reads an item of the list, counted by a proxy. */
function readsOf(patch: unknown): number {
  const resource = patient()
  let reads = 0
  const name = new Proxy(resource.name, {
    get(list, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(list, key, receiver)
    },
  })
  readPatch(patch)({ ...resource, name })
  return reads
}

test('a value behind an index is found without looking at the other items', () => {
  expect(readsOf(fhirPath(1_000, replace))).toBeLessThan(10_000)
})

describe('a list is changed in place by', () => {
  test.each<[what: string, patch: unknown, length: number, first: string]>([
    ['FHIRPath inserts', fhirPath(1_000, insert), NAMES + 1_000, 'x'],
    ['FHIRPath moves', fhirPath(1_000, move), NAMES, `f${NAMES - 1_000}`],
    ['JSON moves', moves, NAMES, `f${NAMES - 1_000}`],
  ])('%s', (_what, patch, length, first) => {
    const resource = patient()
    const { name } = resource
    const patched = readPatch(patch)(resource)
    expect(isObject(patched) && patched['name']).toBe(name)
    expect([name.length, name[0]?.family]).toEqual([length, first])
  })
})

test('operations on a long list are more than the event loop is held for', () => {
  const patch = readPatch(moves)
  expect(() => withBudget(new Budget({ canMove: true }), () => patch(patient()))).toThrow(OffloadRequired)
})

test.each([
  ['the data itself', '/data', (data: string) => data],
  ['an element around it', '', (data: string) => ({ data })],
])('the hash of long base64 that a JSON Patch tests is paid for: %s', (_what, path, valueWith) => {
  const resource = { data: 'AAAA' }
  const patch = readPatch([{ op: 'test', path, value: valueWith('A'.repeat(2_000_000)) }])
  expect(() => withBudget(new Budget({ canMove: true }), () => patch(resource))).toThrow(OffloadRequired)
})

test('a JSON Patch has 10,000 operations at most', () => {
  const removals = Array.from({ length: 10_001 }, () => ({ op: 'remove', path: '/name/0' }))
  expect(statusAndText(() => readPatch(removals))).toEqual([
    413,
    'The patch has 10001 operations; the maximum is 10000',
  ])
})

test.each([
  ['/name/0', '/name/0/given'],
  ['', '/name'],
])('an element cannot be moved into itself: %s to %s', (from, path) => {
  const patch = readPatch([{ op: 'move', from, path }])
  expect(statusAndText(() => patch(patient()))).toEqual([422, expect.stringContaining('no such element')])
})

test('moved to its own place, an element stays; one that is absent is not found', () => {
  expect(readPatch([{ op: 'move', from: '/id', path: '/id' }])(patient())).toEqual(patient())
  const patch = readPatch([{ op: 'move', from: '/active', path: '/active' }])
  expect(statusAndText(() => patch(patient()))).toEqual([422, expect.stringContaining('no such element')])
})
