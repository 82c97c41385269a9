/** MongoDB keeps the contract. */
import { describeOnMongo, openTestMongo } from '../support/mongo.ts'
import { describeStoreContract } from './contract.ts'
import { COMBINED } from './fixtures.ts'

describeOnMongo('MongoDB', () => {
  describeStoreContract('MongoDB', () => openTestMongo({ combined: COMBINED }))
  describeStoreContract('MongoDB, walking indexes even where candidates are few', () =>
    openTestMongo({ combined: COMBINED, fewCandidates: 0 }),
  )
})
