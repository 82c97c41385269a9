/** The whole of synthetic-1000 in a clinic. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { synthetic } from '../../../src/rehearsal/scenarios/synthetic/synthetic.ts'
import { startWithScenario } from '../../support/scenario-clinic.ts'
import type { TestServer } from '../../support/server.ts'

describe('the scenario synthetic-1000', () => {
  let server: TestServer
  beforeAll(async () => {
    const t = Date.now()
    server = await startWithScenario(synthetic)
    console.log(Date.now() - t)
  }, 300_000)
  afterAll(() => server.close())

  test('has a thousand patients', async () => {
    expect((await server.fhir('GET', '/Patient?_summary=count')).body.total).toBe(1000)
  })
})
