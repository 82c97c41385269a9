/** MongoDB fulfils the contract also where it walks an index even for few candidates. */

import { openExplainedMongo } from '../support/mongo-plans.ts'
import { describeStoreContract } from './contract.ts'
import { COMBINED } from './fixtures.ts'

describeStoreContract('MongoDB, walking indexes even where candidates are few', () =>
  openExplainedMongo({ combined: COMBINED, fewCandidates: 0 }),
)
