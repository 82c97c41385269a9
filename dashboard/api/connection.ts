/** Whether the server responds. If not, it is polled until it does, and then all data shown is fetched anew. */
import { addressOf } from './address.ts'

const ASK_EVERY = 1500

let isLost = false
let isAsking = false
const listeners = new Set<() => void>()

export const isConnectionLost = (): boolean => isLost

export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** @param isThere it has responded, and not with an error that says it is unavailable */
export function heardFrom(isThere: boolean): void {
  if (isThere === !isLost) return
  isLost = !isThere
  for (const listener of listeners) listener()
  if (isLost) void askUntilThere()
}

async function askUntilThere(): Promise<void> {
  if (isAsking) return
  isAsking = true
  while (isLost) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY))
    const isReady = await fetch(addressOf('health/ready')).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) heardFrom(true)
  }
  isAsking = false
}
