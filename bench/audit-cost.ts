/** What the audit trail costs a read: processor time of two servers of one store, with and without it. */
import { logIn, startServer } from './emr.ts'
import { median } from './growth/growth-bench.ts'
import { measure, type Traffic } from './load.ts'
import type { AuditCost } from './report.ts'

const CONNECTIONS = 16
/** The difference is small, so it takes many. */
const ROUNDS = 15

/**
 * In turns, so that other load on the machine affects both.
 * @param readsBy the reads, with the `Authorization` of a session
 */
export async function measureAuditCost(
  databaseUrl: string,
  readsBy: (authorization: string) => Traffic,
  seconds: number,
): Promise<AuditCost | undefined> {
  const servers = [await startServer(databaseUrl, { AUDIT: 'off' }), await startServer(databaseUrl, { AUDIT: 'on' })]
  const cpu: (readonly [without: number, beside: number])[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [without, beside] = await Promise.all(
        servers.map(async (server) => ({ server, traffic: readsBy(await logIn(server.url)) })),
      )
      if (without === undefined || beside === undefined) return undefined
      const load = { connections: CONNECTIONS, seconds }
      const cpuOf = async ({ server, traffic }: typeof without) => (await measure(server, traffic, load)).cpuPerRequest
      const isTurned = round % 2 === 1
      const [first, second] = isTurned ? [beside, without] : [without, beside]
      const [one, other] = [await cpuOf(first), await cpuOf(second)]
      if (one === undefined || other === undefined) return undefined
      cpu.push(isTurned ? [other, one] : [one, other])
    }
  } finally {
    for (const server of servers) await server.stop()
  }
  return { without: median(cpu.map(([without]) => without)), beside: median(cpu.map(([, beside]) => beside)) }
}
