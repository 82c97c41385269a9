/** Changes of records by any process, as a change stream reports them: https://www.mongodb.com/docs/manual/changeStreams/. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeStream, ClientSession, Collection, MongoClient } from 'mongodb'
import type { RecordDocument } from './collections.ts'
import type { Engine } from './engine.ts'

/** Milliseconds before a stream that was lost is opened again. */
const PAUSE = 1_000
/** Milliseconds that the server holds a request for the next change. */
const MAX_AWAIT = 200

export interface RecordListener {
  /** From now on every change is reported. */
  started(): void
  changed(): void
  /** Changes may be missed until it starts again. */
  stopped(): void
}

/** The driver resumes a stream where it broke off; one that it cannot resume is opened again here. */
export class RecordWatch {
  readonly #client: MongoClient
  readonly #records: Collection<RecordDocument>
  readonly #kinds: readonly string[]
  readonly #listener: RecordListener
  readonly #closing = new AbortController()
  /** Settles when the server has answered the request that opens the stream; undefined while none is under way. */
  #opening: Promise<unknown> | undefined
  #open: { readonly session: ClientSession; readonly stream: ChangeStream<RecordDocument> } | undefined

  constructor({ client, records }: Engine, kinds: readonly string[], listener: RecordListener) {
    this.#client = client
    this.#records = records
    this.#kinds = kinds
    this.#listener = listener
    void this.#watch()
  }

  /**
   * Nothing more is told. A request that the server holds is left to the end of the client: the server answers it late,
   * though it is told to end it. One that opens the stream is waited for, since what it has opened would stay on the server.
   */
  async close(): Promise<void> {
    this.#closing.abort()
    // Before its session: the driver would resume a stream that is still open.
    const closed = this.#open?.stream.close().catch(() => {})
    await this.#endSession().catch(() => {})
    await closed
    if (this.#opening === undefined) return
    await this.#opening
    await this.#endSession().catch(() => {})
  }

  /** Ends what the driver leaves on the server when a stream is closed while it is being opened. */
  async #endSession(): Promise<void> {
    if (this.#open === undefined) return
    await this.#client.db('admin').command({ killSessions: [this.#open.session.id] })
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      // Without a stream there is only no cache; requests meet the same fault and report it.
      await this.#follow().catch(() => {})
      this.#listener.stopped()
      await sleep(PAUSE, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #follow(): Promise<void> {
    const session = this.#client.startSession()
    const stream = this.#records.watch(this.#pipeline(), { session, maxAwaitTimeMS: MAX_AWAIT })
    this.#open = { session, stream }
    try {
      const opening = stream.tryNext()
      this.#opening = opening.catch(() => {})
      const first = await opening
      this.#opening = undefined
      this.#listener.started()
      if (first !== null) this.#listener.changed()
      // Unlike tryNext(), next() throws when the stream has ended for good: the collection was dropped or renamed.
      while (!this.#closing.signal.aborted) {
        await stream.next()
        this.#listener.changed()
      }
    } finally {
      await stream.close()
      await session.endSession()
    }
  }

  /** A deletion, or an update by hand, does not report the kind of the record. */
  #pipeline(): object[] {
    const isWatched = { 'fullDocument.kind': { $in: this.#kinds } }
    return [
      { $match: { $or: [isWatched, { operationType: { $nin: ['insert', 'replace'] } }] } },
      { $project: { operationType: 1 } },
    ]
  }
}
