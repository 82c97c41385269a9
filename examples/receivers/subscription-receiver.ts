/**
 * A receiver of notifications of Subscriptions (docs/subscriptions.md): it verifies each signature, drops repeats, and prints
 * what it is told. `EVENT_SECRET=whsec_… node examples/receivers/subscription-receiver.ts 4000`
 */
import { createServer, type IncomingMessage } from 'node:http'
import { Webhook } from 'standardwebhooks'

const { EVENT_SECRET: secret, HOST: host = '127.0.0.1' } = process.env
const port = Number(process.argv[2] ?? 4000)
if (secret === undefined) throw new Error('Set EVENT_SECRET to the eventSecret of the clinic')
const webhook = new Webhook(secret)

/** The ids of notifications that have been carried out; a receiver of its own keeps them where it keeps its data. */
const done = new Set<string>()

/** An empty body is signed too, though it is no JSON. @throws WebhookVerificationError */
function verify(body: string, headers: IncomingMessage['headers']): void {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]))
  webhook.verify(body, signed, { jsonParse: false })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request)).toString()
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request)
  const id = String(request.headers['webhook-id'])
  try {
    verify(body, request.headers)
  } catch {
    console.log(`refused ${id}: it is not signed by the clinic`)
    response.writeHead(401).end()
    return
  }
  if (done.has(id)) console.log(`repeat ${id}`)
  else console.log(`${request.method} ${request.url} ${id} ${body}`)
  done.add(id)
  // The next event comes after this response only: what takes long is put into a queue.
  response.writeHead(204).end()
})
server.listen(port, host, () => {
  const address = server.address()
  console.log(`listens at http://${host}:${typeof address === 'object' ? address?.port : port}/`)
})
