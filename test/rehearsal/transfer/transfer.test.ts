/** A clinic goes out as a file, and comes in again, by way of real servers with and without work threads. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../../src/repository/record-kinds.ts'
import { RESTRICTION } from '../../../src/repository/restriction.ts'
import type { ResourceStore, StoreSnapshot } from '../../../src/storage/port.ts'
import { newLastingDatabaseUrl, openTestStore } from '../../support/database.ts'
import { note, pdf } from '../../support/inline-content.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { logInAs, startTwoClinics, withToken } from '../../support/two-clinics.ts'

const NDJSON = 'application/fhir+ndjson'

let clinics = 0

describe.each([
  ['without work threads', {}, 0],
  ['with work threads', { MAX_BODY_BYTES: '2000000' }, 2],
] as const)('a server %s', (_, env, workThreads) => {
  let server: TestServer
  let operator: TestServer['fhir']
  let admin: TestServer['fhir']
  beforeAll(async () => {
    const started = await startTwoClinics({ DATABASE_URL: await newLastingDatabaseUrl(), ...env }, { workThreads })
    server = started.server
    operator = withToken(server, await logInAs(server, { username: 'otto', clinic: SERVICE, role: 'operator' })).fhir
    admin = withToken(server, await logInAs(server, { username: 'ada', clinic: DEMO_CLINIC, role: 'admin' })).fhir
  })
  afterAll(() => server.close())

  /** A new clinic without data, and a request of its admin. */
  async function newClinic() {
    clinics += 1
    const id = `clinic-${clinics}`
    const settings = { name: id, timeZone: 'America/New_York', dialedNumbers: [], defaultRegion: 'US' as const }
    await createClinic(server.app.repository, id, {
      ...settings,
      policies: { overbooking: false, slotTakenStatus: 409 },
    })
    const token = await logInAs(server, { username: `admin-${clinics}`, clinic: id, role: 'admin' })
    return { id, fhir: withToken(server, token).fhir }
  }

  const send = (clinic: string, body: string | Buffer, type = NDJSON, query = '') =>
    operator('POST', `/clinics/${clinic}/import${query}`, body, { 'content-type': type })

  const ndjson = (...resources: readonly unknown[]): string =>
    resources.map((one) => `${JSON.stringify(one)}\n`).join('')

  const exportOf = async (clinic: string): Promise<readonly Record<string, unknown>[]> => {
    const { status, text } = await operator('GET', `/clinics/${clinic}/export`)
    expect(status).toBe(200)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  const patient = (id: string, more: object = {}) => ({
    resourceType: 'Patient',
    id,
    name: [{ family: 'Berg' }],
    ...more,
  })
  const observation = (id: string, of: string) => ({
    ...{ resourceType: 'Observation', id, status: 'final', code: { text: 'weight' } },
    subject: { reference: `Patient/${of}` },
  })

  /** Without versions and times; the rest of meta is the resource's own. */
  const withoutMeta = (resources: readonly Record<string, unknown>[]) =>
    resources
      .map(({ meta, ...resource }) => ({ ...resource, profile: (meta as { profile?: unknown }).profile }))
      .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

  test('gives the demo clinic as a file, which makes an empty clinic the same, but for meta', async () => {
    const { id } = await newClinic()
    const before = await operator('GET', `/clinics/${DEMO_CLINIC}/export`)
    expect(before.headers.get('content-type')).toBe(NDJSON)
    const answer = await send(id, before.text)
    expect([answer.status, answer.body.refused]).toEqual([200, []])
    const [original, copy] = [await exportOf(DEMO_CLINIC), await exportOf(id)]
    expect(original.length).toBeGreaterThan(50)
    expect(answer.body).toEqual({
      imported: original.length - answer.body.updated,
      updated: answer.body.updated,
      refused: [],
    })
    const own = copy.filter((resource) => resource.id === id)
    expect(own).toMatchObject([{ resourceType: 'Organization' }])
    expect(withoutMeta(copy.filter((resource) => resource.id !== id))).toEqual(withoutMeta(original))
    const again = await send(id, before.text)
    expect(again.body).toEqual({ imported: 0, updated: original.length, refused: [] })
  })

  test('gives current versions only, each once, what is referred to first, as lines and as a Bundle', async () => {
    const { id, fhir } = await newClinic()
    await send(id, ndjson(observation('o', 'p'), patient('p'), patient('gone')))
    await send(id, ndjson(patient('p', { gender: 'female' })))
    await fhir('DELETE', '/Patient/gone')
    const label = { system: RESTRICTION, code: 'restricted' }
    await send(id, ndjson(patient('hidden', { meta: { security: [label] } })))
    expect((await fhir('GET', '/Patient/hidden')).status).toBe(403)
    const lines = (await exportOf(id)).filter(({ resourceType }) => resourceType !== 'Organization')
    expect(lines).toMatchObject([patient('p', { gender: 'female', meta: { versionId: '2' } }), observation('o', 'p')])
    const { body, headers } = await operator('GET', `/clinics/${id}/export?format=bundle`)
    expect(headers.get('content-type')).toMatch(/^application\/fhir\+json/)
    expect(body).toMatchObject({ resourceType: 'Bundle', type: 'collection' })
    expect(body.entry.map((entry: { resource: unknown }) => entry.resource)).toEqual(await exportOf(id))
    expect(body.entry.at(-1).fullUrl).toBe(`${server.url}/Observation/o`)
  })

  test('gives contents in the place of their markers, and takes them again', async () => {
    const [from, to] = [await newClinic(), await newClinic()]
    const bytes = pdf(400_000)
    await send(from.id, ndjson(patient('pat'), note(bytes, { id: 'note' })))
    const exported = await operator('GET', `/clinics/${from.id}/export`)
    expect(exported.text).toContain(bytes.toString('base64'))
    expect((await send(to.id, exported.text)).body.refused).toEqual([])
    const { body } = await to.fhir('GET', '/DocumentReference/note')
    expect(body.content[0].attachment.data).toBe(bytes.toString('base64'))
  })

  test('takes a Bundle of each type, and names the entries that are no resource to be written', async () => {
    for (const type of ['collection', 'batch', 'transaction']) {
      const { id, fhir } = await newClinic()
      const entry = [
        { resource: patient('a'), request: { method: 'PUT', url: 'Patient/a' } },
        { fullUrl: 'urn:x' },
        { resource: patient('b'), request: { method: 'DELETE', url: 'Patient/b' } },
        null,
        { resource: patient('c') },
      ]
      const { status, body } = await send(
        id,
        JSON.stringify({ resourceType: 'Bundle', type, entry }),
        'application/fhir+json',
      )
      expect([status, body.imported, body.updated]).toEqual([200, 2, 0])
      expect(body.refused).toEqual([
        { entry: 1, code: 'invalid', reason: 'The entry has no resource' },
        { entry: 2, code: 'invalid', reason: expect.stringContaining('PUT and POST only') },
        { entry: 3, code: 'invalid', reason: 'The entry has no resource' },
      ])
      expect((await fhir('GET', '/Patient/c')).status).toBe(200)
      expect((await fhir('GET', '/Patient/b')).status).toBe(404)
    }
  })

  test('names each line that it refuses with its number and the reason, and takes the rest', async () => {
    const { id, fhir } = await newClinic()
    const lines = [
      ...[1, 2, 3, 4, 5, 6].map((n) => JSON.stringify(patient(`p${n}`))),
      '{"resourceType":"Patient","id":"p7",',
      '',
      JSON.stringify({ resourceType: 'Pateint', id: 'x' }),
      JSON.stringify(patient('not an id!')),
      JSON.stringify({ resourceType: 'Patient', name: [{ family: 'Berg' }] }),
      JSON.stringify(patient('p8', { gender: 'unknowable' })),
      '[]',
      JSON.stringify({ resourceType: 'AuditEvent', id: 'a' }),
      Buffer.from([0x22, 0xff, 0x22]).toString('latin1'),
      JSON.stringify(patient('p9')),
    ]
    const body = Buffer.from(lines.join('\n'), 'latin1')
    const answer = await send(id, body)
    expect(answer.body).toEqual({ imported: 7, updated: 0, refused: expect.any(Array) })
    const refused: readonly { line: number; resource?: string; reason: string }[] = answer.body.refused
    expect(refused.map(({ line, resource }) => [line, resource])).toEqual([
      [7, undefined],
      [9, 'Pateint/x'],
      [10, 'Patient/not an id!'],
      [11, 'Patient'],
      [12, 'Patient/p8'],
      [13, undefined],
      [14, 'AuditEvent/a'],
      [15, undefined],
    ])
    const reasons = [
      'The line is not JSON',
      "no resource type 'Pateint'",
      'id',
      'has no id',
      'gender',
      'no resource',
      'AuditEvent',
      'not UTF-8',
    ]
    for (const [index, reason] of reasons.entries()) expect(refused[index]?.reason).toContain(reason)
    expect((await fhir('GET', '/Patient?_summary=count')).body.total).toBe(7)
  })

  test('takes what refers to a later line, also where a rule asks that it is there', async () => {
    const { id, fhir } = await newClinic()
    const visit = {
      ...{ resourceType: 'Appointment', id: 'visit', status: 'fulfilled' },
      ...{ start: '2013-12-10T09:00:00Z', end: '2013-12-10T09:30:00Z' },
      participant: [{ status: 'accepted', actor: { reference: 'Patient/late' } }],
    }
    const many = Array.from({ length: 250 }, (_one, n) => patient(`p${n}`))
    const lost = { ...visit, id: 'lost', participant: [{ status: 'accepted', actor: { reference: 'Patient/absent' } }] }
    const { body } = await send(id, ndjson(observation('o', 'late'), visit, lost, ...many, patient('late')))
    expect(body).toMatchObject({ imported: 253, updated: 0 })
    expect(body.refused).toEqual([
      {
        line: 3,
        resource: 'Appointment/lost',
        code: 'reference-not-found',
        reason: expect.stringContaining('Patient/absent'),
      },
    ])
    expect((await fhir('GET', '/Appointment/visit')).body.status).toBe('fulfilled')
  })

  test('writes all or nothing where it is asked to', async () => {
    const { id, fhir } = await newClinic()
    const broken = patient('b', { gender: 'unknowable' })
    const refused = await send(id, ndjson(patient('a'), broken, patient('c')), NDJSON, '?atomic=true')
    expect([refused.status, refused.body]).toEqual([
      422,
      {
        error: expect.stringContaining('Nothing was imported'),
        imported: 0,
        updated: 0,
        refused: [
          { line: 2, resource: 'Patient/b', code: expect.any(String), reason: expect.stringContaining('gender') },
        ],
      },
    ])
    expect((await fhir('GET', '/Patient?_summary=count')).body.total).toBe(0)
    const taken = await send(id, ndjson(patient('a'), patient('c')), NDJSON, '?atomic=true')
    expect([taken.status, taken.body]).toEqual([200, { imported: 2, updated: 0, refused: [] }])
    const many = Array.from({ length: 1_001 }, (_one, n) => patient(`p${n}`))
    expect((await send(id, ndjson(...many), NDJSON, '?atomic=true')).status).toBe(413)
    expect((await send(id, ndjson(patient('a')), NDJSON, '?atomic=maybe')).status).toBe(400)
    expect((await fhir('GET', '/Patient?_summary=count')).body.total).toBe(2)
  })

  test('passes over a line that is longer than a body may be, and takes the next ones', async () => {
    const { id } = await newClinic()
    const limit =
      server.app === undefined ? 0 : Number((env as { MAX_BODY_BYTES?: string }).MAX_BODY_BYTES ?? 33_554_432)
    const long = JSON.stringify(patient('long', { name: [{ family: 'x'.repeat(limit) }] }))
    const { body } = await send(id, `${JSON.stringify(patient('a'))}\n${long}\n${JSON.stringify(patient('b'))}`)
    expect(body).toEqual({
      imported: 2,
      updated: 0,
      refused: [{ line: 2, code: 'too-long', reason: expect.stringContaining(`longer than ${limit} bytes`) }],
    })
  })

  test.each([
    ['an empty body', NDJSON, '', 400, 'has no resource'],
    ['a body of empty lines', NDJSON, '\n\n', 400, 'has no resource'],
    [
      'a Bundle without entries',
      'application/json',
      '{"resourceType":"Bundle","type":"batch"}',
      400,
      'has no resource',
    ],
    [
      'a Bundle of another type',
      'application/json',
      '{"resourceType":"Bundle","type":"history","entry":[]}',
      400,
      "type 'history'",
    ],
    ['another resource', 'application/fhir+json', '{"resourceType":"Patient","id":"a"}', 400, 'must be a Bundle'],
    ['no JSON at all', 'application/fhir+json', 'hello', 400, 'is no Bundle'],
    ['XML', 'application/fhir+xml', '<Bundle/>', 415, 'cannot be read'],
  ])('refuses %s', async (_what, type, body, status, message) => {
    const { id } = await newClinic()
    const answer = await send(id, body, type)
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(message)])
  })

  test('tells what it has written where the Bundle breaks off', async () => {
    const { id, fhir } = await newClinic()
    const text = JSON.stringify({
      resourceType: 'Bundle',
      type: 'batch',
      entry: Array.from({ length: 150 }, (_one, n) => ({ resource: patient(`p${n}`) })),
    })
    const { status, body } = await send(id, text.slice(0, -3), 'application/fhir+json')
    expect(status).toBe(400)
    expect(body.error).toContain('ends before the Bundle does')
    expect(body.error).toContain('100 resources that came before are imported')
    expect((await fhir('GET', '/Patient?_summary=count')).body.total).toBe(100)
  })

  test('is for admins of the clinic and operators, and only while its sandbox is on', async () => {
    const { id, fhir } = await newClinic()
    const staff = withToken(server, await logInAs(server, { username: `staff-${id}`, clinic: id, role: 'staff' })).fhir
    const type = { 'content-type': NDJSON }
    for (const [by, of, status] of [
      [staff, id, 403],
      [fhir, DEMO_CLINIC, 403],
      [fhir, 'no-such-clinic', 403],
      [admin, id, 403],
      [operator, 'no-such-clinic', 404],
      [operator, id, 200],
      [fhir, id, 200],
    ] as const) {
      expect((await by('GET', `/clinics/${of}/export`)).status).toBe(status)
      expect((await by('POST', `/clinics/${of}/import`, ndjson(patient('a')), type)).status).toBe(status)
    }
    expect((await request(server.url, 'GET', `/clinics/${id}/export`)).status).toBe(401)
    await fhir('PUT', `/clinics/${id}/sandbox`, { enabled: false }, { 'content-type': 'application/json' })
    expect((await fhir('GET', `/clinics/${id}/export`)).status).toBe(403)
    expect((await fhir('POST', `/clinics/${id}/import`, ndjson(patient('b')), type)).status).toBe(403)
  })

  test('has two imports of the same ids at once, and each resource is one of the two', async () => {
    const { id, fhir } = await newClinic()
    const all = (gender: string) => ndjson(...Array.from({ length: 300 }, (_one, n) => patient(`p${n}`, { gender })))
    const answers = await Promise.all([send(id, all('male')), send(id, all('female'))])
    expect(answers.map(({ body }) => body.refused)).toEqual([[], []])
    expect(answers.reduce((sum, { body }) => sum + body.imported + body.updated, 0)).toBe(600)
    expect((await fhir('GET', '/Patient?_summary=count')).body.total).toBe(300)
    expect((await fhir('GET', '/Patient/p7')).body.meta.versionId).toBe('2')
  })

  test('goes on when a client leaves in the middle of an export or an import', async () => {
    const { id, fhir } = await newClinic()
    const large = Array.from({ length: 40 }, (_one, n) =>
      note(pdf(200_000, n), { id: `n${n}`, subject: { reference: 'Patient/pat' } }),
    )
    expect((await send(id, ndjson(patient('pat'), ...large))).body).toMatchObject({ imported: 41 })
    const headers = { authorization: `Bearer ${await server.login(`admin-${clinics}`, 'a long password')}` }
    for (let time = 0; time < 3; time += 1) {
      const left = new AbortController()
      const response = await fetch(`${server.url}/clinics/${id}/export`, { headers, signal: left.signal })
      const reader = response.body?.getReader()
      await reader?.read()
      left.abort()
    }
    const half = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let n = 0; n < 120; n += 1) controller.enqueue(Buffer.from(ndjson(patient(`left-${n}`))))
        controller.enqueue(Buffer.from('{"resourceType":"Patient","id":"half"'))
        while ((await fhir('GET', '/Patient/left-99')).status !== 200) await sleep(20)
        half.abort()
      },
    })
    const sent = fetch(`${server.url}/clinics/${id}/import`, {
      ...{ method: 'POST', body, duplex: 'half', signal: half.signal },
      headers: { ...headers, 'content-type': NDJSON },
    } as RequestInit)
    await expect(sent).rejects.toThrow()
    expect((await fhir('GET', '/Patient/half')).status).toBe(404)
    expect((await exportOf(id)).length).toBeGreaterThan(140)
  })

  test('skips rules about the past, and says in the audit trail that it was an import; the journal has nothing of it', async () => {
    const { id, fhir } = await newClinic()
    const secret = `Zz${randomBytes(6).toString('hex')}`
    const past = {
      ...{ resourceType: 'Appointment', id: 'past', status: 'booked' },
      ...{ start: '2013-12-10T09:00:00Z', end: '2013-12-10T09:30:00Z' },
      participant: [{ status: 'accepted', actor: { reference: 'Patient/a' } }],
    }
    const { body } = await send(id, ndjson(patient('a', { name: [{ family: secret }] }), past))
    expect(body).toEqual({ imported: 2, updated: 0, refused: [] })
    await fhir('GET', `/clinics/${id}/export`)
    const { body: events } = await fhir('GET', '/AuditEvent?_count=50')
    const details = JSON.stringify(events)
    expect(details).toContain('import')
    expect(details).toContain('export')
    const journal = await fhir('GET', `/clinics/${id}/exchanges?_count=100`)
    expect(journal.text).not.toContain(secret)
    expect(journal.text).not.toContain('/export')
  })
})

test('an export that cannot go on breaks off, so that it does not look complete', async () => {
  const store = await openTestStore()
  const endingEarly: ResourceStore = {
    ...store,
    snapshot: async () => {
      const snapshot = await store.snapshot()
      const scanVersions: StoreSnapshot['scanVersions'] = async (scan) => {
        // By then, much has been sent.
        if (scan.type === 'VisionPrescription') await snapshot.close()
        return await snapshot.scanVersions(scan)
      }
      return { ...snapshot, scanVersions }
    },
  }
  const server = await startServer({}, { store: endingEarly })
  const headers = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
  const response = await fetch(`${server.url}/clinics/${DEMO_CLINIC}/export`, { headers })
  expect(response.status).toBe(200)
  await expect(response.text()).rejects.toThrow()
  expect((await server.fhir('GET', '/Patient?_count=1')).status).toBe(200)
  await server.close()
})
