/** A wire between a client and a server of the loopback interface, that can be cut and mended. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/**
 * How it is cut. `silent`: nothing comes through, and neither side notices, as where packets are lost; the data comes
 * through when the wire is mended. `reset`: connections break off, and new ones too.
 */
export type Cut = 'silent' | 'reset'

export interface Wire {
  /** The near end, as host:port. */
  readonly host: string
  cut(how: Cut): void
  mend(): void
  end(): Promise<void>
}

export async function wireTo(port: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  let state: Cut | 'whole' = 'whole'
  const wire = createServer({ pauseOnConnect: true }, (near) => {
    if (state === 'reset') return void near.resetAndDestroy()
    const far = createConnection({ port, host: '127.0.0.1' })
    join(near, far, sockets)
    join(far, near, sockets)
    if (state === 'whole') for (const socket of [near, far]) socket.resume()
  })
  wire.listen(0, '127.0.0.1')
  await once(wire, 'listening')
  const breakOff = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    host: `127.0.0.1:${(wire.address() as AddressInfo).port}`,
    cut: (how) => {
      state = how
      if (how === 'reset') breakOff()
      else for (const socket of sockets) socket.pause()
    },
    mend: () => {
      state = 'whole'
      for (const socket of sockets) socket.resume()
    },
    end: async () => {
      breakOff()
      await new Promise((resolve) => wire.close(resolve))
    },
  }
}

/** Passes the data and the end of `from` to `to`, while `from` is not paused. */
function join(from: Socket, to: Socket, sockets: Set<Socket>): void {
  sockets.add(from)
  from.pause()
  from.on('data', (chunk) => to.write(chunk))
  from.on('error', () => to.destroy())
  from.on('close', () => {
    sockets.delete(from)
    to.destroy()
  })
}
