/** How long a read waits while others write: a read every ten milliseconds, by a thread of its own, without and beside writers. */
import { setTimeout as pause } from 'node:timers/promises'
import { patientId } from './data-set.ts'
import { Watch } from './isolation/watch.ts'
import { measure, type Traffic } from './load.ts'
import { median } from './median.ts'
import type { ReadBesideWrites } from './report.ts'
import type { ServerProcess } from './server-process.ts'

const WRITERS = 16
const ROUNDS = 3

/** Measured in turns, so that other load on the machine affects both. */
export async function measureReadBesideWrites(
  server: ServerProcess,
  authorization: string,
  writes: Traffic,
  seconds: number,
): Promise<ReadBesideWrites> {
  const path = `/Patient/${patientId(1)}`
  const watch = new Watch({ url: server.url, pid: server.pid, path, authorization })
  const p99During = async (work: Promise<unknown>): Promise<number> => {
    const end = watch.start()
    await work
    return (await end()).reads.p99
  }
  const [alone, beside]: [number[], number[]] = [[], []]
  try {
    await p99During(pause(1_000))
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await p99During(pause(seconds * 1000)))
      beside.push(await p99During(measure(server, writes, { connections: WRITERS, seconds })))
    }
  } finally {
    await watch.stop()
  }
  return { alone: median(alone), beside: median(beside) }
}
