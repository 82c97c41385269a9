/** In every test file: https://jestjs.io/docs/configuration#setupfilesafterenv-array. */
import { afterAll } from '@jest/globals'
import { closeTestStores } from '../support/opened-stores.ts'

afterAll(closeTestStores)
