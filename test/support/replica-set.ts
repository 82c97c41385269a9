/** A replica set of mongod processes that can be killed, and started again with the data they have. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Document, MongoClient } from 'mongodb'
import { MongoMemoryServer } from 'mongodb-memory-server-core'
import { freePort } from '../../src/main/listen.ts'
import { newFolder } from './run.ts'

const NAME = 'faults'
/** The smallest that still does what a large one does. */
const ARGUMENTS = ['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '200']
/** Enables fail points, and turns off diagnostic data. */
const PARAMETERS = ['enableTestCommands=1', 'diagnosticDataCollectionEnabled=false']
/** Milliseconds of silence of the primary after which the others elect another one. */
const ELECTION_TIMEOUT = 2_000
/** Milliseconds. */
const PATIENCE = 40_000

interface Node {
  readonly port: number
  /** The host:port by which the other nodes and the clients know it. */
  readonly host: string
  readonly folder: string
  server: MongoMemoryServer | undefined
}

export interface ReplicaSetOptions {
  readonly nodes: number
  /** A proxy before the node at `port`, as host:port; absent: none. */
  readonly behind?: (port: number) => Promise<string>
}

export class ReplicaSet {
  readonly #nodes: readonly Node[]

  private constructor(nodes: readonly Node[]) {
    this.#nodes = nodes
  }

  static async start({ nodes: count, behind }: ReplicaSetOptions): Promise<ReplicaSet> {
    const folder = newFolder()
    const nodes = await Promise.all(
      Array.from({ length: count }, (_, index) => newNode(join(folder, `${index}`), behind)),
    )
    const set = new ReplicaSet(nodes)
    await set.#startMissing()
    await commanded(nodes[0], {
      replSetInitiate: {
        _id: NAME,
        members: nodes.map(({ host }, _id) => ({ _id, host })),
        settings: { electionTimeoutMillis: ELECTION_TIMEOUT },
      },
    })
    await set.#whole()
    return set
  }

  /** The address of a database. */
  url(database: string): string {
    return `mongodb://${this.#nodes.map(({ host }) => host).join(',')}/${database}?replicaSet=${NAME}`
  }

  async kill(which: 'primary' | 'secondary' | 'all'): Promise<void> {
    await Promise.all((await this.#find(which)).map(kill))
  }

  /** Starts the nodes that are down, and waits until all work together. */
  async mend(): Promise<void> {
    await this.#startMissing()
    await this.#whole()
  }

  async stop(): Promise<void> {
    await this.kill('all')
  }

  /** An admin command to the primary. */
  async command(command: Document): Promise<void> {
    for (const node of await this.#find('primary')) await commanded(node, command)
  }

  async #find(which: 'primary' | 'secondary' | 'all'): Promise<readonly Node[]> {
    if (which === 'all') return this.#nodes
    const states = await Promise.all(this.#nodes.map(stateOf))
    const found = this.#nodes.find((_, index) => states[index] === which)
    if (found === undefined) throw new Error(`No node is ${which}: they are ${states.join(', ')}`)
    return [found]
  }

  async #startMissing(): Promise<void> {
    const missing = this.#nodes.filter(({ server }) => server === undefined)
    await Promise.all(missing.map(async (node) => (node.server = await started(node))))
  }

  async #whole(): Promise<void> {
    for (const deadline = Date.now() + PATIENCE; ; await sleep(100)) {
      const states = await Promise.all(this.#nodes.map(stateOf))
      if (states.includes('primary') && !states.includes('neither')) return
      if (Date.now() > deadline) throw new Error(`The nodes do not come together: they are ${states.join(', ')}`)
    }
  }
}

async function newNode(folder: string, behind: ReplicaSetOptions['behind']): Promise<Node> {
  mkdirSync(folder)
  const port = await freePort({ host: '127.0.0.1', port: 0 })
  return { port, host: (await behind?.(port)) ?? `127.0.0.1:${port}`, folder, server: undefined }
}

const started = ({ port, folder }: Node): Promise<MongoMemoryServer> =>
  MongoMemoryServer.create({
    instance: {
      port,
      portGeneration: false,
      dbPath: folder,
      replSet: NAME,
      storageEngine: 'wiredTiger',
      args: [...ARGUMENTS, ...PARAMETERS.flatMap((parameter) => ['--setParameter', parameter])],
      launchTimeout: PATIENCE,
    },
  })

async function kill(node: Node): Promise<void> {
  const mongod = node.server?.instanceInfo?.instance.mongodProcess
  node.server = undefined
  if (mongod === undefined) return
  const exited = once(mongod, 'exit')
  mongod.kill('SIGKILL')
  await exited
}

async function stateOf(node: Node): Promise<'primary' | 'secondary' | 'neither'> {
  if (node.server === undefined) return 'neither'
  const hello = await commanded(node, { hello: 1 }).catch((): Document => ({}))
  if (hello['isWritablePrimary'] === true) return 'primary'
  return hello['secondary'] === true ? 'secondary' : 'neither'
}

/** The response of the node itself, past any proxy. */
async function commanded(node: Node | undefined, command: Document): Promise<Document> {
  const address = `mongodb://127.0.0.1:${node?.port}/?directConnection=true&serverSelectionTimeoutMS=2000`
  const client = new MongoClient(address)
  try {
    return await client.db('admin').command(command)
  } finally {
    await client.close()
  }
}
