/** $export: https://hl7.org/fhir/uv/bulkdata/STU2/export.html */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { removeAccount } from '../../src/clinics/accounts.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { ASYNC, ended, exported, startedJob } from '../support/jobs.ts'
import type { TestServer } from '../support/server.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

let clinics: TwoClinics
let admin: TestServer['fhir']
let ours: TestServer['fhir']

beforeAll(async () => {
  clinics = await startTwoClinics()
  ours = clinics.ours
  const { server } = clinics
  admin = withToken(server, await logInAs(server, { username: 'boss', clinic: DEMO_CLINIC, role: 'admin' })).fhir
  for (const [id, more] of Object.entries(RESOURCES)) await put(id, more)
  await ours('PUT', '/Patient/p2', { ...patient('p2'), gender: 'female' })
  await ours('DELETE', '/Observation/gone')
})

afterAll(() => clinics.server.close())

const patient = (id: string) => ({ resourceType: 'Patient', id, name: [{ family: id }], birthDate: '1980-01-02' })
const observation = (id: string, subject: string) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: 'weight' },
  subject: { reference: subject },
})
const provenance = (id: string, target: string, recorded: string) => ({
  resourceType: 'Provenance',
  id,
  target: [{ reference: target }],
  recorded,
  agent: [{ who: { display: 'a nurse' } }],
})

const RESOURCES: Readonly<Record<string, object>> = {
  p1: patient('p1'),
  p2: patient('p2'),
  p3: patient('p3'),
  o1: observation('o1', 'Patient/p1'),
  o2: observation('o2', 'Patient/p2'),
  'o-other': observation('o-other', 'Location/l1'),
  d1: { resourceType: 'Device', id: 'd1', patient: { reference: 'Patient/p1' } },
  l1: { resourceType: 'Location', id: 'l1', name: 'Room' },
  gone: observation('gone', 'Patient/p1'),
  'pv-old': provenance('pv-old', 'Observation/o1', '2024-01-01T00:00:00Z'),
  'pv-new': provenance('pv-new', 'Observation/o1', '2025-01-01T00:00:00Z'),
  'pv-room': provenance('pv-room', 'Location/l1', '2025-01-01T00:00:00Z'),
  g1: {
    resourceType: 'Group',
    id: 'g1',
    type: 'person',
    actual: true,
    member: [
      { entity: { reference: 'Patient/p1' } },
      { entity: { reference: 'Patient/p3' } },
      { entity: { reference: 'Patient/p2' }, inactive: true },
    ],
  },
}

async function put(id: string, resource: object): Promise<void> {
  const { resourceType } = resource as { readonly resourceType: string }
  const { status, text } = await ours('PUT', `/${resourceType}/${id}`, resource)
  if (status !== 201) throw new Error(`${id}: ${status} ${text}`)
}

const start = async (path: string, fhir = ours) => startedJob(await fhir('GET', path, undefined, ASYNC))
const result = async (path: string, fhir = ours) => exported(fhir, await start(path, fhir))

