/** Tests run the TypeScript sources; only the type annotations are stripped on the way. */
const swc = (syntax) => ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax } }, module: { type: 'commonjs' } }]

/** Packages (and what they need) that exist as ES modules only, which Jest cannot require as they are. */
const esmOnly = ['jose/', 'fhir-kit-client/']
/** Imports a module with `import()`, which Jest can do only where it is turned into a `require`. */
const importing = ['mongodb/lib/runtime_adapters\\.js$']

export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/global-setup.ts',
  globalTeardown: '<rootDir>/test/global-teardown.ts',
  setupFiles: ['<rootDir>/test/setup.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/after-all.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.ts$': swc('typescript'), '\\.m?js$': swc('ecmascript') },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/)?(?:${[...esmOnly, ...importing].join('|')}))`],
  moduleNameMapper: { '^fhir-kit-client$': '<rootDir>/node_modules/fhir-kit-client/dist/index.js' },
  maxWorkers: '100%',
  testTimeout: 60_000,
}
