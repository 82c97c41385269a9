/** Before all test files: https://jestjs.io/docs/configuration#globalsetup-string. */
export { prepareMongo as default } from './support/mongo-run.ts'
