/** A receiver of notifications as a process of its own: it says on its channel what it gets, and fails as often as it is told. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The share of requests that fail, and a seed for which of them. */
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
  const { id, meta } = JSON.parse(body)
  process.send?.({ id, version: Number(meta.versionId), event: request.headers['webhook-id'] }, () => {
    // Lost on the way back as often.
    if (Math.random() < failing / 3) request.socket.destroy()
    else response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
