/** MongoDB fulfils the contract, and has duties of its own. */
import { describe, expect, test } from '@jest/globals'
import { Decimal128, type Document } from 'mongodb'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { StoreConflict, StoreUnavailable } from '../../src/storage/store-errors.ts'
import { newMongoUrl, openTestMongo, startStandalone, withDatabase } from '../support/mongo.ts'
import { openExplainedMongo } from '../support/mongo-plans.ts'
import { describeStoreContract } from './contract.ts'
import { Clinic, COMBINED, date, ids, reference, string, token } from './fixtures.ts'

/** Runs `work` on a new database with as many stores as servers would open, and drops it. */
async function withStores(
  count: number,
  work: (clinics: readonly Clinic[], documents: (collection: string) => Promise<readonly Document[]>) => Promise<void>,
): Promise<void> {
  const url = await newMongoUrl()
  const stores = await Promise.all(Array.from({ length: count }, () => openMongoStore({ url, combined: COMBINED })))
  const documents = (collection: string) => withDatabase(url, (db) => db.collection(collection).find().toArray())
  try {
    await work(
      stores.map((store) => new Clinic(store, 'c')),
      documents,
    )
  } finally {
    for (const store of stores) await store.close()
    await withDatabase(url, (db) => db.dropDatabase())
  }
}

const withStore = (
  work: (clinic: Clinic, documents: (collection: string) => Promise<readonly Document[]>) => Promise<void>,
) =>
  withStores(1, ([clinic], documents) => {
    if (clinic === undefined) throw new Error('no store')
    return work(clinic, documents)
  })

