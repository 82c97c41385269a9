/** A separate client for a part of the store, so that its work takes no connections of other requests. */
import { StoreUnavailable } from '../port.ts'
import { type Connection, connect } from './connection.ts'
import { served } from './faults.ts'
import { PartReads } from './part-reads.ts'

interface PartOptions<Part> {
  /** An address like DATABASE_URL. */
  readonly url: string
  /** Most connections. */
  readonly connections: number
  /** Creates collections and indexes, and returns the object through which the part is used. */
  readonly prepare: (connection: Connection) => Part | Promise<Part>
}

interface Opened<Part> extends Pick<Connection, 'client'> {
  readonly part: Part
}

export class PartConnection<Part> {
  readonly #options: PartOptions<Part>
  #opened: Promise<Opened<Part>> | undefined
  #isClosed = false

  constructor(options: PartOptions<Part>) {
    this.#options = options
  }

  /** The part, opened on first use; after a failure, the next call tries again. */
  async get(): Promise<Part> {
    // A late call would open a connection that nothing closes.
    if (this.#isClosed) throw new StoreUnavailable('This part of the store is closed')
    this.#opened ??= opened(this.#options).catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return (await this.#opened).part
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const { client } = (await this.#opened?.catch(() => undefined)) ?? {}
    await client?.close()
  }
}

async function opened<Part>({ url, connections, prepare }: PartOptions<Part>): Promise<Opened<Part>> {
  const connection = await connect(url, connections)
  const { client } = connection
  try {
    return { client, part: await prepare(connection) }
  } catch (error) {
    await client.close()
    throw error
  }
}

interface RecordPart<Part> extends Omit<PartOptions<Part>, 'connections'> {
  /** The purpose of the reads: see BudgetError.what. */
  readonly what: string
  /** Connections. */
  readonly reading: number
  readonly writing: number
}

/** Opens a part on first use; reads take no connections from writes. */
export function openPart<Part>({ what, reading, writing, ...options }: RecordPart<Part>) {
  const connection = new PartConnection({ ...options, connections: reading + writing })
  const open = () => connection.get()
  const reads = new PartReads({ open, connections: reading, what })
  return {
    /** @throws StoreUnavailable */
    write: (work: (part: Part) => Promise<void>) => served(async () => work(await open())),
    read: <T>(...read: Parameters<typeof reads.read<T>>) => reads.read<T>(...read),
    close: () => connection.close(),
  }
}
