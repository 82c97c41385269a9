/** The request of an exchange to take along: as curl, in JavaScript or in Python. Secrets stand for themselves by name. */
import { addressOf } from '../../api/address.ts'
import type { WholeExchange } from '../../api/exchanges.ts'
import { fetchSnippet, pythonSnippet, type SentRequest } from '../../api/snippets.ts'
import { ActionList } from '../../parts/action-list.tsx'
import { copyText } from '../../parts/copy.tsx'

export function CopyMenu({ exchange }: { readonly exchange: WholeExchange }) {
  const { curl } = exchange
  if (exchange.direction === 'out') return null
  const sent = sentOf(exchange)
  const copies = [
    ...(curl === undefined ? [] : [{ name: 'curl', text: curl }]),
    { name: 'fetch', text: fetchSnippet(sent) },
    { name: 'Python', text: pythonSnippet(sent) },
  ]
  const actions = copies.map(({ name, text }) => ({
    label: name,
    run: () => void copyText(text, `The ${name} is copied; $TOKEN and $BASE stand for yours.`),
  }))
  return <ActionList label="Copy as…" icon="copy" actions={actions} />
}

/** Headers that the sending library sets. */
const OWN = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'user-agent'])
/** Variables in the place of what the journal has taken out. */
const SECRETS: Readonly<Record<string, string>> = {
  authorization: 'Bearer $TOKEN',
  'x-voice-secret': '$VOICE_SECRET',
}

const isLeftOut = (name: string, value: string): boolean =>
  OWN.has(name) || /^(sec-|x-forwarded-)/.test(name) || (value.includes('[removed]') && SECRETS[name] === undefined)

function sentOf({ method, address, request }: WholeExchange): SentRequest {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    isLeftOut(name, value) ? [] : [[name, SECRETS[name] ?? value] as const],
  )
  return {
    method,
    url: addressOf(address.slice(1)).href,
    headers: Object.fromEntries(headers),
    body: request.body?.text,
  }
}
