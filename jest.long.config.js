/** The long tier of the tests (test/suites.ts): `npm run test:long`. */
import { configOf } from './jest.config.js'

export default configOf('long')
