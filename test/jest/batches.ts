/**
 * Small suites of a folder run in batches, several in one test file: Jest loads the sources anew for each test file,
 * which takes longer than many a suite. A suite is a `describe` of its batch, and is reported by itself.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type TestRunner from 'jest-runner'
import type { TestEvents } from 'jest-runner'
import { folderOfBatch } from '../suites.ts'
import { newFolder } from '../support/run.ts'

type Test = Parameters<TestRunner['runTests']>[0][number]
type Result = TestEvents['test-file-success'][1]
type CaseResult = Result['testResults'][number]
type Event<Name extends keyof TestEvents> = TestEvents[Name]

/** Suites at most: a batch is the work of one worker. */
const SIZE = 8

const CLOSING = join(import.meta.dirname, '../support/opened-stores.ts')

export class Batches {
  /** By the path of the file that runs them. */
  readonly #parts = new Map<string, readonly Test[]>()

  /** @returns `tests`, with a test for each batch in place of those in it, where the first of them was */
  of(tests: readonly Test[]): readonly Test[] {
    const folders = Map.groupBy(tests, ({ path, context }) => {
      const folder = folderOfBatch(path)
      return folder && `${context.config.displayName?.name} ${folder}`
    })
    const begins = new Map<Test, Test>()
    for (const [folder, suites] of folders) {
      const batches = folder === undefined ? suites.map((suite) => [suite]) : split(suites)
      for (const [first, ...more] of batches) if (first !== undefined) begins.set(first, this.#batch(first, more))
    }
    return tests.flatMap((test) => begins.get(test) ?? [])
  }

  /** The events of its suites, in place of that of a batch. */
  eventsOf<Name extends keyof TestEvents>(event: Event<Name>): readonly Event<Name>[] {
    const [of, about] = event as readonly [Test | string, Result | CaseResult]
    const path = typeof of === 'string' ? of : of.path
    const parts = this.#parts.get(path)
    if (parts === undefined) return [event]
    if (typeof of !== 'string')
      return parts.map((part) => [part, isResult(about) ? resultOf(part, about) : about] as Event<Name>)
    const [part] = (about as CaseResult).ancestorTitles
    return [[part, withoutBatch(about as CaseResult)] as Event<Name>]
  }

  #batch(first: Test, more: readonly Test[]): Test {
    if (more.length === 0) return first
    const path = join(newFolder(), 'batch.cjs')
    const parts = [first, ...more]
    writeFileSync(path, parts.map(({ path: suite }) => describing(suite)).join('\n'))
    this.#parts.set(path, parts)
    return { context: first.context, path }
  }
}

/**
 * The batches: suites come in the order of their time and are dealt out in turn, so that all batches take about as
 * long.
 */
function split(suites: readonly Test[]): Iterable<readonly Test[]> {
  const count = Math.ceil(suites.length / SIZE)
  return Map.groupBy(suites, (suite) => suites.indexOf(suite) % count).values()
}

/** Stores that a suite leaves to be closed are closed after it, as they are where it runs by itself (close-stores.ts). */
const describing = (path: string): string => `describe(${JSON.stringify(path)}, () => {
  afterAll(require(${JSON.stringify(CLOSING)}).closeAllStores)
  require(${JSON.stringify(path)})
})`

const isResult = (about: object): about is Result => about !== undefined && 'testResults' in about

/** The part of a batch's result that is about one suite. */
function resultOf({ path }: Test, batch: Result): Result {
  const testResults = batch.testResults.filter(({ ancestorTitles }) => ancestorTitles[0] === path).map(withoutBatch)
  const count = (status: CaseResult['status']) => testResults.filter((result) => result.status === status).length
  const runtime = testResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0)
  const { start } = batch.perfStats
  const failures = failuresOf(path, batch.failureMessage ?? '')
  return {
    ...batch,
    testFilePath: path,
    testResults,
    numPassingTests: count('passed'),
    numFailingTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { ...batch.perfStats, end: start + runtime, runtime, slow: false },
    failureMessage: batch.testExecError === undefined ? failures || null : (batch.failureMessage ?? null),
  }
}

/** The failures of one suite, from Jest's text for the batch, where each is below a line with the names of its test. */
function failuresOf(path: string, failures: string): string {
  const name = `${path} › `
  const own = failures.split(/^(?=.*● )/m).filter((failure) => failure.split('\n', 1)[0]?.includes(name))
  return own.map((failure) => failure.replace(name, '')).join('')
}

function withoutBatch<Case extends Pick<CaseResult, 'ancestorTitles' | 'fullName'>>(result: Case): Case {
  const [batch = '', ...ancestorTitles] = result.ancestorTitles
  return { ...result, ancestorTitles, fullName: result.fullName.slice(batch.length).trimStart() }
}
