/** Shared by all test files of a run: its name, and a folder that is removed when the run ends. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderInMemory } from './memory-folder.ts'

/**
 * Bytes of memory for the folder, and for the tests beside it. Stores make many small files and write each commit through
 * to the disk, for which suites wait longer than they work.
 */
const MEMORY = 8 * 1024 ** 3

/** Called in Jest's main process, before it starts others. */
export function beginRun(): void {
  process.env['TEST_RUN'] = `emr-test-${process.pid}-${Date.now().toString(36)}`
  process.env['TEST_FOLDER'] = folderInMemory(MEMORY) ?? folderOnDisk()
}

function folderOnDisk(): string {
  const folder = join(tmpdir(), runName())
  mkdirSync(folder)
  return folder
}

export function endRun(): void {
  rmSync(runFolder(), { recursive: true, force: true })
}

/** Fit for the beginning of a database's name. */
export const runName = (): string => process.env['TEST_RUN'] ?? 'emr-test'

const runFolder = (): string => process.env['TEST_FOLDER'] ?? tmpdir()

/** A new folder within that of the run: in memory where that has room, else among the temporary files. */
export const newFolder = (): string => mkdtempSync(join(runFolder(), 'data-'))
