/** After a run: how many tests passed on each engine (https://jestjs.io/docs/configuration#custom-reporters). */

interface SuiteResult {
  readonly displayName?: { readonly name: string }
  readonly numPassingTests: number
  readonly numFailingTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
}

export default class EngineTotals {
  onRunComplete(_projects: unknown, { testResults }: { readonly testResults: readonly SuiteResult[] }): void {
    const engines = Map.groupBy(testResults, ({ displayName }) => displayName?.name ?? 'all')
    for (const [engine, suites] of engines) process.stderr.write(`${engine.padEnd(8)} ${totalsOf(suites)}\n`)
  }
}

function totalsOf(suites: readonly SuiteResult[]): string {
  const sum = (number: (suite: SuiteResult) => number) => suites.reduce((total, suite) => total + number(suite), 0)
  const [passed, failed] = [sum((suite) => suite.numPassingTests), sum((suite) => suite.numFailingTests)]
  const skipped = sum((suite) => suite.numPendingTests + suite.numTodoTests)
  return `${suites.length} suites: ${passed} tests passed, ${failed} failed, ${skipped} skipped`
}
