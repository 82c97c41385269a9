/** Contents that are received, used, given up and collected, on each engine. */
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ContentFacts, StoredContents } from '../../src/content/contents.ts'
import { factsOf } from '../../src/documents/attachments.ts'
import { contentElement, contentMarker } from '../../src/fhir/content/marker.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import type { Repository } from '../../src/repository/repository.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { ContentMissing, type ContentStore } from '../../src/storage/content-port.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'
import { openTestContentStore } from '../support/database.ts'
import { randomRuns } from '../support/random-runs.ts'
import { openTestRepository } from '../support/repository.ts'

const NOW = Date.parse('2026-03-02T09:00:00Z')
const HOUR = 3_600_000
const LIMIT = 4 * 1024 * 1024
const UPLOADS = recordKind('content-upload')

async function* pieces(bytes: Uint8Array, length = 40_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

async function* broken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* pieces(bytes)
  throw new RangeError('the client has left')
}

async function textOf(read: AsyncIterable<Uint8Array>): Promise<string> {
  const found: Uint8Array[] = []
  for await (const piece of read) found.push(piece)
  return Buffer.concat(found).toString('latin1')
}

/** The real store, with the names it holds; it fails where a test says so. */
class WatchedStore implements ContentStore {
  readonly #store: ContentStore
  readonly held = new Set<string>()
  fails: 'write' | 'delete' | undefined

  constructor(store: ContentStore) {
    this.#store = store
  }

  async write(clinic: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    this.held.add(`${clinic}/${name}`)
    await this.#store.write(clinic, name, bytes)
    if (this.fails === 'write') throw new StoreUnavailable('as the test says', { reason: 'full' })
  }

  /** Changes each piece that is read. */
  damage: (piece: Uint8Array) => Uint8Array = (piece) => piece

  async *read(...parameters: Parameters<ContentStore['read']>): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#store.read(...parameters)) yield this.damage(piece)
  }

  async delete(clinic: string, name: string): Promise<void> {
    if (this.fails === 'delete') throw new StoreUnavailable('as the test says')
    await this.#store.delete(clinic, name)
    this.held.delete(`${clinic}/${name}`)
  }

  names(clinic: string): AsyncIterable<string> {
    return this.#store.names(clinic)
  }

  async drop(clinic: string): Promise<void> {
    for await (const name of this.names(clinic)) await this.delete(clinic, name)
  }

  async close(): Promise<void> {}
}

interface Opened {
  readonly repository: Repository
  readonly contents: StoredContents
  readonly store: WatchedStore
  readonly setTime: (time: number) => void
  readonly receive: (bytes: Uint8Array | string, clinic?: string) => Promise<ContentFacts>
  /** A Binary with the content is written. */
  readonly use: (sha256: string, clinic?: string) => Promise<void>
  /** One round of the background loops. */
  readonly collect: () => Promise<void>
  readonly records: () => Promise<readonly string[]>
}

async function opened(): Promise<Opened> {
  const { repository, setTime } = await openTestRepository(NOW)
  const store = new WatchedStore(await openTestContentStore())
  const contents = new StoredContents(repository, store)
  return {
    repository,
    contents,
    store,
    setTime,
    receive: (bytes, clinic = 'one') => contents.receive(clinic, pieces(Buffer.from(bytes)), LIMIT),
    use: async (sha256, clinic = 'one') => {
      const binary = { resourceType: 'Binary' as const, contentType: 'text/plain', _data: contentElement(sha256) }
      await repository.change(clinic, (unit) => unit.put(binary, 'POST'))
    },
    collect: async () => {
      for (const { clinic, key } of await repository.dueRecords(CONTENT, { limit: 1_000 }))
        await contents.collect(clinic, key)
      for (const { clinic, key } of await repository.dueRecords(UPLOADS, { limit: 1_000 }))
        await contents.collectUpload(clinic, key)
    },
    records: async () => {
      const all = ['one', 'two'].flatMap((clinic) =>
        [CONTENT, UPLOADS].map((kind) => repository.records<unknown>(kind, { clinic, limit: 1_000 })),
      )
      const due = (await Promise.all(all)).flat().filter((record) => record.due !== null)
      return due.map(({ clinic, kind }) => `${clinic} ${kind}`).toSorted()
    },
  }
}

const SMALL = Buffer.from('a content')

