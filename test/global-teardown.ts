/** After all test files: https://jestjs.io/docs/configuration#globalteardown-string. */
export { stopMongo as default } from './support/mongo-run.ts'
