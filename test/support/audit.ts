/** The audit trail of a server's database, read beside the server. */
import { pino } from 'pino'
import { openAuditStore } from '../../src/main/open-store.ts'
import { AuditTrail } from '../../src/record/audit/trail.ts'
import { TrailReader } from '../../src/record/audit/trail-reader.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'

export const SILENT = pino({ level: 'silent' })

/** As AuditEvents, the oldest first. @param clinic SERVICE: those that belong to no clinic */
export async function eventsIn(databaseUrl: string, clinic = SERVICE): Promise<readonly object[]> {
  const trail = new AuditTrail({ store: await openAuditStore(databaseUrl, { days: 90 }, SILENT), logger: SILENT })
  try {
    const reader = new TrailReader(trail, clinic, 'http://127.0.0.1')
    const { events } = await reader.search({ where: [], order: 'oldest first', count: 1_000 })
    return events.map(({ resource }) => resource.resource)
  } finally {
    await trail.close()
  }
}
