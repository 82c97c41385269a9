/** Hostile requests: the server refuses them in one sentence, keeps nothing of them, and keeps serving. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ChangeSet } from '../../src/storage/port.ts'
import { ResourceTooLarge } from '../../src/storage/store-errors.ts'
import { openTestStore } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const post = (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/fhir+json' },
    body,
  })

const diagnosticsOf = async (response: Response): Promise<string> => {
  const { issue } = (await response.json()) as { issue: { diagnostics: string }[] }
  return issue[0]?.diagnostics ?? ''
}

describe('a body', () => {
  test('that is not UTF-8 is refused, not stored with other characters in it', async () => {
    const latin1 = Buffer.from('{"resourceType":"Patient","name":[{"family":"M\u00fcller"}]}', 'latin1')
    const response = await post('/Patient', latin1)
    expect(response.status).toBe(400)
    expect(await diagnosticsOf(response)).toBe('The body is not UTF-8, the one encoding that FHIR is sent in')
  })

  test('may begin with a byte order mark', async () => {
    expect((await post('/Patient', '\ufeff{"resourceType":"Patient"}')).status).toBe(201)
  })

  test.each([
    ['beside each other', '{"resourceType":"Patient","active":true,"active":false}', 'active'],
    ['one of them escaped', '{"resourceType":"Patient","active":true,"\\u0061ctive":true}', 'active'],
    ['in an inner object', '{"resourceType":"Patient","name":[{"family":"a","text":"b:\\"{","family":"c"}]}', 'family'],
    ['of a name that objects inherit', '{"resourceType":"Patient","__proto__":1,"__proto__":2}', '__proto__'],
  ])('with two properties of one name (%s) is refused, as one of them would be lost', async (_where, body, name) => {
    const response = await post('/Patient', body)
    expect(response.status).toBe(400)
    expect(await diagnosticsOf(response)).toBe(
      `The body has two properties '${name}' in one object; JSON takes one of each name`,
    )
  })

  test('may use one name in several objects, and write it in texts', async () => {
    const body = '{"resourceType":"Patient","name":[{"family":"a: \\"family\\":"},{"family":"{\\"family\\":1}"}]}'
    expect((await post('/Patient', body)).status).toBe(201)
  })

  test.each(['__proto__', 'constructor', 'toString', '_toString', 'hasOwnProperty'])(
    'with a property %s, which every object has, is refused as one of no element',
    async (name) => {
      const response = await post('/Patient', `{"resourceType":"Patient","${name}":{"active":true}}`)
      expect(response.status).toBe(422)
      expect(await diagnosticsOf(response)).toContain(`Patient.${name} is not an element of Patient`)
    },
  )
})

describe('a Bundle that reads more than a process can answer', () => {
  const bundle = (type: string, urls: readonly string[]) => ({
    resourceType: 'Bundle',
    type,
    entry: urls.map((url) => ({ request: { method: 'GET', url } })),
  })
  let urls: readonly string[]
  beforeAll(async () => {
    const part = { url: 'http://example.org/part', valueString: 'A'.repeat(1_000_000) }
    const basic = { resourceType: 'Basic', code: { text: 'large' }, extension: Array.from({ length: 12 }, () => part) }
    const { status, body, text } = await server.fhir('POST', '/Basic', basic)
    expect([status, text.slice(0, 300)]).toEqual([201, text.slice(0, 300)])
    urls = Array.from({ length: 8 }, () => `Basic/${body.id}`)
  })

  test('is answered as far as it goes in a batch', async () => {
    const { status, body } = await server.fhir('POST', '/', bundle('batch', urls))
    expect(status).toBe(200)
    const statuses = body.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3))
    expect(statuses).toEqual(['200', '200', '200', '200', '200', '200', '413', '413'])
  })

  test('is refused as a transaction', async () => {
    const { status, body } = await server.fhir('POST', '/', bundle('transaction', urls))
    expect(status).toBe(413)
    expect(body.issue[0].diagnostics).toContain('Bundle.entry[5]')
  })
})

describe('a search form', () => {
  const send = (body: string) =>
    server.fhir('POST', '/Patient/_search', body, { 'content-type': 'application/x-www-form-urlencoded' })

  test.each(['family', 'family:contains', 'family:exact', '_profile:above', '_profile:below', 'identifier'])(
    'takes values of up to 4,096 characters: %s',
    async (name) => {
      expect((await send(`${name}=${'a/'.repeat(2048)}`)).status).toBe(200)
      const { status, body } = await send(`${name}=${'a/'.repeat(2049)}`)
      expect(status).toBe(400)
      expect(body.issue[0].diagnostics).toContain('has a value of more than 4096 characters')
    },
  )

  /** 200, 200 and 100 values of a parameter. */
  const values = (name: string, value: (at: number) => string) =>
    [200, 200, 100].map((many) => `${name}=${Array.from({ length: many }, (_, at) => value(at)).join()}`).join('&')
  const tests = Array.from({ length: 100 }, (_, at) => `not (name co x${at})`).join(' and ')

  test.each([
    ['of a string', 'Patient', values('name', (at) => `x${at}`)],
    ['of a composite', 'Observation', values('component-code-value-quantity', (at) => `c${at}$ne${at}`)],
    ['at the end of a chain to many types', 'Provenance', values('target.item.date', (at) => `ne${1800 + at}`)],
    ['in tests of filters', 'Patient', Array.from({ length: 5 }, () => `_filter=${tests}`).join('&')],
  ])('with 500 values %s is answered, one with more is refused', async (_where, type, form) => {
    const ask = (body: string) =>
      server.fhir('POST', `/${type}/_search`, body, { 'content-type': 'application/x-www-form-urlencoded' })
    expect((await ask(form)).status).toBe(200)
    const { status, body } = await ask(`${form}&_id=a`)
    expect([status, body.issue[0].diagnostics]).toEqual([400, expect.stringContaining('500 are the most')])
  })

  test('of more than a megabyte is refused', async () => {
    expect((await send(`family=${'a'.repeat(1100 * 1000)}`)).status).toBe(413)
  })
})

