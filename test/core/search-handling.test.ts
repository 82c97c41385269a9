/** Handling of unknown search parameters: the client's preference, its clinic's setting, the server's. ADR 017. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const TYPO = '/Patient?famly=roe'

describe.each([
  ['strict', 400, 'lenient', 200],
  ['lenient', 200, 'strict', 400],
] as const)('where SEARCH_HANDLING is %s', (ofServer, status, other, otherStatus) => {
  let clinics: TwoClinics
  beforeAll(async () => {
    clinics = await startTwoClinics({ SEARCH_HANDLING: ofServer })
  })
  afterAll(() => clinics.server.close())

  const setHandling = async (searchHandling?: string) => {
    const path = '/clinics/demo-clinic/settings'
    const { policies, ...settings } = (await clinics.ours('GET', path)).body
    const changed = { ...settings, policies: { ...policies, searchHandling } }
    return clinics.ours('PUT', path, changed)
  }

  test('a parameter that is not known is handled so', async () => {
    await setHandling()
    expect((await clinics.ours('GET', TYPO)).status).toBe(status)
    expect((await clinics.ours('GET', '/Patient/_history?famly=roe')).status).toBe(status)
  })

  test('the setting of a clinic wins, for that clinic alone', async () => {
    expect((await setHandling(other)).status).toBe(200)
    expect((await clinics.ours('GET', TYPO)).status).toBe(otherStatus)
    expect((await clinics.ours('POST', '/', batchOf(TYPO))).body.entry[0].response.status).toMatch(
      new RegExp(`^${otherStatus}`),
    )
    expect((await clinics.theirs('GET', TYPO)).status).toBe(status)
  })

  test('what the client prefers wins over both', async () => {
    await setHandling(other)
    for (const [preferred, expected] of [
      ['strict', 400],
      ['lenient', 200],
    ] as const) {
      const prefer = `handling=${preferred}`
      expect((await clinics.ours('GET', TYPO, undefined, { prefer })).status).toBe(expected)
      expect((await clinics.theirs('GET', TYPO, undefined, { prefer })).status).toBe(expected)
    }
  })

  test('the criteria of a conditional write are never taken leniently', async () => {
    await setHandling('lenient')
    const patient = { resourceType: 'Patient', name: [{ family: 'Roe' }] }
    const answer = await clinics.ours('POST', '/Patient', patient, { 'if-none-exist': 'identifer=urn:mrn|1' })
    expect(answer.status).toBe(400)
    expect((await clinics.ours('DELETE', '/Patient?famly=roe')).status).toBe(400)
    expect((await clinics.ours('DELETE', '/Patient?gender=')).status).toBe(400)
  })

  test('what keeps caches from answering is ignored, whatever the handling', async () => {
    await setHandling('strict')
    for (const query of ['_=1732287600', '_dc=1732287600', '_ts=1732287600']) {
      const prefer = 'handling=strict'
      const search = await clinics.ours('GET', `/Patient?family=nobody&${query}`, undefined, { prefer })
      expect([search.status, search.body.link[0].url]).toEqual([200, `${clinics.server.url}/Patient?family=nobody`])
      expect((await clinics.ours('GET', `/Patient/_history?${query}`, undefined, { prefer })).status).toBe(200)
    }
  })
})

const batchOf = (url: string) => ({
  resourceType: 'Bundle',
  type: 'batch',
  entry: [{ request: { method: 'GET', url: url.slice(1) } }],
})

test('a handling that there is not is refused by the settings', async () => {
  const { server } = await startTwoClinics()
  try {
    const path = '/clinics/demo-clinic/settings'
    const settings = (await server.fhir('GET', path)).body
    const answer = await server.fhir('PUT', path, {
      ...settings,
      policies: { ...settings.policies, searchHandling: 'maybe' },
    })
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('policies.searchHandling must be one of strict, lenient')
  } finally {
    await server.close()
  }
})
