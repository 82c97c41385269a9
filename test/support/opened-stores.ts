/**
 * The stores that a test file leaves to be closed: those that a test has opened after it (an open store works in the
 * background), those that were there before it at the end of the file.
 */
interface Closable {
  close(): Promise<void>
}

const opened: Closable[] = []
/** The number of stores opened before the current test. */
let lasting = 0

export function closeLater<Store extends Closable>(store: Store): Store {
  opened.push(store)
  return store
}

export function testBegins(): void {
  lasting = opened.length
}

export async function closeStoresOfTest(): Promise<void> {
  for (const store of opened.splice(lasting)) await store.close()
}

export async function closeAllStores(): Promise<void> {
  for (const store of opened.splice(0)) await store.close()
}
