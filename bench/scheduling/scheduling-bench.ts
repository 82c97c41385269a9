/** Measures the scenarios of scheduling on a server of their own, whose store has 100,000 Slots, times the scale. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { logIn, progress, SETTLE, startServer, VOICE_SECRET } from '../emr.ts'
import type { ScenarioResult } from '../report.ts'
import type { Scenario } from '../scenario.ts'
import type { ServerProcess } from '../server-process.ts'
import { schedulingScenarios } from './scheduling-scenarios.ts'

const FILL = join(import.meta.dirname, 'fill-store.ts')

type Measure = (server: ServerProcess, chosen: readonly Scenario[]) => Promise<readonly ScenarioResult[]>

/** @param chosen names of scenarios; nothing is filled where none of them is one of scheduling */
export async function benchScheduling(
  folder: string,
  chosen: (name: string) => boolean,
  measure: Measure,
  scale: number,
): Promise<readonly ScenarioResult[]> {
  if (!schedulingScenarios({ authorization: '', voiceSecret: '' }).some(({ name }) => chosen(name))) return []
  return await withCalendars(folder, scale, async (server) => {
    await pause(SETTLE)
    const access = { authorization: await logIn(server.url), voiceSecret: VOICE_SECRET }
    return await measure(
      server,
      schedulingScenarios(access).filter(({ name }) => chosen(name)),
    )
  })
}

/** A server whose demo clinic has the calendars. */
export async function withCalendars<T>(
  folder: string,
  scale: number,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const file = join(folder, 'calendars.db')
  await fill(file, scale)
  const server = await startServer(`sqlite:${file}`)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** The server itself first writes the demo clinic, which it only does on an empty store. */
async function fill(file: string, scale: number): Promise<void> {
  progress(`Filling a store with ${100_000 * scale} Slots`)
  await (await startServer(`sqlite:${file}`)).stop()
  const child = spawn(process.execPath, [FILL, file, String(scale)], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${FILL} ended with code ${code}`)
}