describe('a content', () => {
  test('is received with its hashes and its size, and read, whole or a part of it', async () => {
    const { contents, receive } = await opened()
    const bytes = randomBytes(600_000)
    const facts = await receive(bytes)
    expect(facts).toMatchObject({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sha1: createHash('sha1').update(bytes).digest('base64'),
      size: 600_000,
    })
    expect(await contents.facts('one', facts.sha256)).toEqual(facts)
    expect(await textOf(contents.read('one', facts.sha256))).toBe(bytes.toString('latin1'))
    const part = await textOf(contents.read('one', facts.sha256, { start: 300_000, end: 300_004 }))
    expect(part).toBe(bytes.subarray(300_000, 300_004).toString('latin1'))
  })

  test.each([
    ['a small one', 100],
    ['one of several pieces', 600_000],
  ])('that is damaged is never read to its end (%s)', async (_size, length) => {
    const { contents, receive, store } = await opened()
    const bytes = randomBytes(length)
    const { sha256 } = await receive(bytes)
    store.damage = (piece) => Uint8Array.from(piece, (byte, at) => (at === 7 ? byte ^ 1 : byte))
    const read: Uint8Array[] = []
    const reading = async () => {
      for await (const piece of contents.read('one', sha256, { start: 0, end: length })) read.push(piece)
    }
    await expect(reading()).rejects.toThrow(ContentMissing)
    expect(Buffer.concat(read).length).toBeLessThan(length)
  })

  test('of which fewer bytes are stored than it has is missing, also where only a part of it is read', async () => {
    const { contents, receive, store } = await opened()
    const { sha256 } = await receive(randomBytes(600_000))
    store.damage = (piece) => piece.subarray(0, piece.length - 1)
    for (const range of [
      undefined,
      { start: 0, end: 600_000 },
      { start: 1, end: 600_000 },
      { start: 500_000, end: 700_000 },
    ])
      await expect(textOf(contents.read('one', sha256, range))).rejects.toThrow(ContentMissing)
  })

  test('is known in the same way whether it is in the text of its resource, or beside it', async () => {
    const { contents, receive } = await opened()
    const bytes = Buffer.from('%PDF-1.7 and so on')
    const facts = await receive(bytes)
    expect(facts.looks).toMatchObject({ type: 'application/pdf', isCompletePdf: false })
    const ctx = { clinic: 'one', contents }
    expect(await factsOf(ctx, { data: bytes.toString('base64') })).toEqual(facts)
    expect(await factsOf(ctx, { _data: contentElement(facts.sha256) })).toEqual(facts)
    expect(await factsOf({ ...ctx, clinic: 'two' }, { _data: contentElement(facts.sha256) })).toBeUndefined()
    expect(await factsOf(ctx, {})).toBeUndefined()
  })

  test('of no bytes is one too', async () => {
    const { contents, receive } = await opened()
    const { sha256, size } = await receive('')
    expect(size).toBe(0)
    expect(await textOf(contents.read('one', sha256))).toBe('')
  })

  test('is of one clinic: another one neither reads nor uses nor gives it up', async () => {
    const { contents, receive, use, store } = await opened()
    const { sha256 } = await receive(SMALL)
    expect(await contents.facts('two', sha256)).toBeUndefined()
    await expect(textOf(contents.read('two', sha256))).rejects.toThrow('is not where it was stored')
    await expect(use(sha256, 'two')).rejects.toMatchObject({ status: 422 })
    await contents.abandon('two', [sha256])
    expect(store.held.size).toBe(1)
    await receive(SMALL, 'two')
    expect(store.held.size).toBe(2)
    await contents.abandon('two', [sha256])
    expect(await textOf(contents.read('one', sha256))).toBe('a content')
  })

  test('is kept once in its clinic, however often and at the same time it comes', async () => {
    const { contents, receive, records, store } = await opened()
    const received = await Promise.all(Array.from({ length: 8 }, () => receive(SMALL)))
    expect(new Set(received.map(({ sha256 }) => sha256)).size).toBe(1)
    expect(store.held.size).toBe(1)
    expect(await records()).toEqual(['one content'])
    expect(await textOf(contents.read('one', received[0]?.sha256 ?? ''))).toBe('a content')
  })

  test('beyond the limit is 413, and nothing of it is left', async () => {
    const { contents, records, store } = await opened()
    const tooLong = contents.receive('one', pieces(randomBytes(1_001), 100), 1_000)
    await expect(tooLong).rejects.toMatchObject({ status: 413 })
    await contents.receive('one', pieces(randomBytes(1_000), 100), 1_000)
    expect(store.held.size).toBe(1)
    expect(await records()).toEqual(['one content'])
  })

  test('whose source breaks off leaves nothing', async () => {
    const { contents, records, store } = await opened()
    await expect(contents.receive('one', broken(randomBytes(700_000)), LIMIT)).rejects.toThrow(RangeError)
    expect(store.held.size).toBe(0)
    expect(await records()).toEqual([])
  })

  test('for which there is no room leaves nothing once there is', async () => {
    const { records, receive, store, collect, setTime } = await opened()
    store.fails = 'write'
    await expect(receive(SMALL)).rejects.toMatchObject({ reason: 'full' })
    expect(store.held.size).toBe(0)
    store.fails = undefined
    store.fails = 'delete'
    await receive(SMALL)
    await receive(SMALL).catch(() => {})
    store.fails = undefined
    setTime(NOW + HOUR)
    await collect()
    await collect()
    expect(store.held.size).toBe(0)
    expect(await records()).toEqual([])
  })
})

