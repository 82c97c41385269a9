/** A clinic's insurance-verification system for tests: it records requests, and responds as a test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Question {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface SystemAnswer {
  /** 200 where it is absent. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text as it is, anything else as JSON. */
  readonly body?: unknown
}

/** 'silent': no response; 'cut': the connection breaks off. */
export type SystemBehaviour = SystemAnswer | 'silent' | 'cut'

export interface InsuranceSystem {
  readonly url: string
  readonly asked: readonly Question[]
  /** Sets the response from now on. */
  readonly answer: (told: SystemBehaviour) => void
  readonly keys: () => readonly string[]
  readonly close: () => Promise<void>
}

export const TOKEN = 'token-of-the-clinic'

/** Starts the system, which responds 401 to requests without TOKEN. */
export async function startSystem(first: SystemBehaviour = { body: { status: 'VERIFIED' } }): Promise<InsuranceSystem> {
  const asked: Question[] = []
  let told = first
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    asked.push({ path: request.url ?? '', headers: request.headers, body })
    if (told === 'silent') return
    if (told === 'cut') return void request.socket.destroy()
    if (request.headers.authorization !== `Bearer ${TOKEN}` && request.headers['x-api-key'] !== TOKEN)
      return void response.writeHead(401).end('{"status":"VERIFIED"}')
    const { status = 200, headers = {}, body: text = '' } = told
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof text === 'string' ? text : JSON.stringify(text))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/verify`,
    asked,
    answer: (next) => {
      told = next
    },
    keys: () => [...new Set(asked.map(({ headers }) => String(headers['idempotency-key'])))],
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
