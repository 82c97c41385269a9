/** All of synthetic-1000 in a clinic, as its clients see it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, Resource } from 'fhir/r4'
import { synthetic, townResources } from '../../../src/rehearsal/scenarios/synthetic/synthetic.ts'
import { scenarioDay } from '../../support/scenario-clinic.ts'
import type { TestServer } from '../../support/server.ts'
import { startRehearsed } from '../rehearsed.ts'

/** Most pages that a test follows. */
const PAGES = 400

/** Number of resources of each patient's record. */
const recordSizes = new Map<string, number>()
for (const { id } of townResources({ seed: '1', patients: 1000 }, scenarioDay())) {
  const [patient] = /^synthetic-\d{4}/.exec(id) ?? []
  if (patient !== undefined) recordSizes.set(patient, (recordSizes.get(patient) ?? 0) + 1)
}

describe('the scenario synthetic-1000', () => {
  let server: TestServer
  beforeAll(async () => {
    const clinic = await startRehearsed()
    server = clinic.server
    expect((await clinic.ask('POST', '/reset', { scenario: synthetic.name })).status).toBe(200)
  }, 300_000)
  afterAll(() => server.close())

  const totalOf = async (query: string) => (await server.fhir('GET', `/${query}`)).body.total

  /** The ids of the matches of all pages; what is included may be on several of them. */
  async function idsOf(query: string): Promise<readonly string[]> {
    const ids: string[] = []
    let path: string | undefined = `/${query}`
    for (let pages = 0; path !== undefined && pages < PAGES; pages++) {
      const { status, body } = await server.fhir('GET', path)
      expect(status).toBe(200)
      const { entry = [], link = [] } = body as Bundle<Resource>
      const matches = entry.filter(({ search }) => search?.mode === 'match')
      ids.push(...matches.map(({ resource }) => `${resource?.resourceType}/${resource?.id}`))
      path = link.find(({ relation }) => relation === 'next')?.url.slice(server.url.length)
    }
    return ids
  }

  test('has as many resources of each type as were made', async () => {
    const made = new Map<string, number>()
    for (const { resourceType } of townResources({ seed: '1', patients: 1000 }, scenarioDay()))
      made.set(resourceType, (made.get(resourceType) ?? 0) + 1)
    made.set('Organization', (made.get('Organization') ?? 0) + 1)
    for (const [type, count] of made) expect([type, await totalOf(`${type}?_summary=count`)]).toEqual([type, count])
  })

  test.each(['Patient?_count=50', 'Encounter?_count=200&_sort=-date', 'Condition?_count=100&_sort=onset-date'])(
    '%s is paged to its end, with each resource once',
    async (query) => {
      const ids = await idsOf(query)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toHaveLength(await totalOf(`${query.split('?')[0]}?_summary=count`))
    },
  )

  test('gives the whole record of a patient by $everything', async () => {
    const [fullest = ''] = [...recordSizes].sort(([, one], [, other]) => other - one)[0] ?? []
    const ids = await idsOf(`Patient/${fullest}/$everything?_count=50`)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(recordSizes.get(fullest) ?? 0)
    expect(ids.length).toBeGreaterThan(100)
  })
})
