/** Pages of the references to a Patient that are moved. */
import { expect, test } from '@jest/globals'
import type { Basic } from 'fhir/r4'
import { BEGINNING, movePage, type Position } from '../../../src/operations/merge/move-references.ts'
import { openTestRepository } from '../../support/repository.ts'

const COUNT = 5

test.each([1, 1_000_000])('pages of %d characters at most lose no reference', async (characters) => {
  const access = (await openTestRepository()).access('a')
  await access.change(async (ctx) => {
    for (const id of ['from', 'to']) await ctx.update({ resourceType: 'Patient', id })
    for (let number = 0; number < COUNT; number++)
      await ctx.create<Basic>({ resourceType: 'Basic', code: { text: 'x' }, subject: { reference: 'Patient/from' } })
  })
  const turn = (position: Position) =>
    access.change((ctx) => movePage(ctx, { from: 'from', to: 'to' }, position, { count: 3, characters }))
  let next: Position | undefined = BEGINNING
  // A page that changes nothing for ever would never end.
  for (let pages = 0; pages < 20 && next !== undefined; pages++) ({ next } = await turn(next))
  expect(next).toBeUndefined()
  const referring = async (id: string) =>
    (await (await access.reader()).search('Basic', `subject=Patient/${id}`)).length
  expect([await referring('from'), await referring('to')]).toEqual([0, COUNT])
})
