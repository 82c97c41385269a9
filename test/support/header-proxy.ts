/** A server in front of another one, which adds headers to each request: for clients that can set none. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

interface HeaderProxy {
  readonly url: string
  readonly close: () => Promise<void>
}

export async function addHeaders(to: string, headers: Readonly<Record<string, string>>): Promise<HeaderProxy> {
  const server = createServer((received, response) => {
    const options = { method: received.method, headers: { ...received.headers, ...headers } }
    const sent = request(new URL(received.url ?? '/', to), options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    received.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
