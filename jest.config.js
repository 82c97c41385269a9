/**
 * Tests run the TypeScript sources; only the type annotations are stripped on the way. A suite that keeps data in a
 * store runs on each engine, any other once (test/support/suites.ts tells them apart).
 */
import { canUseMongo } from './test/support/mongo-run.ts'
import { suitesOnEveryEngine } from './test/support/suites.ts'

const swc = (syntax) => ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax } }, module: { type: 'commonjs' } }]

/** Packages (and what they need) that exist as ES modules only, which Jest cannot require as they are. */
const esmOnly = ['jose/', 'double-metaphone/', 'fhir-kit-client/']
/** Imports a module with `import()`, which Jest can do only where it is turned into a `require`. */
const importing = ['mongodb/lib/runtime_adapters\\.js$']

const common = {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/global-setup.ts',
  globalTeardown: '<rootDir>/test/global-teardown.ts',
  setupFiles: ['<rootDir>/test/setup.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/after-all.ts'],
  transform: { '\\.ts$': swc('typescript'), '\\.m?js$': swc('ecmascript') },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/)?(?:${[...esmOnly, ...importing].join('|')}))`],
  moduleNameMapper: { '^fhir-kit-client$': '<rootDir>/node_modules/fhir-kit-client/dist/index.js' },
}

const onEveryEngine = suitesOnEveryEngine()

const onEngine = (TEST_ENGINE, color, watches = []) => ({
  ...common,
  setupFilesAfterEnv: [...common.setupFilesAfterEnv, ...watches],
  displayName: { name: TEST_ENGINE, color },
  globals: { TEST_ENGINE },
  testMatch: onEveryEngine.map((suite) => `<rootDir>/${suite}`),
})

const once = {
  ...common,
  displayName: { name: 'once', color: 'white' },
  testMatch: ['<rootDir>/test/**/*.test.ts', ...onEveryEngine.map((suite) => `!**/${suite}`)],
}

const onMongo = onEngine('mongodb', 'green', ['<rootDir>/test/watch-mongo.ts'])

export default async () => ({
  projects: [once, onEngine('sqlite', 'cyan'), ...((await canUseMongo()) ? [onMongo] : [])],
  reporters: ['default', '<rootDir>/test/support/engine-totals.ts'],
  maxWorkers: '100%',
  testTimeout: 60_000,
})
