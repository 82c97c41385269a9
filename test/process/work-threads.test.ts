/** Requests that would block the event loop for too long are handled by a worker, with the same response. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { extension } from './long-work.ts'

const EXTENSION = join(import.meta.dirname, 'long-work.ts')

let server: TestServer

beforeAll(async () => {
  // The start of a thread in place of one that was ended counts, and takes seconds beside other suites.
  const limits = { MAX_WORK_MS: '12000', MAX_WORK_MB: '128' }
  const environment = { DATABASE_URL: await newLastingDatabaseUrl(), EXTENSIONS: EXTENSION, ...limits }
  const extensions = [{ ...extension, module: EXTENSION }]
  server = await startServer(environment, { workThreads: 2, extensions })
  // Its start is not part of the time of what follows.
  await server.fhir('GET', '/$long')
})

afterAll(() => server.close())

const operation = (code: string) => server.fhir('GET', `/$${code}`)

const isOnEventLoop = async (code: string): Promise<unknown> => (await operation(code)).body.parameter[0].valueBoolean

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ family: `Name${index}` }))

describe('a request', () => {
  test('that is short is answered on the event loop, one that is long in a thread', async () => {
    expect(await isOnEventLoop('short')).toBe(true)
    expect(await isOnEventLoop('long')).toBe(false)
  })

  test('that is like several that had to move begins in a thread', async () => {
    for (let time = 1; time <= 5; time++) expect(await isOnEventLoop('dear-thrice')).toBe(false)
    expect(await isOnEventLoop('short')).toBe(true)
  })

  test('that is like one that had to move once begins on the event loop', async () => {
    expect(await isOnEventLoop('dear-once')).toBe(false)
    expect(await isOnEventLoop('dear-once')).toBe(true)
  })

  test('with a large body is answered in a thread, and what it wrote is there at once', async () => {
    const created = await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: names(3_000) })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe(`${server.url}/Patient/${created.body.id}/_history/1`)
    expect(created.headers.get('etag')).toBe('W/"1"')
    const read = await server.fhir('GET', `/Patient/${created.body.id}`)
    expect(read.body).toEqual(created.body)
    const found = await server.fhir('GET', '/Patient?family=Name2999')
    expect(found.body.entry).toHaveLength(1)
  })

  test('gets its errors from the thread too, in the format it accepts', async () => {
    const wrong = { resourceType: 'Patient', name: names(3_000), nam: 1 }
    const refused = await server.fhir('POST', '/Patient', wrong, { accept: 'application/fhir+xml' })
    expect(refused.status).toBe(422)
    expect(refused.headers.get('content-type')).toBe('application/fhir+xml; charset=utf-8')
    expect(refused.text).toContain('Patient.nam is not an element')
  })

  test('with a large answer is answered in a thread', async () => {
    const text = {
      status: 'generated',
      div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(4_000_000)}</div>`,
    }
    const created = await server.fhir('POST', '/Basic', { resourceType: 'Basic', code: { text: 'large' }, text })
    expect(created.status).toBe(201)
    for (const path of [`/Basic/${created.body.id}`, '/Basic?code:text=large', `/Basic/${created.body.id}/_history`]) {
      expect((await server.fhir('GET', path)).text.length).toBeGreaterThan(4_000_000)
    }
    const head = await server.fhir('HEAD', `/Basic/${created.body.id}`)
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(4_000_000)
    expect(head.headers.get('etag')).toBe('W/"1"')
  })

  test('is asked for its token before its body is taken', async () => {
    const body = { resourceType: 'Patient', name: names(3_000) }
    expect((await server.fhir('POST', '/Patient', body, { authorization: 'Bearer x' })).status).toBe(401)
  })

  test('of a tool with a large body is answered in a thread', async () => {
    const args = { fieldName: 'email', value: `john at example dot com ${'x'.repeat(40_000)}` }
    expect(await server.tool('/patient-intake/validate_intake_field', args)).toHaveProperty('valid', false)
  })

  test('sees settings that were changed on the event loop a moment ago', async () => {
    const admin = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
    const large = { resourceType: 'Patient', name: names(3_000) }
    const path = '/clinics/demo-clinic/sandbox'
    for (const enabled of [false, true, false, true]) {
      expect((await server.fhir('PUT', path, { enabled }, admin)).status).toBe(200)
      expect((await server.fhir('POST', '/Patient', large)).status).toBe(enabled ? 201 : 403)
    }
  })
})

describe('the audit trail', () => {
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
  async function events(query: string): Promise<any[]> {
    const admin = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
    const { body } = await server.fhir('GET', `/AuditEvent?${query}`, undefined, admin)
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return (body.entry ?? []).map(({ resource }: any) => resource)
  }

  test('has one event for a request that begins on the event loop and is answered in a thread, with what was done there', async () => {
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: names(3_000) })
    await server.fhir('GET', `/Patient?_id=${body.id}&_count=500`)
    const found = await events(`patient=Patient/${body.id}&_sort=date`)
    expect(found.map(({ subtype, outcome }) => [subtype[0].code, outcome])).toEqual([
      ['create', '0'],
      ['search-type', '0'],
    ])
    expect(found[0].agent[0].network.address).toBe('127.0.0.1')
  })

  test('has each entry of a Bundle that is answered in a thread once', async () => {
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient' })
    const read = { request: { method: 'GET', url: `Patient/${body.id}` } }
    await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry: Array(30).fill(read) })
    expect(await events(`patient=Patient/${body.id}&subtype=read&_count=100`)).toHaveLength(30)
  })

  test('tells of a request whose thread had to be ended', async () => {
    await operation('endless')
    const [event] = await events('subtype=operation&outcome=4&_sort=-date&_count=1')
    expect(event).toMatchObject({ outcomeDesc: 'HTTP status 422' })
    expect(event.entity.some(({ name }: { name?: string }) => name === '$endless')).toBe(true)
  })

  test('is searched in a thread where there is much to compare', async () => {
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient' })
    await Promise.all(Array.from({ length: 600 }, () => server.fhir('GET', `/Patient/${body.id}`)))
    expect(await events(`patient=Patient/${body.id}&action=R&_count=1000`)).toHaveLength(600)
  })
})

describe('a thread', () => {
  test('is ended when a request exceeds its time; the next request gets another one', async () => {
    const late = await operation('endless')
    expect(late.status).toBe(422)
    expect(late.body.issue[0]).toMatchObject({ code: 'too-costly' })
    expect(await isOnEventLoop('long')).toBe(false)
  })

  test('that takes too much memory is ended, and the server is not', async () => {
    const full = await operation('fill-memory')
    expect(full.status).toBe(422)
    expect(full.body.issue[0].diagnostics).toContain('memory')
    expect(await isOnEventLoop('long')).toBe(false)
  })

  test('that dies is replaced; its request is answered with 503', async () => {
    const lost = await operation('exit')
    expect(lost.status).toBe(503)
    expect(lost.headers.get('retry-after')).toBe('5')
    expect(await isOnEventLoop('long')).toBe(false)
  })

  test('is ended by its budget before its time, with what took most', async () => {
    const dear = await operation('dearest')
    expect(dear.status).toBe(422)
    expect(dear.body.issue[0].diagnostics).toContain('What took most was the test')
  })

  test('ends its work when the client leaves', async () => {
    const controllers = [new AbortController(), new AbortController()]
    const left = controllers.map(({ signal }) =>
      fetch(`${server.url}/$until-left`, { headers: { authorization: `Bearer ${server.token}` }, signal }).catch(
        (error: Error) => error.name,
      ),
    )
    // Both threads are taken.
    const waiting = isOnEventLoop('long')
    for (const controller of controllers) controller.abort()
    expect(await Promise.all(left)).toEqual(['AbortError', 'AbortError'])
    expect(await waiting).toBe(false)
  })

  test('whose database is away says so to the one who waits for its work', async () => {
    const admin = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
    const reset = await server.fhir('POST', '/clinics/demo-clinic/reset', { scenario: 'unavailable' }, admin)
    expect(reset.status).toBe(503)
    expect(reset.headers.get('retry-after')).toBe('5')
  })

  test('that works for long does not keep the event loop', async () => {
    const late = operation('endless')
    expect((await server.fhir('GET', '/Patient?_count=1')).status).toBe(200)
    expect(await isOnEventLoop('short')).toBe(true)
    expect((await late).status).toBe(422)
  })
})

test('without threads a request has its whole budget on the event loop', async () => {
  const alone = await startServer({ EXTENSIONS: EXTENSION }, { extensions: [{ ...extension, module: EXTENSION }] })
  try {
    const answer = await alone.fhir('GET', '/$long')
    expect(answer.body.parameter[0].valueBoolean).toBe(true)
    expect((await alone.fhir('GET', '/$dearest')).status).toBe(422)
  } finally {
    await alone.close()
  }
})
