/** All hostile cases. A new feature comes with the request that could make it block other clinics. */
import { bodies } from './cases/bodies.ts'
import { bookings } from './cases/bookings.ts'
import { bundles } from './cases/bundles.ts'
import { calls } from './cases/calls.ts'
import { connections } from './cases/connections.ts'
import { documents } from './cases/documents.ts'
import { events } from './cases/events.ts'
import { jobs } from './cases/jobs.ts'
import { journal } from './cases/journal.ts'
import { mcp } from './cases/mcp.ts'
import { merges } from './cases/merges.ts'
import { pages } from './cases/pages.ts'
import { patches } from './cases/patches.ts'
import { rules } from './cases/rules.ts'
import { scheduling } from './cases/scheduling.ts'
import { searches } from './cases/searches.ts'
import { terminology } from './cases/terminology.ts'
import type { HostileCase } from './hostile-case.ts'

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...searches,
  ...pages,
  ...bodies,
  ...bundles,
  ...bookings,
  ...patches,
  ...rules,
  ...terminology,
  ...calls,
  ...connections,
  ...scheduling,
  ...merges,
  ...documents,
  ...journal,
  ...mcp,
  ...events,
  ...jobs,
]
