/**
 * Responds while the form of an older store is changed, before the server itself listens: balancers and supervisors learn
 * that the process lives and what it does. With MongoDB that may last, as indexes are built.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { Upgrade } from '../storage/index/upgrade.ts'
import { listen } from './listen.ts'

export class UpgradeNotice {
  readonly #address: Pick<Config, 'host' | 'port'>
  #server: Server | undefined

  constructor(address: Pick<Config, 'host' | 'port'>) {
    this.#address = address
  }

  /** @throws Error of the operating system, e.g. EADDRINUSE, before anything is changed */
  async show({ part, from, to }: Upgrade): Promise<void> {
    // Nobody knows a port that the system chooses.
    if (part !== 'form' || this.#address.port === 0) return
    const error = `the store is being brought up from version ${from} to ${to}`
    this.#server = createServer((request, response) => respond(request, response, error))
    await listen(this.#server, this.#address)
  }

  /** Frees the port. */
  async end(): Promise<void> {
    if (this.#server === undefined) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

function respond({ url }: IncomingMessage, response: ServerResponse, error: string): void {
  const isLive = url === '/health/live'
  const headers = { 'content-type': 'application/json', connection: 'close', ...(isLive ? {} : { 'retry-after': '5' }) }
  response.writeHead(isLive ? 200 : 503, headers)
  response.end(JSON.stringify(isLive ? { status: 'live' } : { status: 'unavailable', error, parts: [] }))
}
