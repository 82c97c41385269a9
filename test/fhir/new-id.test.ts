/** Ids of new resources: src/fhir/new-id.ts. */
import { expect, test } from '@jest/globals'
import { newId } from '../../src/fhir/new-id.ts'

test('an id is a UUID of version 7', () => {
  expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('it begins with its time: that of RFC 9562, appendix A.6', () => {
  expect(newId(0x017f22e279b0)).toMatch(/^017f22e2-79b0-7/)
})

test('ids of the same moment differ, those of a later one come after them', () => {
  const ids = Array.from({ length: 1_000 }, () => newId(1_000_000))
  expect(new Set(ids).size).toBe(1_000)
  expect(ids.every((id) => id < newId(1_000_001))).toBe(true)
})
