/** history at instance, type and system level. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let id: string
let times: string[]

beforeAll(async () => {
  server = await startServer()
  const subject = { reference: 'Patient/abernathy-ruth' }
  const created = await server.fhir('POST', '/Basic', { resourceType: 'Basic', code: { text: 'one' }, subject })
  id = created.body.id
  const update = (text: string) =>
    server.fhir('PUT', `/Basic/${id}`, { resourceType: 'Basic', id, code: { text }, subject })
  const pause = () => new Promise((resolve) => setTimeout(resolve, 15))
  await pause()
  const second = await update('two')
  await pause()
  await server.fhir('DELETE', `/Basic/${id}`)
  await pause()
  const fourth = await update('four')
  times = [created, second, fourth].map(({ body }) => body.meta.lastUpdated)
})
afterAll(() => server.close())

interface HistoryEntry {
  resource?: { code: { text: string } }
  request: { method: string; url: string }
  response: { status: string; etag: string }
}

describe('history', () => {
  test('of an instance shows every version newest first, deletions too', async () => {
    const { body } = await server.fhir('GET', `/Basic/${id}/_history`)
    expect(body).toMatchObject({ type: 'history', total: 4 })
    const rows = body.entry.map((entry: HistoryEntry) => [
      entry.request.method,
      entry.request.url,
      entry.response.status,
      entry.response.etag,
      entry.resource?.code.text,
    ])
    expect(rows).toEqual([
      ['PUT', `Basic/${id}`, '201', 'W/"4"', 'four'],
      ['DELETE', `Basic/${id}`, '204', 'W/"3"', undefined],
      ['PUT', `Basic/${id}`, '200', 'W/"2"', 'two'],
      ['POST', 'Basic', '201', 'W/"1"', 'one'],
    ])
  })

  test('pages with next links that neither repeat nor lose a version, with the same total', async () => {
    const etags: string[] = []
    let url: string | undefined = `/Basic/${id}/_history?_count=3`
    while (url !== undefined) {
      const { body } = await server.fhir('GET', url)
      expect(body.total).toBe(4)
      etags.push(...body.entry.map((entry: HistoryEntry) => entry.response.etag))
      url = body.link.find((link: { relation: string }) => link.relation === 'next')?.url.slice(server.url.length)
    }
    expect(etags).toEqual(['W/"4"', 'W/"3"', 'W/"2"', 'W/"1"'])
  })

  test('an update that brings a deleted resource back is 201, also where the deletion is not on the page', async () => {
    for (const path of [`/Basic/${id}/_history`, '/Basic/_history', '/_history']) {
      const { body } = await server.fhir('GET', `${path}?_count=1`)
      expect(body.entry.map((entry: HistoryEntry) => entry.response.status)).toEqual(['201'])
    }
  })

  test.each([
    ['_elements=code', ['code', 'id', 'meta', 'resourceType']],
    ['_summary=text', ['code', 'id', 'meta', 'resourceType']],
    ['_elements=Basic.code,Patient.name', ['code', 'id', 'meta', 'resourceType']],
  ])('%s sends a part of each version, tagged SUBSETTED', async (query, elements) => {
    for (const path of [`/Basic/${id}/_history`, '/Basic/_history', '/_history']) {
      const { body } = await server.fhir('GET', `${path}?_count=3&${query}`)
      expect(body.entry[1]).not.toHaveProperty('resource')
      for (const { resource } of [body.entry[0], body.entry[2]]) {
        expect(Object.keys(resource).sort()).toEqual(elements)
        expect(resource.meta.tag[0].code).toBe('SUBSETTED')
      }
    }
  })

  test('_summary=count is the total without entries and without a next page', async () => {
    const { body } = await server.fhir('GET', `/Basic/${id}/_history?_summary=count&_count=1`)
    expect(body.total).toBe(4)
    expect(body).not.toHaveProperty('entry')
    expect(body.link.map(({ relation }: { relation: string }) => relation)).toEqual(['self'])
  })

  test('_since leaves out what is older', async () => {
    const { body } = await server.fhir('GET', `/Basic/${id}/_history?_since=${times[1]}`)
    expect(body.entry.map((entry: HistoryEntry) => entry.response.etag)).toEqual(['W/"4"', 'W/"3"', 'W/"2"'])
  })

  test('_at gives the version that was current then', async () => {
    const { body } = await server.fhir('GET', `/Basic/${id}/_history?_at=${times[1]}`)
    expect(body.entry.map((entry: HistoryEntry) => entry.response.etag)).toEqual(['W/"2"'])
  })

  test('of the type and the system hold it too', async () => {
    expect((await server.fhir('GET', '/Basic/_history')).body.total).toBe(4)
    const system = (await server.fhir('GET', '/_history?_count=4')).body
    expect(system.entry.map((entry: HistoryEntry) => entry.request.url)).toEqual([
      `Basic/${id}`,
      `Basic/${id}`,
      `Basic/${id}`,
      'Basic',
    ])
  })

  test.each([
    ['an unknown instance is 404', '/Basic/nobody/_history', 404],
    ['an unknown parameter is 400', '/Basic/_history?family=x', 400],
    ['a _since that is no date is 400', '/Basic/_history?_since=yesterday', 400],
    ['a _count that is no number is 400', '/Basic/_history?_count=many', 400],
    ['a _summary that there is not is 400', '/Basic/_history?_summary=frob', 400],
    ['an element that there is not is 400', '/_history?_elements=frob', 400],
    ['a made-up cursor is 400', '/Basic/_history?_cursor=xyz', 400],
  ])('%s', async (_name, path, status) => {
    const answer = await server.fhir('GET', path)
    expect(answer.status).toBe(status)
    expect(answer.body.resourceType).toBe('OperationOutcome')
  })
})