describe('a content that nothing refers to', () => {
  test('is collected after an hour, and not before', async () => {
    const { receive, collect, records, store, setTime } = await opened()
    await receive(SMALL)
    setTime(NOW + HOUR - 1)
    await collect()
    expect(store.held.size).toBe(1)
    setTime(NOW + HOUR)
    await collect()
    expect(store.held.size).toBe(0)
    expect(await records()).toEqual([])
  })

  test('is kept for another hour when it comes again', async () => {
    const { receive, collect, store, setTime } = await opened()
    await receive(SMALL)
    setTime(NOW + HOUR - 1)
    await receive(SMALL)
    setTime(NOW + HOUR)
    await collect()
    expect(store.held.size).toBe(1)
  })

  test('is collected at once when its request gives it up, unless another one has received it too', async () => {
    const { contents, receive, use, store } = await opened()
    const { sha256 } = await receive(SMALL)
    await receive(SMALL)
    await contents.abandon('one', [sha256])
    expect(store.held.size).toBe(1)
    await use(sha256)
    await contents.abandon('one', [sha256, 'f'.repeat(64)])
    expect(await textOf(contents.read('one', sha256))).toBe('a content')
    const other = await receive('another one')
    await contents.abandon('one', [other.sha256])
    expect(store.held.size).toBe(1)
  })

  test('that was collected cannot be used any more', async () => {
    const { receive, use, collect, setTime, repository } = await opened()
    const { sha256 } = await receive(SMALL)
    setTime(NOW + HOUR)
    await collect()
    const refused: unknown = await use(sha256).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(FhirError)
    expect(refused).toMatchObject({ status: 422, message: expect.stringContaining(sha256) })
    expect((await (await repository.reader('one')).history({ count: 1 })).total).toBe(0)
  })
})

describe('a content that a resource refers to', () => {
  test('is never collected, though the resource is changed and deleted, and stays when it comes again', async () => {
    const { contents, repository, receive, use, collect, setTime, store } = await opened()
    const { sha256 } = await receive(SMALL)
    await use(sha256)
    await receive(SMALL)
    expect(store.held.size).toBe(1)
    const [binary] = (await (await repository.reader('one')).history({ count: 1 })).versions
    await repository.change('one', (unit) => unit.delete('Binary', binary?.id ?? ''))
    setTime(NOW + 1_000 * HOUR)
    await collect()
    await contents.abandon('one', [sha256])
    expect(await textOf(contents.read('one', sha256))).toBe('a content')
  })

  test('stays unused when the change that would have used it is refused', async () => {
    const { repository, receive, collect, setTime, store } = await opened()
    const { sha256 } = await receive(SMALL)
    const binary = { resourceType: 'Binary' as const, contentType: 'text/plain', _data: contentElement(sha256) }
    const refused = repository.change('one', async (unit) => {
      await unit.put(binary, 'POST')
      throw new RangeError('refused')
    })
    await expect(refused).rejects.toThrow(RangeError)
    setTime(NOW + HOUR)
    await collect()
    expect(store.held.size).toBe(0)
  })

  test('is there, or the change is refused, when it is used while it is collected', async () => {
    for (let round = 0; round < 4; round++) {
      const { contents, receive, use, collect, setTime, store } = await opened()
      const { sha256 } = await receive(SMALL)
      setTime(NOW + HOUR)
      const [used] = await Promise.allSettled([use(sha256), collect(), collect(), contents.abandon('one', [sha256])])
      await collect()
      if (used.status === 'fulfilled') expect(await textOf(contents.read('one', sha256))).toBe('a content')
      else expect(store.held.size).toBe(0)
    }
  })
})

