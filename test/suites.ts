/**
 * Which suites run in which tier, on which engine, and beside which: jest.config.js and test/jest read it here.
 *
 * The short tier is `npm test`: all suites but those in LONG, those that keep data in a store on SQLite, and the contract
 * of a store on MongoDB. The long tier (`npm run test:long`) has the suites in LONG, those in RANDOM once more, with all
 * their cases, and on MongoDB the suites whose outcome depends on the engine and one suite of each other room (SMOKE).
 * The full tier (`npm run test:full`) has all other suites with a store on MongoDB: it is run before a release.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

export type Tier = 'short' | 'long' | 'full'
export type Project = 'once' | 'sqlite' | 'mongodb'

/** Suites that are too long for every change. */
const LONG = suites(
  'test/dashboard/browser/*.test.ts',
  'test/{events/{backport-kit,burst,outage},jobs/bulk-kit}.test.ts',
  'test/faults/*.test.ts',
  'test/fhir/xml/official.test.ts',
  'test/process/*.test.ts',
  'test/rehearsal/{plans/bad-clients,runs/many-exchanges}.test.ts',
  'test/rehearsal/scenarios/synthetic-thousand.test.ts',
  'test/{fhir-api/custom-search-servers,http/large-answers,http/mcp-conformance,voice-api/same-record}.test.ts',
  'test/scripts/{clinic,copy}.test.ts',
  'test/storage/migrations.test.ts',
)

/** Suites of many cases: a few in the short tier, all in the long and the full one (support/random-runs.ts). */
const RANDOM = suites(
  'test/calls/session/identity-random.test.ts',
  'test/fhir/xml/generated.test.ts',
  'test/matching/properties.test.ts',
  'test/rehearsal/generations/clones.test.ts',
  'test/booking/{model,race}.test.ts',
  'test/fhir-api/absent-values.test.ts',
  'test/http/observers/known-secrets.test.ts',
  'test/search/random-searches.test.ts',
  'test/storage/random.test.ts',
  'test/storage/same-answers.test.ts',
)

/** The contract that each engine passes. */
const CONTRACT = suites('test/storage/{sqlite,mongo}-store.test.ts')

/**
 * Suites with a store whose outcome depends on the engine: searches, conflicts, transactions. Everything else that suites
 * need of a store is tested on each engine by test/storage (contract/coverage.ts).
 */
const STORE_SENSITIVE = suites(
  'test/booking/{model,race,reserved-time}.test.ts',
  'test/core/{group-members,patient-linkage}.test.ts',
  'test/repository/*.test.ts',
  'test/fhir-api/bundle/conditional-entries.test.ts',
  'test/fhir-api/interactions/conditional.test.ts',
  'test/http/tenancy.test.ts',
  'test/search/random-searches.test.ts',
  'test/storage/*.test.ts',
  'test/content/contents.test.ts',
  'test/jobs/{export-meanwhile,resets-meanwhile,turns}.test.ts',
)

/** A suite of each room that STORE_SENSITIVE does not go through, as its users do, on MongoDB too. */
const SMOKE = suites(
  'test/admin-api/accounts.test.ts',
  'test/availability/slot-generation.test.ts',
  'test/calls/tools/book-appointment.test.ts',
  'test/clinics/login-limit.test.ts',
  'test/documents/rules.test.ts',
  'test/events/{backport,changed,burst,email,failures,faults,kept-events,lifecycle,outage}.test.ts',
  'test/events/{rest-hook,rights,topic-events,topic-operations,websocket,websocket-ends}.test.ts',
  'test/fhir-api/{crud,mcp}.test.ts',
  'test/integrations/outbox/outbox.test.ts',
  'test/jobs/{export,respond-async}.test.ts',
  'test/operations/patient-match.test.ts',
  'test/process/killed-{bookings,events,exports,requests,resets}.test.ts',
  'test/providers/document-reference.test.ts',
  'test/record/journal/journal.test.ts',
  'test/rehearsal/{faults/each-fault,generations/snapshots,runs/{belonging,many-exchanges},scenarios/load-scenario,transfer/transfer}.test.ts',
  'test/{process/killed-imports,rehearsal/transfer/bulk-import}.test.ts',
  'test/scripts/copy.test.ts',
  'test/voice-api/tools.test.ts',
)

/** Suites about one engine, or for which it does not matter. */
const ON_SQLITE = suites(
  // A browser sees no engine.
  'test/dashboard/browser/*.test.ts',
  'test/dashboard/template.test.ts',
  'test/storage/sqlite-*.test.ts',
  'test/faults/{disk-full,full-jobs}.test.ts',
  'test/process/{backup,multiplying-requests,upgrade}.test.ts',
  'test/scripts/backup.test.ts',
)
const ON_MONGODB = suites(
  'test/storage/mongo-*.test.ts',
  'test/storage/same-answers.test.ts',
  'test/faults/{network,replica-set,server-killed}.test.ts',
  'test/process/{mongo-upgrade,rolling-restart}.test.ts',
  'test/scripts/mongo-backup-check.test.ts',
)

