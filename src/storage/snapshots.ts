/** The open snapshots of a store: each ends when it is closed, when the store is, or by itself after a while. */
import { SNAPSHOT_LASTS, type StoreSnapshot } from './port.ts'
import { SnapshotEnded } from './store-errors.ts'

export class Snapshots {
  readonly #lasts: number
  readonly #open = new Set<StoreSnapshot>()

  /** @param lasts milliseconds */
  constructor(lasts: number = SNAPSHOT_LASTS) {
    this.#lasts = lasts
  }

  /** The same snapshot, limited in time. */
  add(snapshot: StoreSnapshot): StoreSnapshot {
    const timer = setTimeout(() => void limited.close(), this.#lasts).unref()
    const reading = async <T>(read: () => Promise<T>): Promise<T> => {
      if (!this.#open.has(limited)) throw new SnapshotEnded()
      return await read()
    }
    const limited: StoreSnapshot = {
      scanVersions: (scan) => reading(() => snapshot.scanVersions(scan)),
      scanRecords: (scan) => reading(() => snapshot.scanRecords(scan)),
      close: async () => {
        clearTimeout(timer)
        if (this.#open.delete(limited)) await snapshot.close()
      },
    }
    this.#open.add(limited)
    return limited
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((snapshot) => snapshot.close()))
  }
}
