/**
 * The order of the test files: the longest of the last run first, so that no worker is left alone with one at the end.
 * A file that runs on both engines has a time on each (Jest's own keeps one for each path).
 */
import Sequencer from '@jest/test-sequencer'
import { isAmongLongest } from '../suites.ts'

type Tests = Parameters<Sequencer['cacheResults']>[0]
type Results = Parameters<Sequencer['cacheResults']>[1]

export default class ProjectSequencer extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests)
    // Jest tells the time of the last run; without one, it goes by the size of the file.
    const begins = ({ path, duration }: Tests[number]) => duration === undefined && isAmongLongest(path)
    return [...sorted.filter(begins), ...sorted.filter((test) => !begins(test))]
  }

  override cacheResults(tests: Tests, results: Results): void {
    const byProject = Map.groupBy(tests, ({ context }) => context.config.displayName?.name)
    for (const [project, own] of byProject) {
      const testResults = results.testResults.filter(({ displayName }) => displayName?.name === project)
      super.cacheResults(own, { ...results, testResults })
    }
  }
}
