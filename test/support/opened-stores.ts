/** The stores that a test file has opened and leaves to be closed at its end. */
import type { ResourceStore } from '../../src/storage/port.ts'

const opened: ResourceStore[] = []

export function closeAtEnd(store: ResourceStore): ResourceStore {
  opened.push(store)
  return store
}

export async function closeTestStores(): Promise<void> {
  for (const store of opened.splice(0)) await store.close()
}
