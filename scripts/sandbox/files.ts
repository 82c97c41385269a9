/** Files that a command writes, where the person is who has typed it. */
import { accessSync, constants, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from './arguments.ts'

/** npm runs a script in the folder of its package, and says here where it was called. */
const { npm_lifecycle_event: script, INIT_CWD: calledIn } = process.env

/** The folder in which the command was typed. */
export const HERE = script === 'sandbox' && calledIn ? calledIn : process.cwd()

/** Asked before the work, so that its result is not lost for a slip of the pen. @throws UsageError where it can't be written */
export function requireWritable(file: string): void {
  try {
    accessSync(dirname(resolve(HERE, file)), constants.W_OK)
  } catch {
    throw new UsageError(`${file} cannot be written: there is no folder ${dirname(resolve(HERE, file))} to write to`)
  }
}

/** @throws UsageError where it can't be written */
export function writeHere(file: string, text: string): void {
  try {
    writeFileSync(resolve(HERE, file), text)
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}
