/**
 * A clinic's CRM (POST /crm) and insurance-verification system (POST /insurance) that respond after 50 ms, as a process
 * of
 * its own.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { FAR_MILLISECONDS } from './far-time.ts'

const VERIFIED = JSON.stringify({ status: 'VERIFIED', copayCents: 2500 })

const server = createServer((request, response) => {
  request.resume()
  request.once('end', async () => {
    await pause(FAR_MILLISECONDS)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.url === '/insurance' ? VERIFIED : '{}')
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => process.exit(0))
