/** The tiers of test/suites.ts have every suite: nothing is left out of `npm test`, `npm run test:long` and `npm run test:full`. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { type Project, suitesOf } from './suites.ts'

const TIERS = ['short', 'long', 'full'] as const

const inAnyTier = (project: Project): readonly string[] =>
  [...new Set(TIERS.flatMap((tier) => suitesOf(tier, project)))].sort()

test('every suite runs in one tier at least, wherever its file is', () => {
  const run = new Set((['once', 'sqlite', 'mongodb'] as const).flatMap(inAnyTier))
  const folders = '{bench,capability,docs,examples,scripts,src,test}'
  const all = globSync(`${folders}/**/*.{test,spec}.{ts,js,mjs}`, { cwd: join(import.meta.dirname, '..') })
  expect([...run].sort()).toEqual(all.sort())
})

test('every suite with a store runs on both engines, but for those about one of them', () => {
  const [onSqlite, onMongo] = [inAnyTier('sqlite'), inAnyTier('mongodb')]
  const aboutOne =
    /^test\/(storage\/(sqlite-|mongo-|same-answers)|faults\/|dashboard\/(browser\/|template)|process\/(multiplying-|backup|mongo-|rolling-|upgrade)|scripts\/(backup|mongo-backup-check))/
  expect(onSqlite.filter((suite) => !onMongo.includes(suite) && !aboutOne.test(suite))).toEqual([])
  expect(onMongo.filter((suite) => !onSqlite.includes(suite) && !aboutOne.test(suite))).toEqual([])
})

test('every suite runs in the short tier on one engine at least, but for those that are too long', () => {
  const short = new Set((['once', 'sqlite', 'mongodb'] as const).flatMap((project) => suitesOf('short', project)))
  const long = (['once', 'sqlite', 'mongodb'] as const).flatMap((project) => suitesOf('long', project))
  const inBrowser = /^test\/dashboard\/browser\//
  expect([...short].filter((suite) => inBrowser.test(suite))).toEqual([])
  expect([...new Set(long.filter((suite) => !short.has(suite) && !inBrowser.test(suite)))].sort()).toEqual([
    'test/events/backport-kit.test.ts',
    'test/events/burst.test.ts',
    'test/events/outage.test.ts',
    'test/faults/disk-full.test.ts',
    'test/faults/full-jobs.test.ts',
    'test/faults/network.test.ts',
    'test/faults/replica-set.test.ts',
    'test/faults/server-killed.test.ts',
    'test/fhir-api/custom-search-servers.test.ts',
    'test/fhir/xml/official.test.ts',
    'test/http/large-answers.test.ts',
    'test/http/mcp-conformance.test.ts',
    'test/jobs/bulk-kit.test.ts',
    'test/process/audit.test.ts',
    'test/process/backup.test.ts',
    'test/process/clinic-clock.test.ts',
    'test/process/duplicate-search.test.ts',
    'test/process/encrypted-settings.test.ts',
    'test/process/faults.test.ts',
    'test/process/image.test.ts',
    'test/process/journal.test.ts',
    'test/process/killed-bookings.test.ts',
    'test/process/killed-deliveries.test.ts',
    'test/process/killed-events.test.ts',
    'test/process/killed-exports.test.ts',
    'test/process/killed-imports.test.ts',
    'test/process/killed-insurance.test.ts',
    'test/process/killed-intake.test.ts',
    'test/process/killed-requests.test.ts',
    'test/process/killed-resets.test.ts',
    'test/process/killed-slot-generation.test.ts',
    'test/process/killed-uploads.test.ts',
    'test/process/metrics.test.ts',
    'test/process/mongo-upgrade.test.ts',
    'test/process/multiplying-requests.test.ts',
    'test/process/process.test.ts',
    'test/process/rolling-restart.test.ts',
    'test/process/runs.test.ts',
    'test/process/server-alone.test.ts',
    'test/process/shared-times.test.ts',
    'test/process/traces.test.ts',
    'test/process/upgrade.test.ts',
    'test/process/work-threads.test.ts',
    'test/process/workers.test.ts',
    'test/rehearsal/plans/bad-clients.test.ts',
    'test/rehearsal/runs/many-exchanges.test.ts',
    'test/rehearsal/scenarios/synthetic-thousand.test.ts',
    'test/scripts/clinic.test.ts',
    'test/scripts/copy.test.ts',
    'test/scripts/mongo-backup-check.test.ts',
    'test/storage/migrations.test.ts',
    'test/storage/mongo-bench-plans.test.ts',
    'test/storage/mongo-document-limit.test.ts',
    'test/storage/mongo-errors.test.ts',
    'test/storage/mongo-fair-reads.test.ts',
    'test/storage/mongo-faults.test.ts',
    'test/storage/mongo-limits.test.ts',
    'test/storage/mongo-outages.test.ts',
    'test/storage/mongo-part-reads.test.ts',
    'test/storage/mongo-plans.test.ts',
    'test/storage/mongo-read-rows.test.ts',
    'test/storage/mongo-walking.test.ts',
    'test/storage/same-answers.test.ts',
    'test/voice-api/same-record.test.ts',
  ])
})

test('the short tier has the contract of a store on MongoDB, and no other suite there', () => {
  expect(suitesOf('short', 'mongodb')).toEqual(['test/storage/mongo-store.test.ts'])
})

test('every room with suites on MongoDB has one in the long tier', () => {
  const rooms = (tier: (typeof TIERS)[number]) => new Set(suitesOf(tier, 'mongodb').map((suite) => suite.split('/')[1]))
  const quiet = ['capability', 'demo', 'docs.test.ts', 'extensions', 'spoken']
  expect([...rooms('full').difference(rooms('long'))].sort()).toEqual(quiet)
})
