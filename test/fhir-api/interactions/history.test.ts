/** history at instance, type and system level. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { topics } from '../../../src/events/topics.ts'
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

  test('_since and _at may be less precise: they begin and end with the day that they name', async () => {
    const [day] = times[0]?.split('T') ?? []
    const all = ['W/"4"', 'W/"3"', 'W/"2"', 'W/"1"']
    const etags = async (query: string) =>
      ((await server.fhir('GET', `/Basic/${id}/_history?${query}`)).body.entry ?? []).map(
        (entry: HistoryEntry) => entry.response.etag,
      )
    expect(await etags(`_since=${day}`)).toEqual(all)
    expect(await etags(`_at=${day?.slice(0, 4)}`)).toEqual(all)
    expect(await etags('_since=2999')).toEqual([])
    expect(await etags('_at=2001')).toEqual([])
  })

  test('_since may have a time zone whose plus sign is not percent-encoded', async () => {
    const second = Date.parse(times[1] ?? '')
    const inTokyo = `${new Date(second + 9 * 3_600_000).toISOString().slice(0, -1)}+09:00`
    const { body } = await server.fhir('GET', `/Basic/${id}/_history?_since=${inTokyo}`)
    expect(body.entry.map((entry: HistoryEntry) => entry.response.etag)).toEqual(['W/"4"', 'W/"3"', 'W/"2"'])
  })

  test('the next page is of the same query', async () => {
    const { body } = await server.fhir('GET', `/Basic/${id}/_history?_since=${times[1]}&_count=2&_elements=code`)
    const next = new URL(body.link.find((link: { relation: string }) => link.relation === 'next').url)
    expect([...next.searchParams.keys()].toSorted()).toEqual(['_count', '_cursor', '_elements', '_since'])
    const page = (await server.fhir('GET', next.href.slice(server.url.length))).body
    expect(page.entry.map((entry: HistoryEntry) => entry.response.etag)).toEqual(['W/"2"'])
    expect(Object.keys(page.entry[0].resource).sort()).toEqual(['code', 'id', 'meta', 'resourceType'])
  })

  test('an unknown parameter is ignored where the client asks for lenient handling', async () => {
    const lenient = { prefer: 'handling=lenient' }
    const { status, body } = await server.fhir('GET', `/Basic/${id}/_history?family=x`, undefined, lenient)
    expect([status, body.total]).toEqual([200, 4])
  })

  test('empty parameters are ignored', async () => {
    const { status, body } = await server.fhir('GET', `/Basic/${id}/_history?_since=&_at=&_count=&_summary=`)
    expect([status, body.total]).toEqual([200, 4])
  })

  test('_at gives the version that was current then', async () => {
    const { body } = await server.fhir('GET', `/Basic/${id}/_history?_at=${times[1]}`)
    expect(body.entry.map((entry: HistoryEntry) => entry.response.etag)).toEqual(['W/"2"'])
  })

  test('of the type and the system hold it too', async () => {
    // The topics are Basic resources with one version each.
    expect((await server.fhir('GET', '/Basic/_history')).body.total).toBe(4 + topics().length)
    const system = (await server.fhir('GET', '/_history?_count=4')).body
    expect(system.entry.map((entry: HistoryEntry) => entry.request.url)).toEqual([
      `Basic/${id}`,
      `Basic/${id}`,
      `Basic/${id}`,
      'Basic',
    ])
  })

  test('a page has no more versions than MAX_COUNT, whatever _count says', async () => {
    const small = await startServer({ MAX_COUNT: '2', DEFAULT_COUNT: '2' })
    try {
      for (const query of ['', '?_count=2', '?_count=999999999']) {
        const { body } = await small.fhir('GET', `/Patient/_history${query}`)
        expect([body.total, body.entry.length]).toEqual([25, 2])
      }
      expect((await small.fhir('GET', '/Patient/_history?_count=1')).body.entry).toHaveLength(1)
    } finally {
      await small.close()
    }
  })

  test('of the type tells creations from updates of each resource by itself', async () => {
    const put = (flag: string, text: string) =>
      server.fhir('PUT', `/Flag/${flag}`, {
        resourceType: 'Flag',
        id: flag,
        status: 'active',
        code: { text },
        subject: { reference: 'Patient/abernathy-ruth' },
      })
    for (const text of ['one', 'two', 'three']) await put('updated', text)
    await put('revived', 'one')
    await server.fhir('DELETE', '/Flag/revived')
    await put('revived', 'three')
    for (const text of ['one', 'two']) await put('newest', text)
    const { body } = await server.fhir('GET', '/Flag/_history')
    expect(
      body.entry.map(({ request, response }: HistoryEntry) => [request.url, response.etag, response.status]),
    ).toEqual([
      ['Flag/newest', 'W/"2"', '200'],
      ['Flag/newest', 'W/"1"', '201'],
      ['Flag/revived', 'W/"3"', '201'],
      ['Flag/revived', 'W/"2"', '204'],
      ['Flag/revived', 'W/"1"', '201'],
      ['Flag/updated', 'W/"3"', '200'],
      ['Flag/updated', 'W/"2"', '200'],
      ['Flag/updated', 'W/"1"', '201'],
    ])
  })

  describe('_list', () => {
    const references = (...items: readonly string[]) => items.map((reference) => ({ item: { reference } }))
    const putList = (list: string, ...items: readonly string[]) =>
      server.fhir('PUT', `/List/${list}`, {
        resourceType: 'List',
        id: list,
        status: 'current',
        mode: 'working',
        entry: [...references(...items), { item: { display: 'on paper' } }],
      })
    const etags = async (path: string) => {
      const { body } = await server.fhir('GET', path)
      const rows = (body.entry ?? []).map(
        (entry: HistoryEntry) => `${entry.request.url.split('/')[0]} ${entry.response.etag}`,
      )
      expect(body.total).toBe(rows.length)
      return rows
    }

    test('gives the versions that the entries of a List refer to: one, or all of a resource', async () => {
      await putList('versions', `Basic/${id}/_history/2`, `${server.url}/Basic/${id}/_history/4`, 'Patient/nobody')
      await putList('resource', `Basic/${id}`, 'http://elsewhere.example/Patient/1', 'Patient/abernathy-ruth')
      for (const path of ['/_history', '/Basic/_history', `/Basic/${id}/_history`]) {
        expect(await etags(`${path}?_list=versions`)).toEqual(['Basic W/"4"', 'Basic W/"2"'])
      }
      expect(await etags('/_history?_list=List/resource')).toEqual([
        ...['Basic W/"4"', 'Basic W/"3"', 'Basic W/"2"', 'Basic W/"1"'],
        'Patient W/"1"',
      ])
      expect(await etags('/Patient/_history?_list=versions,resource')).toEqual(['Patient W/"1"'])
      expect(await etags(`/_history?_list=versions&_since=${times[2]}`)).toEqual(['Basic W/"4"'])
    })

    test('pages by links that keep it', async () => {
      await putList('paged', `Basic/${id}`)
      const first = (await server.fhir('GET', '/_history?_list=paged&_count=3')).body
      const next = new URL(first.link.find(({ relation }: { relation: string }) => relation === 'next').url)
      expect(next.searchParams.get('_list')).toBe('paged')
      const { body } = await server.fhir('GET', `${next.pathname}${next.search}`)
      expect(body.entry.map((entry: HistoryEntry) => entry.response.etag)).toEqual(['W/"1"'])
    })

    test('of a List that is not there, was deleted or is empty gives nothing', async () => {
      await putList('gone', `Basic/${id}`)
      await server.fhir('DELETE', '/List/gone')
      await putList('empty')
      for (const list of ['nobody', 'gone', 'empty']) expect(await etags(`/_history?_list=${list}`)).toEqual([])
    })

    test.each(['$current-allergies', 'Patient/1', 'a b'])(
      '«%s», which is not the id of a List, is 400',
      async (list) => {
        expect((await server.fhir('GET', `/_history?_list=${encodeURIComponent(list)}`)).status).toBe(400)
      },
    )

    test('of more than 10,000 entries is 422', async () => {
      const items = Array.from({ length: 10_001 }, (_, number) => `Basic/${number}`)
      expect((await putList('half', ...items.slice(0, 5_000))).status).toBe(201)
      expect((await putList('other-half', ...items.slice(5_000))).status).toBe(201)
      const answer = await server.fhir('GET', '/_history?_list=half,other-half')
      expect([answer.status, answer.body.issue[0].code]).toEqual([422, 'too-costly'])
    })
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

test('history of the system tells apart what has one id in two types', async () => {
  for (const resourceType of ['Patient', 'Basic']) {
    const path = `/${resourceType}/twin`
    const body = { resourceType, id: 'twin', ...(resourceType === 'Basic' ? { code: { text: 'twin' } } : {}) }
    await server.fhir('PUT', path, body)
    await (resourceType === 'Basic' ? server.fhir('DELETE', path) : server.fhir('PUT', path, body))
    await server.fhir('PUT', path, body)
  }
  const { body } = await server.fhir('GET', '/_history?_count=6')
  expect(body.entry.map(({ request: { url }, response }: HistoryEntry) => [url, response.status])).toEqual([
    ['Basic/twin', '201'],
    ['Basic/twin', '204'],
    ['Basic/twin', '201'],
    ['Patient/twin', '200'],
    ['Patient/twin', '200'],
    ['Patient/twin', '201'],
  ])
})
