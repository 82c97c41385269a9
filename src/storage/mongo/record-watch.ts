/**
 * Watches for changes of records by any process, through a change stream:
 * https://www.mongodb.com/docs/manual/changeStreams/.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeStream, ClientSession, Collection, MongoClient } from 'mongodb'
import type { RecordDocument } from './collections.ts'
import type { Engine } from './engine.ts'

/** Milliseconds before a lost stream is reopened. */
const PAUSE = 1_000
/** Milliseconds that the server holds a request for the next change. */
const MAX_AWAIT = 200

export interface RecordListener {
  /** Called when every change will be reported from now on. */
  started(): void
  changed(): void
  /** Called when changes may be missed until the next start. */
  stopped(): void
}

/** The driver resumes a stream where it broke off; one that it cannot resume is reopened here. */
export class RecordWatch {
  readonly #client: MongoClient
  readonly #records: Collection<RecordDocument>
  readonly #kinds: readonly string[]
  readonly #listener: RecordListener
  readonly #closing = new AbortController()
  /** Settles when the database has replied to the request that opens the stream; undefined while there is none. */
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
   * Ends the reports. A request held by the database is left until the client ends, as the database replies late even
   * when told to end it. A request that opens the stream is awaited, since the stream would otherwise stay on the
   * database server.
   */
  async close(): Promise<void> {
    this.#closing.abort()
    // Closed before its session, as the driver would resume an open stream.
    const closed = this.#open?.stream.close().catch(() => {})
    await this.#endSession().catch(() => {})
    await closed
    if (this.#opening === undefined) return
    await this.#opening
    await this.#endSession().catch(() => {})
  }

  /**
   * Ends the session that the driver leaves on the database server when a stream is closed while it is being opened.
   */
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

  /** Filters by kind; deletions, and updates by hand, do not report the kind of the record, so all of them pass. */
  #pipeline(): object[] {
    const isWatched = { 'fullDocument.kind': { $in: this.#kinds } }
    return [
      { $match: { $or: [isWatched, { operationType: { $nin: ['insert', 'replace'] } }] } },
      { $project: { operationType: 1 } },
    ]
  }
}
