/**
 * Runs the test files (https://jestjs.io/docs/configuration#runner-string), with two differences from Jest's own runner:
 * files that mostly wait run beside the others, on workers of their own; and where failures end the run (--bail), it ends
 * after the files that are under way, so that nothing is stopped while they use it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import TestRunner, { type TestEvents, type UnsubscribeFn } from 'jest-runner'
import { isWaiting } from '../suites.ts'

type Arguments = ConstructorParameters<typeof TestRunner>
type RunArguments = Parameters<TestRunner['runTests']>
type Test = RunArguments[0][number]

/** Workers for files that mostly wait, beside one worker for each processor. */
const WAITING_WORKERS = 2

export default class WaitingBesideRunner {
  readonly supportsEventEmitters = true
  readonly #working: TestRunner
  readonly #waiting: TestRunner
  /** The number of failed tests that ends the run; 0: never. */
  readonly #bail: number
  #failed = 0
  readonly #underWay = new Set<Test>()
  readonly #allEnded: (() => void)[] = []

  constructor(...[config, context]: Arguments) {
    this.#working = new TestRunner(config, context)
    this.#waiting = new TestRunner({ ...config, maxWorkers: WAITING_WORKERS }, context)
    this.#bail = config.bail
    this.#listen('test-file-start', ([test]) => this.#begin(test))
  }

  async runTests(...[tests, watcher, options]: RunArguments): Promise<void> {
    if (options.serial) return await this.#working.runTests(tests, watcher, options)
    const waiting = tests.filter(({ path }) => isWaiting(path))
    const others = tests.filter(({ path }) => !isWaiting(path))
    await Promise.all([
      waiting.length > 0 && this.#waiting.runTests(waiting, watcher, options),
      others.length > 0 && this.#working.runTests(others, watcher, options),
    ])
  }

  /** Jest listens to each event once. */
  on<Name extends keyof TestEvents>(name: Name, listener: Listener<Name>): UnsubscribeFn {
    if (name !== 'test-file-success' && name !== 'test-file-failure') return this.#listen(name, listener)
    return this.#listen(name, async (event) => {
      const [test, result] = event as TestEvents['test-file-success' | 'test-file-failure']
      const failed = 'numFailingTests' in result ? result.numFailingTests : 0
      await this.#end(test, failed, async () => await listener(event))
    })
  }

  #listen<Name extends keyof TestEvents>(name: Name, listener: Listener<Name>): UnsubscribeFn {
    const ends = [this.#working, this.#waiting].map((runner) => runner.on(name, listener))
    return () => {
      for (const end of ends) end()
    }
  }

  get #isEnding(): boolean {
    return this.#bail > 0 && this.#failed >= this.#bail
  }

  async #begin(test: Test): Promise<void> {
    // By then the result of the file before it is known.
    await nextTurn()
    if (this.#isEnding) await new Promise(() => {})
    this.#underWay.add(test)
  }

  /** Jest ends the run at the first reported failure, so it is reported once nothing is under way any more. */
  async #end(test: Test, failed: number, tell: () => Promise<void>): Promise<void> {
    this.#failed += failed
    const isLast = failed > 0 && this.#isEnding
    if (!isLast) await tell()
    this.#underWay.delete(test)
    if (this.#underWay.size === 0) for (const resolve of this.#allEnded.splice(0)) resolve()
    else if (isLast) await new Promise<void>((resolve) => this.#allEnded.push(resolve))
    if (isLast) await tell()
  }
}

type Listener<Name extends keyof TestEvents> = (event: TestEvents[Name]) => void | Promise<void>
