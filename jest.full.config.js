/** The full tier of the tests (test/suites.ts): `npm run test:full`. */
import { configOf } from './jest.config.js'

export default configOf('full')
