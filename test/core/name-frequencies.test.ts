/** The frequencies of the names in a query, from the clinic's own data. */
import { expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { nameFrequencies } from '../../src/core/patient-linkage.ts'
import { demographicsOf } from '../../src/matching/demographics.ts'
import { PLACEHOLDER_TAG } from '../../src/matching/placeholder.ts'
import { smoothed } from '../../src/matching/score.ts'
import { openTestRepository } from '../support/repository.ts'

const person = (given: string, family: string): Patient => ({
  resourceType: 'Patient',
  name: [{ family, given: [given] }],
})

test.each([
  ['Smith', 'SMITH', 'smith'],
  ["O'Brien", 'O Brien', 'obrien'],
  ['Łoś', 'łoś', 'los'],
])('%s is counted, asked for as %s, and not in other clinics', async (stored, asked, text) => {
  const { access } = await openTestRepository()
  for (const clinic of ['ours', 'theirs']) {
    await access(clinic).change(async (ctx) => {
      for (let count = 0; count < (clinic === 'ours' ? 20 : 50); count += 1) await ctx.create(person('Grace', stored))
      await ctx.create(person('Walter', 'Other'))
    })
  }
  const { patients, of } = await nameFrequencies(
    (await access('ours').reader()).unit,
    demographicsOf(person('Grace', asked)),
  )
  expect(patients).toBe(21)
  expect(of('family', text)).toBe(smoothed('family', 20, 21))
  expect(of('given', 'grace')).toBe(smoothed('given', 20, 21))
  expect(of('family', 'unheard')).toBeUndefined()
})

test('placeholders make no name frequent', async () => {
  const { access } = await openTestRepository()
  await access('ours').change(async (ctx) => {
    for (let count = 0; count < 30; count += 1) {
      await ctx.create({ ...person('Grace', 'Smith'), meta: { tag: [PLACEHOLDER_TAG] } })
    }
    await ctx.create(person('Grace', 'Smith'))
  })
  const { patients, of } = await nameFrequencies(
    (await access('ours').reader()).unit,
    demographicsOf(person('Grace', 'Smith')),
  )
  expect([patients, of('family', 'smith')]).toEqual([1, smoothed('family', 1, 1)])
})
