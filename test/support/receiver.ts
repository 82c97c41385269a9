/** A web server that records requests and has scripted responses: a CRM for tests. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Sets status and headers of the responses from now on; 'silent' sends none. */
  readonly answer: (status: number | 'silent', headers?: Readonly<Record<string, string>>, body?: string) => void
  readonly close: () => Promise<void>
}

interface Reply {
  readonly status: number | 'silent'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let reply: Reply = { status: 204, headers: {}, body: '' }
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
    if (reply.status !== 'silent') response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (status, headers = {}, body = '') => {
      reply = { status, headers, body }
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
