/** The audit trail in a SQLite file of its own: one table of blocks. */
import {
  type AuditBlock,
  type AuditPage,
  type AuditScan,
  type AuditStore,
  keyAt,
  MILLISECONDS_PER_DAY,
  type Retention,
  type StoredBlock,
} from '../audit-port.ts'
import type { SideKind } from './side-store.ts'
import { openSideStore, SideFile, type SideFileForm, type SideFileOptions } from './side-store.ts'

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

const FORM: SideFileForm = { name: 'audit trail', steps: [TABLE], cache: 1024 }

/** Milliseconds between two removals of old blocks, and the blocks removed in one commit. */
const REMOVE_EVERY = 3_600_000
const REMOVED_AT_A_TIME = 100

type BlockRow = readonly [key: string, first: number, events: string]
type ScannedRow = readonly [key: string, first: number, events: string | null]

/** Removes events past their retention. */
class AuditFile extends SideFile<readonly AuditBlock[]> {
  readonly #days: number

  constructor(options: SideFileOptions, { days }: Retention) {
    super(options, FORM)
    this.#days = days
  }

  write(blocks: readonly AuditBlock[]): void {
    this.change((db) => {
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
    const rows = this.query((db) =>
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
    const row = this.query((db) =>
      db.get<BlockRow>('SELECT key, first, events FROM block WHERE clinic = ? AND key = ?', clinic, key),
    )
    return row && { key: row[0], first: row[1], events: row[2] }
  }

  removeSome(now: number): boolean {
    return this.change((db) => {
      const rows = db.all<readonly [number]>(
        'SELECT rowid FROM block WHERE first < ? ORDER BY first LIMIT ?',
        now - this.#days * MILLISECONDS_PER_DAY,
        REMOVED_AT_A_TIME,
      )
      for (const [row] of rows) db.run('DELETE FROM block WHERE rowid = ?', row)
      return rows.length === REMOVED_AT_A_TIME
    })
  }
}

export const auditFile = (retention: Retention): SideKind<readonly AuditBlock[], AuditFile> => ({
  ...{ name: FORM.name, ending: 'audit', removeEvery: REMOVE_EVERY },
  open: (options) => new AuditFile(options, retention),
})

const NOTHING: AuditPage = { blocks: [] }

/**
 * @param path of the file of the resources, or ':memory:'
 * @param onNotice receives notices for the server's log
 */
export function openSqliteAuditStore(
  path: string,
  retention: Retention,
  onNotice: (notice: string) => void,
): AuditStore {
  const { read, ...store } = openSideStore(auditFile(retention), path, { kind: 'audit', ...retention }, onNotice)
  return {
    ...store,
    scan: async (scan) => (await read((file) => file.scan(scan))) ?? NOTHING,
    read: (clinic, key) => read((file) => file.read(clinic, key)),
  }
}
