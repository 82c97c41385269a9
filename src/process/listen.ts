/** Listens on a port, which several server processes may share. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'

type Address = Pick<Config, 'host' | 'port'>

/**
 * Listens and returns the port. A shared port is shared by the kernel (SO_REUSEPORT) or, when it does not support that,
 * by the cluster's primary process; docs/adr/006-several-processes.md says why.
 * @throws Error of the operating system, e.g. EADDRINUSE
 */
export async function listen(server: Server, { host, port }: Address, isShared = false): Promise<number> {
  try {
    await listening(server, { host, port, reusePort: isShared })
  } catch (error) {
    if (!isShared || !isUnsupported(error)) throw error
    await listening(server, { host, port })
  }
  return (server.address() as AddressInfo).port
}

/**
 * A port for processes that will share it: the configured one, or any free one. With SO_REUSEPORT the kernel lets any
 * server of the same user join a port, so a server that already listens there must be detected before.
 * @throws Error of the operating system, e.g. EADDRINUSE
 */
export async function freePort(address: Address): Promise<number> {
  const server = createServer()
  await listening(server, address)
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function listening(server: Server, address: Address & { readonly reusePort?: boolean }): Promise<void> {
  server.listen(address)
  await once(server, 'listening')
}

const isUnsupported = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTSUP' || error.code === 'EOPNOTSUPP')
