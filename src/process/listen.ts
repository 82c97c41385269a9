/** Where a server process listens: alone at its port, or at one that several share. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'

type Address = Pick<Config, 'host' | 'port'>

/**
 * The port. One that is shared is shared by the kernel (SO_REUSEPORT); where there is none that does, by the process
 * that has started this one. docs/adr/006-several-processes.md says why.
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
 * A port for processes that will share it: the configured one, or any. As a kernel that shares ports lets every server
 * of this user join in, one that listens there already has to be found out before.
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
