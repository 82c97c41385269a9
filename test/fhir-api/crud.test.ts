/** create, read, vread, update and delete over HTTP: statuses, headers and stored resources. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const patient = (family: string) => ({ resourceType: 'Patient', name: [{ family, given: ['Ada'] }] })

/** `Sun Nov  6 08:49:37 1994` */
function asctime(time: Date): string {
  const [weekday = '', day = '', month, year, clock] = time.toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${clock} ${year}`
}

function monthAfter(time: Date): string {
  const next = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1))
  return next.toISOString().slice(0, 7)
}

describe('create', () => {
  test('answers 201 with Location, ETag, Last-Modified and the resource with id and version', async () => {
    const { status, headers, body } = await server.fhir('POST', '/Patient', patient('Byron'))
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`${server.url}/Patient/${body.id}/_history/1`)
    expect(headers.get('etag')).toBe('W/"1"')
    expect(Date.parse(headers.get('last-modified') ?? '')).toBe(
      Math.floor(Date.parse(body.meta.lastUpdated) / 1000) * 1000,
    )
    expect(headers.get('content-type')).toBe('application/fhir+json; charset=utf-8')
    expect(body).toMatchObject({ ...patient('Byron'), meta: { versionId: '1' } })
  })

  test('ignores the id and version that the client sends', async () => {
    const { body } = await server.fhir('POST', '/Patient', {
      ...patient('Own'),
      id: 'mine',
      meta: { versionId: '7', lastUpdated: '2001-01-01T00:00:00Z', tag: [{ code: 'kept' }] },
    })
    expect(body.id).not.toBe('mine')
    expect(body.meta).toMatchObject({ versionId: '1', tag: [{ code: 'kept' }] })
    expect(body.meta.lastUpdated).not.toBe('2001-01-01T00:00:00Z')
  })

  test('stores decimals as they were written', async () => {
    const text = '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.00}}'
    const { body } = await server.fhir('POST', '/Observation', text)
    const read = await server.fhir('GET', `/Observation/${body.id}`)
    expect(read.text).toContain('"value":1.00')
    expect((await server.fhir('GET', `/Observation?_id=${body.id}`)).text).toContain('"value":1.00')
    expect((await server.fhir('GET', `/Observation/${body.id}/_history`)).text).toContain('"value":1.00')
  })

  test.each([
    ['Prefer: return=minimal sends no body', 'return=minimal', ''],
    ['Prefer: return=OperationOutcome sends an outcome', 'return=OperationOutcome', 'OperationOutcome'],
    ['Prefer: return=representation sends the resource', 'return=representation', 'Patient'],
  ])('%s', async (_name, prefer, resourceType) => {
    const { status, body } = await server.fhir('POST', '/Patient', patient('Prefer'), { prefer })
    expect(status).toBe(201)
    expect(body?.resourceType ?? '').toBe(resourceType)
  })

  test.each([
    ['text that is no JSON', '/Patient', '{"resourceType":', 400],
    ['an empty body', '/Patient', ' ', 400],
    ['a JSON array', '/Patient', '[]', 400],
    ['another type than the address', '/Patient', '{"resourceType":"Observation"}', 400],
    ['an unknown element', '/Patient', '{"resourceType":"Patient","nickname":"x"}', 422],
    ['a code outside a required value set', '/Patient', '{"resourceType":"Patient","gender":"m"}', 422],
    ['a missing mandatory element', '/Observation', '{"resourceType":"Observation","status":"final"}', 422],
    ['a type that R4 does not have', '/Pacient', '{"resourceType":"Pacient"}', 404],
  ])('refuses %s with an OperationOutcome and stores nothing', async (_name, path, body, status) => {
    const before = (await server.fhir('GET', '/_history?_count=1')).body.total
    const answer = await server.fhir('POST', path, body)
    expect(answer.status).toBe(status)
    expect(answer.body.resourceType).toBe('OperationOutcome')
    expect(answer.body.issue[0].diagnostics).not.toBe('')
    expect((await server.fhir('GET', '/_history?_count=1')).body.total).toBe(before)
  })

  test('names the element at fault in expression', async () => {
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient', contact: [{ gender: 'robot' }] })
    expect(JSON.stringify(body)).toContain('Patient.contact[0].gender')
  })
})

describe('read', () => {
  test('gives the stored text, HEAD the same headers without it', async () => {
    const created = await server.fhir('POST', '/Patient', patient('Reader'))
    const path = `/Patient/${created.body.id}`
    const read = await server.fhir('GET', path)
    expect(read.body).toEqual(created.body)
    const head = await server.fhir('HEAD', path)
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['etag', 'last-modified', 'content-type', 'content-length'])
      expect(head.headers.get(name)).toBe(read.headers.get(name))
  })

  test('an unchanged resource is 304 for If-None-Match and If-Modified-Since', async () => {
    const { body, headers } = await server.fhir('POST', '/Patient', patient('Cached'))
    const path = `/Patient/${body.id}`
    expect((await server.fhir('GET', path, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(304)
    expect(
      (await server.fhir('GET', path, undefined, { 'if-modified-since': headers.get('last-modified') ?? '' })).status,
    ).toBe(304)
    expect((await server.fhir('GET', path, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(200)
    expect(
      (await server.fhir('GET', path, undefined, { 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' })).status,
    ).toBe(200)
  })

  test.each<[string, (time: Date) => string, number]>([
    ['an HTTP date', (time) => time.toUTCString(), 304],
    ['an HTTP date as asctime() writes it', (time) => asctime(time), 304],
    ['an instant', (time) => time.toISOString(), 304],
    ['an instant before it', (time) => new Date(time.getTime() - 1).toISOString(), 200],
    ['its second', (time) => `${time.toISOString().slice(0, 19)}Z`, 304],
    ['its minute, which began before it', (time) => `${time.toISOString().slice(0, 16)}Z`, 200],
    ['its day, which began before it', (time) => time.toISOString().slice(0, 10), 200],
    ['its year, which began before it', (time) => time.toISOString().slice(0, 4), 200],
    ['the next day', (time) => new Date(time.getTime() + 86_400_000).toISOString().slice(0, 10), 304],
    ['the next month', (time) => monthAfter(time), 304],
    ['the next year', (time) => String(time.getUTCFullYear() + 1), 304],
    ['what is no date', () => 'yesterday', 200],
    ['what only looks like one', () => 'May 9999', 200],
  ])('If-Modified-Since with %s', async (_what, since, status) => {
    const { body } = await server.fhir('POST', '/Patient', patient('Since'))
    const headers = { 'if-modified-since': since(new Date(body.meta.lastUpdated)) }
    expect((await server.fhir('GET', `/Patient/${body.id}`, undefined, headers)).status).toBe(status)
  })

  test('where both are given If-None-Match decides, whatever If-Modified-Since says', async () => {
    const { body, headers } = await server.fhir('POST', '/Patient', patient('Both'))
    const get = (tag: string, since: string) =>
      server.fhir('GET', `/Patient/${body.id}`, undefined, { 'if-none-match': tag, 'if-modified-since': since })
    expect((await get('W/"2"', headers.get('last-modified') ?? '')).status).toBe(200)
    expect((await get('W/"1"', 'Mon, 01 Jan 2001 00:00:00 GMT')).status).toBe(304)
  })

  test('an If-None-Match with tags that other servers made is no match: 200', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Foreign'))
    const get = (tags: string) => server.fhir('GET', `/Patient/${body.id}`, undefined, { 'if-none-match': tags })
    expect((await get('"33a64df5"')).status).toBe(200)
    expect((await get('W/"33a64df5", nonsense')).status).toBe(200)
    expect((await get('"33a64df5", W/"1"')).status).toBe(304)
  })

  test.each([
    ['an unknown id is 404', '/Patient/nobody', 404],
    ['an unknown version is 404', '/Patient/nobody/_history/1', 404],
    ['an unknown type is 404', '/Pacient/1', 404],
    ['an address without an interaction is 404', '/Patient/1/2/3/4', 404],
  ])('%s', async (_name, path, status) => {
    const answer = await server.fhir('GET', path)
    expect(answer.status).toBe(status)
    expect(answer.body.resourceType).toBe('OperationOutcome')
  })

  test('_pretty=true is the same resource with line breaks', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Pretty'))
    const pretty = await server.fhir('GET', `/Patient/${body.id}?_pretty=true`)
    expect(pretty.text).toContain('\n  "')
    expect(pretty.body).toEqual(body)
  })

  test('_pretty=true breaks the lines of an error too', async () => {
    const { text } = await server.fhir('GET', '/Patient/nobody?_pretty=true')
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2))
    expect((await server.fhir('GET', '/Patient/nobody')).text).not.toContain('\n')
  })

  test('_summary and _elements send a part, tagged SUBSETTED', async () => {
    const { body } = await server.fhir('POST', '/Patient', {
      ...patient('Part'),
      birthDate: '1980-03-03',
      maritalStatus: { text: 'single' },
    })
    const elements = (await server.fhir('GET', `/Patient/${body.id}?_elements=birthDate`)).body
    expect(Object.keys(elements).sort()).toEqual(['birthDate', 'id', 'meta', 'resourceType'])
    expect(elements.meta.tag[0].code).toBe('SUBSETTED')
    const summary = (await server.fhir('GET', `/Patient/${body.id}?_summary=true`)).body
    expect(summary.birthDate).toBe('1980-03-03')
    expect(summary.maritalStatus).toBeUndefined()
    const wrong = await server.fhir('GET', `/Patient/${body.id}?_summary=wrong`)
    expect(wrong.status).toBe(400)
    // The error is not the resource.
    expect([wrong.headers.get('etag'), wrong.headers.get('last-modified')]).toEqual([null, null])
  })
})

describe('update', () => {
  test('makes the next version and keeps the old one readable', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Before'))
    const updated = await server.fhir('PUT', `/Patient/${body.id}`, { ...patient('After'), id: body.id })
    expect(updated.status).toBe(200)
    expect(updated.headers.get('etag')).toBe('W/"2"')
    expect((await server.fhir('GET', `/Patient/${body.id}/_history/1`)).body.name[0].family).toBe('Before')
    expect((await server.fhir('GET', `/Patient/${body.id}/_history/2`)).body.name[0].family).toBe('After')
    expect((await server.fhir('GET', `/Patient/${body.id}/_history/3`)).status).toBe(404)
  })

  test('with a new id of the client creates it: 201', async () => {
    const created = await server.fhir('PUT', '/Patient/client-chosen', { ...patient('Chosen'), id: 'client-chosen' })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`${server.url}/Patient/client-chosen/_history/1`)
  })

  test.each([
    ['a body id that differs from the address', { ...patient('X'), id: 'other' }],
    ['a body without an id', patient('X')],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await server.fhir('PUT', '/Patient/this-one', body)
    expect(answer.status).toBe(400)
    expect(answer.body.issue[0].expression).toEqual(['Patient.id'])
  })

  test('a stale If-Match is 412 and changes nothing; the current one is taken', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('One'))
    const path = `/Patient/${body.id}`
    const put = (family: string, ifMatch: string) =>
      server.fhir('PUT', path, { ...patient(family), id: body.id }, { 'if-match': ifMatch })
    expect((await put('Two', 'W/"1"')).status).toBe(200)
    expect((await put('Three', 'W/"1"')).status).toBe(412)
    expect((await server.fhir('GET', path)).body.name[0].family).toBe('Two')
  })

  test.each(['three', '"33a64df5"', 'W/"1a"', '"1,2"'])(
    'If-Match: %s, a tag that this server never gave, is 412 and changes nothing',
    async (ifMatch) => {
      const { body } = await server.fhir('POST', '/Patient', patient('One'))
      const path = `/Patient/${body.id}`
      const answer = await server.fhir('PUT', path, { ...patient('Two'), id: body.id }, { 'if-match': ifMatch })
      expect([answer.status, answer.body.issue[0].diagnostics]).toEqual([412, expect.stringContaining('has version 1')])
      expect((await server.fhir('DELETE', path, undefined, { 'if-match': ifMatch })).status).toBe(412)
      expect((await server.fhir('GET', path)).body.name[0].family).toBe('One')
    },
  )

  test.each(['"1"', 'W/"1"', '1', '"7", W/"1"', 'W/"33a64df5","1"'])(
    'If-Match: %s is taken where version 1 is current, weak or strong, by itself or in a list',
    async (ifMatch) => {
      const { body } = await server.fhir('POST', '/Patient', patient('One'))
      const put = () =>
        server.fhir('PUT', `/Patient/${body.id}`, { ...patient('Two'), id: body.id }, { 'if-match': ifMatch })
      expect([(await put()).status, (await put()).status]).toEqual([200, 412])
    },
  )

  test('ifMatch of an entry of a transaction takes a list of tags too, and an unknown one is 412', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('One'))
    const post = (ifMatch: string) =>
      server.fhir('POST', '/', {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [
          {
            resource: { ...patient('Two'), id: body.id },
            request: { method: 'PUT', url: `Patient/${body.id}`, ifMatch },
          },
        ],
      })
    expect((await post('"x"')).status).toBe(412)
    expect((await post('"x", W/"1"')).status).toBe(200)
  })

  test('If-Match: * is taken for every version there is, and 412 where there is none', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('One'))
    const path = `/Patient/${body.id}`
    const any = { 'if-match': '*' }
    const put = () => server.fhir('PUT', path, { ...patient('Two'), id: body.id }, any)
    expect((await put()).status).toBe(200)
    expect((await server.fhir('DELETE', path, undefined, any)).status).toBe(204)
    expect((await put()).status).toBe(412)
    expect((await server.fhir('PUT', '/Patient/never', { ...patient('x'), id: 'never' }, any)).status).toBe(412)
    expect((await server.fhir('GET', '/Patient/never')).status).toBe(404)
  })

  test('If-None-Match: * refuses to overwrite with 412', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Exists'))
    const answer = await server.fhir(
      'PUT',
      `/Patient/${body.id}`,
      { ...patient('New'), id: body.id },
      { 'if-none-match': '*' },
    )
    expect(answer.status).toBe(412)
  })

  test('If-None-Match: * takes the id of a deleted resource, which is free again', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Deleted'))
    const path = `/Patient/${body.id}`
    await server.fhir('DELETE', path)
    const put = await server.fhir('PUT', path, { ...patient('Back'), id: body.id }, { 'if-none-match': '*' })
    expect([put.status, put.headers.get('etag')]).toEqual([201, 'W/"3"'])
  })

  test.each(['PUT', 'PATCH', 'DELETE'])(
    'an If-None-Match that is not * is 400 on a write, and nothing is changed: %s',
    async (method) => {
      const { body } = await server.fhir('POST', '/Patient', patient('Kept'))
      const path = `/Patient/${body.id}`
      const changes = {
        PUT: { ...patient('Changed'), id: body.id },
        PATCH: [{ op: 'remove', path: '/name' }],
        DELETE: undefined,
      }
      const change = changes[method as keyof typeof changes]
      const answer = await server.fhir(method, path, change, { 'if-none-match': 'W/"7"' })
      expect(answer.status).toBe(400)
      expect(answer.body.issue[0].diagnostics).toBe('If-None-Match on a write can only be *, not \'W/"7"\'')
      expect((await server.fhir('GET', path)).body).toEqual(body)
    },
  )

  test('16 parallel updates all land, one version each, and the history is in version order', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Busy'))
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        server.fhir('PUT', `/Patient/${body.id}`, { ...patient(`Busy${i}`), id: body.id }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200))
    const history = (await server.fhir('GET', `/Patient/${body.id}/_history?_count=50`)).body
    expect(history.entry.map((entry: { response: { etag: string } }) => entry.response.etag)).toEqual(
      Array.from({ length: 17 }, (_, i) => `W/"${17 - i}"`),
    )
  })

  test('of 16 parallel updates with the same If-Match one wins and 15 are 412', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Race'))
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        server.fhir('PUT', `/Patient/${body.id}`, { ...patient(`Race${i}`), id: body.id }, { 'if-match': 'W/"1"' }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(412)])
  })
})

describe('delete', () => {
  test('answers 204, then reads are 410, the versions stay, and an update brings it back with 201', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Gone'))
    const path = `/Patient/${body.id}`
    expect((await server.fhir('DELETE', path)).status).toBe(204)
    expect((await server.fhir('GET', path)).status).toBe(410)
    expect((await server.fhir('GET', `${path}/_history/1`)).status).toBe(200)
    expect((await server.fhir('GET', `${path}/_history/2`)).status).toBe(410)
    expect((await server.fhir('GET', `/Patient?_id=${body.id}`)).body.total).toBe(0)
    const back = await server.fhir('PUT', path, { ...patient('Back'), id: body.id })
    expect(back.status).toBe(201)
    expect(back.headers.get('etag')).toBe('W/"3"')
  })

  test('with a stale If-Match is 412 and deletes nothing; the current one is taken', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('One'))
    const path = `/Patient/${body.id}`
    await server.fhir('PUT', path, { ...patient('Two'), id: body.id })
    const stale = await server.fhir('DELETE', path, undefined, { 'if-match': 'W/"1"' })
    expect([stale.status, stale.body.resourceType]).toEqual([412, 'OperationOutcome'])
    expect((await server.fhir('GET', path)).body.name[0].family).toBe('Two')
    expect((await server.fhir('DELETE', path, undefined, { 'if-match': 'W/"2"' })).status).toBe(204)
    expect((await server.fhir('GET', path)).status).toBe(410)
  })

  test('of what is deleted or never was is 204 too', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Twice'))
    expect((await server.fhir('DELETE', `/Patient/${body.id}`)).status).toBe(204)
    expect((await server.fhir('DELETE', `/Patient/${body.id}`)).status).toBe(204)
    expect((await server.fhir('DELETE', '/Patient/never-was')).status).toBe(204)
  })

  test('with Prefer: return=OperationOutcome says what was done', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient('Told'))
    const answer = await server.fhir('DELETE', `/Patient/${body.id}`, undefined, { prefer: 'return=OperationOutcome' })
    expect(answer.status).toBe(200)
    expect(answer.body.issue[0].severity).toBe('information')
  })
})

describe('what is not offered', () => {
  test('a method that an address does not have is 405 with Allow', async () => {
    const answer = await server.fhir('POST', '/Patient/1', patient('X'))
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, PUT, PATCH, DELETE')
    expect(answer.body.resourceType).toBe('OperationOutcome')
  })

  test.each([
    ['a body format it cannot read is 415', { 'content-type': 'text/plain' }, 415],
    ['Turtle is 415', { 'content-type': 'text/turtle' }, 415],
    ['another FHIR version is 415', { 'content-type': 'application/fhir+json; fhirVersion=3.0' }, 415],
    ['an answer format it cannot write is 406', { accept: 'text/turtle' }, 406],
    ['another FHIR version asked for is 406', { accept: 'application/fhir+json; fhirVersion=5.0' }, 406],
    ['a charset other than UTF-8 is 415', { 'content-type': 'application/fhir+json; charset=iso-8859-1' }, 415],
  ])('%s', async (_name, headers: Record<string, string>, status) => {
    const answer = await server.fhir('POST', '/Patient', patient('Format'), headers)
    expect(answer.status).toBe(status)
    expect(answer.body.resourceType).toBe('OperationOutcome')
  })

  test.each(['json', 'application/json', 'application/fhir+json', 'application/fhir%2Bjson', 'text/json'])(
    '_format=%s wins over Accept',
    async (format) => {
      expect(
        (await server.fhir('GET', `/Patient?_count=1&_format=${format}`, undefined, { accept: 'application/fhir+xml' }))
          .status,
      ).toBe(200)
    },
  )

  test('fhirVersion=4.0 is echoed to a client that names it', async () => {
    const { headers } = await server.fhir('GET', '/Patient?_count=1', undefined, {
      accept: 'application/fhir+json; fhirVersion=4.0',
    })
    expect(headers.get('content-type')).toBe('application/fhir+json; charset=utf-8; fhirVersion=4.0')
  })
})

describe('limits', () => {
  let small: TestServer
  beforeAll(async () => {
    small = await startServer({ MAX_BODY_BYTES: '2000', MAX_JSON_DEPTH: '16', MAX_BUNDLE_ENTRIES: '2' })
  })
  afterAll(() => small.close())

  test('a body over the limit is 413 and says the limit', async () => {
    const answer = await small.fhir('POST', '/Patient', patient('x'.repeat(3000)))
    expect(answer.status).toBe(413)
    expect(answer.body.issue[0].diagnostics).toContain('2000 bytes')
  })

  test('JSON nested over the limit is 400 and says the limit', async () => {
    const answer = await small.fhir('POST', '/Patient', `${'['.repeat(17)}${']'.repeat(17)}`)
    expect(answer.status).toBe(400)
    expect(answer.body.issue[0].diagnostics).toContain('16 levels')
  })

  test('a Bundle with more entries than the limit is 413 and says the limit', async () => {
    const entry = Array.from({ length: 3 }, () => ({ request: { method: 'GET', url: 'Patient' } }))
    const answer = await small.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(answer.status).toBe(413)
    expect(answer.body.issue[0].diagnostics).toContain('2 at most')
  })
})
