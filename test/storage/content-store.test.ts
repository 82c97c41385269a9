/** The store of contents, on each engine: this is its specification. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { type FileHandle, open as openFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, jest, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { openContentStore } from '../../src/main/open-store.ts'
import { type ByteRange, ContentMissing, type ContentStore, inPieces } from '../../src/storage/content-port.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'
import { newDatabaseUrl, newLastingDatabaseUrl, openTestContentStore } from '../support/database.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { closeLater } from '../support/opened-stores.ts'
import { newFolder } from '../support/run.ts'

const KIB = 1024

/** The bytes in pieces as a network gives them. */
async function* pieces(bytes: Uint8Array, length = 50_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

async function bytesOf(read: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = []
  for await (const piece of read) found.push(piece)
  return Buffer.concat(found)
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const open = async (url: string): Promise<ContentStore> => closeLater(await openContentStore(url))

describe('the store of contents', () => {
  test.each([0, 1, 128 * KIB, 255 * KIB - 1, 255 * KIB, 255 * KIB + 1, 510 * KIB, 7 * KIB * KIB + 3])(
    'gives back %d bytes as they were written',
    async (size) => {
      const store = await openTestContentStore()
      const bytes = randomBytes(size)
      await store.write('one', 'a', pieces(bytes))
      const found = await bytesOf(store.read('one', 'a'))
      expect(found.length).toBe(size)
      expect(hashOf(found)).toBe(hashOf(bytes))
    },
  )

  test('gives them in pieces, whatever the pieces were in which they came', async () => {
    const store = await openTestContentStore()
    const bytes = randomBytes(3 * KIB * KIB)
    await store.write('one', 'a', pieces(bytes, bytes.length))
    await store.write('one', 'b', pieces(bytes.subarray(0, 9_000), 1))
    for await (const piece of store.read('one', 'a')) expect(piece.length).toBeLessThanOrEqual(256 * KIB)
    expect(hashOf(await bytesOf(store.read('one', 'a')))).toBe(hashOf(bytes))
    expect(hashOf(await bytesOf(store.read('one', 'b')))).toBe(hashOf(bytes.subarray(0, 9_000)))
  })

  const size = 600 * KIB
  const edge = 255 * KIB
  test.each<ByteRange>([
    { start: 0, end: 1 },
    { start: 0, end: size },
    { start: 5, end: 5 },
    { start: edge - 1, end: edge + 1 },
    { start: edge, end: 2 * edge },
    { start: edge, end: edge + 1 },
    { start: 1, end: size - 1 },
    { start: size - 1, end: size },
    { start: size - 10, end: size + 10 },
    { start: size, end: size + 10 },
    { start: 3 * size, end: 4 * size },
  ])('gives the bytes of a range: $start to $end', async (range) => {
    const store = await openTestContentStore()
    const bytes = randomBytes(size)
    await store.write('one', 'a', pieces(bytes))
    const found = await bytesOf(store.read('one', 'a', range))
    expect(found.length).toBe(Math.max(0, Math.min(range.end, size) - Math.min(range.start, size)))
    expect(hashOf(found)).toBe(hashOf(bytes.subarray(range.start, range.end)))
  })

  test('passes on what its source throws, and then gives nothing that was not deleted', async () => {
    const store = await openTestContentStore()
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield randomBytes(700 * KIB)
      throw new RangeError('the client has left')
    }
    await expect(store.write('one', 'a', broken())).rejects.toThrow(RangeError)
    await store.delete('one', 'a')
    await expect(bytesOf(store.read('one', 'a'))).rejects.toThrow(ContentMissing)
  })

  test('has the contents of a clinic for that clinic only, whatever it is called', async () => {
    const store = await openTestContentStore()
    const clinics = ['one', 'two', '.', '..', 'a.b', 'clinic-one']
    for (const clinic of clinics) await store.write(clinic, 'same-name', pieces(Buffer.from(`of ${clinic}`)))
    await store.write('one', 'only', pieces(Buffer.from('x')))
    for (const clinic of clinics) expect(String(await bytesOf(store.read(clinic, 'same-name')))).toBe(`of ${clinic}`)
    await expect(bytesOf(store.read('two', 'only'))).rejects.toThrow(ContentMissing)
    await store.delete('two', 'only')
    await store.delete('two', 'same-name')
    expect(String(await bytesOf(store.read('one', 'only')))).toBe('x')
    expect(String(await bytesOf(store.read('one', 'same-name')))).toBe('of one')
    await expect(bytesOf(store.read('two', 'same-name'))).rejects.toThrow(ContentMissing)
  })

  test('deletes what there is, and does nothing where there is none', async () => {
    const store = await openTestContentStore()
    await store.delete('one', 'a')
    await store.write('one', 'a', pieces(randomBytes(300 * KIB)))
    await store.delete('one', 'a')
    await store.delete('one', 'a')
    await expect(bytesOf(store.read('one', 'a'))).rejects.toThrow(ContentMissing)
  })

  test('lists the contents of a clinic, and drops them all, whatever it is called', async () => {
    const store = await openTestContentStore()
    const namesOf = async (clinic: string) => (await Array.fromAsync(store.names(clinic))).toSorted()
    for (const clinic of ['one', '..', 'one~1']) {
      expect(await namesOf(clinic)).toEqual([])
      await store.drop(clinic)
      await store.write(clinic, 'a', pieces(randomBytes(600 * KIB)))
      await store.write(clinic, 'b', pieces(Buffer.from(clinic)))
      expect(await namesOf(clinic)).toEqual(['a', 'b'])
    }
    await store.drop('one')
    await store.drop('..')
    expect(await namesOf('one')).toEqual([])
    await expect(bytesOf(store.read('one', 'a'))).rejects.toThrow(ContentMissing)
    expect(await namesOf('one~1')).toEqual(['a', 'b'])
    expect(String(await bytesOf(store.read('one~1', 'b')))).toBe('one~1')
    await store.write('one', 'a', pieces(Buffer.from('again')))
    expect(await namesOf('one')).toEqual(['a'])
  })

  test('has what another store of the same database has written, and what was written before it was opened', async () => {
    const url = await newLastingDatabaseUrl()
    const [first, second] = [await open(url), await open(url)]
    const bytes = randomBytes(400 * KIB)
    await first.write('one', 'a', pieces(bytes))
    expect(hashOf(await bytesOf(second.read('one', 'a')))).toBe(hashOf(bytes))
    await first.close()
    expect(hashOf(await bytesOf((await open(url)).read('one', 'a')))).toBe(hashOf(bytes))
  })

  test('can be left in the middle of a read, and writes and reads several at once', async () => {
    const store = await openTestContentStore()
    const contents = Array.from({ length: 12 }, () => [randomUUID(), randomBytes(500 * KIB)] as const)
    await Promise.all(contents.map(([name, bytes]) => store.write('one', name, pieces(bytes))))
    for await (const piece of store.read('one', contents[0]?.[0] ?? '')) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    const found = await Promise.all(contents.map(([name]) => bytesOf(store.read('one', name))))
    expect(found.map(hashOf)).toEqual(contents.map(([, bytes]) => hashOf(bytes)))
  })

  test('is opened when it is first used, and closed without having been', async () => {
    const store = await openContentStore(await newDatabaseUrl())
    await store.close()
  })
})

test('bytes are cut into pieces of one length, but for the last', async () => {
  const bytes = randomBytes(1_000)
  for (const [given, wanted] of [
    [1, 7],
    [7, 7],
    [100, 7],
    [3, 250],
    [250, 100],
    [1_000, 1_000],
    [400, 2_000],
  ] as const) {
    const lengths: number[] = []
    const found: Uint8Array[] = []
    for await (const piece of inPieces(pieces(bytes, given), wanted)) {
      lengths.push(piece.length)
      found.push(piece)
    }
    expect(Buffer.concat(found).equals(bytes)).toBe(true)
    expect(lengths.slice(0, -1).every((length) => length === wanted)).toBe(true)
    expect(lengths.at(-1)).toBe(1_000 % wanted || wanted)
  }
})

describeOnSqlite('the folder of the contents', () => {
  test('is beside the file, and has a file for each content', async () => {
    const folder = newFolder()
    const store = await open(`sqlite:${join(folder, 'emr.db')}`)
    await store.write('one', 'a', pieces(Buffer.from('x')))
    expect(readdirSync(folder)).toEqual(['emr.content'])
    expect(readdirSync(join(folder, 'emr.content/clinic-one'))).toEqual(['a'])
    await store.delete('one', 'a')
    expect(readdirSync(join(folder, 'emr.content/clinic-one'))).toEqual([])
  })

  test('is on the disk, with the folders above it, and with each file that is new or deleted, before a write ends', async () => {
    const folder = newFolder()
    const store = await open(`sqlite:${join(folder, 'emr.db')}`)
    const synced = (name: string) => syncsDuring(() => store.write('one', name, pieces(Buffer.from('x'))))
    const first = await synced('a')
    const second = await synced('b')
    const contents = join(folder, 'emr.content')
    const inode = (path: string) => statSync(join(contents, path)).ino
    expect(first).toEqual([inode('.'), statSync(folder).ino, inode('clinic-one/a'), inode('clinic-one')])
    expect(second).toEqual([inode('clinic-one/b'), inode('clinic-one')])
    expect(await syncsDuring(() => store.delete('one', 'b'))).toEqual([inode('clinic-one')])
  })

  test('that cannot be written is said, without the names in it', async () => {
    const folder = newFolder()
    await writeFile(join(folder, 'emr.content'), 'a file in its place')
    const store = await open(`sqlite:${join(folder, 'emr.db')}`)
    const failure = await store.write('one', 'a', pieces(Buffer.from('x'))).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StoreUnavailable)
    expect((failure as Error).message).toBe("The contents can't be read or written now (ENOTDIR)")
  })

  test('that was taken away has missing contents', async () => {
    const folder = newFolder()
    const store = await open(`sqlite:${join(folder, 'emr.db')}`)
    await store.write('one', 'a', pieces(Buffer.from('x')))
    await rm(join(folder, 'emr.content'), { recursive: true })
    await expect(bytesOf(store.read('one', 'a'))).rejects.toThrow(ContentMissing)
    await store.delete('one', 'a')
    await store.write('one', 'b', pieces(Buffer.from('x')))
  })
})

