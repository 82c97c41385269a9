/** A contact API for tests: it speaks the published wire format of a vendor, and refuses the same requests. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface VendorRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface VendorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Vendor {
  readonly url: string
  readonly requests: readonly VendorRequest[]
  /** Sets the response to the next request, whatever it is; 'silent': none. */
  readonly answerOnce: (answer: VendorAnswer | 'silent') => void
  readonly close: () => Promise<void>
}

/** @param respond gives the vendor's response to a request */
export async function startVendor(respond: (request: VendorRequest) => VendorAnswer): Promise<Vendor> {
  const requests: VendorRequest[] = []
  const given: (VendorAnswer | 'silent')[] = []
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await Array.fromAsync(incoming)).toString()
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
    requests.push(request)
    const answer = given.shift() ?? respond(request)
    if (answer === 'silent') return
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerOnce: (answer) => void given.push(answer),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The keys of an object; undefined for anything else. */
const keysOf = (value: unknown): readonly string[] | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : undefined

export const isOnlyOf = (value: unknown, known: readonly string[]): boolean =>
  keysOf(value)?.every((key) => known.includes(key)) ?? false

export function jsonOf(request: VendorRequest): unknown {
  if (request.headers['content-type'] !== 'application/json') return undefined
  try {
    return JSON.parse(request.body)
  } catch {
    return undefined
  }
}
