/**
 * A receiver of notifications as a process of its own: it says on its channel what it gets, and fails as often as it is told.
 * Started with the port that it listens on, or with 0.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The share of requests that fail. */
let failing = 0
process.on('message', (share: number) => {
  failing = share
})

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  const chance = Math.random()
  if (chance < failing / 3) {
    request.socket.destroy()
    return
  }
  if (chance < failing) {
    response.writeHead(503).end()
    return
  }
  process.send?.({ path: request.url, event: request.headers['webhook-id'], body: JSON.parse(body) }, () => {
    // Lost on the way back as often.
    if (Math.random() < failing / 3) request.socket.destroy()
    else response.writeHead(204).end()
  })
})
const port = Number(process.argv[2])
server.listen(port, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
