/** The two stores: SQLite files with the data set and fifty times as much, filled without HTTP. */
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { resourceTypes } from '../../src/fhir/definitions.ts'
import { extraction } from '../../src/search/index/versions.ts'
import { startServer } from '../emr.ts'

const FILL = join(import.meta.dirname, 'fill-store.ts')

/**
 * A file in `folder` with the data set times `scale`; changes to it are lost at the end.
 * @param kept folder in which filled files are kept for later runs; absent: they are not kept
 */
export async function storeAt(scale: number, folder: string, kept?: string): Promise<string> {
  const file = join(folder, `growth-${scale}.db`)
  if (kept === undefined) {
    await fill(file, scale)
    return file
  }
  const original = join(kept, `bench-growth-${scale}-${indexVersion()}.db`)
  if (!existsSync(original)) {
    await fill(file, scale)
    renameSync(file, original)
  }
  copyFileSync(original, file)
  return file
}

/** The name changes when this server would have to reindex the store. */
function indexVersion(): string {
  const { version, parametersOf } = extraction('')
  const parameters = resourceTypes.map((type) => [type, ...parametersOf(type)])
  return hash('sha256', JSON.stringify([version, parameters])).slice(0, 8)
}

/** The server itself first writes the demo clinic and accounts, which it only does on an empty store. */
async function fill(file: string, scale: number): Promise<void> {
  const server = await startServer(`sqlite:${file}`)
  await server.stop()
  const child = spawn(process.execPath, [FILL, file, String(scale)], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${FILL} ended with code ${code}`)
}
