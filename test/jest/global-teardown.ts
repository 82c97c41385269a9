/** After all test files: https://jestjs.io/docs/configuration#globalteardown-string. */
import { stopMongo } from '../support/mongo-run.ts'
import { endRun } from '../support/run.ts'

export default async function cleanUp(): Promise<void> {
  await stopMongo()
  endRun()
}
