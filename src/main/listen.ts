/** Listens on a port, which several server processes may share. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'

type Address = Pick<Config, 'host' | 'port'>

/** Connections that wait to be accepted. Beyond Node's 511, a client that is refused one tries again after a second. */
const BACKLOG = 4_096

/**
 * Listens and returns the port. In a worker the socket is that of the primary process: the workers share it, and each
 * takes a connection from it when its event loop gets there; docs/adr/006-several-processes.md says why.
 * @throws Error of the operating system, e.g. EADDRINUSE
 */
export async function listen(server: Server, { host, port }: Address): Promise<number> {
  server.listen({ host, port, backlog: BACKLOG })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/**
 * A port for processes that will share it: the configured one, or any free one. That another server listens there
 * already is known before the first worker starts.
 * @throws Error of the operating system, e.g. EADDRINUSE
 */
export async function freePort(address: Address): Promise<number> {
  const server = createServer()
  const port = await listen(server, address)
  server.close()
  await once(server, 'close')
  return port
}
