/** Conditional create, update, patch and delete, and JSON Patch. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const SYSTEM = 'http://example.org/mrn'
const patient = (value: string, family = 'Conditional') => ({
  resourceType: 'Patient',
  identifier: [{ system: SYSTEM, value }],
  name: [{ family }],
})
const criteria = (value: string) => `identifier=${SYSTEM}|${value}`
const many = async (value: string, count: number) => {
  for (let i = 0; i < count; i++) await server.fhir('POST', '/Patient', patient(value))
}

describe('conditional create', () => {
  test('16 parallel clients make one resource: one 201, fifteen 200 with the same id', async () => {
    const value = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        server.fhir('POST', '/Patient', patient(value), { 'if-none-exist': criteria(value) }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(15).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(1)
  })

  test.each([
    ['relative', (query: string) => `Patient?${query}`],
    ['relative, from the root', (query: string) => `/Patient?${query}`],
    ['absolute', (query: string) => `${server.url}/Patient?${query}`],
    ['absolute, by another name of this server', (query: string) => `https://emr.example/fhir/Patient?${query}`],
    ['absolute, with a format', (query: string) => `${server.url}/Patient?_format=json&${query}&_pretty=true`],
  ])('takes the address of a search too, %s, by itself and in a Bundle', async (_what, addressOf) => {
    const value = randomUUID()
    const { body } = await server.fhir('POST', '/Patient', patient(value))
    const ifNoneExist = addressOf(criteria(encodeURIComponent(value)))
    const again = await server.fhir('POST', '/Patient', patient(value), { 'if-none-exist': ifNoneExist })
    expect([again.status, again.body.id]).toEqual([200, body.id])
    for (const type of ['batch', 'transaction']) {
      const entry = [{ resource: patient(value), request: { method: 'POST', url: 'Patient', ifNoneExist } }]
      const answer = await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
      expect(answer.body.entry[0].response.status).toMatch(/^200/)
    }
    const other = randomUUID()
    const fresh = addressOf(criteria(other))
    expect((await server.fhir('POST', '/Patient', patient(other), { 'if-none-exist': fresh })).status).toBe(201)
  })

  test('the address of a search of another type is 400, and nothing is created', async () => {
    const value = randomUUID()
    for (const address of [`Practitioner?${criteria(value)}`, `${server.url}?${criteria(value)}`, 'Patient?']) {
      const answer = await server.fhir('POST', '/Patient', patient(value), { 'if-none-exist': address })
      expect(answer.status).toBe(400)
    }
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(0)
  })

  test('a question mark in the value of a criterion belongs to the value', async () => {
    const value = `${randomUUID()}?Patient?x`
    const { body } = await server.fhir('POST', '/Patient', patient(value))
    const again = await server.fhir('POST', '/Patient', patient(value), { 'if-none-exist': criteria(value) })
    expect([again.status, again.body.id]).toEqual([200, body.id])
  })

  test('takes criteria with a question mark before them too, by itself and in a Bundle', async () => {
    const value = randomUUID()
    const ifNoneExist = `?${criteria(value)}`
    const create = () => server.fhir('POST', '/Patient', patient(value), { 'if-none-exist': ifNoneExist })
    const created = await create()
    expect(created.status).toBe(201)
    const again = await create()
    expect([again.status, again.body.id]).toEqual([200, created.body.id])
    const entry = [{ resource: patient(value), request: { method: 'POST', url: 'Patient', ifNoneExist } }]
    for (const type of ['transaction', 'batch']) {
      const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
      expect(body.entry).toMatchObject([{ response: { status: '200 OK', location: expect.any(String) } }])
    }
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(1)
  })

  test('several matches are 412', async () => {
    const value = randomUUID()
    await many(value, 2)
    expect((await server.fhir('POST', '/Patient', patient(value), { 'if-none-exist': criteria(value) })).status).toBe(
      412,
    )
  })

  test.each(['', 'nonsense=1', '_count=1'])('criteria «%s» that choose nothing are 400', async (ifNoneExist) => {
    const answer = await server.fhir('POST', '/Patient', patient('x'), { 'if-none-exist': ifNoneExist })
    expect(answer.status).toBe(400)
  })
})

describe('conditional update', () => {
  test('without a match creates, with one updates it, with several is 412', async () => {
    const value = randomUUID()
    const put = (family: string) => server.fhir('PUT', `/Patient?${criteria(value)}`, patient(value, family))
    const created = await put('First')
    expect(created.status).toBe(201)
    const updated = await put('Second')
    expect(updated.status).toBe(200)
    expect(updated.body).toMatchObject({ id: created.body.id, name: [{ family: 'Second' }] })
    await many(value, 1)
    expect((await put('Third')).status).toBe(412)
  })

  test('a body id that is not the match is 400', async () => {
    const value = randomUUID()
    await many(value, 1)
    expect((await server.fhir('PUT', `/Patient?${criteria(value)}`, { ...patient(value), id: 'another' })).status).toBe(
      400,
    )
  })

  test('without a match does not overwrite the resource that has the id of the body: 409, by itself and in a Bundle', async () => {
    const { body: other } = await server.fhir('POST', '/Patient', patient(randomUUID(), 'Other'))
    const resource = { ...patient('nobody'), id: other.id }
    const entry = [{ resource, request: { method: 'PUT', url: `Patient?${criteria('nobody')}` } }]
    const put = await server.fhir('PUT', `/Patient?${criteria('nobody')}`, resource)
    expect(put.status).toBe(409)
    expect(put.body.issue[0].diagnostics).toContain(`Patient/${other.id} exists already`)
    expect((await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(409)
    const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(body.entry[0].response.status).toMatch(/^409/)
    expect((await server.fhir('GET', `/Patient/${other.id}`)).body).toEqual(other)
  })

  test('without a match and with a new id creates it under that id, by itself and in a Bundle', async () => {
    const id = randomUUID()
    const put = await server.fhir('PUT', `/Patient?${criteria(id)}`, { ...patient(id), id })
    expect([put.status, put.body.id]).toEqual([201, id])
    for (const type of ['batch', 'transaction']) {
      const id = randomUUID()
      const entry = [{ resource: { ...patient(id), id }, request: { method: 'PUT', url: `Patient?${criteria(id)}` } }]
      const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
      const location = `${server.url}/Patient/${id}/_history/1`
      expect(body.entry).toMatchObject([{ response: { status: '201 Created', location } }])
    }
  })

  test('without a match brings back the deleted resource of that id as its next version', async () => {
    const id = randomUUID()
    const put = () => server.fhir('PUT', `/Patient?${criteria(id)}`, { ...patient(id), id })
    expect((await put()).status).toBe(201)
    expect((await server.fhir('DELETE', `/Patient/${id}`)).status).toBe(204)
    const back = await put()
    expect([back.status, back.body.id, back.headers.get('etag')]).toEqual([201, id, 'W/"3"'])
    expect((await server.fhir('GET', `/Patient/${id}`)).body).toEqual(back.body)
  })

  test('two of one transaction with the same criteria are 400 and write nothing, with a match and without', async () => {
    const value = randomUUID()
    const send = () => {
      const entry = ['A', 'B'].map((family) => ({
        resource: patient(value, family),
        request: { method: 'PUT', url: `Patient?${criteria(value)}` },
      }))
      return server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    }
    const withoutMatch = await send()
    expect(withoutMatch.status).toBe(400)
    expect(withoutMatch.body.issue[0].diagnostics).toContain('Bundle.entry[0] and Bundle.entry[1] both write')
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(0)
    await many(value, 1)
    expect((await send()).status).toBe(400)
    const { body } = await server.fhir('GET', `/Patient?${criteria(value)}`)
    expect(body.entry).toMatchObject([{ resource: { name: [{ family: 'Conditional' }], meta: { versionId: '1' } } }])
  })

  test.each(['', '?_format=json', '?_pretty=true', '?_format=json&_pretty=true'])(
    'without criteria is 400, never an update of everything: PUT /Patient%s',
    async (query) => {
      const { status, body } = await server.fhir('PUT', `/Patient${query}`, patient('x'))
      expect(status).toBe(400)
      expect(body.issue[0].diagnostics).toContain('the address needs an id (Patient/<id>) or search criteria')
    },
  )

  test('how the answer is to look is no criterion', async () => {
    const value = randomUUID()
    const put = () =>
      server.fhir('PUT', `/Patient?_format=json&${criteria(value)}&_pretty=true`, patient(value, 'Formatted'))
    expect((await put()).status).toBe(201)
    expect((await put()).status).toBe(200)
  })

  test('of 16 parallel clients without a match one creates and the others update', async () => {
    const value = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => server.fhir('PUT', `/Patient?${criteria(value)}`, patient(value))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(15).fill(200), 201])
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(1)
  })
})

describe('conditional delete', () => {
  test('deletes the one match; no match is 204; several are 412 and nothing is deleted', async () => {
    const value = randomUUID()
    await many(value, 1)
    expect((await server.fhir('DELETE', `/Patient?${criteria(value)}`)).status).toBe(204)
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(0)
    expect((await server.fhir('DELETE', `/Patient?${criteria(value)}`)).status).toBe(204)
    await many(value, 2)
    expect((await server.fhir('DELETE', `/Patient?${criteria(value)}`)).status).toBe(412)
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(2)
  })

  test('without criteria is 400, never a deletion of everything', async () => {
    expect((await server.fhir('DELETE', '/Patient')).status).toBe(400)
  })
})

describe('If-Match beside criteria', () => {
  const change = async (method: 'PUT' | 'PATCH' | 'DELETE', value: string, ifMatch: string) => {
    const bodies = {
      PUT: patient(value, 'Changed'),
      PATCH: [{ op: 'replace', path: '/name/0/family', value: 'Changed' }],
      DELETE: undefined,
    }
    const headers = { 'if-match': ifMatch }
    return (await server.fhir(method, `/Patient?${criteria(value)}`, bodies[method], headers)).status
  }

  test.each([
    ['PUT', 200],
    ['PATCH', 200],
    ['DELETE', 204],
  ] as const)('%s: a stale version is 412 and changes nothing, the current one is taken', async (method, status) => {
    const value = randomUUID()
    const { body } = await server.fhir('POST', '/Patient', patient(value))
    await server.fhir('PUT', `/Patient/${body.id}`, { ...patient(value, 'Second'), id: body.id })
    expect(await change(method, value, 'W/"1"')).toBe(412)
    expect((await server.fhir('GET', `/Patient/${body.id}`)).body.name[0].family).toBe('Second')
    expect(await change(method, value, 'W/"2"')).toBe(status)
  })

  test('PUT without a match is 412 and creates nothing', async () => {
    const value = randomUUID()
    expect(await change('PUT', value, 'W/"1"')).toBe(412)
    expect(await change('PUT', value, '*')).toBe(412)
    expect((await server.fhir('GET', `/Patient?${criteria(value)}`)).body.total).toBe(0)
  })
})

describe('JSON Patch', () => {
  const created = async () => (await server.fhir('POST', '/Patient', { ...patient(randomUUID()), active: true })).body

  test('changes what it names and makes a new version', async () => {
    const { id } = await created()
    const patched = await server.fhir('PATCH', `/Patient/${id}`, [
      { op: 'replace', path: '/active', value: false },
      { op: 'add', path: '/name/0/given', value: ['Grace'] },
    ])
    expect(patched.status).toBe(200)
    expect(patched.headers.get('etag')).toBe('W/"2"')
    expect(patched.body).toMatchObject({ active: false, name: [{ family: 'Conditional', given: ['Grace'] }] })
  })

  test('keeps decimals it does not touch', async () => {
    const { body } = await server.fhir(
      'POST',
      '/Observation',
      '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":2.50}}',
    )
    const patched = await server.fhir('PATCH', `/Observation/${body.id}`, [
      { op: 'replace', path: '/status', value: 'amended' },
    ])
    expect(patched.text).toContain('"value":2.50')
  })

  test.each([
    ['a body that is no array', { op: 'remove', path: '/active' }, 400],
    ['an unknown op', [{ op: 'change', path: '/active', value: false }], 400],
    ['a path that is no JSON Pointer', [{ op: 'remove', path: 'active' }], 400],
    ['an op without its value', [{ op: 'add', path: '/active' }], 400],
    ['a path that does not exist', [{ op: 'remove', path: '/birthDate' }], 422],
    ['a test that does not hold', [{ op: 'test', path: '/active', value: false }], 422],
    ['a result that is no valid Patient', [{ op: 'add', path: '/gender', value: 'm' }], 422],
    ['a change of the id', [{ op: 'replace', path: '/id', value: 'x' }], 422],
    ['a change of the type', [{ op: 'replace', path: '/resourceType', value: 'Person' }], 422],
    ['an index far outside', [{ op: 'add', path: '/name/7', value: { family: 'x' } }], 422],
    ['a way to the prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }], 422],
  ])('refuses %s and leaves the resource as it was', async (_name, patch, status) => {
    const { id } = await created()
    const answer = await server.fhir('PATCH', `/Patient/${id}`, patch)
    expect(answer.status).toBe(status)
    expect(answer.body.resourceType).toBe('OperationOutcome')
    expect((await server.fhir('GET', `/Patient/${id}`)).headers.get('etag')).toBe('W/"1"')
  })

  test('a stale If-Match is 412', async () => {
    const { id } = await created()
    await server.fhir('PATCH', `/Patient/${id}`, [{ op: 'replace', path: '/active', value: false }], {
      'if-match': 'W/"1"',
    })
    expect(
      (await server.fhir('PATCH', `/Patient/${id}`, [{ op: 'remove', path: '/active' }], { 'if-match': 'W/"1"' }))
        .status,
    ).toBe(412)
  })

  test('by criteria patches the one match; none is 404', async () => {
    const value = randomUUID()
    const patch = [{ op: 'add', path: '/active', value: true }]
    expect((await server.fhir('PATCH', `/Patient?${criteria(value)}`, patch)).status).toBe(404)
    await many(value, 1)
    expect((await server.fhir('PATCH', `/Patient?${criteria(value)}`, patch)).body.active).toBe(true)
  })

  test('of a deleted resource is 410, of an unknown one 404', async () => {
    const { id } = await created()
    await server.fhir('DELETE', `/Patient/${id}`)
    expect((await server.fhir('PATCH', `/Patient/${id}`, [])).status).toBe(410)
    expect((await server.fhir('PATCH', '/Patient/nobody', [])).status).toBe(404)
  })
})

describe('where search-type is switched off', () => {
  let off: TestServer
  beforeAll(async () => {
    off = await startServer({ DISABLED_INTERACTIONS: 'Patient.search-type' })
  })
  afterAll(() => off.close())
  const query = `Patient?${criteria('x')}`
  const transaction = (request: object, resource: object = patient('x')) => ({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [{ resource, request }],
  })
  const link = [{ other: { reference: query }, type: 'seealso' }]

  test.each<[string, string, string, unknown, Record<string, string>]>([
    ['a conditional create', 'POST', '/Patient', patient('x'), { 'if-none-exist': criteria('x') }],
    ['a conditional update', 'PUT', `/${query}`, patient('x'), {}],
    ['a conditional patch', 'PATCH', `/${query}`, [{ op: 'remove', path: '/name' }], {}],
    ['a conditional delete', 'DELETE', `/${query}`, undefined, {}],
    ['one in a Bundle', 'POST', '/', transaction({ method: 'POST', url: 'Patient', ifNoneExist: criteria('x') }), {}],
    [
      'a conditional reference',
      'POST',
      '/',
      transaction({ method: 'POST', url: 'Patient' }, { ...patient('x'), link }),
      {},
    ],
  ])('%s is 405, as /metadata declares', async (_what, method, path, body, headers) => {
    const answer = await off.fhir(method, path, body, headers)
    expect(answer.status).toBe(405)
    expect(answer.body.issue[0].diagnostics).toContain('Patient does not support search-type')
  })

  test('the same without criteria work', async () => {
    expect((await off.fhir('POST', '/Patient', patient('x'))).status).toBe(201)
  })
})
