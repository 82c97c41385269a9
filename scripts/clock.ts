/**
 * `npm run check`: business rules go by the clock of the clinic (`ctx.now`, docs/clock.md), so only the files of ALLOWED read the
 * time of the machine. Prints each other place that does, and each entry that is no longer needed, and ends with 1.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

const MACHINE_TIME =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bDateTime\.(?:now|utc|local)\(\)|\brepository\.machineTime\b|\bwrittenAt\b/

/** Folders, with a slash at the end, and files of src, and what they need the time of the machine for. */
const ALLOWED: Readonly<Record<string, string>> = {
  'isolation/': 'deadlines, queues and the price of work',
  'storage/': 'deadlines, caches, leases, and the versions of MongoDB',
  'repository/': 'the one place where both clocks meet; versions, caches and turns',
  'record/': 'the audit trail and the journal',
  'http/': 'tokens, sessions, limits of rates, and when requests came',
  'main/': 'processes and threads',
  'admin-api/': 'sessions, streams, durations, and the clock of a clinic itself',
  'jobs/': 'when jobs wait, run and expire, which outlasts resets of the clock',
  'rehearsal/transfer/import-work.ts': 'the end of a step of an import, and deadlines',
  'rehearsal/generations/': 'when generations were filled, and when they and clones go',
  'rehearsal/runs/': 'when runs start and end',
  'rehearsal/reports/shared-links.ts': 'when links end that are given to others',
  'rehearsal/faults/answers.ts': 'Retry-After as a date, which a client reads by its clock',
  'content/': 'bytes that nothing refers to outlast resets of the clock',
  'clinics/accounts.ts': 'when accounts were changed, which ends sessions',
  'clinics/program-tokens.ts': 'when tokens were made and used, and when they end',
  'clinics/failed-attempts.ts': 'waits after failed attempts, which no clock of a clinic may end',
  'core/search-request.ts': '_lastUpdated=ap…',
  'fhir/new-id.ts': 'ids in the order in which they were made',
  'fhir/fhirpath/fhirpath.ts': 'the price of work',
  'fhir-api/metadata.ts': 'a cache',
  'fhir-api/bundle/references.ts': 'meta.lastUpdated of resources that are about to be written',
  'fhir-api/interactions/conditional.ts': 'meta.lastUpdated of resources that are about to be written',
  'operations/find/appointment-find.ts': 'meta.lastUpdated of proposals',
  'operations/merge/merge-job.ts': 'a turn of background work',
  'operations/duplicates/background-search.ts': 'a turn of background work',
  'availability/slot-generation.ts': 'a turn of background work',
  'integrations/outbound-request.ts': 'when requests to other systems were made, for the journal',
  'integrations/exchange.ts':
    'signatures of messages, and Retry-After as a date, which other systems read and write by their clocks',
  'events/binding-token.ts': 'when tokens end',
  'fhir-api/websocket.ts': 'how long a connection is silent or bound to nothing',
  'fhir-api/websocket-records.ts': 'the times of the journal and the audit trail',
  'events/delivery.ts': 'the end of a turn of deliveries',
  'events/dispatcher.ts': 'the end of a turn of comparisons',
  'events/watch.ts': 'the age of a test event, as of changes',
  'events/lifecycle.ts': 'how long other processes take to notice a Subscription, and the age of changes',
  'integrations/insurance.ts': 'the pause of a system that fails',
  'integrations/crm/salesforce.ts': 'a deadline',
  'calls/tool-runner.ts': 'the deadline of tool calls',
  'calls/session/replay.ts': 'how long a repeat waits for the process that runs the call',
  'calls/session/call-end.ts': 'the end of a call as its platform has reported it',
  'calls/session/signed-request.ts': 'signatures of requests',
}

/** Whether a line of code, comments left out, reads the time of the machine. */
const isReading = (line: string): boolean => !/^\s*(?:\/?\*|\/\/)/.test(line) && MACHINE_TIME.test(line)

const entryOf = (file: string): string | undefined =>
  Object.keys(ALLOWED).find((entry) => (entry.endsWith('/') ? file.startsWith(entry) : file === entry))

const reading = globSync('**/*.ts', { cwd: join(ROOT, 'src') })
  .sort()
  .flatMap((file) => {
    const lines = readFileSync(join(ROOT, 'src', file), 'utf8').split('\n')
    return lines.flatMap((line, index) => (isReading(line) ? [{ file, place: `src/${file}:${index + 1}`, line }] : []))
  })

const needed = new Set(reading.map(({ file }) => entryOf(file)))
const problems = [
  ...reading
    .filter(({ file }) => entryOf(file) === undefined)
    .map(
      ({ place, line }) => `${place}: ${line.trim()}\n  Use ctx.now, or name the file in ALLOWED of scripts/clock.ts.`,
    ),
  ...Object.keys(ALLOWED)
    .filter((entry) => !needed.has(entry))
    .map(
      (entry) => `scripts/clock.ts: ${entry} does not read the time of the machine any more; remove it from ALLOWED.`,
    ),
]

if (problems.length > 0) {
  console.log(problems.join('\n'))
  process.exitCode = 1
}