/**
 * Suites that mostly wait: for processes that start, leases, timeouts, limits by the second. They run beside the others (jest/runner.ts). Those
 * of faults do not, for docs/operating.md promises how long a fault lasts.
 */
const WAITING = suites(
  'test/process/*.test.ts',
  'test/admin-api/{connectors,health}.test.ts',
  'test/calls/{recovery/held-messages,tools/abandonment-recovery}.test.ts',
  'test/events/{backport,backport-kit,email,kept-events,outage,topic-operations,websocket,websocket-ends}.test.ts',
  'test/extensions/reindexing.test.ts',
  'test/jobs/*.test.ts',
  'test/fhir-api/{custom-search-servers,custom-search-waiting,full-text,reindexing}.test.ts',
  'test/rehearsal/{clock,clock-calls}.test.ts',
  'test/rehearsal/plans/{bad,good}-clients.test.ts',
  'test/scripts/*.test.ts',
  'test/storage/{durability,migrations,mongo-faults,sharing}.test.ts',
)

/**
 * Suites that take longest. Where no earlier run has told how long each takes, as in a fresh clone, they begin first
 * (jest/sequencer.ts), so that none is left to run alone at the end.
 */
const LONGEST = suites(
  'test/architecture.test.ts',
  'test/booking/{model,race}.test.ts',
  'test/calls/session/{call-sessions,guess-limit}.test.ts',
  'test/capability/*.test.ts',
  'test/dashboard/browser/*.test.ts',
  'test/demo/demo-clinic.test.ts',
  'test/faults/{network,replica-set}.test.ts',
  'test/operations/{patient-find-duplicates,patient-merge}.test.ts',
  'test/process/*.test.ts',
  'test/fhir-api/{absent-values,custom-search-servers,inline-content}.test.ts',
  'test/http/{large-answers,hostile,observers/known-secrets}.test.ts',
  'test/scripts/copy.test.ts',
  'test/search/random-searches.test.ts',
  'test/storage/{migrations,mongo-bench-plans,mongo-faults,mongo-store,random,sharing,sqlite-store}.test.ts',
)

/** Suites that change the sources' own state for the whole process: they have instances of their own (jest/runtime.ts). */
const CHANGING_SOURCES = suites('test/extensions/*.test.ts', 'test/process/{multiplying-requests,work-threads}.test.ts')

/** Suites that import it, themselves or through others, keep data in a store. */
const ENGINE = join(import.meta.dirname, 'support/engine.ts')

/** Paths relative to the project's folder. */
export function suitesOf(tier: Tier, project: Project): readonly string[] {
  const all = [...suites('test/**/*.test.ts')].sort()
  return all.filter((suite) => projectsOf(suite).includes(project) && tiersOf(suite, project).includes(tier))
}

/** @param path absolute */
export const isWaiting = (path: string): boolean => WAITING.has(relative(ROOT, path))

/** @param path absolute */
export const isAmongLongest = (path: string): boolean => LONGEST.has(relative(ROOT, path))

/** @param path absolute */
export const changesSources = (path: string): boolean => CHANGING_SOURCES.has(relative(ROOT, path))

function projectsOf(suite: string): readonly Project[] {
  if (ON_SQLITE.has(suite)) return ['sqlite']
  if (ON_MONGODB.has(suite)) return ['mongodb']
  return importsEngine(join(ROOT, suite)) ? ['sqlite', 'mongodb'] : ['once']
}

function tiersOf(suite: string, project: Project): readonly Tier[] {
  if (CONTRACT.has(suite)) return ['short']
  if (project === 'mongodb')
    return [SMOKE.has(suite) || STORE_SENSITIVE.has(suite) || ON_MONGODB.has(suite) ? 'long' : 'full']
  if (LONG.has(suite)) return ['long']
  return RANDOM.has(suite) ? ['short', 'long'] : ['short']
}

/** @throws Error for a glob that no suite matches (any more) */
function suites(...globs: readonly string[]): ReadonlySet<string> {
  const found = globs.map((glob) => globSync(glob, { cwd: ROOT }))
  const stale = globs.filter((_, index) => found[index]?.length === 0)
  if (stale.length > 0) throw new Error(`test/suites.ts lists ${stale.join(', ')}, which no suite matches`)
  return new Set(found.flat())
}

const IMPORT = /\b(?:from|import) '(\.[^']+\.ts)'/g
const known = new Map<string, boolean>([[ENGINE, true]])

function importsEngine(file: string): boolean {
  const answer = known.get(file)
  if (answer !== undefined) return answer
  // Files that import each other are looked at once.
  known.set(file, false)
  const found = importsOf(file).some(importsEngine)
  known.set(file, found)
  return found
}

/** The imports of a file that are files of the tests; the sources never import those. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const imports = [...text.matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path))
  return imports.filter((path) => relative(ROOT, path).startsWith('test'))
}