describe('a server that dies', () => {
  const STEPS = ['in its write', 'after its write', 'before its deletion'] as const

  /** Everything after the step is lost, as by kill -9. */
  function dying(store: WatchedStore, step: (typeof STEPS)[number]) {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const die = async (): Promise<never> => {
      resolve()
      return await new Promise(() => {})
    }
    const dead: ContentStore = {
      read: store.read,
      names: (clinic) => store.names(clinic),
      drop: die,
      close: async () => {},
      write: async (clinic, name, bytes) => {
        await store.write(clinic, name, step === 'in its write' ? pieces(SMALL.subarray(0, 3)) : bytes)
        if (step !== 'before its deletion') await die()
      },
      delete: die,
    }
    return { dead, reached }
  }

  test.each(STEPS)('%s forgets nothing: an hour later nothing is left', async (step) => {
    const { repository, records, store, collect, setTime, receive } = await opened()
    const { dead, reached } = dying(store, step)
    if (step === 'before its deletion') await receive(SMALL)
    void new StoredContents(repository, dead).receive('one', pieces(SMALL), LIMIT)
    await reached
    expect(store.held.size).toBe(step === 'before its deletion' ? 2 : 1)
    setTime(NOW + HOUR - 1)
    await collect()
    expect(store.held.size).toBe(1)
    setTime(NOW + HOUR)
    await collect()
    expect([...store.held]).toEqual([])
    expect(await records()).toEqual([])
  })

  test('after it has given up a content, before its bytes are removed, forgets nothing', async () => {
    const { records, store, collect, setTime, receive, contents } = await opened()
    const { sha256 } = await receive(SMALL)
    store.fails = 'delete'
    await contents.abandon('one', [sha256])
    expect(await contents.facts('one', sha256)).toBeUndefined()
    store.fails = undefined
    setTime(NOW + 60_000)
    await collect()
    expect(store.held.size).toBe(0)
    expect(await records()).toEqual([])
  })
})

/** The contents that must be there, by the rules. */
class Model {
  readonly used = new Set<string>()
  /** When each was received last. */
  readonly waiting = new Map<string, number>()
  now = NOW

  has(content: string): boolean {
    return this.used.has(content) || this.waiting.has(content)
  }

  get all(): readonly string[] {
    return [...new Set([...this.used, ...this.waiting.keys()])]
  }

  pass(time: number): void {
    this.now += time
    for (const [content, at] of this.waiting) if (at + HOUR <= this.now) this.waiting.delete(content)
  }
}

type Step = (given: Opened, model: Model) => Promise<void>

const received =
  (content: string): Step =>
  async ({ receive }, model) => {
    await receive(content)
    model.waiting.set(content, model.now)
  }

/** Gives up a content on behalf of one request that has received it, whether or not others have. */
const givenUp =
  (content: string): Step =>
  async ({ contents, receive }, model) => {
    const { sha256 } = await receive(content)
    await contents.abandon('one', [sha256])
    if (model.waiting.has(content)) model.waiting.set(content, model.now)
  }

const inUse =
  (content: string): Step =>
  async ({ use }, model) => {
    const done = await Promise.allSettled([use(hashOf(content))])
    expect(done[0].status).toBe(model.has(content) ? 'fulfilled' : 'rejected')
    if (!model.has(content)) return
    model.used.add(content)
    model.waiting.delete(content)
  }

const halfAnHour: Step = async ({ setTime, collect }, model) => {
  model.pass(HOUR / 2)
  setTime(model.now)
  await collect()
}

const hashOf = (content: string) => createHash('sha256').update(content).digest('hex')

const ofContent = fc.constantFrom('a', 'b')
const anyStep = fc.oneof(
  fc.tuple(fc.constantFrom(received, givenUp, inUse), ofContent).map(([step, content]) => step(content)),
  fc.constant(halfAnHour),
)

test('contents that are received, used, given up and collected in any order are there for those who use them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
      const [given, model] = [await opened(), new Model()]
      for (const step of steps) {
        await step(given, model)
        expect(given.store.held.size).toBe(model.all.length)
        for (const content of model.all) expect(await textOf(given.contents.read('one', hashOf(content)))).toBe(content)
      }
      model.pass(2 * HOUR)
      given.setTime(model.now)
      await given.collect()
      expect(given.store.held.size).toBe(model.used.size)
      expect(await given.records()).toEqual([])
    }),
    { numRuns: randomRuns(20) },
  )
})

test('a marker of a content that the clinic never had is refused, naming it', async () => {
  const { use } = await opened()
  const sha256 = 'c'.repeat(64)
  expect(contentMarker(sha256)).toContain(sha256)
  await expect(use(sha256)).rejects.toMatchObject({ status: 422, message: expect.stringContaining(sha256) })
})