describe('MongoDB', () => {
  describeStoreContract('MongoDB', () => openExplainedMongo({ combined: COMBINED }))

  describe('the documents that people query', () => {
    const observation = (value: string) =>
      `{"resourceType":"Observation","id":"1","issued":"2024-02-29T10:00:00+01:00","valueQuantity":{"value":${value}}}`

    test.each([
      ['1.00', new Decimal128('1.00')],
      ['0.1', new Decimal128('0.1')],
      ['-0.010', new Decimal128('-0.010')],
      ['1e2', new Decimal128('1E+2')],
      ['12345678901234567890.5', new Decimal128('12345678901234567890.5')],
      ['7', 7],
    ])('keep the decimal %s, and dates as they were written', async (value, kept) => {
      await withStore(async (clinic, documents) => {
        const text = observation(value)
        await clinic.write(clinic.change('Observation/1', [], { text }))
        expect((await clinic.read('Observation/1'))?.text).toBe(text)
        const [document] = await documents('resources')
        expect(document?.['resource']).toEqual({
          resourceType: 'Observation',
          id: '1',
          issued: '2024-02-29T10:00:00+01:00',
          valueQuantity: { value: kept },
        })
      })
    })

    const deep = (levels: number) => `{"resourceType":"Basic","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
    test.each([
      ['is too deep for BSON', deep(120)],
      ['has a name that BSON forbids', '{"resourceType":"Basic","a\\u0000b":1}'],
      ['is longer than a document can be', `{"resourceType":"Binary","data":"${'AbC4'.repeat(4_500_000)}"}`],
    ])('are missing where the resource %s; it is read all the same, in every version', async (_, text) => {
      await withStore(async (clinic, documents) => {
        await clinic.write(clinic.change('Basic/1', [], { text }))
        await clinic.put('Basic/1')
        expect((await clinic.store.readVersion('c', 'Basic', '1', 1))?.text).toBe(text)
        await clinic.put('Basic/2', [], { text })
        expect((await clinic.read('Basic/2'))?.text).toBe(text)
        expect((await documents('resources')).map(({ resource }) => resource !== undefined)).toEqual([true, false])
      })
    })

    test('are gone with the resource; its versions stay in the history', async () => {
      await withStore(async (clinic, documents) => {
        await clinic.put('Patient/1', [string('name', 'Anna')])
        await clinic.delete('Patient/1')
        const [tombstone] = await documents('resources')
        expect(tombstone).toMatchObject({ version: 2, method: 'DELETE', live: false, ix: [] })
        expect(tombstone).not.toHaveProperty('resource')
        expect(await documents('history')).toMatchObject([{ clinic: 'c', id: '1', version: 1, method: 'POST' }])
      })
    })

    test('begin with the clinic in every key of every index, but the one that finds due work', async () => {
      const url = await newMongoUrl()
      await (await openMongoStore({ url, combined: [] })).close()
      await withDatabase(url, async (db) => {
        const collections = await db.listCollections({}, { nameOnly: true }).toArray()
        const firsts = await Promise.all(
          collections.map(async ({ name }) =>
            (await db.collection(name).indexes()).map((index) => [name, index.name, Object.keys(index.key)[0]]),
          ),
        )
        const others = firsts.flat().filter(([, , first]) => first !== 'clinic' && first !== '_id')
        expect(others).toEqual([['records', 'by_due', 'kind']])
        await db.dropDatabase()
      })
    })
  })

  describe('several servers on one database', () => {
    test('write one version once, and each sees what the other wrote', async () => {
      await withStores(2, async (clinics) => {
        const [one, other] = clinics as [Clinic, Clinic]
        await one.put('Patient/1', [token('identifier', 'a')])
        for (let version = 1; version < 20; version += 1) {
          const outcomes = await Promise.allSettled(
            clinics.map((clinic) => clinic.write(clinic.change('Patient/1', [], { expect: version }))),
          )
          expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
          const refused = outcomes.find((outcome) => outcome.status === 'rejected')
          expect(refused?.reason).toBeInstanceOf(StoreConflict)
          expect((await other.read('Patient/1'))?.version).toBe(version + 1)
        }
        expect((await other.history({ type: 'Patient', id: '1' })).total).toBe(20)
      })
    })

    test('create one resource for the same id, and one record for the same key', async () => {
      await withStores(4, async (clinics) => {
        const created = await Promise.allSettled(clinics.map((clinic) => clinic.write(clinic.change('Patient/1'))))
        expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        const recorded = await Promise.allSettled(
          clinics.map((clinic, index) => clinic.record('call', '1', index, { expect: 0 })),
        )
        expect(recorded.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const outcome of [...created, ...recorded]) {
          if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreConflict)
        }
      })
    })

    test('let one of 16 guarded creates through, whatever else the guards look at', async () => {
      await withStores(4, async (clinics) => {
        // Half of them look for the identifier, half for the name; all write both.
        const plans = [
          { kind: 'token', param: 'identifier', code: 'x' },
          { kind: 'string', param: 'name', match: 'exact', value: 'Anna' },
        ] as const
        const creates = Array.from({ length: 16 }, (_, index) => {
          const clinic = clinics[index % 4]
          const where = plans[Math.floor(index / 4) % 2]
          if (clinic === undefined || where === undefined) throw new Error('no store')
          const guards = [{ plan: clinic.plan('Patient', { where: [where] }), ids: [] }]
          const entries = [token('identifier', 'x'), string('name', 'Anna')]
          return clinic.writeSet({ guards, resources: [clinic.change(`Patient/${index}`, entries)] })
        })
        const outcomes = await Promise.allSettled(creates)
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        expect(await clinics[0]?.find('Patient', [])).toHaveLength(1)
      })
    })

    test('show the versions of one millisecond in their order', async () => {
      await withStores(2, async (clinics) => {
        for (let version = 0; version < 10; version += 1) {
          const clinic = clinics[version % 2]
          await clinic?.write(clinic.change('Patient/1', [], { expect: version, lastUpdated: 5 }))
        }
        for (const query of [{}, { type: 'Patient' }, { type: 'Patient', id: '1' }]) {
          const { versions } = (await clinics[0]?.history(query)) ?? { versions: [] }
          expect(versions.map(({ version }) => version)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
        }
      })
    })

    test('show a resource in one version while it is rewritten all the time', async () => {
      await withStores(2, async (clinics) => {
        const [writer, reader] = clinics as [Clinic, Clinic]
        await writer.put('Patient/1', [token('identifier', 'a')])
        const writing = (async () => {
          for (let version = 1; version < 40; version += 1) await writer.put('Patient/1', [token('identifier', 'a')])
        })()
        let done = false
        writing.finally(() => {
          done = true
        })
        while (!done) {
          const { total, versions } = await reader.history({ type: 'Patient' })
          expect(versions).toHaveLength(total)
          expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => total - index))
          const where = [{ kind: 'token', param: 'identifier', code: 'a' }] as const
          expect(ids((await reader.search('Patient', { where, total: 'accurate', count: 1 })).matches)).toEqual(['1'])
          const known = await reader.store.readVersion('c', 'Patient', '1', total)
          expect(known?.version).toBe(total)
        }
        await writing
      })
    })
  })

  describe('texts that would not fit into the memory together', () => {
    const TEXT = JSON.stringify({ resourceType: 'Binary', data: 'x'.repeat(12 * 1024 * 1024) })
    const numbers = ['1', '2', '3', '4', '5']

    async function write(clinic: Clinic): Promise<void> {
      for (const id of numbers) {
        const entries = id === '1' ? [] : [reference('next', `Binary/${Number(id) - 1}`)]
        await clinic.put(`Binary/${id}`, entries, { text: TEXT })
      }
      await clinic.put('Basic/6')
    }

    test('come in shorter pages of a search than were asked for, none left out', async () => {
      await withStore(async (clinic) => {
        await write(clinic)
        expect(await clinic.pages('Binary', { count: 1000 })).toEqual([['1', '2'], ['3', '4'], ['5']])
        const first = await clinic.search(['Binary', 'Basic'], { count: 1000 })
        const rest = await clinic.search(['Binary', 'Basic'], { count: 1000, after: first.next ?? '' })
        expect([ids(first.matches), ids(rest.matches)]).toEqual([
          ['1', '2'],
          ['3', '4'],
        ])
      })
    })

    test('come in shorter pages of a history', async () => {
      await withStore(async (clinic) => {
        await write(clinic)
        const first = await clinic.history({ count: 1000 })
        expect([ids(first.versions), first.total]).toEqual([['6', '5', '4'], 6])
        expect(ids((await clinic.history({ count: 1000, after: first.next ?? '' })).versions)).toEqual(['3', '2'])
      })
    })

    test('are cut off where they are included', async () => {
      await withStore(async (clinic) => {
        await write(clinic)
        const include = [{ source: 'Binary', param: 'next', reverse: false, iterate: true }]
        const found = await clinic.search('Binary', { where: [{ kind: 'id', ids: ['5'] }], include })
        expect([ids(found.included), found.truncated]).toEqual([['4', '3'], true])
      })
    })
  })

  describe('a database', () => {
    test('that is opened again has everything', async () => {
      const url = await newMongoUrl()
      const first = await openMongoStore({ url, combined: COMBINED })
      await new Clinic(first, 'c').put('Patient/1', [token('identifier', '1')])
      await first.close()
      const again = await openMongoStore({ url, combined: COMBINED })
      expect(await new Clinic(again, 'c').find('Patient', [{ kind: 'token', param: 'identifier', code: '1' }])).toEqual(
        ['Patient/1'],
      )
      expect(await again.isEmpty()).toBe(false)
      await again.close()
    })

    const refusals: readonly (readonly [string, (url: string) => Promise<string>, RegExp])[] = [
      [
        'a newer server wrote it',
        async (url) => {
          await (await openMongoStore({ url, combined: [] })).close()
          await withDatabase(url, (db) =>
            db.collection('store').updateOne({ version: { $exists: true } }, { $set: { version: 99 } }),
          )
          return url
        },
        /newer version of the server \(store version 99/,
      ],
      [
        'another program has its collections in it',
        async (url) => {
          await withDatabase(url, (db) => db.collection('resources').insertOne({ theirs: true }))
          return url
        },
        /belongs to another program/,
      ],
      ['nobody answers there', async () => 'mongodb://127.0.0.1:1/emr?serverSelectionTimeoutMS=200', /No MongoDB/],
      ['its address is none', async () => 'mongodb://', /not an address of a MongoDB/],
    ]
    test.each(refusals)('is refused when %s', async (_, make, message) => {
      const opened = openMongoStore({ url: await make(await newMongoUrl()), combined: [] })
      await expect(opened).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(opened).rejects.toThrow(message)
    })

    test('of a server that is no replica set is refused with what to do', async () => {
      const standalone = await startStandalone()
      try {
        const opened = openMongoStore({ url: standalone.url, combined: [] })
        await expect(opened).rejects.toBeInstanceOf(StoreUnavailable)
        await expect(opened).rejects.toThrow(/--replSet rs0, run rs\.initiate\(\) in mongosh once/)
      } finally {
        await standalone.stop()
      }
    })

    test('may be made by several servers at the same time', async () => {
      await withStores(4, async (clinics) => {
        await Promise.all(clinics.map((clinic, index) => clinic.put(`Patient/${index}`)))
        expect(await clinics[0]?.find('Patient', [])).toHaveLength(4)
      })
    })

    test('finds the same whichever combined indexes are declared when it is opened', async () => {
      const url = await newMongoUrl()
      const slot = { type: 'Slot', equal: ['schedule', 'status'], range: 'start' } as const
      const where = [
        { kind: 'reference', param: 'schedule', type: 'Schedule', id: '1' },
        { kind: 'token', param: 'status', code: 'free' },
        { kind: 'date', param: 'start', bounds: { lowMin: 3, lowMax: 5 } },
      ] as const
      const slots = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) => `Slot/${from + index}`)
      for (const combined of [[], [slot], [], [slot]]) {
        const store = await openMongoStore({ url, combined })
        const clinic = new Clinic(store, 'c')
        for (const [index, address] of slots(0, 9).entries()) {
          await clinic.put(address, [
            reference('schedule', 'Schedule/1'),
            token('status', 'free'),
            date('start', index),
          ])
        }
        expect(await clinic.find('Slot', where)).toEqual(slots(3, 6))
        await clinic.delete('Slot/4')
        expect(await clinic.find('Slot', where)).toEqual(['Slot/3', 'Slot/5'])
        await store.close()
      }
      await withDatabase(url, (db) => db.dropDatabase())
    })
  })

  describe('a fault', () => {
    test('of one change set among several fails that one and no other, and leaves no trace of it', async () => {
      await withStore(async (clinic) => {
        await clinic.write(clinic.change('Patient/1'), clinic.change('Patient/2'))
        // Longer than any document, even compressed: it fails after the others of its batch are on their way.
        const text = JSON.stringify({ resourceType: 'Binary', data: randomText(30 * 1024 * 1024) })
        const outcomes = await Promise.allSettled([
          clinic.put('Patient/1'),
          clinic.writeSet({
            resources: [clinic.change('Binary/1', [], { text })],
            records: [{ clinic: 'c', kind: 'k', key: '1', expect: 0, value: 1 }],
          }),
          clinic.put('Patient/2'),
        ])
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
        expect(await clinic.read('Binary/1')).toBeUndefined()
        expect(await clinic.store.readRecord('c', 'k', '1')).toBeUndefined()
      })
    })

    test('of a store that was closed is said of every call', async () => {
      const { store, close } = await openTestMongo({ combined: [] })
      await close()
      const clinic = new Clinic(store, 'c')
      const calls: readonly ((store: ResourceStore) => Promise<unknown>)[] = [
        (closed) => closed.read('c', 'Patient', '1'),
        (closed) => closed.readVersion('c', 'Patient', '1', 1),
        (closed) => closed.write({ clinic: 'c', resources: [], records: [], guards: [] }),
        (closed) => closed.search(clinic.plan('Patient')),
        (closed) => closed.history({ clinic: 'c', count: 1 }),
        (closed) => closed.readRecord('c', 'k', '1'),
        (closed) => closed.records({ clinic: 'c', kind: 'k', limit: 1 }),
        (closed) => closed.isEmpty(),
      ]
      for (const call of calls) await expect(call(store)).rejects.toBeInstanceOf(StoreUnavailable)
    })
  })
})

/** Base64 of noise, which no compression makes short. */
function randomText(length: number): string {
  let seed = 1
  const bytes = Buffer.alloc(Math.ceil((length * 3) / 4))
  for (let index = 0; index < bytes.length; index += 1) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    bytes[index] = seed >> 16
  }
  return bytes.toString('base64')
}
