/** Gives the processes of a test run, over HTTP, an address that its main process learns while they run. */
import { createServer, type Server } from 'node:http'

/**
 * A server that is not listening yet. Each response closes its connection: an idle one would be closed after some
 * seconds, and a busy test file that has not noticed would send its next request on it in vain.
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