describe('an export', () => {
  test('of all data has each resource once, in its newest version, and no deleted one', async () => {
    const { manifest, resources, addresses } = await result('/$export')
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(manifest).toMatchObject({ requiresAccessToken: true, deleted: [], error: [] })
    expect(manifest.request).toMatch(/\/\$export$/)
    for (const id of ['p1', 'p2', 'l1', 'o-other']) expect(resources.some((one) => one.id === id)).toBe(true)
    expect(resources.find(({ id }) => id === 'p2')).toEqual((await ours('GET', '/Patient/p2')).body)
    expect(addresses).not.toContain('Observation/gone')
    for (const type of ['Patient', 'Slot', 'Organization']) {
      const { total } = (await ours('GET', `/${type}?_summary=count`)).body
      expect(resources.filter(({ resourceType }) => resourceType === type)).toHaveLength(total)
    }
  })

  test('of patients has their records, with the Provenance of these, and nothing else', async () => {
    const { addresses } = await result('/Patient/$export')
    for (const one of ['Patient/p1', 'Observation/o1', 'Observation/o2', 'Device/d1', 'Provenance/pv-old'])
      expect(addresses).toContain(one)
    for (const one of ['Observation/o-other', 'Provenance/pv-room', 'Location/l1']) expect(addresses).not.toContain(one)
  })

  test('of a Group has the records of its members', async () => {
    const { addresses } = await result('/Group/g1/$export?_type=Patient,Observation')
    expect(addresses).toEqual(['Observation/o1', 'Patient/p1', 'Patient/p3'])
  })

  test('of patients leaves out types that are not in their records, and says so', async () => {
    const started = await ours('GET', '/Patient/$export?_type=Patient,Location,Device', undefined, ASYNC)
    expect(started.body.issue).toContainEqual(
      expect.objectContaining({
        diagnostics: expect.stringMatching(/^_type: Location is not in the records of patients/),
      }),
    )
    const { addresses } = await exported(ours, startedJob(started))
    expect(addresses.filter((one) => /^(Device|Location)\//.test(one))).toEqual(['Device/d1'])
    expect(addresses).toContain('Patient/p1')
  })

  test('has only what was asked for', async () => {
    const post = async (path: string, ...patients: readonly string[]) => {
      const parameter = patients.map((reference) => ({ name: 'patient', valueReference: { reference } }))
      const body = { resourceType: 'Parameters', parameter }
      return (await exported(ours, startedJob(await ours('POST', path, body, ASYNC)))).addresses
    }
    expect(await post('/Patient/$export?_type=Patient,Observation', 'Patient/p2')).toEqual([
      'Observation/o2',
      'Patient/p2',
    ])
    expect(await post('/Group/g1/$export?_type=Patient', 'Patient/p3')).toEqual(['Patient/p3'])
  })

  test.each([
    ['_type=Location&_type=Group', ['Group/g1', 'Location/l1']],
    ['_typeFilter=Patient%3Ffamily%3Dp1,Patient%3Ffamily%3Dp3&_type=Patient', ['Patient/p1', 'Patient/p3']],
    ['_typeFilter=Patient%3F_id%3Dp1,p2&_type=Patient', ['Patient/p1', 'Patient/p2']],
    [
      'includeAssociatedData=LatestProvenanceResources&_type=Observation',
      ['Observation/o-other', 'Observation/o1', 'Observation/o2', 'Provenance/pv-new'],
    ],
    ['includeAssociatedData=RelevantProvenanceResources&_type=Location', ['Location/l1', 'Provenance/pv-room']],
  ])('with %s has %j', async (query, addresses) => {
    const found = (await result(`/$export?${query}`)).addresses
    const own = found.filter((one) => /\/(p\d|o\d|o-other|l1|g1|pv-\w+)$/.test(one))
    expect(own).toEqual(addresses)
  })

  test('_since leaves out what is older, and names deletions; _until what is newer', async () => {
    const { meta } = (await ours('GET', '/Patient/p3')).body
    const since = await result(`/$export?_type=Patient,Observation&_since=${encodeURIComponent(meta.lastUpdated)}`)
    expect(since.addresses.filter((one) => /\/p\d$/.test(one))).toEqual(['Patient/p2'])
    expect(since.deleted).toEqual(['Observation/gone'])
    const { lastUpdated } = (await ours('GET', '/Patient/p2')).body.meta
    const until = await result(`/$export?_type=Patient&_until=${encodeURIComponent(lastUpdated)}`)
    expect(until.addresses.filter((one) => /\/p\d$/.test(one))).toEqual(['Patient/p1', 'Patient/p3'])
  })

  test('_elements leaves out other elements, and marks what is left', async () => {
    const { resources } = await result('/$export?_type=Patient&_elements=Patient.birthDate')
    const { name, birthDate, meta } = resources.find(({ id }) => id === 'p1')
    expect({ name, birthDate, tag: meta.tag[0].code }).toEqual({
      name: undefined,
      birthDate: '1980-01-02',
      tag: 'SUBSETTED',
    })
  })

  test('has contents in place of their markers', async () => {
    const data = Buffer.alloc(200_000, 'long').toString('base64')
    const document = {
      resourceType: 'DocumentReference',
      id: 'long-document',
      status: 'current',
      subject: { reference: 'Patient/p1' },
      content: [{ attachment: { contentType: 'text/plain', data } }],
    }
    expect((await ours('PUT', '/DocumentReference/long-document', document)).status).toBe(201)
    const { resources } = await result('/$export?_type=DocumentReference')
    const [found] = resources.filter(({ id }) => id === 'long-document')
    expect(found.content[0].attachment.data).toBe(data)
  })

  test('has AuditEvents for admins alone', async () => {
    const { addresses } = await result('/$export?_type=AuditEvent', admin)
    expect(addresses.length).toBeGreaterThan(5)
    expect(addresses.every((one) => one.startsWith('AuditEvent/trail-'))).toBe(true)
    expect((await ours('GET', '/$export?_type=AuditEvent', undefined, ASYNC)).status).toBe(403)
    const { resources } = await result('/$export')
    expect(resources.filter(({ resourceType }) => resourceType === 'AuditEvent')).toEqual([])
  })
})

test('a Provenance of a patient whom nobody may see fails no export, and tells nothing of the patient', async () => {
  const security = [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/rehearsal', code: 'restricted' }]
  await put('hidden', patient('hidden'))
  await put('pv-hidden', provenance('pv-hidden', 'Patient/hidden', '2025-01-01T00:00:00Z'))
  expect((await ours('PUT', '/Patient/hidden', { ...patient('hidden'), meta: { security } })).status).toBe(200)
  for (const path of [
    '/Patient/$export',
    '/$export?_type=Patient&includeAssociatedData=LatestProvenanceResources',
    '/$export?_type=Patient&includeAssociatedData=RelevantProvenanceResources',
  ]) {
    const { addresses } = await result(path)
    expect(addresses.filter((one) => one.endsWith('hidden'))).toEqual([])
    expect(addresses).toContain('Patient/p1')
  }
})

describe('a request for an export', () => {
  test.each([
    ['/$export?_outputFormat=text/csv', 400],
    ['/$export?_type=Patience', 400],
    ['/$export?_type=', 400],
    ['/Patient/$export?_type=Location,Organization', 400],
    ['/$export?_since=yesterday', 400],
    ['/$export?_since=2025-01-01', 400],
    ['/$export?_unheard=1', 400],
    ['/$export?_typeFilter=Patient%3F_sort%3Dname', 400],
    ['/$export?_typeFilter=Observation%3Fsubject.name%3Dx', 400],
    ['/$export?_type=Patient&_typeFilter=Observation%3Fstatus%3Dfinal', 400],
    ['/$export?_elements=Patient.name.family', 400],
    ['/$export?includeAssociatedData=_everything', 400],
    ['/Patient/$export?patient=Patient/p1', 400],
    ['/Group/$export', 400],
    ['/Group/none/$export', 404],
    ['/Observation/$export', 404],
  ])('%s is refused with %i and an OperationOutcome', async (path, status) => {
    const { status: found, body } = await ours('GET', path, undefined, ASYNC)
    expect([found, body.resourceType]).toEqual([status, 'OperationOutcome'])
  })

  test.each(['respond-async', 'respond-async, handling=lenient'])(
    'with more values than anybody needs is refused, with Prefer: %s',
    async (prefer) => {
      for (const [name, value, count] of [
        ['_type', 'Patence', 1_001],
        ['_elements', 'name', 1_001],
        ['_typeFilter', 'Patient?family=a', 101],
        ['_typeFilter', `Patient?family=${'a,'.repeat(2_000)}a`, 1],
      ] as const) {
        const parameter = Array.from({ length: count }, () => ({ name, valueString: value }))
        const body = { resourceType: 'Parameters', parameter }
        const { status, body: outcome } = await ours('POST', '/$export', body, { prefer })
        expect([status, outcome.issue[0].expression]).toEqual([400, [name]])
      }
    },
  )

  test('without Prefer: respond-async is refused, and without a token', async () => {
    expect((await ours('GET', '/$export')).status).toBe(400)
    expect((await ours('GET', '/$export', undefined, { authorization: '', ...ASYNC })).status).toBe(401)
  })

  test.each(['/$export?_unheard=1', '/$export?_outputFormat=text/csv&_type=Group', '/$export?_type=Patience,Group'])(
    '%s is done without what is unknown, where the client prefers handling=lenient',
    async (path) => {
      const lenient = { prefer: 'respond-async, handling=lenient' }
      const job = startedJob(await ours('GET', path, undefined, lenient))
      const { status, body } = await ended(ours, job)
      expect(status).toBe(200)
      const [{ type, url, count }, ...more] = body.error
      expect([type, count, more]).toEqual(['OperationOutcome', 1, []])
      const { text } = await ours('GET', new URL(url).pathname)
      const { resourceType, issue } = JSON.parse(text)
      expect([resourceType, issue[0].severity]).toEqual(['OperationOutcome', 'warning'])
      expect(issue[0].diagnostics).toMatch(/^_(unheard|outputFormat|type): /)
    },
  )

  test.each([
    ['application/fhir+ndjson', 'respond-async'],
    ['application%2Ffhir%2Bndjson', 'Respond-Async'],
    ['application/ndjson', 'return=minimal; foo, respond-async'],
    ['ndjson', 'respond-async; wait=10'],
    ['NDJSON', 'handling=strict,respond-async'],
  ])('is taken with _outputFormat=%s and Prefer: %s', async (format, prefer) => {
    const job = startedJob(await ours('GET', `/$export?_type=Group&_outputFormat=${format}`, undefined, { prefer }))
    expect((await ended(ours, job)).status).toBe(200)
  })

  test('is refused with 429 while the clinic has an export, but not that of another clinic', async () => {
    const first = await start('/$export')
    const { status, headers } = await ours('GET', first)
    expect([status, headers.get('x-progress'), headers.get('retry-after')]).toEqual([202, expect.any(String), '1'])
    expect(new URL(headers.get('content-location') ?? '').pathname).toBe(first)
    const second = await ours('GET', '/$export', undefined, ASYNC)
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, expect.any(String)])
    const other = await start('/$export', clinics.theirs)
    const { addresses } = await exported(clinics.theirs, other)
    expect(addresses.filter((one) => one.startsWith('Patient/'))).toEqual([])
    expect((await ours('DELETE', first)).status).toBe(202)
    expect((await ours('GET', first)).status).toBe(404)
    const third = await start('/$export?_type=Group')
    expect((await ended(ours, third)).status).toBe(200)
  })
})

describe('a file', () => {
  test('is for the owner and admins of the clinic alone, needs a token, and is gone with its job', async () => {
    const path = await start('/$export?_type=Group')
    const { manifest } = await exported(ours, path)
    const file = new URL(manifest.output[0]?.url ?? '').pathname
    expect((await admin('GET', file)).status).toBe(200)
    expect((await clinics.theirs('GET', file)).status).toBe(404)
    expect((await ours('GET', file, undefined, { authorization: '' })).status).toBe(401)
    for (const wrong of ['0', '99', '-1', 'x', '1.0'])
      expect((await ours('GET', `${path}/files/${wrong}`)).status).toBe(404)
    await ours('DELETE', path)
    expect((await ours('GET', file)).status).toBe(404)
  })

  test('is for no role below that of the owner, even where the owner has it now', async () => {
    const { server } = clinics
    const account = { username: 'falling', clinic: DEMO_CLINIC }
    const before = withToken(server, await logInAs(server, { ...account, role: 'admin' }))
    const path = await start('/$export?_type=Group', before.fhir)
    expect((await ended(before.fhir, path)).status).toBe(200)
    const operator = withToken(
      server,
      await logInAs(server, { username: 'ops', clinic: DEMO_CLINIC, role: 'operator' }),
    )
    const ofOperator = await start('/$export?_type=AuditEvent', operator.fhir)
    expect((await ended(operator.fhir, ofOperator)).status).toBe(200)
    await removeAccount(server.app.repository, account.username)
    const after = withToken(server, await logInAs(server, { ...account, role: 'staff' }))
    expect((await after.fhir('GET', path)).status).toBe(404)
    expect((await admin('GET', path)).status).toBe(200)
    expect((await admin('GET', ofOperator)).status).toBe(404)
    expect((await admin('GET', '/jobs')).text).not.toContain(ofOperator)
  })

  test('has its length by HEAD', async () => {
    const { manifest } = await result('/$export?_type=Group')
    const { pathname } = new URL(manifest.output[0]?.url ?? '')
    const { text } = await ours('GET', pathname)
    const { status, headers } = await ours('HEAD', pathname)
    expect([status, headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))])
  })

  test('is sent compressed where the client accepts that', async () => {
    const { manifest } = await result('/$export?_type=Group')
    const { url } = manifest.output[0] ?? { url: '' }
    const headers = { authorization: `Bearer ${clinics.server.token}` }
    const compressed = await fetch(url, { headers: { ...headers, 'accept-encoding': 'gzip' } })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    const plain = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await compressed.text()).toBe(await plain.text())
  })
})
