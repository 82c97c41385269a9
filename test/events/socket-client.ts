/** A client of the websocket of Subscriptions. */
import { WebSocket } from 'ws'
import { eventually } from './support.ts'

export class SocketClient {
  readonly socket: WebSocket
  readonly texts: string[] = []
  closed: { readonly code: number; readonly reason: string } | undefined

  constructor(url: string, headers: Record<string, string> = {}, at = '/websocket') {
    this.socket = new WebSocket(url.replace('http', 'ws') + at, { headers })
    this.socket.on('message', (data) => this.texts.push(String(data)))
    this.socket.on('close', (code, reason) => {
      this.closed ??= { code, reason: String(reason) }
    })
    this.socket.on('error', (error) => {
      this.closed = { code: 0, reason: error.message }
    })
  }

  async say(text: string | Buffer): Promise<void> {
    await eventually(() => this.socket.readyState === WebSocket.OPEN || undefined, 'an open socket')
    this.socket.send(text)
  }

  next = (count = 1): Promise<readonly string[]> =>
    eventually(() => (this.texts.length >= count ? this.texts : undefined), `${count} messages: ${this.texts.join()}`)

  end = (): Promise<{ readonly code: number; readonly reason: string }> =>
    eventually(() => this.closed, 'the end of the socket')
}

export const bearer = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` })

/** The binding token for these Subscriptions. */
export async function bindingToken(
  {
    fhir,
  }: { readonly fhir: (method: string, path: string) => Promise<{ readonly status: number; readonly body: unknown }> },
  ids: readonly string[],
): Promise<string> {
  const { status, body } = await fhir(
    'GET',
    `/Subscription/$get-ws-binding-token?${ids.map((id) => `id=${id}`).join('&')}`,
  )
  if (status !== 200) throw new Error(JSON.stringify(body))
  const { parameter } = body as {
    readonly parameter: readonly { readonly name: string; readonly valueString?: string }[]
  }
  return parameter.find(({ name }) => name === 'token')?.valueString ?? ''
}
