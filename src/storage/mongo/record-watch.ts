/** What anybody writes to the records, as it is told by a change stream (https://www.mongodb.com/docs/manual/changeStreams/). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeStream, ChangeStreamDocument, ClientSession, Collection, MongoClient } from 'mongodb'
import type { RecordDocument } from './collections.ts'
import type { Engine } from './engine.ts'

/** Milliseconds before a stream that was lost is opened anew. */
const PAUSE = 1_000
/** Milliseconds that the server lets a look for news wait; who closes the store waits for it. */
const LONGEST_LOOK = 200

export interface RecordListener {
  /** From now on every change is told. */
  begins(): void
  /** @param record undefined: it is not known which */
  changed(record: Pick<RecordDocument, 'clinic' | 'kind' | 'key'> | undefined): void
  /** Changes may be missed, until it begins again. */
  ends(): void
}

/** The driver resumes a stream where it broke off; one that it cannot resume is opened anew. */
export class RecordWatch {
  readonly #client: MongoClient
  readonly #records: Collection<RecordDocument>
  readonly #kinds: readonly string[]
  readonly #listener: RecordListener
  readonly #end = new AbortController()
  #opened: { readonly session: ClientSession; readonly stream: ChangeStream<RecordDocument> } | undefined
  readonly #watching: Promise<void>

  constructor({ client, records }: Engine, kinds: readonly string[], listener: RecordListener) {
    this.#client = client
    this.#records = records
    this.#kinds = kinds
    this.#listener = listener
    this.#watching = this.#watch()
  }

  async close(): Promise<void> {
    this.#end.abort()
    // First, as a stream that is not closed is resumed when its session ends.
    const closed = this.#opened?.stream.close().catch(() => {})
    await this.#endSession().catch(() => {})
    await closed
    await this.#watching
  }

  /** What the driver leaves on the server of a stream that is closed while it is being opened ends with its session. */
  async #endSession(): Promise<void> {
    if (this.#opened === undefined) return
    await this.#client.db('admin').command({ killSessions: [this.#opened.session.id] })
  }

  async #watch(): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      // Whatever is wrong, it is a memory less; requests meet the same and say so.
      await this.#follow().catch(() => {})
      this.#listener.ends()
      await sleep(PAUSE, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #follow(): Promise<void> {
    const session = this.#client.startSession()
    const stream = this.#records.watch(this.#pipeline(), { session, maxAwaitTimeMS: LONGEST_LOOK })
    this.#opened = { session, stream }
    try {
      const first = await stream.tryNext()
      this.#listener.begins()
      if (first !== null) this.#listener.changed(recordIn(first))
      // Unlike tryNext(), it throws when the stream has ended for good: the collection was dropped or renamed.
      while (!this.#end.signal.aborted) this.#listener.changed(recordIn(await stream.next()))
    } finally {
      await stream.close()
      await session.endSession()
    }
  }

  /** A deletion, or an update by hand, does not say of which kind the record is. */
  #pipeline(): object[] {
    const isWatched = { 'fullDocument.kind': { $in: this.#kinds } }
    return [
      { $match: { $or: [isWatched, { operationType: { $nin: ['insert', 'replace'] } }] } },
      { $project: { operationType: 1, 'fullDocument.clinic': 1, 'fullDocument.kind': 1, 'fullDocument.key': 1 } },
    ]
  }
}

const recordIn = (change: ChangeStreamDocument<RecordDocument>): RecordDocument | undefined =>
  change.operationType === 'insert' || change.operationType === 'replace' ? change.fullDocument : undefined
