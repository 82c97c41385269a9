/**
 * The SQLite file of the audit trail: one table of blocks, and one connection, either for writing or for reading only.
 */
import { type AuditBlock, type AuditPage, type AuditScan, keyAt, type StoredBlock } from '../audit-port.ts'
import { SideFile, type SideFileForm } from './side-file.ts'

/** `patients` has a line break before and after each id. */
const TABLE = `
  CREATE TABLE block (
    clinic TEXT NOT NULL,
    key TEXT NOT NULL,
    first INTEGER NOT NULL,
    patients TEXT NOT NULL,
    events TEXT NOT NULL,
    UNIQUE (clinic, key)
  ) STRICT;
  CREATE INDEX block_by_time ON block (first);
`

const FORM: SideFileForm = { what: 'The audit trail', steps: [TABLE], cache: 1024 }

type BlockRow = readonly [key: string, first: number, events: string]
type ScannedRow = readonly [key: string, first: number, events: string | null]

export class AuditFile {
  readonly #file: SideFile

  /** @throws StoreUnavailable when the file cannot be opened, OtherForm when it has other tables */
  constructor(path: string, use: 'write' | 'read') {
    this.#file = new SideFile(path, use, FORM)
  }

  /** False for a file in which nothing was ever written. */
  get hasTables(): boolean {
    return this.#file.hasTables
  }

  /** @throws StoreUnavailable */
  write(blocks: readonly AuditBlock[]): void {
    this.#file.write((db) => {
      for (const { clinic, key, first, patients, events } of blocks) {
        const lines = patients.length === 0 ? '' : `\n${patients.join('\n')}\n`
        // The block exists already when a write of unknown outcome was repeated.
        db.run('INSERT OR IGNORE INTO block VALUES (?, ?, ?, ?, ?)', clinic, key, first, lines, events)
      }
    })
  }

  /** @throws StoreUnavailable */
  scan({ clinic, order, from, to, after, patient, limit }: AuditScan): AuditPage {
    const descending = order === 'newest first'
    const rows = this.#file.read((db) =>
      db.all<ScannedRow>(
        `SELECT key, first, CASE WHEN ?1 = '' OR instr(patients, ?1) > 0 THEN events END FROM block
         WHERE clinic = ?2 AND key >= ?3 AND key < ?4 ORDER BY key ${descending ? 'DESC' : 'ASC'} LIMIT ?5`,
        patient === undefined ? '' : `\n${patient}\n`,
        clinic,
        after === undefined || descending ? keyAt(from) : `${after}\u0000`,
        after === undefined || !descending ? keyAt(to + 1) : after,
        limit,
      ),
    )
    const blocks = rows.flatMap(([key, first, events]) => (events === null ? [] : [{ key, first, events }]))
    const last = rows.at(-1)
    return { blocks, ...(last === undefined || rows.length < limit ? {} : { next: last[0] }) }
  }

  /** @throws StoreUnavailable */
  read(clinic: string, key: string): StoredBlock | undefined {
    const row = this.#file.read((db) =>
      db.get<BlockRow>('SELECT key, first, events FROM block WHERE clinic = ? AND key = ?', clinic, key),
    )
    return row && { key: row[0], first: row[1], events: row[2] }
  }

  /**
   * Removes a few of the blocks that begin before a time, so that others can write between calls.
   * @returns whether there may be more
   * @throws StoreUnavailable
   */
  removeBefore(time: number, limit: number): boolean {
    return this.#file.write((db) => {
      const rows = db.all<readonly [number]>(
        'SELECT rowid FROM block WHERE first < ? ORDER BY first LIMIT ?',
        time,
        limit,
      )
      for (const [row] of rows) db.run('DELETE FROM block WHERE rowid = ?', row)
      return rows.length === limit
    })
  }

  close(): void {
    this.#file.close()
  }
}
