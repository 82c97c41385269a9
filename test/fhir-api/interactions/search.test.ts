/** search over HTTP: https://hl7.org/fhir/R4/search.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type FhirResponse, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ MAX_COUNT: '50' })
  await transaction(FIXTURE)
})
afterAll(() => server.close())

interface Resource {
  readonly resourceType: string
  readonly id: string
  readonly [element: string]: unknown
}

const TAG = { system: 'http://example.org/test', code: 'search' }
const tagged = (resource: Resource) => ({ ...resource, meta: { tag: [TAG] } })
const patient = (id: string, family: string, given: string, more: object = {}) =>
  tagged({ resourceType: 'Patient', id, name: [{ family, given: [given] }], ...more })
const observation = (id: string, subject: string, code: string, more: object = {}) =>
  tagged({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code }] },
    subject: { reference: subject },
    ...more,
  })

const FIXTURE: readonly Resource[] = [
  tagged({ resourceType: 'Organization', id: 'o-parent', name: 'Parent' }),
  tagged({
    resourceType: 'Organization',
    id: 'o-child',
    name: 'Child',
    partOf: { reference: 'Organization/o-parent' },
  }),
  tagged({ resourceType: 'Practitioner', id: 'dr', name: [{ family: 'House', given: ['Gregory'] }] }),
  patient('p-ana', 'Núñez', 'Ana', {
    birthDate: '1980-03-03',
    gender: 'female',
    identifier: [{ system: 'http://example.org/mrn', value: 'A|1,5' }, { value: 'plain' }],
    managingOrganization: { reference: 'Organization/o-child' },
    generalPractitioner: [{ reference: 'Practitioner/dr' }],
  }),
  patient('p-ben', 'Nunez', 'Ben', { birthDate: '1980-03', gender: 'male', active: true }),
  patient('p-cyd', 'Nunes', 'Cyd', { birthDate: '2000' }),
  patient('p-dot', "O'Hara", 'Dot', { name: [{ family: "O'Hara", given: ['Dot'] }, { family: 'Ohara' }] }),
  observation('ob-1', 'Patient/p-ana', '8480-6', {
    effectiveDateTime: '2026-03-01T09:00:00Z',
    performer: [{ reference: 'Practitioner/dr' }],
  }),
  observation('ob-2', 'Patient/p-ana', '8462-4', { effectivePeriod: { start: '2026-03-01', end: '2026-03-05' } }),
  observation('ob-3', 'Patient/p-ben', '8480-6', { effectiveDateTime: '2026-04-01' }),
  tagged({
    resourceType: 'DiagnosticReport',
    id: 'dr-1',
    status: 'final',
    code: { text: 'x' },
    result: [{ reference: 'Observation/ob-1' }],
  }),
]

async function transaction(resources: readonly Resource[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }))
  const { status, text } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect([status, text]).toEqual([200, expect.anything()])
}

const get = (path: string, headers?: Record<string, string>) => server.fhir('GET', path, undefined, headers)

interface Entry {
  readonly resource: Resource
  readonly search: { readonly mode: string }
}
const entries = ({ body }: FhirResponse, mode: string): readonly Resource[] =>
  (body.entry ?? []).filter((entry: Entry) => entry.search.mode === mode).map((entry: Entry) => entry.resource)
const ids = (answer: FhirResponse, mode = 'match') => entries(answer, mode).map(({ id }) => id)
const link = ({ body }: FhirResponse, relation: string): string | undefined =>
  body.link.find((one: { relation: string }) => one.relation === relation)?.url
const path = (url: string): string => url.slice(server.url.length)
const outcome = ({ body }: FhirResponse): string => body.issue[0].diagnostics

describe('parameters', () => {
  test.each<[string, readonly string[]]>([
    // string: begins with, whatever the case and accents
    ['Patient?family=nun', ['p-ana', 'p-ben', 'p-cyd']],
    ['Patient?family=NUÑEZ', ['p-ana', 'p-ben']],
    ['Patient?family:exact=Nunez', ['p-ben']],
    ['Patient?family:contains=une', ['p-ana', 'p-ben', 'p-cyd']],
    ['Patient?family=hara', ['p-dot']],
    ['Patient?family=ara', []],
    ['Patient?family=Nunez&given=Ana', ['p-ana']],
    // comma: or, each resource once
    ['Patient?given=Ana,Ben', ['p-ana', 'p-ben']],
    ["Patient?family=o'hara,ohara", ['p-dot']],
    ['Patient?_id=p-ana,p-ben,p-ana', ['p-ana', 'p-ben']],
    // token
    ['Patient?gender=female', ['p-ana']],
    ['Patient?gender:not=female', ['p-ben', 'p-cyd', 'p-dot']],
    ['Patient?active=true', ['p-ben']],
    ['Patient?identifier=http://example.org/mrn|A\\|1\\,5', ['p-ana']],
    ['Patient?identifier=http://example.org/mrn|', ['p-ana']],
    ['Patient?identifier=|plain', ['p-ana']],
    ['Patient?identifier=plain', ['p-ana']],
    ['Patient?identifier=http://example.org/other|plain', []],
    ['Patient?birthdate:missing=true', ['p-dot']],
    // date: with the precision of both sides
    ['Patient?birthdate=1980-03-03', ['p-ana']],
    ['Patient?birthdate=1980-03', ['p-ana', 'p-ben']],
    ['Patient?birthdate=ge1980-03-02&birthdate=lt1981', ['p-ana', 'p-ben']],
    ['Patient?birthdate=sa1980', ['p-cyd']],
    ['Observation?date=2026-03-01T09:00:00Z', ['ob-1']],
    ['Observation?date=ge2026-03-04', ['ob-2', 'ob-3']],
    ['Observation?date=lt2026-03-02', ['ob-1', 'ob-2']],
    // reference
    ['Observation?subject=Patient/p-ana', ['ob-1', 'ob-2']],
    ['Observation?subject=p-ana', ['ob-1', 'ob-2']],
    ['Observation?patient=p-ben', ['ob-3']],
    ['Observation?subject:Patient=p-ben', ['ob-3']],
    // several types of parameter together, chains and _has
    ['Observation?code=http://loinc.org|8480-6&subject=Patient/p-ana', ['ob-1']],
    ['Observation?subject:Patient.family=nunez', ['ob-1', 'ob-2', 'ob-3']],
    ['Observation?subject.given=ben', ['ob-3']],
    ['Observation?patient.organization.partof.name=Parent', ['ob-1', 'ob-2']],
    ['Patient?_has:Observation:patient:code=8462-4', ['p-ana']],
    ['Patient?_has:Observation:patient:_id=ob-3,ob-1', ['p-ana', 'p-ben']],
    ['Organization?_has:Patient:organization:_has:Observation:patient:code=8462-4', ['o-child']],
  ])('%s finds %j', async (query, expected) => {
    const [type, criteria = ''] = query.split('?')
    const answer = await get(`/${type}?_tag=search&${criteria.replaceAll('|', '%7C')}`)
    expect(answer.status).toBe(200)
    expect([...ids(answer)].sort()).toEqual(expected)
    expect(answer.body).toMatchObject({ type: 'searchset', total: expected.length })
  })

  test('an absolute reference below the address of the server is the relative one', async () => {
    expect(ids(await get(`/Observation?subject=${server.url}/Patient/p-ben`))).toEqual(['ob-3'])
  })

  test('_lastUpdated finds what was stored since, and not before', async () => {
    const { body } = await get('/Patient/p-ana')
    const at = encodeURIComponent(body.meta.lastUpdated)
    expect(ids(await get(`/Patient?_id=p-ana&_lastUpdated=ge${at}`))).toEqual(['p-ana'])
    expect(ids(await get(`/Patient?_id=p-ana&_lastUpdated=lt${at}`))).toEqual([])
  })

  test('every entry has its fullUrl and mode, and the very text of a read', async () => {
    const answer = await get('/Patient?_id=p-ana')
    expect(answer.body.entry[0]).toMatchObject({ fullUrl: `${server.url}/Patient/p-ana`, search: { mode: 'match' } })
    expect(answer.text).toContain((await get('/Patient/p-ana')).text)
  })

  test('a search that finds nothing is 200 with total 0 and no entry element', async () => {
    const { status, body } = await get('/Patient?family=nobody')
    expect(status).toBe(200)
    expect(body.total).toBe(0)
    expect(body).not.toHaveProperty('entry')
  })
})

describe('_sort', () => {
  const order = async (query: string) => ids(await get(`/${query}&_tag=search`))

  test.each<[string, readonly string[]]>([
    ['Patient?_sort=given', ['p-ana', 'p-ben', 'p-cyd', 'p-dot']],
    ['Patient?_sort=-given', ['p-dot', 'p-cyd', 'p-ben', 'p-ana']],
    ['Patient?_sort=birthdate', ['p-ben', 'p-ana', 'p-cyd', 'p-dot']],
    ['Patient?_sort=-_id', ['p-dot', 'p-cyd', 'p-ben', 'p-ana']],
    ['Patient?_sort=family,-given', ['p-cyd', 'p-ben', 'p-ana', 'p-dot']],
  ])('%s gives %j', async (query, expected) => {
    expect(await order(query)).toEqual(expected)
  })

  test('missing values come last in both directions, and nobody is lost', async () => {
    expect((await order('Patient?_sort=gender')).slice(0, 2)).toEqual(['p-ana', 'p-ben'])
    expect((await order('Patient?_sort=-gender')).slice(0, 2)).toEqual(['p-ben', 'p-ana'])
    for (const sort of ['gender', '-gender', 'death-date', '-death-date'])
      expect([...(await order(`Patient?_sort=${sort}`))].sort()).toEqual(['p-ana', 'p-ben', 'p-cyd', 'p-dot'])
  })

  test('ties keep one order over all pages: Slot?_sort=start with 12 slots at 3 times and 3 at a time a page', async () => {
    const slots = Array.from({ length: 12 }, (_, index) =>
      tagged({
        resourceType: 'Slot',
        id: `tie-${index}`,
        schedule: { reference: 'Schedule/ties' },
        status: 'free',
        start: `2031-01-0${1 + (index % 3)}T09:00:00Z`,
        end: '2031-01-04T09:00:00Z',
      }),
    )
    await transaction(slots)
    const all = await order('Slot?schedule=Schedule/ties&_sort=start&_count=50')
    expect([...all].sort()).toEqual(slots.map(({ id }) => id).sort())
    expect(await pages('/Slot?schedule=Schedule/ties&_sort=start&_count=3')).toEqual(all)
    expect(await pages('/Slot?schedule=Schedule/ties&_sort=-start&_count=5')).toHaveLength(12)
  })
})

/** The ids on all pages from `first` on; `between` runs after each page. */
async function pages(first: string, between: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const found: string[] = []
  for (let next: string | undefined = first; next !== undefined; ) {
    const answer: FhirResponse = await get(next)
    expect(answer.status).toBe(200)
    found.push(...ids(answer))
    const url = link(answer, 'next')
    next = url === undefined ? undefined : path(url)
    await between()
  }
  return found
}

