/** Writes the file of the audit trail, and removes what is older than it is kept. Runs in a thread, or where the store is in memory. */
import { type AuditBlock, MILLISECONDS_PER_DAY, type Retention } from '../audit-port.ts'
import { AuditFile } from './audit-file.ts'

/** Milliseconds between two looks for what is too old. */
const REMOVE_EVERY = 3_600_000
/** Blocks that are removed in one commit. */
const REMOVED_AT_A_TIME = 100

export interface AuditFileOptions extends Retention {
  /** A file, or ':memory:'. */
  readonly path: string
}

export class AuditWriter {
  readonly file: AuditFile
  readonly #days: number
  #timer: NodeJS.Timeout | undefined

  /** @throws StoreUnavailable when the file cannot be opened */
  constructor({ path, days }: AuditFileOptions) {
    this.file = new AuditFile(path, 'write')
    this.#days = days
    this.#removeAfter(0)
  }

  /** @throws StoreUnavailable */
  write(blocks: readonly AuditBlock[]): void {
    this.file.write(blocks)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.file.close()
  }

  #removeAfter(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#removeAfter(this.#removeSome() ? 0 : REMOVE_EVERY), milliseconds).unref()
  }

  /** @returns whether there is more to remove now */
  #removeSome(): boolean {
    try {
      return this.file.removeBefore(Date.now() - this.#days * MILLISECONDS_PER_DAY, REMOVED_AT_A_TIME)
    } catch {
      // It is tried again after a while; a disk that cannot be written shows in the writes of events.
      return false
    }
  }
}
