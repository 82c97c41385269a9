/** Sorting by a parameter, such as name, whose values are kept as those of its parts, such as family and given. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  // In this clinic no name has a text, so that name has no values of its own.
  for (const [id, family, given] of [
    ['one', 'Lee', 'Abe'],
    ['two', 'Abe', 'Lee'],
    ['three', 'Lee', 'Zoe'],
    ['four', 'Mae', 'Mae'],
  ]) {
    const patient = { resourceType: 'Patient', id, name: [{ family, given: [given] }], address: [{ city: given }] }
    expect((await clinics.theirs('PUT', `/Patient/${id}`, patient)).status).toBe(201)
  }
})
afterAll(() => clinics.server.close())

test.each([
  ['family:exact=Lee&_sort=name', ['one', 'three']],
  ['family:exact=Lee&_sort=-name', ['three', 'one']],
  ['family=lee&_sort=name', ['one', 'three']],
  ['family=lee,none&_sort=name', ['one', 'three']],
  ['family=lee&_sort=name,birthdate', ['one', 'three']],
  ['given:exact=Lee&_sort=name', ['two']],
  ['name:exact=Lee&_sort=name&_count=2', ['one', 'two']],
  ['address-city=zoe&_sort=address', ['three']],
  // The family and the given name of one are the same value of name.
  ['name:exact=Mae&_sort=name', ['four']],
  ['_sort=name', ['one', 'two', 'three', 'four']],
  ['_sort=-name&_count=2', ['three', 'four']],
])('Patient?%s finds %j', async (query, ids) => {
  const { body } = await clinics.theirs('GET', `/Patient?${query}`)
  expect((body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual(ids)
})
