/** In every test file: https://jestjs.io/docs/configuration#setupfilesafterenv-array. */
import { afterAll, afterEach, beforeEach } from '@jest/globals'
import { closeAllStores, closeStoresOfTest, testBegins } from '../support/opened-stores.ts'

beforeEach(testBegins)
afterEach(closeStoresOfTest)
afterAll(closeAllStores)
