/** A client of its own for a part of the store, so that what goes on there takes no connections of other requests. */
import { type Connection, connect } from './connection.ts'

interface PartOptions<Part> {
  /** As DATABASE_URL. */
  readonly url: string
  /** Connections at most. */
  readonly connections: number
  /** What the part is used by, once its collections and indexes are there. */
  readonly prepare: (connection: Connection) => Part | Promise<Part>
}

interface Opened<Part> extends Pick<Connection, 'client'> {
  readonly part: Part
}

export class PartConnection<Part> {
  readonly #options: PartOptions<Part>
  #opened: Promise<Opened<Part>> | undefined

  constructor(options: PartOptions<Part>) {
    this.#options = options
  }

  /** Opened when it is first asked for; once that has failed, the next call tries again. */
  async get(): Promise<Part> {
    this.#opened ??= opened(this.#options).catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return (await this.#opened).part
  }

  async close(): Promise<void> {
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
