/** A document of MongoDB holds 16 MB: a resource that needs more is refused, and only it. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { IndexEntry } from '../../src/search/plan.ts'
import type { IndexingProgress } from '../../src/storage/port.ts'
import { ResourceTooLarge } from '../../src/storage/store-errors.ts'
import { newMongoUrl, openTestMongo } from '../support/mongo.ts'
import { Clinic, COMBINED, ids, inner, string } from './fixtures.ts'
import { BY_FAMILY, BY_KEEPER, extracting, person, serve } from './people.ts'

const text = (data: string) => JSON.stringify({ resourceType: 'Basic', data })
const many = (count: number) => Array.from({ length: count }, (_, index) => string('name', `a name of many: ${index}`))

describe('a resource that does not fit into a document', () => {
  let opened: Awaited<ReturnType<typeof openTestMongo>>
  beforeAll(async () => {
    opened = await openTestMongo({ combined: COMBINED })
  })
  afterAll(() => opened.close())

  test.each<[string, string, readonly IndexEntry[]]>([
    ['its text is too long, even packed', text(randomBytes(17 * 1024 * 1024).toString('base64')), []],
    ['it is found by too many values', text('x'.repeat(300_000)), many(200_000)],
    [
      'what it contains is found by too many values',
      text('x'.repeat(300_000)),
      inner('_contained', '#Basic', 'Basic/1#x', many(200_000)),
    ],
  ])('is refused by name where %s; nothing of its set is written, and others are', async (name, large, entries) => {
    const clinic = new Clinic(opened.store, name)
    await clinic.put('Basic/2')
    const outcomes = await Promise.allSettled([
      clinic.write(clinic.change('Basic/1', entries, { text: large })),
      clinic.write(clinic.change('Basic/2', entries, { text: large, expect: 1 }), clinic.change('Basic/3')),
      clinic.put('Basic/4'),
    ])
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome.status))).toEqual([
      new ResourceTooLarge('Basic/1'),
      new ResourceTooLarge('Basic/2'),
      'fulfilled',
    ])
    expect(ids((await clinic.search('Basic')).matches)).toEqual(['2', '4'])
    expect((await clinic.read('Basic/2'))?.version).toBe(1)
  })
})

describe('a resource that newer search parameters make too large for a document', () => {
  const data = randomBytes(6 * 1024 * 1024).toString('base64')

  test.each([
    ['by its values alone', BY_FAMILY, 250_000],
    ['with a contained one', BY_KEEPER, 160_000],
  ])('%s keeps what it was found by, and the index is complete without it', async (_, parameters, count) => {
    const names = { name: { version: 'a', entries: () => many(count) } }
    const url = await newMongoUrl()
    const old = await serve(url, extracting(1, parameters))
    await old.write({ ...person('large', 'Berg', 'red'), data } as ReturnType<typeof person>)
    await old.store.close()
    const { promise: complete, resolve } = Promise.withResolvers<IndexingProgress>()
    const onIndexing = (progress: IndexingProgress) => {
      if (progress.state === 'is complete') resolve(progress)
    }
    const server = await serve(url, extracting(2, { ...parameters, ...names }), { onIndexing })
    try {
      expect(await complete).toMatchObject({ done: 1, failed: 1 })
      const berg = [{ kind: 'string', param: 'family', match: 'exact', value: 'Berg' }] as const
      expect(await server.clinic().find('Patient', berg)).toEqual(['Patient/large'])
    } finally {
      await server.store.close()
    }
  })
})
