/** Tests run the TypeScript sources; only the type annotations are stripped on the way. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } }] },
  maxWorkers: 2,
  testTimeout: 60_000,
}