describe('what is no request that can be carried out', () => {
  /**
   * Sends each text after the response to the one before; gives everything received until the connection was closed.
   */
  const exchange = (...texts: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const received: string[] = []
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(texts[0] ?? ''))
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        received.push(chunk)
        const next = texts[received.length]
        if (next !== undefined) socket.write(next)
      })
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })

  test.each([
    ['an address of 20 kB', `GET /Patient?name=${'a'.repeat(20_000)} HTTP/1.1\r\n`, 431, 'POST [type]/_search'],
    ['no HTTP', 'HELO server\r\n', 400, 'is not HTTP/1.1'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n', 400, 'is not HTTP/1.1'],
    ['a null byte in the address', 'GET /Patient?name=\0 HTTP/1.1\r\nHost: a\r\n', 400, 'percent-encoded'],
  ])('%s is refused with an OperationOutcome', async (_what, head, status, message) => {
    const [top = '', body = ''] = (await exchange(`${head}\r\n`)).join('').split('\r\n\r\n')
    expect(top).toMatch(new RegExp(`^HTTP/1.1 ${status} .*Content-Type: application/fhir\\+json`, 's'))
    expect(JSON.parse(body)).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ severity: 'error' }] })
    expect(body).toContain(message)
  })

  test('is refused on a connection that was used before too, and ends it', async () => {
    const [first, second] = await exchange('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', 'HELO\r\n\r\n')
    expect(first).toMatch(/^HTTP\/1.1 200 /)
    expect(second).toMatch(/^HTTP\/1.1 400 .*\r\nConnection: close\r\n/s)
  })
})

describe('Patient/$match', () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

  test('with more names than can be tried together is refused', async () => {
    const name = [...names(300, 'f').map((family) => ({ family })), { given: names(500, 'g') }]
    const { status, body } = await server.fhir('POST', '/Patient/$match', { resourceType: 'Patient', name })
    expect(status).toBe(413)
    expect(body.issue[0].diagnostics).toContain('longer than 8000 characters together; send fewer')
  })

  test('does not count what nobody is matched by', async () => {
    const photo = [{ contentType: 'image/png', data: 'AAAA'.repeat(10_000) }]
    const asked = { resourceType: 'Patient', name: [{ family: 'Nobody', given: ['Known'] }], photo }
    expect((await server.fhir('POST', '/Patient/$match', asked)).status).toBe(200)
  })

  test('with one parameter many times over is refused', async () => {
    const parameter = Array.from({ length: 100_000 }, () => ({ name: 'count', valueInteger: 1 }))
    const { status, body } = await server.fhir('POST', '/Patient/$match', { resourceType: 'Parameters', parameter })
    expect(status).toBe(400)
    expect(body.issue[1].diagnostics).toContain('100000 times')
  })
})

test('a resource that the database cannot keep in one piece is 413, with its name, and nothing of it is stored', async () => {
  const store = await openTestStore()
  const refusing = {
    ...store,
    write: async (changes: ChangeSet) => {
      const large = changes.resources.find(({ text }) => text.includes('large'))
      if (large !== undefined) throw new ResourceTooLarge(`${large.type}/${large.id}`)
      await store.write(changes)
    },
  }
  const small = await startServer({}, { store: refusing })
  const { status, body } = await small.fhir('PUT', '/Basic/a', {
    resourceType: 'Basic',
    id: 'a',
    code: { text: 'large' },
  })
  expect([status, body.issue[0].code]).toEqual([413, 'too-long'])
  expect(body.issue[0].diagnostics).toMatch(/^Basic\/a is larger than .* nothing was changed/)
  expect((await small.fhir('GET', '/Basic/a')).status).toBe(404)
  await small.close()
})

test('a Bundle of many reads does not keep others waiting until it is answered', async () => {
  const answered: string[] = []
  const send = async (what: string, request: Promise<unknown>) => {
    await request
    answered.push(what)
  }
  const asked = { resourceType: 'Patient', name: [{ family: 'Abernathy', given: ['Amelia'] }] }
  const entry = Array.from({ length: 500 }, () => ({
    resource: asked,
    request: { method: 'POST', url: 'Patient/$match' },
  }))
  const all = send('Bundle', server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry }))
  await Promise.all([
    all,
    send('health', fetch(`${server.url}/health/ready`)),
    send('read', server.fhir('GET', '/Patient')),
  ])
  expect(answered.at(-1)).toBe('Bundle')
})
