/** A single connection to a server, which measures response times. */
import { Agent, type IncomingMessage, request } from 'node:http'
import type { HttpRequest } from '../load.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  /** From sending to the end of the response. */
  readonly milliseconds: number
}

export interface Client {
  /** @throws Error when the status is not 200 */
  get(path: string): Promise<Answer>
  /** Accepts any status. */
  send(request: HttpRequest): Promise<Answer>
  close(): void
}

/** @param headers default headers of all requests */
export function openClient(url: string, headers: Readonly<Record<string, string>>): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (outgoing: HttpRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      const { method, path, body } = outgoing
      const options = { agent, method, headers: { ...headers, ...outgoing.headers } }
      request(`${url}${path}`, options, (response) => read(response, started).then(resolve, reject))
        .on('error', reject)
        .end(body)
    })
  return {
    send,
    get: async (path) => {
      const answer = await send({ method: 'GET', path })
      if (answer.status !== 200) throw new Error(`${path} is answered ${answer.status}: ${answer.text.slice(0, 500)}`)
      return answer
    },
    close: () => agent.destroy(),
  }
}

async function read(response: IncomingMessage, started: number): Promise<Answer> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  const milliseconds = performance.now() - started
  return { status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString(), milliseconds }
}