describeOnSqlite('a drop of contents', () => {
  test('leaves no folder, and is on the disk when it ends', async () => {
    const folder = newFolder()
    const store = await open(`sqlite:${join(folder, 'emr.db')}`)
    await store.write('one', 'a', pieces(Buffer.from('x')))
    const contents = join(folder, 'emr.content')
    expect(await syncsDuring(() => store.drop('one'))).toEqual([statSync(contents).ino])
    expect(readdirSync(contents)).toEqual([])
  })
})

describeOnMongo('the collection of the contents', () => {
  test('has documents of a quarter of a megabyte at most, found by clinic and name', async () => {
    const url = await newDatabaseUrl()
    const store = await open(url)
    await store.write('one', 'a', pieces(randomBytes(700 * KIB)))
    const client = new MongoClient(url)
    try {
      const collection = client.db().collection('content')
      const sizes = await collection.aggregate([{ $project: { size: { $bsonSize: '$$ROOT' } } }]).toArray()
      expect(sizes).toHaveLength(3)
      for (const { size } of sizes) expect(size).toBeLessThan(256 * KIB)
      const plan = await collection.find({ clinic: 'one', name: 'a', n: 1 }).explain('executionStats')
      expect(plan['executionStats'].totalDocsExamined).toBe(1)
    } finally {
      await client.close()
    }
  })

  test('has each piece once, though its acknowledgement was lost and it is written again', async () => {
    const store = await open(await newDatabaseUrl())
    const bytes = randomBytes(2_000 * KIB)
    await store.write('one', 'a', pieces(bytes))
    await Promise.all([store.write('one', 'a', pieces(bytes)), store.write('one', 'b', pieces(bytes))])
    for (const name of ['a', 'b']) expect(hashOf(await bytesOf(store.read('one', name)))).toBe(hashOf(bytes))
  })

  test('takes nothing more when it is closed in the middle of a write', async () => {
    const store = await open(await newDatabaseUrl())
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield randomBytes(300 * KIB)
      await store.close()
      yield randomBytes(300 * KIB)
    }
    await expect(store.write('one', 'a', slow())).rejects.toThrow(StoreUnavailable)
  })

  test('that cannot be reached is said', async () => {
    const store = await open('mongodb://127.0.0.1:1/x?replicaSet=rs0&serverSelectionTimeoutMS=50')
    await expect(store.write('one', 'a', pieces(Buffer.from('x')))).rejects.toThrow(StoreUnavailable)
    await expect(bytesOf(store.read('one', 'a'))).rejects.toThrow(StoreUnavailable)
  })
})

/** The inodes of the files synced to the disk, in order. */
async function syncsDuring(work: () => Promise<void>): Promise<readonly number[]> {
  const any = await openFile(import.meta.filename)
  const handles: FileHandle = Object.getPrototypeOf(any)
  await any.close()
  const synced: number[] = []
  const spies = (['sync', 'datasync'] as const).map((name) => {
    const original = handles[name]
    return jest.spyOn(handles, name).mockImplementation(async function (this: FileHandle) {
      await original.call(this)
      synced.push((await this.stat()).ino)
    })
  })
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return synced
}
