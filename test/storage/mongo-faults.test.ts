/** Servers that are killed and networks that are cut, with real processes: what was acknowledged stays, once. */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import type { MongoMemoryReplSet } from 'mongodb-memory-server-core'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import { type ResourceStore, StoreConflict, StoreUnavailable } from '../../src/storage/port.ts'
import { describeOnMongo, newMongoUrl, startReplicaSet } from '../support/mongo.ts'
import { Clinic, ids, token } from './fixtures.ts'

const CLIENTS = 16

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

/** What became of the writes of one client: resources created, and versions of its own resource. */
interface Ledger {
  readonly created: string[]
  /** The last version that was acknowledged. */
  version: number
  refused: number
}

const described = token('identifier', 'x')

/** Creates and updates until told to stop; only "not now" and "somebody was faster" are allowed as refusals. */
async function writeUntil(clinic: Clinic, name: string, isOver: () => boolean): Promise<Ledger> {
  const ledger: Ledger = { created: [], version: 0, refused: 0 }
  for (let count = 0; !isOver(); count += 1) {
    try {
      const id = `${name}-${count}`
      await clinic.write(clinic.change(`Patient/${id}`, [described]))
      ledger.created.push(id)
      // After a refusal that came too late, the version is one more than was acknowledged.
      const version = (await clinic.read(`Basic/${name}`))?.version ?? 0
      await clinic.write(clinic.change(`Basic/${name}`, [described], { expect: version }))
      ledger.version = version + 1
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof StoreConflict)) throw error
      ledger.refused += 1
    }
  }
  return ledger
}

async function writeDuring(
  store: ResourceStore,
  fault: (progress: () => number) => Promise<void>,
): Promise<readonly Ledger[]> {
  let over = false
  let acknowledged = 0
  const counted: ResourceStore = {
    ...store,
    write: async (changes) => {
      await store.write(changes)
      acknowledged += 1
    },
  }
  const writing = Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => writeUntil(new Clinic(counted, 'c'), `client${index}`, () => over)),
  )
  const failed = writing.then(() => new Promise<never>(() => {}))
  try {
    await Promise.race([fault(() => acknowledged), failed])
  } finally {
    over = true
  }
  return await writing
}

/** Every acknowledged write is there, every resource once, every version once. */
async function expectKept(store: ResourceStore, ledgers: readonly Ledger[]): Promise<void> {
  const clinic = new Clinic(store, 'c')
  const patients = await clinic.search('Patient', {
    count: 100_000,
    where: [{ kind: 'token', param: 'identifier', code: 'x' }],
  })
  const found = ids(patients.matches)
  expect(new Set(found).size).toBe(found.length)
  const lost = ledgers.flatMap(({ created }) => created).filter((id) => !found.includes(id))
  expect(lost).toEqual([])
  for (const [index, { version }] of ledgers.entries()) {
    const { versions } = await clinic.history({ type: 'Basic', id: `client${index}`, count: 100_000 })
    expect(versions.length).toBeGreaterThanOrEqual(version)
    expect(versions.map((one) => one.version)).toEqual(versions.map((_, place) => versions.length - place))
  }
}

/** An election, a time-out of the driver and its next attempt are over by then. */
const PATIENCE = 40_000

async function until(isTrue: () => boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE; !isTrue(); await sleep(50)) {
    if (Date.now() > deadline) throw new Error(`It did not come true: ${isTrue}`)
  }
}

async function openThree(): Promise<{ readonly replicaSet: MongoMemoryReplSet; readonly store: ResourceStore }> {
  const replicaSet = await startReplicaSet(3)
  endings.push(() => replicaSet.stop())
  const store = await openMongoStore({ url: replicaSet.getUri('emr'), combined: [] })
  endings.push(() => store.close())
  return { replicaSet, store }
}

const processes = (replicaSet: MongoMemoryReplSet) =>
  replicaSet.servers.map(({ instanceInfo }) => {
    if (instanceInfo === undefined) throw new Error('A server of the replica set is not running')
    return { pid: Number(instanceInfo.instance.mongodProcess?.pid), isPrimary: instanceInfo.instance.isInstancePrimary }
  })

/** A wire between the driver and the server, that can be cut and mended. */
async function wireTo(
  port: number,
): Promise<{ readonly port: number; cut(): void; mend(): void; end(): Promise<void> }> {
  const sockets = new Set<Socket>()
  let isCut = false
  const wire: Server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = createConnection({ port, host: '127.0.0.1' })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  wire.listen(0, '127.0.0.1')
  await once(wire, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (wire.address() as AddressInfo).port,
    cut,
    mend: () => {
      isCut = false
    },
    end: async () => {
      cut()
      await new Promise((resolve) => wire.close(resolve))
    },
  }
}

describeOnMongo('MongoDB', () => {
  test('whose primary is killed under the writes of 16 clients goes on with another, and has every acknowledged write once', async () => {
    const { replicaSet, store } = await openThree()
    const ledgers = await writeDuring(store, async (progress) => {
      await until(() => progress() > 200)
      const primary = processes(replicaSet).find(({ isPrimary }) => isPrimary)
      process.kill(primary?.pid ?? Number.NaN, 'SIGKILL')
      const before = progress()
      await until(() => progress() > before + 200)
    })
    await expectKept(store, ledgers)
  })

  test('that loses a secondary goes on', async () => {
    const { replicaSet, store } = await openThree()
    const ledgers = await writeDuring(store, async (progress) => {
      await until(() => progress() > 100)
      const secondary = processes(replicaSet).find(({ isPrimary }) => !isPrimary)
      process.kill(secondary?.pid ?? Number.NaN, 'SIGKILL')
      const before = progress()
      await until(() => progress() > before + 200)
    })
    await expectKept(store, ledgers)
  })

  test('behind a network that is cut refuses every call with StoreUnavailable, and goes on when it is mended', async () => {
    const url = new URL(await newMongoUrl())
    const wire = await wireTo(Number(url.port))
    endings.push(wire.end)
    url.port = String(wire.port)
    url.search = 'directConnection=true&serverSelectionTimeoutMS=500'
    const store = await openMongoStore({ url: url.href, combined: [] })
    endings.push(() => store.close())
    const clinic = new Clinic(store, 'c')
    const ledgers = await writeDuring(store, async (progress) => {
      await until(() => progress() > 100)
      wire.cut()
      for (const call of [
        () => clinic.read('Patient/1'),
        () => clinic.write(clinic.change('Patient/1')),
        () => clinic.search('Patient'),
        () => clinic.history(),
      ]) {
        await expect(call()).rejects.toBeInstanceOf(StoreUnavailable)
      }
      wire.mend()
      const before = progress()
      await until(() => progress() > before + 200)
    })
    expect(ledgers.some(({ refused }) => refused > 0)).toBe(true)
    await expectKept(store, ledgers)
  })
})