describe('paging', () => {
  const basic = (id: string, text = 'x') => ({
    resourceType: 'Basic',
    id,
    code: { coding: [{ code: 'paging' }], text },
  })
  const put = (id: string) => server.fhir('PUT', `/Basic/${id}`, basic(id))

  test.each(['', '&_sort=_lastUpdated', '&_sort=-_lastUpdated', '&_sort=-_id', '&_sort=code,-_id'])(
    'over next links%s: nothing twice, nothing lost, while resources come and go in between',
    async (sort) => {
      await transaction(Array.from({ length: 30 }, (_, index) => basic(`stays-${index}`)))
      await transaction(Array.from({ length: 10 }, (_, index) => basic(`goes-${index}`)))
      let round = 0
      const seen = await pages(`/Basic?code=paging&_count=4${sort}`, async () => {
        await server.fhir('DELETE', `/Basic/goes-${round}`)
        await put(`comes-${sort}-${round}`.replace(/[^a-z0-9-]/g, ''))
        round++
      })
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter((id) => id.startsWith('stays')).sort()).toEqual(
        Array.from({ length: 30 }, (_, index) => `stays-${index}`).sort(),
      )
      const rest = await pages('/Basic?code=paging&_count=50')
      for (const id of rest) await server.fhir('DELETE', `/Basic/${id}`)
    },
  )

  test('_count=0 gives the total and no entry', async () => {
    const { body } = await get('/Patient?_tag=search&_count=0')
    expect(body.total).toBe(4)
    expect(body).not.toHaveProperty('entry')
  })

  test('_count above the maximum is capped, and self shows the count that was used', async () => {
    const answer = await get('/Slot?_count=100000')
    expect(ids(answer)).toHaveLength(50)
    expect(link(answer, 'self')).toBe(`${server.url}/Slot?_count=50`)
    expect(link(answer, 'next')).toContain('_count=50')
  })

  test('the next link works with POST _search too, and a cursor of another search is 400', async () => {
    const next = new URL(link(await get('/Slot?_count=5&status=free'), 'next') ?? '')
    const posted = await server.fhir('POST', '/Slot/_search', next.search.slice(1), FORM)
    expect(ids(posted)).toEqual(ids(await get(`/Slot${next.search}`)))
    const cursor = next.searchParams.get('_cursor') ?? ''
    const other = await get(`/Slot?_count=5&status=busy&_cursor=${encodeURIComponent(cursor)}`)
    expect(other.status).toBe(400)
    expect(outcome(other)).toMatch(/cursor/)
    expect((await get('/Slot?_cursor=made-up')).status).toBe(400)
  })

  test('the total is given when the result fits the page; else only when _total=accurate asks for it', async () => {
    expect((await get('/Patient?_tag=search')).body.total).toBe(4)
    expect((await get('/Patient?_tag=search&_count=2')).body).not.toHaveProperty('total')
    expect((await get('/Patient?_tag=search&_count=2&_total=none')).body).not.toHaveProperty('total')
    expect((await get('/Patient?_tag=search&_count=2&_total=accurate')).body.total).toBe(4)
    const second = path(link(await get('/Patient?_tag=search&_count=2&_total=accurate'), 'next') ?? '')
    expect((await get(second)).body.total).toBe(4)
  })
})

