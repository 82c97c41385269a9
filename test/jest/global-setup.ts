/** Before all test files: https://jestjs.io/docs/configuration#globalsetup-string. */
import { prepareMongo } from '../support/mongo-run.ts'
import { beginRun } from '../support/run.ts'

export default async function prepare(): Promise<void> {
  beginRun()
  await prepareMongo()
}
