/** One connection to a server, and how long each answer takes. */
import { Agent, type IncomingMessage, request } from 'node:http'
import type { HttpRequest } from '../load.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  /** From sending to the end of the answer. */
  readonly milliseconds: number
}

export interface Client {
  /** @throws Error when the answer is another than 200 */
  get(path: string): Promise<Answer>
  /** Whatever the answer is. */
  send(request: HttpRequest): Promise<Answer>
  close(): void
}

/** @param headers of every request that has not its own */
export function openClient(url: string, headers: Readonly<Record<string, string>>): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (wanted: HttpRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      const { method, path, body } = wanted
      const options = { agent, method, headers: { ...headers, ...wanted.headers } }
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
