/** Shared by all test files of a run: its name, and a folder that is removed when the run ends. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Called in Jest's main process, before it starts others. */
export function beginRun(): void {
  process.env['TEST_RUN'] = `emr-test-${process.pid}-${Date.now().toString(36)}`
  mkdirSync(runFolder())
}

export function endRun(): void {
  rmSync(runFolder(), { recursive: true, force: true })
}

/** Fit for the beginning of a database's name. */
export const runName = (): string => process.env['TEST_RUN'] ?? 'emr-test'

const runFolder = (): string => join(tmpdir(), runName())

/** A new folder within that of the run. */
export const newFolder = (): string => mkdtempSync(join(runFolder(), 'data-'))
