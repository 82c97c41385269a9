/** Recent reads may be a moment old, but never older than this server's own writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Practitioner } from 'fhir/r4'
import { Repository } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'

let store: ResourceStore
let reads: number
let repository: Repository
beforeEach(async () => {
  const real = await openTestStore()
  reads = 0
  store = {
    ...real,
    read: (...address) => {
      reads += 1
      return real.read(...address)
    },
  }
  repository = new Repository(store, { baseUrl: 'http://127.0.0.1' })
})
afterEach(() => store.close())

const put = (family: string, clinic = 'one') =>
  repository.change(clinic, async (unit) => {
    await unit.put({ resourceType: 'Practitioner', id: 'p', name: [{ family }] }, 'PUT')
  })
const nameOf = async (clinic = 'one') =>
  (await (await repository.reader(clinic)).readRecent<Practitioner>('Practitioner', 'p'))?.resource.name?.[0]?.family

test('a resource that is told again is not read again', async () => {
  await put('Okafor')
  expect(await nameOf()).toBe('Okafor')
  const before = reads
  expect([await nameOf(), await nameOf()]).toEqual(['Okafor', 'Okafor'])
  expect(reads).toBe(before)
})

test('what this server writes, deletes and creates shows at once', async () => {
  expect(await nameOf()).toBeUndefined()
  await put('Okafor')
  expect(await nameOf()).toBe('Okafor')
  await put('Adeyemi')
  expect(await nameOf()).toBe('Adeyemi')
  await repository.change('one', async (unit) => {
    await unit.delete('Practitioner', 'p')
  })
  expect(await nameOf()).toBeUndefined()
})

test('a change sees what it has staged itself', async () => {
  await put('Okafor')
  await nameOf()
  await repository.change('one', async (unit) => {
    await unit.put({ resourceType: 'Practitioner', id: 'p', name: [{ family: 'Adeyemi' }] }, 'PUT')
    expect((await unit.readRecent<Practitioner>('Practitioner', 'p'))?.resource.name?.[0]?.family).toBe('Adeyemi')
  })
})

test('a resource that is read while it is written is not kept', async () => {
  await put('Okafor')
  const { read } = store
  const started = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  Object.assign(store, {
    read: async (...address: Parameters<typeof read>) => {
      const found = await read(...address)
      started.resolve()
      await written.promise
      return found
    },
  })
  const late = nameOf()
  await started.promise
  Object.assign(store, { read })
  await put('Adeyemi')
  written.resolve()
  expect(await late).toBe('Okafor')
  expect(await nameOf()).toBe('Adeyemi')
})

test('clinics are told of their own', async () => {
  await put('Okafor', 'one')
  await put('Adeyemi', 'two')
  expect([await nameOf('one'), await nameOf('two'), await nameOf('three')]).toEqual(['Okafor', 'Adeyemi', undefined])
})

describe('a view', () => {
  const familiesIn = async (clinic: string, made: { count: number }) =>
    (await repository.reader(clinic)).recentView('families', ['Practitioner'], async () => {
      made.count += 1
      return await nameOf(clinic)
    })

  test('is made once, for those who ask at the same time too, until a resource of its types is written', async () => {
    const made = { count: 0 }
    await put('Okafor')
    expect(await Promise.all([familiesIn('one', made), familiesIn('one', made)])).toEqual(['Okafor', 'Okafor'])
    expect([await familiesIn('one', made), made.count]).toEqual(['Okafor', 1])
    await repository.change('one', async (unit) => {
      await unit.put({ resourceType: 'Patient', id: 'other' }, 'PUT')
    })
    await put('Adeyemi', 'two')
    expect([await familiesIn('one', made), made.count]).toEqual(['Okafor', 1])
    await put('Adeyemi')
    expect([await familiesIn('one', made), made.count]).toEqual(['Adeyemi', 2])
  })

  test('of what is no resource is made anew after a moment', async () => {
    let made = 0
    const read = async () => (await repository.reader('one')).recentView('records', [], async () => ++made)
    expect([await read(), await read()]).toEqual([1, 1])
    // A timer may be a millisecond early.
    await sleep(1_050)
    expect(await read()).toBe(2)
  })

  test('that fails for one is made by the others, and is not kept', async () => {
    // One unit, so that both begin at the same moment.
    const unit = await repository.reader('one')
    const read = (make: () => Promise<string>) => unit.recentView('broken', [], make)
    const broken = read(async () => {
      await Promise.resolve()
      throw new Error('no time left')
    })
    const other = read(async () => 'made')
    await expect(broken).rejects.toThrow('no time left')
    expect(await other).toBe('made')
    expect(await read(async () => 'made anew')).toBe('made anew')
  })
})

describe('an answer to a search', () => {
  const answered = async (name: string, characters: number, made: string[]): Promise<void> => {
    await (await repository.reader('one')).unchanged(() => name, {
      types: ['Practitioner'],
      make: async () => made.push(name),
      charactersOf: () => characters,
    })
  }

  test('is made again only after a change, by an engine that notices the changes of all', async () => {
    const made: string[] = []
    await put('Okafor')
    for (let time = 0; time < 3; time += 1) await answered('all', 10, made)
    expect(made).toHaveLength(store.noticeChanges === undefined ? 3 : 1)
    await put('Adeyemi')
    const before = made.length
    await answered('all', 10, made)
    expect(made).toHaveLength(before + 1)
  })

  test('is not kept when it is large, and many do not take more memory than there is for them', async () => {
    const made: string[] = []
    for (let time = 0; time < 2; time += 1) await answered('large', 1_000_000, made)
    expect(made).toEqual(['large', 'large'])
    await answered('first', 250_000, made)
    for (let n = 0; n < 200; n += 1) await answered(`another ${n}`, 250_000, made)
    const before = made.length
    await answered('first', 250_000, made)
    expect(made).toHaveLength(before + 1)
  })
})