describe('_include and _revinclude', () => {
  const included = async (query: string) => {
    const answer = await get(`/${query}`)
    expect(answer.status).toBe(200)
    return [...ids(answer, 'include')].sort()
  }

  test.each<[string, readonly string[]]>([
    ['Observation?_id=ob-1&_include=Observation:subject', ['p-ana']],
    ['Observation?_id=ob-1&_include=Observation:subject:Patient', ['p-ana']],
    ['Observation?_id=ob-1&_include=Observation:subject:Group', []],
    ['Observation?_id=ob-1&_include=Observation:subject&_include=Observation:performer', ['dr', 'p-ana']],
    ['Observation?_id=ob-1,ob-2&_include=Observation:subject', ['p-ana']],
    ['Observation?_id=ob-1&_include=Observation:*', ['dr', 'p-ana']],
    ['Observation?_id=ob-1&_include=*', ['dr', 'p-ana']],
    ['Patient?_id=p-ana&_revinclude=Observation:subject', ['ob-1', 'ob-2']],
    ['Observation?_id=ob-1&_revinclude=*', ['dr-1']],
    ['Observation?_id=ob-1&_include=Observation:subject&_include:iterate=Patient:organization', ['o-child', 'p-ana']],
    [
      'Observation?_id=ob-1&_include=Observation:subject&_include:iterate=Patient:organization&_include:iterate=Organization:partof',
      ['o-child', 'o-parent', 'p-ana'],
    ],
    [
      'Patient?_id=p-ana&_revinclude=Observation:subject&_revinclude:iterate=DiagnosticReport:result',
      ['dr-1', 'ob-1', 'ob-2'],
    ],
  ])('%s includes %j', async (query, expected) => {
    expect(await included(query)).toEqual(expected)
  })

  test('what is a match already is not included again, and total counts matches only', async () => {
    const answer = await get('/Organization?_tag=search&_include=Organization:partof')
    expect(ids(answer, 'include')).toEqual([])
    expect(answer.body.total).toBe(2)
  })

  test('included resources beyond the limit are cut off, and an outcome entry says so', async () => {
    const bounded = await startServer({ MAX_INCLUDES: '2' })
    try {
      const bundle = (await bounded.fhir('GET', '/Appointment?_count=5&_include=Appointment:patient')).body
      expect(bundle.entry.filter((entry: Entry) => entry.search.mode === 'include')).toHaveLength(2)
      expect(bundle.entry.at(-1)).toMatchObject({
        resource: { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'incomplete' }] },
        search: { mode: 'outcome' },
      })
    } finally {
      await bounded.close()
    }
  })
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('GET and POST _search', () => {
  const post = (to: string, form: string) => server.fhir('POST', to, form, FORM)

  test('find the same, with parameters in the body, the query or both', async () => {
    const expected = ids(await get('/Patient?_tag=search&family=nunez&_sort=given'))
    expect(expected).toEqual(['p-ana', 'p-ben'])
    expect(ids(await post('/Patient/_search', '_tag=search&family=nunez&_sort=given'))).toEqual(expected)
    expect(ids(await post('/Patient/_search?_tag=search&family=nunez&_sort=given', ''))).toEqual(expected)
    expect(ids(await post('/Patient/_search?_tag=search', 'family=nunez&_sort=given'))).toEqual(expected)
  })

  test('empty parameters of a form are ignored', async () => {
    expect(ids(await post('/Patient/_search?gender=', '_tag=search&family=nunes&birthdate='))).toEqual(['p-cyd'])
  })

  test('a form with escapes and spaces is read as forms are', async () => {
    expect(ids(await post('/Patient/_search', 'identifier=http%3A%2F%2Fexample.org%2Fmrn%7CA%5C%7C1%5C%2C5'))).toEqual([
      'p-ana',
    ])
    expect(ids(await post('/Patient/_search', 'name=o+hara'))).toEqual(['p-dot'])
  })

  test('a body that is no form is 415', async () => {
    const answer = await server.fhir('POST', '/Patient/_search', { family: 'x' })
    expect(answer.status).toBe(415)
    expect(answer.body.resourceType).toBe('OperationOutcome')
  })

  test('self holds all parameters that were used, readable, but no | that an address may not have', async () => {
    const answer = await post(
      '/Patient/_search?_tag=http://example.org/test|search',
      'family:exact=Nunez&birthdate=ge1980',
    )
    expect(link(answer, 'self')).toBe(
      `${server.url}/Patient?_tag=http://example.org/test%7Csearch&family:exact=Nunez&birthdate=ge1980`,
    )
    expect(link(await get('/Patient?_format=json&_pretty=true&_id=p-ana'), 'self')).toBe(
      `${server.url}/Patient?_id=p-ana&_format=json&_pretty=true`,
    )
  })
})

