/**
 * The short tier of the tests, and what the tiers share; the others are jest.long.config.js and jest.full.config.js.
 * test/suites.ts says which suites are in each.
 */
import { availableParallelism } from 'node:os'
import { canUseBrowser } from './scripts/browser/find-browser.ts'
import { suitesOf } from './test/suites.ts'
import { canUseMongo } from './test/support/mongo-run.ts'
import { MOST_OF_TEST } from './test/support/time-limits.ts'

const common = {
  testEnvironment: '<rootDir>/test/jest/environment.ts',
  runner: '<rootDir>/test/jest/runner.ts',
  runtime: '<rootDir>/test/jest/runtime.ts',
  globalSetup: '<rootDir>/test/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/jest/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/jest/close-stores.ts'],
  // Node strips the types itself (test/jest/runtime.ts).
  transform: {},
}

/** What is particular to the suites that run once, on no engine, and to those on each engine. */
const projects = {
  once: { displayName: { name: 'once', color: 'white' } },
  sqlite: { displayName: { name: 'sqlite', color: 'cyan' }, globals: { TEST_ENGINE: 'sqlite' } },
  mongodb: {
    displayName: { name: 'mongodb', color: 'green' },
    globals: { TEST_ENGINE: 'mongodb' },
    setupFilesAfterEnv: [...common.setupFilesAfterEnv, '<rootDir>/test/jest/watch-mongo.ts'],
  },
}

const project = (tier, name) => ({
  ...common,
  ...projects[name],
  globals: { ...projects[name].globals, TEST_TIER: tier },
  testMatch: possible(suitesOf(tier, name)).map((suite) => `<rootDir>/${suite}`),
})

/** Where there is no browser, the suites that need one are left out. */
function possible(suites) {
  const isInBrowser = (suite) => suite.startsWith('test/dashboard/browser/')
  return !suites.some(isInBrowser) || canUseBrowser() ? suites : suites.filter((suite) => !isInBrowser(suite))
}

export const configOf = (tier) => async () => {
  const names = Object.keys(projects)
  const possible = (await canUseMongo()) ? names : names.filter((name) => name !== 'mongodb')
  return {
    projects: possible.map((name) => project(tier, name)),
    reporters: ['default', '<rootDir>/test/jest/engine-totals.ts'],
    testSequencer: '<rootDir>/test/jest/sequencer.ts',
    // A third of the time of the short tier is spent waiting; in the others suites depend on how long something takes.
    maxWorkers: tier === 'short' ? Math.ceil(availableParallelism() * 1.5) : '100%',
    testTimeout: MOST_OF_TEST,
    // Milliseconds: a process with much memory takes a while to end on a busy machine.
    workerGracefulExitTimeout: 10_000,
  }
}

export default configOf('short')
