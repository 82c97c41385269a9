/** Builds the dashboard where that has not been done, in a process of its own, without waiting for it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { BuildFolder } from '../admin-api/dashboard/build-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/dashboard.ts')

export function buildDashboard(logger: Logger): void {
  const builds = new BuildFolder()
  if (builds.isBuilt) return
  const obstacle = builds.obstacle()
  if (obstacle !== undefined) {
    logger.warn(`the dashboard is not built: ${obstacle}`)
    return
  }
  const child = spawn(process.execPath, [SCRIPT, '--in-background'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  child.on('error', ({ message }) => logger.error({ reason: message }, 'the dashboard could not be built'))
  child.on('close', (code) => {
    if (code === 0) logger.info('the dashboard has been built')
    else if (code !== null) logger.error({ reason: output.slice(0, 2000) }, 'the dashboard could not be built')
  })
  // The build ends by itself; the server need not wait for it.
  child.unref()
}
