/** How the processes of a test run ask its main process for an address that becomes known while they run: over HTTP. */
import { createServer, type Server } from 'node:http'

/**
 * Not listening yet. Each answer ends its connection. Else one that is idle is closed after some seconds, and a test file
 * that has been busy for longer, so that it has not seen the end, would ask on it in vain.
 */
export const holderOf = (address: () => Promise<string>): Server =>
  createServer((_request, response) => {
    response.setHeader('connection', 'close')
    address().then(
      (known) => response.end(known),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })

/** @throws Error saying why there is none */
export async function heldAddress(holder: string): Promise<string> {
  const response = await fetch(holder)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
