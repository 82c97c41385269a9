/** The engine that a test file runs on. Importing this file makes a suite run once on each (test/suites.ts). */
import { describe } from '@jest/globals'

export type Engine = 'sqlite' | 'mongodb'

/** Set by jest.config.js; absent for suites that run once, on no engine. */
declare const TEST_ENGINE: Engine | undefined

/** @throws Error in a suite that runs on no engine */
export function testEngine(): Engine {
  if (typeof TEST_ENGINE !== 'undefined' && TEST_ENGINE !== undefined) return TEST_ENGINE
  throw new Error(
    'This suite runs once, on no engine, yet uses a database: import test/support/database.ts, or what leads to it, ' +
      'with a plain import, or list the suite under its engine in test/suites.ts',
  )
}

/** The part about SQLite of a suite that runs on each engine. */
export function describeOnSqlite(name: string, suite: () => void): void {
  if (testEngine() === 'sqlite') describe(name, suite)
}

/** The part about MongoDB of a suite that runs on each engine. */
export function describeOnMongo(name: string, suite: () => void): void {
  if (testEngine() === 'mongodb') describe(name, suite)
}
