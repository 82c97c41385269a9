/** $import of files of NDJSON, by way of real servers with and without work threads. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import {
  type FileServer,
  type Input,
  importParameters,
  ndjson,
  startFileServer,
  startImport,
  uploaded,
} from '../../support/imports.ts'
import { ASYNC, ended, startedJob } from '../../support/jobs.ts'
import { request, type TestServer } from '../../support/server.ts'
import { until } from '../../support/server-process.ts'
import { logInAs, OTHER_CLINIC, startTwoClinics, withToken } from '../../support/two-clinics.ts'

const LINE_BYTES = 200_000

/** `/files/` is allowed. */
let fileServer: FileServer
let files: FileServer['files']
let filesAt = ''
beforeAll(async () => {
  fileServer = await startFileServer()
  ;({ files, url: filesAt } = fileServer)
})
afterAll(() => fileServer.close())

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
describe.each([
  ['without work threads', 0],
  ['with work threads', 2],
] as const)('a server %s', (_, workThreads) => {
  let server: TestServer
  let theirs: TestServer['fhir']
  let admin: TestServer['fhir']
  let theirAdmin: TestServer['fhir']
  beforeAll(async () => {
    const env = { MAX_BODY_BYTES: String(LINE_BYTES), MAX_IMPORT_BYTES: '3000000', IMPORT_SOURCES: `${filesAt}/files` }
    const started = await startTwoClinics({ DATABASE_URL: await newLastingDatabaseUrl(), ...env }, { workThreads })
    server = started.server
    theirs = started.theirs
    admin = withToken(server, await logInAs(server, { username: 'ada', clinic: DEMO_CLINIC, role: 'admin' })).fhir
    theirAdmin = withToken(server, await logInAs(server, { username: 'bo', clinic: OTHER_CLINIC, role: 'admin' })).fhir
  })
  afterAll(() => server.close())

  const upload = (text: string | Buffer) => uploaded(admin, text)
  const start = (inputs: readonly Input[], more?: Readonly<Record<string, string>>, fhir = admin) =>
    startImport(fhir, inputs, more)

  async function result(inputs: readonly Input[], more?: Readonly<Record<string, string>>) {
    const { status, body } = await ended(admin, startedJob(await start(inputs, more)))
    expect(status).toBe(200)
    return body
  }

  /** The first sentence of each refused line, in the files of errors. */
  async function errorsIn(manifest: { error: readonly { url: string; count: number }[] }): Promise<readonly string[]> {
    const all: string[] = []
    for (const { url, count } of manifest.error) {
      const { text, headers } = await admin('GET', new URL(url).pathname)
      expect(headers.get('content-type')).toContain('ndjson')
      const outcomes = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(outcomes).toHaveLength(count)
      all.push(...outcomes.map(({ issue: [issue] }) => issue.diagnostics))
    }
    return all
  }

  const versionOf = async (address: string) => (await admin('GET', `/${address}`)).body?.meta?.versionId

  test('imports files from Binaries, those that others refer to first, with a row for each', async () => {
    const [o, p] = [`o-${randomUUID()}`, `p-${randomUUID()}`]
    const observations = await upload(ndjson(observation(o, p)))
    const patients = await upload(ndjson(patient(p), '', patient('demo-import-second')))
    const input = [
      { type: 'Observation', url: `${server.url}/${observations}` },
      { type: 'Patient', url: patients },
    ]
    const manifest = await result(input, { inputSource: 'https://old.example/fhir' })
    expect(manifest).toMatchObject({
      request: `${server.url}/$import`,
      requiresAccessToken: true,
      output: [
        { type: 'Patient', inputUrl: patients, count: 2, created: 2, updated: 0 },
        { type: 'Observation', inputUrl: `${server.url}/${observations}`, count: 1 },
      ],
      error: [],
    })
    expect((await admin('GET', `/Patient/${p}`)).body.meta).toMatchObject({
      versionId: '1',
      source: 'https://old.example/fhir',
    })
    expect((await admin('GET', `/Observation?subject=Patient/${p}`)).body.total).toBe(1)
    expect((await theirs('GET', `/Patient/${p}`)).status).toBe(404)
  })

  test('tells each refused line, with its number, and goes on', async () => {
    const id = randomUUID()
    const url = await upload(
      `${ndjson(
        '{"resourceType":"Patient",',
        patient(`${id}-1`),
        { ...patient(`${id}-2`), gender: 'x' },
        { resourceType: 'Patient' },
        observation(`${id}-3`, 'p'),
        { resourceType: 'Patiend', id: 'x' },
        JSON.stringify(patient(`${id}-4`, { text: { status: 'generated', div: 'x'.repeat(LINE_BYTES) } })),
        '[]',
        patient(`${id}-5`),
      )}{"resourceType":"Patient","id":"cut`,
    )
    const manifest = await result([{ type: 'Patient', url }])
    expect(manifest.output).toMatchObject([{ count: 2, created: 2 }])
    expect(manifest.error).toMatchObject([{ type: 'OperationOutcome', inputUrl: url, count: 8 }])
    const errors = await errorsIn(manifest)
    expect(errors.map((one) => Number(/^Line (\d+) of Binary/.exec(one)?.[1])).toSorted((a, b) => a - b)).toEqual([
      1, 3, 4, 5, 6, 7, 8, 10,
    ])
    const reasons = [
      /is not JSON/,
      /gender/,
      /has no id/,
      /type 'Observation', in a file of the type Patient/,
      /'Patiend'/,
      /longer than 200000 bytes/,
      /is no resource/,
    ]
    for (const reason of reasons) expect(errors).toContainEqual(expect.stringMatching(reason))
    expect(await versionOf(`Patient/${id}-5`)).toBe('1')
  })

  test('takes a resource that is there as a new version, or refuses it where the load is initial', async () => {
    const id = randomUUID()
    const url = await upload(ndjson(patient(id), patient(id, { gender: 'male' })))
    expect((await result([{ url }])).output).toMatchObject([{ count: 2 }])
    const before = await versionOf(`Patient/${id}`)
    const initial = await result([{ url }], { mode: 'InitialLoad' })
    expect(initial.output).toMatchObject([{ count: 0 }])
    expect(await errorsIn(initial)).toContainEqual(expect.stringMatching(/exists already/))
    expect(await versionOf(`Patient/${id}`)).toBe(before)
  })

  test('tries lines again that refer to what comes later', async () => {
    const [visit, id] = [randomUUID(), randomUUID()]
    const appointment = {
      ...{ resourceType: 'Appointment', id: visit, status: 'booked' },
      ...{ start: '2013-12-10T09:00:00Z', end: '2013-12-10T09:30:00Z' },
      participant: [{ status: 'accepted', actor: { reference: `Patient/${id}` } }],
    }
    const url = await upload(ndjson(appointment))
    const manifest = await result([{ url }, { url: await upload(ndjson(patient(id))) }])
    expect(manifest.output).toMatchObject([{ count: 1 }, { count: 1 }])
    expect(await versionOf(`Appointment/${visit}`)).toBe('1')
    const lost = await result([
      {
        url: await upload(
          ndjson({
            ...appointment,
            id: randomUUID(),
            participant: [{ status: 'accepted', actor: { reference: 'Patient/never' } }],
          }),
        ),
      },
    ])
    expect(lost.output).toMatchObject([{ count: 0 }])
    expect(await errorsIn(lost)).toHaveLength(1)
  })

  test('writes lines that depend on those just before them as if each came after the other', async () => {
    const numbers = Array.from({ length: 350 }, (_, n) => n)
    const part = (n: number) => ({
      ...{ resourceType: 'Organization', id: `part-${n}`, name: `Part ${n}` },
      ...(n === 0 ? {} : { partOf: { reference: `Organization/part-${n - 1}` } }),
    })
    const again = (n: number) => patient(`again-${n % 150}`, { birthDate: `19${50 + Math.floor(n / 150)}` })
    const start = Date.UTC(2040, 0, 2, 8)
    const slot = (n: number) => ({
      ...{ resourceType: 'Slot', id: `row-${n}`, schedule: { reference: 'Schedule/row' }, status: 'free' },
      ...{ start: new Date(start + n * 600_000).toISOString(), end: new Date(start + (n + 1) * 600_000).toISOString() },
    })
    const practitioner = { resourceType: 'Practitioner', id: 'row', name: [{ family: 'Row' }] }
    const schedule = { resourceType: 'Schedule', id: 'row', actor: [{ reference: 'Practitioner/row' }] }
    for (const lines of [numbers.map(part), numbers.map(again), [practitioner], [schedule], numbers.map(slot)]) {
      const { output, error } = await result([{ url: await upload(ndjson(...lines)) }])
      expect(output).toEqual([expect.objectContaining({ count: lines.length })])
      expect(error).toEqual([])
    }
    const { body: last } = await admin('GET', '/Patient/again-30')
    expect([last.birthDate, last.meta.versionId]).toEqual(['1952', '3'])
    expect((await admin('GET', '/Slot?schedule=Schedule/row&_summary=count')).body.total).toBe(350)
  })

  test('imports thousands of lines with many that are broken, and tells all of these in one file', async () => {
    const id = randomUUID()
    const lines = Array.from({ length: 3_000 }, (_none, n) => (n % 3 === 0 ? '{' : patient(`${id}-${n}`)))
    const manifest = await result([{ type: 'Patient', url: await upload(ndjson(...lines)) }])
    expect(manifest.output).toMatchObject([{ count: 2_000, created: 2_000 }])
    expect(manifest.error).toMatchObject([{ count: 1_000 }])
    const numbers = (await errorsIn(manifest)).map((one) => Number(/\d+/.exec(one)?.[0]))
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 1_000 }, (_none, n) => 3 * n + 1)))
    expect((await admin('GET', '/jobs')).body.jobs[0]).toMatchObject({ kind: 'import', state: 'done' })
  })

  test('is for admins, in their own clinic, in the background', async () => {
    const url = await upload(ndjson(patient('p')))
    expect((await start([{ url }], {}, server.fhir)).status).toBe(403)
    expect((await start([{ url }], {}, theirAdmin)).body.issue[0].diagnostics).toMatch(/there is no Binary/)
    expect((await admin('POST', '/$import', importParameters([{ url }]))).status).toBe(400)
    const anonymous = await request(server.url, 'POST', '/$import', importParameters([{ url }]), ASYNC)
    expect(anonymous.status).toBe(401)
    expect((await admin('GET', '/$import', undefined, ASYNC)).status).toBe(405)
  })

  test.each<[string, readonly Input[], Readonly<Record<string, string>>, RegExp]>([
    ['an unknown type', [{ type: 'Patiend', url: 'Binary/x' }], {}, /no resource type/i],
    ['a Binary that there is not', [{ url: 'Binary/never' }], {}, /no Binary\/never/],
    ['another format', [{ url: 'Binary/x' }], { inputFormat: 'text/csv' }, /NDJSON/],
    ['another mode', [{ url: 'Binary/x' }], { mode: 'Merge' }, /IncrementalLoad, InitialLoad/],
    ['no file', [], {}, /input is missing/],
    [
      'an address that is not allowed',
      [{ url: 'https://files.example/p.ndjson' }],
      {},
      /an address that operators allow/,
    ],
    ['an address beside the allowed one', [{ url: 'FILES/files/../secret' }], {}, /an address that operators allow/],
    ['one behind an encoded slash', [{ url: 'FILES/files/..%2fsecret' }], {}, /an address that operators allow/],
    ['a long address', [{ url: `FILES/files/${'a'.repeat(2_000)}` }], {}, /2000 characters at most/],
    ['a long source', [{ url: 'Binary/x' }], { inputSource: `urn:${'a'.repeat(2_000)}` }, /2000 characters at most/],
    ['an address with a user', [{ url: 'http://a:b@HOST/files/p' }], {}, /an address that operators allow/],
    ['a file of the server', [{ url: 'file:///etc/passwd' }], {}, /an address that operators allow/],
  ])('refuses %s at once', async (_what, inputs, more, diagnostics) => {
    const asked = inputs.map(({ url, ...rest }) => ({
      ...rest,
      url: url.replace('FILES', filesAt).replace('HOST', new URL(filesAt).host),
    }))
    const refused = await start(asked, more)
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([400, expect.stringMatching(diagnostics)])
  })

  describe('from an address that operators allow', () => {
    test('fetches the file, and others where one cannot be', async () => {
      const id = randomUUID()
      files.set('/files/a/patients.ndjson?sig=1', (_asked, response) => response.end(ndjson(patient(id))))
      files.set('/files/moved', (_asked, response) => response.writeHead(302, { location: `${filesAt}/secret` }).end())
      const url = `${filesAt}/files/a/patients.ndjson?sig=1`
      const manifest = await result([
        { type: 'Account', url: `${filesAt}/files/moved` },
        { type: 'Patient', url },
      ])
      expect(manifest.output).toMatchObject([{ inputUrl: url, count: 1 }, { count: 0 }])
      expect(await errorsIn(manifest)).toEqual([expect.stringMatching(/302, and redirections are not followed/)])
      expect(await versionOf(`Patient/${id}`)).toBe('1')
    })

    test.each<[string, RequestListener, RegExp]>([
      ['is not there', (_asked, response) => response.writeHead(404).end(), /responded with 404/],
      [
        'is sent in another encoding',
        (_asked, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('x'),
        /Content-Encoding 'br'/,
      ],
      ['is too large', (_asked, response) => response.end('x'.repeat(3_100_000)), /more than 3000000 bytes/],
    ])('tells of a file that %s', async (what, serve, diagnostics) => {
      const path = `/files/${encodeURIComponent(what)}`
      files.set(path, serve)
      const manifest = await result([{ url: `${filesAt}${path}` }])
      expect(await errorsIn(manifest)).toEqual([expect.stringMatching(diagnostics)])
    })

    test.each<[string, string, Record<string, string>]>([
      ['whose name ends in .ndjson.gz', '.ndjson.gz', { 'content-type': 'application/octet-stream' }],
      ['that is sent as gzip', '', { 'content-encoding': 'gzip' }],
      ['of which both is true', '.NDJSON.GZ', { 'content-encoding': 'x-gzip' }],
    ])('unzips a file %s', async (_what, name, headers) => {
      const id = randomUUID()
      const path = `/files/${id}${name}`
      const accepted: unknown[] = []
      files.set(path, (asked, response) => {
        accepted.push(asked.headers['accept-encoding'])
        response.writeHead(200, headers).end(gzipSync(ndjson(patient(id), '{')))
      })
      const manifest = await result([{ url: `${filesAt}${path}` }])
      expect(manifest.output).toMatchObject([{ count: 1 }])
      expect(await errorsIn(manifest)).toEqual([expect.stringMatching(/^Line 2 of .*not JSON/)])
      expect(accepted).toEqual(['gzip'])
    })

    test.each<[string, Buffer, RegExp]>([
      ['that is no gzip', Buffer.from(ndjson(patient('no-gzip'))), /it is not gzip, or ends too early/],
      ['that ends too early', gzipSync(randomBytes(5_000)).subarray(0, 4_000), /it is not gzip, or ends too early/],
      [
        'that inflates to more than a file may have',
        gzipSync(randomBytes(1_600_000).toString('hex')),
        /more than 3000000 bytes/,
      ],
      [
        'that inflates a thousandfold',
        gzipSync(Buffer.alloc(2_900_000, ' ')),
        /inflates to more than 100 bytes for each byte/,
      ],
    ])('tells of a zipped file %s, and fetches it once', async (what, bytes, diagnostics) => {
      const path = `/files/${encodeURIComponent(what)}.gz`
      let tries = 0
      files.set(path, (_asked, response) => {
        tries += 1
        response.end(bytes)
      })
      expect(await errorsIn(await result([{ url: `${filesAt}${path}` }]))).toEqual([expect.stringMatching(diagnostics)])
      expect(tries).toBe(1)
    })

    test('has each request in the journal, without the content of the file and what opens it', async () => {
      const [id, opened] = [randomUUID(), 'b3BlbnMtdGhlLWZpbGU']
      let tries = 0
      files.set(`/files/${id}?sig=${opened}&v=2`, (_asked, response) => {
        tries += 1
        if (tries === 1)
          response.writeHead(503, { 'set-cookie': 'id=a-secret-of-the-server' }).end('Busy with patients')
        else response.end(ndjson(patient(id)))
      })
      const url = `${filesAt}/files/${id}?sig=${opened}&v=2`
      expect((await result([{ url }])).output).toMatchObject([{ count: 1 }])
      const list = `/clinics/${DEMO_CLINIC}/exchanges?direction=out&text=${id}`
      const told = async () => (await admin('GET', list)).body.exchanges
      await until(async () => (await told()).length === 2)
      const [last, first] = await told()
      expect([first, last]).toMatchObject([
        { method: 'GET', system: 'import', status: 503, outcome: 'failed' },
        { address: url.replace(opened, '[removed]'), system: 'import', status: 200, outcome: 'ok' },
      ])
      for (const exchange of [first, last]) {
        const { text } = await admin('GET', `/clinics/${DEMO_CLINIC}/exchanges/${exchange.id}`)
        for (const secret of [opened, 'Berg', 'a-secret-of-the-server', 'Busy']) expect(text).not.toContain(secret)
      }
      const asked = await admin('GET', `/clinics/${DEMO_CLINIC}/exchanges?operation=import`)
      expect(asked.text).not.toContain(opened)
    })

    test('has a request in the journal that got no response', async () => {
      const id = randomUUID()
      files.set(`/files/${id}`, (_asked, response) => response.destroy())
      await result([{ url: `${filesAt}/files/${id}` }])
      const list = `/clinics/${DEMO_CLINIC}/exchanges?direction=out&text=${id}`
      await until(async () => (await admin('GET', list)).body.exchanges.length === 3)
      expect((await admin('GET', list)).body.exchanges[0]).toMatchObject({ status: 0, reason: { code: 'unreachable' } })
    })

    test('fetches a file again that broke off', async () => {
      const id = randomUUID()
      let tries = 0
      files.set('/files/broken', (_asked, response) => {
        const text = ndjson(patient(id))
        tries += 1
        response.writeHead(200, { 'content-length': String(text.length) })
        if (tries === 1) response.write(text.slice(0, 10), () => response.destroy())
        else response.end(text)
      })
      expect((await result([{ url: `${filesAt}/files/broken` }])).output).toMatchObject([{ count: 1 }])
      expect(tries).toBe(2)
    })
  })

  test('ends when its clinic is reset meanwhile, and nothing of it is in the new data', async () => {
    const { id, token } = (await admin('POST', '/clinics', { from: { scenario: 'empty' }, ttl: 'P1D' })).body
    const clone = withToken(server, token).fhir
    const lines = Array.from({ length: 6_000 }, (_none, n) => observation(`${id}-${n}`, 'p'))
    const first = await uploaded(clone, ndjson(...lines.slice(0, 1_000)))
    const url = await uploaded(clone, ndjson(...lines.slice(1_000, 2_000)))
    const path = startedJob(await start([{ url: first }, { url }], {}, clone))
    expect((await clone('POST', `/clinics/${id}/reset`, { scenario: 'empty' })).status).toBe(200)
    const { status, body } = await ended(clone, path)
    // One that was faster than the reset is done, with what the reset has removed.
    if (status !== 200) expect([status, body.issue[0].diagnostics]).toEqual([409, expect.stringMatching(/was reset/)])
    expect((await clone('GET', '/Observation?_summary=count')).body.total).toBe(0)
  })

  test('ends when it is deleted, and one at a time is under way', async () => {
    const id = randomUUID()
    const lines = Array.from({ length: 6_000 }, (_none, n) => patient(`${id}-${n}`))
    const first = await upload(ndjson(...lines.slice(0, 3_000)))
    const path = startedJob(await start([{ url: first }, { url: await upload(ndjson(...lines.slice(3_000))) }]))
    const second = await start([{ url: first }])
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, expect.any(String)])
    expect((await admin('DELETE', path)).status).toBe(202)
    expect((await admin('GET', path)).status).toBe(404)
    await ended(admin, startedJob(await start([{ url: await upload(ndjson(patient(id))) }])))
    expect((await admin('GET', `/Patient?_id=${id}-5999`)).body.total).toBe(0)
  })
})
