/**
 * How the MongoDB engine handles faults, one at a time: those that a mongod can be told to have, abandoned transactions,
 * connections that break. With real processes under load: test/faults.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type Document, MongoClient } from 'mongodb'
import { pino } from 'pino'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { StoreConflict, StoreUnavailable } from '../../src/storage/store-errors.ts'
import { ReplicaSet } from '../support/replica-set.ts'
import { startServer } from '../support/server.ts'
import { type Wire, wireTo } from '../support/wire.ts'
import { Clinic, token } from './fixtures.ts'

/** Milliseconds, see docs/operating.md. */
const LONGEST_ANSWER = 15_000
const described = token('identifier', 'x')

describe('the MongoDB engine', () => {
  let nodes: ReplicaSet
  let wire: Wire
  beforeAll(async () => {
    const behind = async (port: number) => {
      wire = await wireTo(port)
      return wire.host
    }
    nodes = await ReplicaSet.start({ nodes: 1, behind })
  })
  afterAll(async () => {
    await nodes.stop()
    await wire.end()
  })

  const endings: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end()
  })

  let databases = 0
  async function openStore(options = ''): Promise<{ readonly url: string; readonly store: ResourceStore }> {
    databases += 1
    const url = nodes.url(`faults-${databases}`) + options
    const store = await openMongoStore({ url, combined: [] })
    endings.push(() => store.close())
    return { url, store }
  }

  /** Tries again where a busy machine takes longer for the first connection than the time-out that a test needs. */
  async function openedInTime(options: string): ReturnType<typeof openStore> {
    try {
      return await openStore(options)
    } catch (error) {
      if (error instanceof StoreUnavailable) return openedInTime(options)
      throw error
    }
  }

  function connect(url: string, appName: string): MongoClient {
    const client = new MongoClient(url, { appName })
    endings.push(() => client.close())
    return client
  }

  /** The next commands of a kind meet a fault. */
  async function fail(data: Document, mode: Document | string = { times: 1 }): Promise<void> {
    await nodes.command({ configureFailPoint: 'failCommand', mode, data: { appName: 'sandbox-emr', ...data } })
    endings.push(() => nodes.command({ configureFailPoint: 'failCommand', mode: 'off' }))
  }

  describe('told by the server', () => {
    const writeConcernError = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication' }
    const LOST = { closeConnection: true }

    test.each<[string, Document, Partial<StoreUnavailable>]>([
      ['that its disk is full', { errorCode: 14_031 }, { reason: 'full', mayBeWritten: false }],
      ['that it steps down', { errorCode: 189 }, { reason: 'away', mayBeWritten: true }],
      ['that no majority has it', { writeConcernError }, { reason: 'away', mayBeWritten: true }],
      ['nothing, and is gone', LOST, { reason: 'away', mayBeWritten: true }],
    ])('%s, a create is refused so', async (_what, fault, expected) => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await fail({ failCommands: ['insert'], ...fault }, { times: 2 })
      await expect(clinic.write(clinic.change('Patient/1', [described]))).rejects.toMatchObject({
        name: 'StoreUnavailable',
        ...expected,
      })
    })

    test('that no majority has it, a create beside one that is there already is not taken for written', async () => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await clinic.write(clinic.change('Patient/1', [described]))
      await fail({ failCommands: ['insert'], writeConcernError })
      // They come at the same time, so they share one insert.
      const written = await Promise.allSettled(
        ['Basic/1', 'Patient/1', 'Patient/2'].map((address) => clinic.write(clinic.change(address, [described]))),
      )
      expect(written).toMatchObject([
        { reason: { name: 'StoreUnavailable', mayBeWritten: true } },
        { reason: { on: 'version', subject: 'Patient/1' } },
        { reason: { name: 'StoreUnavailable', mayBeWritten: true } },
      ])
    })

    test.each<[string, Document]>([
      ['a lost connection', { failCommands: ['insert'], ...LOST }],
      ['a lost connection in a transaction', { failCommands: ['update'], ...LOST }],
      ['a lost connection at the commit', { failCommands: ['commitTransaction'], ...LOST }],
      [
        'a commit that was carried out, whose answer says otherwise',
        { failCommands: ['commitTransaction'], writeConcernError },
      ],
      ['a commit that was interrupted', { failCommands: ['commitTransaction'], errorCode: 11_601 }],
      ['a conflict with another transaction', { failCommands: ['update'], errorCode: 112 }],
    ])('%s once, a change is carried out once', async (_what, data) => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await clinic.write(clinic.change('Basic/1', [described]))
      await fail(data)
      await clinic.write(clinic.change('Patient/1', [described]))
      await clinic.write(clinic.change('Basic/1', [described], { expect: 1 }))
      const { versions } = await clinic.history()
      expect(versions.map(({ type, version }) => `${type} ${version}`)).toEqual(['Basic 2', 'Patient 1', 'Basic 1'])
    })

    test('that its disk is full, a transaction is refused so, and nothing of it is there', async () => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await fail({ failCommands: ['insert'], errorCode: 14_031 })
      const set = { resources: [clinic.change('Patient/1'), clinic.change('Patient/2')] }
      await expect(clinic.writeSet(set)).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'full' })
      expect((await clinic.history()).total).toBe(0)
    })

    test('an interrupted commit each time, a change may be written: it is not written again, one of several or alone', async () => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await fail({ failCommands: ['commitTransaction'], errorCode: 11_601 }, 'alwaysOn')
      const sets = [1, 2, 3].map((n) => ({ resources: [`Patient/${n}`, `Basic/${n}`].map((of) => clinic.change(of)) }))
      const outcomes = await Promise.allSettled(sets.map((set) => clinic.writeSet(set)))
      const mayBeWritten = { reason: { name: 'StoreUnavailable', mayBeWritten: true } }
      expect(outcomes).toMatchObject(sets.map(() => mayBeWritten))
    })

    test('nothing at each commit, a change may be written: the error says so, in bounded time', async () => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await clinic.write(clinic.change('Basic/1', [described]))
      await fail({ failCommands: ['commitTransaction'], ...LOST }, 'alwaysOn')
      const start = Date.now()
      await expect(clinic.write(clinic.change('Basic/1', [described], { expect: 1 }))).rejects.toMatchObject({
        name: 'StoreUnavailable',
        mayBeWritten: true,
      })
      expect(Date.now() - start).toBeLessThan(LONGEST_ANSWER)
    })

    test.each<[string, (clinic: Clinic) => Promise<unknown>]>([
      ['a read', (clinic) => clinic.read('Patient/1')],
      ['a search', (clinic) => clinic.search('Patient', { total: 'accurate' })],
      ['a history', (clinic) => clinic.history()],
    ])('nothing, twice, %s is refused with StoreUnavailable', async (_what, read) => {
      const { store } = await openStore()
      await fail({ failCommands: ['find', 'aggregate'], ...LOST }, { times: 2 })
      await expect(read(new Clinic(store, 'c'))).rejects.toBeInstanceOf(StoreUnavailable)
    })
  })

  describe('a search of a request', () => {
    const blocked = { failCommands: ['find', 'aggregate'], blockConnection: true, blockTimeMS: 5_000 }
    const search = (store: ResourceStore) => new Clinic(store, 'c').search('Patient', { total: 'accurate' })

    test('that takes longer than MongoDB may take for it is too late', async () => {
      const { store } = await openStore()
      await fail({ failCommands: ['find', 'aggregate'], errorCode: 50 })
      await expect(search(store)).rejects.toMatchObject({ name: 'BudgetError', reason: 'too late' })
    })

    test('whose time is up reads nothing', async () => {
      const { store } = await openStore()
      const late = new Budget({ canMove: false, endsAt: Date.now() - 1 })
      await expect(withBudget(late, () => search(store))).rejects.toMatchObject({ reason: 'too late' })
    })

    test('whose client leaves ends with its commands; the others go on', async () => {
      const { store } = await openStore()
      await fail(blocked, { times: 2 })
      let isGone = false
      const left = new Budget({ canMove: false, isAbandoned: () => isGone })
      const staying = new Budget({ canMove: false })
      const [one, other] = [withBudget(left, () => search(store)), withBudget(staying, () => search(store))]
      isGone = true
      await expect(one).rejects.toMatchObject({ name: 'BudgetError', reason: 'left' })
      await expect(other).resolves.toMatchObject({ total: 0 })
    })
  })

  describe('abandoned transactions', () => {
    test('of a server process that died hold up no write for long; those of other programs are left alone', async () => {
      const { url, store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await clinic.write(clinic.change('Basic/1', [described]))
      const [abandoned, foreign] = await Promise.all(
        ['sandbox-emr', 'another-program'].map((name) => begun(connect(url, name))),
      )
      await abandoned?.update({ clinic: 'c', type: 'Basic', id: '1' })
      await foreign?.insert({ clinic: 'another' })
      const start = Date.now()
      await clinic.write(clinic.change('Basic/1', [described], { expect: 1 }))
      expect(Date.now() - start).toBeLessThan(LONGEST_ANSWER)
      await foreign?.commit()
      await expect(abandoned?.commit()).rejects.toThrow()
      expect(await clinic.read('Basic/1')).toMatchObject({ version: 2 })
    })

    /** A transaction on the collection of resources. */
    async function begun(client: MongoClient) {
      const session = client.startSession()
      endings.push(() => session.endSession())
      session.startTransaction()
      const resources = client.db().collection('resources')
      return {
        update: (filter: Document) => resources.updateOne(filter, { $set: { version: 99 } }, { session }),
        insert: (document: Document) => resources.insertOne(document, { session }),
        commit: () => session.commitTransaction(),
      }
    }
  })

  describe('a network', () => {
    test('whose connections break again and again is never a fault of another kind, and loses and doubles nothing', async () => {
      const { store } = await openedInTime('&serverSelectionTimeoutMS=300')
      let over = false
      const clients = Array.from({ length: 16 }, (_, index) =>
        writeUntil(new Clinic(store, 'c'), `client${index}`, () => over),
      )
      for (let cut = 0; cut < 15; cut += 1) {
        await sleep(200)
        wire.cut('reset')
        await sleep(50)
        wire.mend()
        await sleep(300)
      }
      over = true
      const ledgers = await Promise.all(clients)
      expect(ledgers.some(({ refused }) => refused > 0)).toBe(true)
      const clinic = new Clinic(store, 'c')
      for (const { name, version, faults } of ledgers) {
        const { versions } = await clinic.history({ type: 'Basic', id: name, count: 10_000 })
        expect(faults).toEqual([])
        expect(versions.length).toBeGreaterThanOrEqual(version)
        expect(versions.map((one) => one.version)).toEqual(versions.map((_, place) => versions.length - place))
      }
    })

    test('that falls silent keeps nobody waiting for one time-out after the other', async () => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      await clinic.write(clinic.change('Basic/1', [described]))
      wire.cut('silent')
      const start = Date.now()
      const writes = Array.from({ length: 20 }, async () => {
        await sleep(Math.random() * 1_000)
        await clinic.write(clinic.change('Basic/1', [described], { expect: 1 }))
      })
      const reads = Array.from({ length: 200 }, (_, index) => clinic.read(`Patient/${index}`))
      const outcomes = await Promise.allSettled([...writes, ...reads])
      const taken = Date.now() - start
      wire.mend()
      const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined))
      expect(reasons.every((reason) => reason instanceof StoreUnavailable)).toBe(true)
      expect(taken).toBeLessThan(LONGEST_ANSWER + 1_000)
      await expect(clinic.read('Basic/1')).resolves.toBeDefined()
    })

    test('again and again keep a request waiting for no longer than one loss does', async () => {
      const { store } = await openStore()
      const clinic = new Clinic(store, 'c')
      const start = Date.now()
      const taken = () => Date.now() - start
      let isOver = false
      const losses = (async () => {
        while (!isOver) {
          wire.cut('reset')
          await sleep(2_000)
          wire.mend()
          await sleep(1_000)
        }
      })()
      /** Reads one after the other, as a request may, until nothing more is begun for it. */
      const request = async (): Promise<string> => {
        for (; taken() < 2 * LONGEST_ANSWER; await sleep(50)) {
          const refusal = await clinic.read('Basic/1').catch((error: Error) => error.message)
          if (refusal?.toString().includes('a request waits for it')) return `${refusal}`
        }
        return 'It was never refused'
      }
      const refusal = await withBudget(new Budget({ canMove: false }), request)
      const refusedAfter = taken()
      isOver = true
      await losses
      expect(refusal).toBe('The database was lost, and a request waits for it for 13 s at most')
      expect(refusedAfter).toBeLessThan(LONGEST_ANSWER)
      // One that comes later has its whole time.
      await expect(clinic.read('Basic/1')).resolves.toBeUndefined()
    })
  })

  describe('an error of the driver that quotes what was written', () => {
    const NAME = 'Zanzibar'

    /** From now on the database refuses the name, with an error that holds the document. */
    async function refuseName(url: string): Promise<void> {
      const db = connect(url, 'operator').db()
      await db.command({ collMod: 'resources', validator: { 'resource.name.family': { $ne: NAME } } })
    }

    test.each([1, 2])('leaves the engine without it, from a change of %i resources', async (count) => {
      const { url, store } = await openStore()
      await refuseName(url)
      const clinic = new Clinic(store, 'c')
      const named = (id: number) => {
        const change = clinic.change(`Patient/${id}`, [token('identifier', NAME)])
        return {
          ...change,
          text: JSON.stringify({ resourceType: 'Patient', id: String(id), name: [{ family: NAME }] }),
        }
      }
      const resources = Array.from({ length: count }, (_, id) => named(id))
      const error = await clinic.writeSet({ resources }).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({ name: expect.stringMatching(/^Mongo\w+Error$/) })
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(NAME)
    })

    test('reaches neither the log nor the answer', async () => {
      const { url } = await openStore()
      const lines: string[] = []
      const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
      const server = await startServer({ DATABASE_URL: url }, { logger })
      endings.push(server.close)
      await refuseName(url)
      const patient = { resourceType: 'Patient', name: [{ family: NAME }] }
      const answer = await server.fhir('POST', '/Patient', patient)
      expect([answer.status, answer.body.issue[0].code]).toEqual([500, 'exception'])
      expect(lines.join('')).toContain('unexpected fault')
      expect(answer.text + lines.join('')).not.toContain(NAME)
    })
  })
})

interface Ledger {
  readonly name: string
  /** The last version that was acknowledged. */
  version: number
  refused: number
  /** Errors that are neither "not now" nor "somebody was faster". */
  readonly faults: unknown[]
}

/** More than a socket takes at once. */
const LONG = 'x'.repeat(100_000)

async function writeUntil(clinic: Clinic, name: string, isOver: () => boolean): Promise<Ledger> {
  const ledger: Ledger = { name, version: 0, refused: 0, faults: [] }
  while (!isOver()) {
    try {
      // After a refusal that came too late, the version is one more than was acknowledged.
      const version = (await clinic.read(`Basic/${name}`))?.version ?? 0
      const change = clinic.change(`Basic/${name}`, [described], { expect: version })
      await clinic.write({ ...change, text: JSON.stringify({ resourceType: 'Basic', id: name, code: { text: LONG } }) })
      ledger.version = version + 1
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof StoreConflict)) ledger.faults.push(error)
      ledger.refused += 1
      await sleep(20)
    }
  }
  return ledger
}