describe('handling', () => {
  test.each<[string, RegExp]>([
    ['Patient?famly=x', /'famly'.*'family'.*birthdate/],
    ['Observation?subject:Patient.famly=x', /'famly'.*'family'/],
    ['Observation?_sort=kode', /'kode'.*'code'/],
    ['Patient?_has:Observation:patient:kode=x', /'kode'.*'code'/],
    ['Patient?family:starts=x', /family:starts.*:exact, :contains/],
    ['Patient?gender:exact=male', /gender:exact/],
    ['Patient?birthdate=yesterday', /birthdate=yesterday.*YYYY-MM-DD/],
    ['Patient?birthdate=2026-02-30', /birthdate=2026-02-30/],
    ['Patient?active=perhaps', /active=perhaps.*true/],
    ['Patient?_id=a/b', /_id=a\/b/],
    ['Patient?_count=many', /_count=many/],
    ['Patient?_count=-1', /_count=-1/],
    ['Patient?_total=roughly', /_total=roughly.*accurate/],
    ['Patient?_summary=short', /_summary=short.*count/],
    ['Patient?_include=Patient', /_include=Patient.*Type:parameter/],
    ['Patient?_include=Patient:family', /family.*general-practitioner/],
    ['Patient?_include=Observation:subject', /Observation/],
    ['Patient?_include=Pacient:link', /'Pacient'.*did you mean Patient\?/],
    ['Patient?_revinclude=Patient:organization', /organization/],
    ['Patient?_type=Patient', /_type/],
    ['Patient?_cursor=abc', /cursor/],
  ])('%s is 400 with a message that says what is right', async (query, message) => {
    const answer = await get(`/${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.resourceType).toBe('OperationOutcome')
    expect(outcome(answer)).toMatch(message)
  })

  test('lenient: an unknown parameter is ignored, dropped from self, and an outcome entry names it', async () => {
    const answer = await get('/Patient?_tag=search&famly=x&given:starts=y&family=nunes', { prefer: 'handling=lenient' })
    expect(answer.status).toBe(200)
    expect(ids(answer)).toEqual(['p-cyd'])
    expect(link(answer, 'self')).toBe(`${server.url}/Patient?_tag=search&family=nunes`)
    const [warnings] = entries(answer, 'outcome') as unknown as { issue: { severity: string; diagnostics: string }[] }[]
    expect(warnings?.issue.map(({ severity }) => severity)).toEqual(['warning', 'warning'])
    expect(warnings?.issue[0]?.diagnostics).toContain("'famly'")
    expect(answer.body.total).toBe(1)
  })

  test('lenient forgives names, not values: a bad date stays 400', async () => {
    expect((await get('/Patient?birthdate=yesterday', { prefer: 'handling=lenient' })).status).toBe(400)
  })

  test('empty parameters are ignored, and no part of the self link', async () => {
    const answer = await get('/Patient?_tag=search&gender=&birthdate=&_sort=&organization.name=&family=nunes')
    expect(ids(answer)).toEqual(['p-cyd'])
    expect(entries(answer, 'outcome')).toEqual([])
    expect(link(answer, 'self')).toBe(`${server.url}/Patient?_tag=search&family=nunes`)
    expect((await get('/Patient/p-cyd?_summary=&_elements=')).body.name).toBeDefined()
  })

  test('strict is what a client gets that says nothing, or says strict', async () => {
    expect((await get('/Patient?famly=x', { prefer: 'handling=strict' })).status).toBe(400)
  })
})

describe('_summary and _elements', () => {
  test('_summary=count is the total alone', async () => {
    const { body } = await get('/Patient?_tag=search&_summary=count')
    expect(body).toEqual({ resourceType: 'Bundle', type: 'searchset', total: 4, link: expect.anything() })
  })

  test('_elements sends those and the mandatory ones, tagged SUBSETTED', async () => {
    const answer = await get('/Observation?_id=ob-1&_elements=subject')
    const [part = {}] = entries(answer, 'match')
    expect(Object.keys(part).sort()).toEqual(['code', 'id', 'meta', 'resourceType', 'status', 'subject'])
    expect(JSON.stringify(part)).toContain('SUBSETTED')
  })

  test('_elements with resourceType, which is always there, sends the others', async () => {
    const [part = {}] = entries(await get('/Patient?_id=p-ana&_elements=id,resourceType'), 'match')
    expect(Object.keys(part).sort()).toEqual(['id', 'meta', 'resourceType'])
  })

  test('_elements leaves included resources whole, whatever it lists of their type', async () => {
    const answer = await get('/Observation?_id=ob-1&_include=Observation:subject&_elements=subject,Patient.gender')
    const [match = {}] = entries(answer, 'match')
    expect(match).not.toHaveProperty('effectiveDateTime')
    expect(entries(answer, 'include')).toEqual([(await get('/Patient/p-ana')).body])
    const reverse = await get('/Patient?_id=p-ana&_elements=id&_revinclude=Observation:subject')
    expect(entries(reverse, 'include')).toContainEqual((await get('/Observation/ob-1')).body)
  })

  test('_summary is that of included resources too', async () => {
    const answer = await get('/Observation?_id=ob-1&_include=Observation:subject&_summary=data')
    for (const part of [...entries(answer, 'match'), ...entries(answer, 'include')]) {
      expect(JSON.stringify(part)).toContain('SUBSETTED')
    }
  })

  test.each([
    ['true', ['id', 'meta', 'name', 'resourceType'], ['text']],
    ['text', ['id', 'meta', 'resourceType', 'text'], ['name']],
    ['data', ['id', 'meta', 'name', 'resourceType'], ['text']],
    ['false', ['id', 'meta', 'name', 'resourceType', 'text'], []],
  ])('_summary=%s has %j and not %j', async (summary, present, absent) => {
    const div = '<div xmlns="http://www.w3.org/1999/xhtml">told</div>'
    await transaction([patient('p-told', 'Told', 'Tom', { text: { status: 'generated', div } })])
    const [part = {}] = entries(await get(`/Patient?_id=p-told&_summary=${summary}`), 'match')
    expect(Object.keys(part)).toEqual(expect.arrayContaining(present))
    for (const name of absent) expect(part).not.toHaveProperty(name)
    await server.fhir('DELETE', '/Patient/p-told')
  })
})

describe('across all types', () => {
  test('_type narrows; without it every type is searched', async () => {
    const some = await get('/?_tag=search&_type=Patient,Practitioner&_sort=_id')
    expect(ids(some)).toEqual(['dr', 'p-ana', 'p-ben', 'p-cyd', 'p-dot'])
    const types = new Set(
      entries(await get('/?_tag=search&_count=50'), 'match').map(({ resourceType }) => resourceType),
    )
    expect([...types].sort()).toEqual([
      'DiagnosticReport',
      'Observation',
      'Organization',
      'Patient',
      'Practitioner',
      'Slot',
    ])
  })

  test('POST /_search does the same, and pages', async () => {
    const answer = await server.fhir(
      'POST',
      '/_search',
      '_tag=search&_type=Patient,Practitioner&_sort=_id&_count=2',
      FORM,
    )
    expect(ids(answer)).toEqual(['dr', 'p-ana'])
    expect(await pages(path(link(answer, 'next') ?? ''))).toEqual(['p-ben', 'p-cyd', 'p-dot'])
  })

  test.each([
    ['a parameter that the types share', '/?_type=Patient,Practitioner&family=house', 200],
    ['a parameter that only one of the types has', '/?_type=Patient,Organization&birthdate=1980', 400],
    ['an unknown type', '/?_type=Pacient', 400],
  ])('%s', async (_name, url, status) => {
    expect((await get(url)).status).toBe(status)
  })
})
