/** Headers of every response for caches and browsers, and headers that no response may have. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let id: string
beforeAll(async () => {
  server = await startServer()
  id = (await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: 'Kept' }] })).body.id
})
afterAll(() => server.close())

describe('every answer', () => {
  test.each<[string, string, string, Record<string, string>, number]>([
    ['a read', 'GET', '/Patient/{id}', {}, 200],
    ['a search', 'GET', '/Patient?family=Kept', {}, 200],
    ['a patient that is not there', 'GET', '/Patient/nobody', {}, 404],
    ['a missing token', 'GET', '/Patient/{id}', { authorization: '' }, 401],
    ['settings', 'GET', '/clinics/demo-clinic/settings', {}, 200],
    ['health', 'GET', '/health/live', {}, 200],
  ])('is nosniff and not to be stored: %s', async (_what, method, path, headers, status) => {
    const answer = await server.fhir(method, path.replace('{id}', id), undefined, headers)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('is nosniff and not to be stored where the request is no HTTP', async () => {
    const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1')
    const answer = text(socket)
    await once(socket, 'connect')
    socket.write('hello\r\n\r\n')
    expect(await answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n/)
  })

  test('says nothing of the software that made it', async () => {
    for (const path of [`/Patient/${id}`, '/Patient/nobody', '/metadata', '/health/live']) {
      const { headers } = await server.fhir('GET', path)
      expect([headers.get('server'), headers.get('x-powered-by'), headers.get('via')]).toEqual([null, null, null])
    }
  })
})

test('/metadata, which is about no patient, may be kept and asked for again', async () => {
  const { headers } = await request(server.url, 'GET', '/metadata')
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-cache', 'nosniff'])
})

test('a client that keeps a version itself still learns by its ETag that it is the current one', async () => {
  const etag = (await server.fhir('GET', `/Patient/${id}`)).headers.get('etag') ?? ''
  const answer = await server.fhir('GET', `/Patient/${id}`, undefined, { 'if-none-match': etag })
  expect([answer.status, answer.headers.get('etag'), answer.text]).toEqual([304, etag, ''])
})

describe('an address at which nothing is served is 404 without a token too:', () => {
  test.each([
    ['GET', '/Patient/1/2/3/4'],
    ['GET', '/Patient/1/Nonsense'],
    ['GET', '/Patient/$nonsense'],
    ['POST', '/$nonsense'],
    ['GET', '/Nonsense'],
    ['GET', '/metadata/x'],
    ['GET', '/.env'],
    ['PUT', '/clinics/demo-clinic/nonsense'],
    ['POST', '/session/nonsense'],
  ])('%s %s', async (method, path) => {
    expect((await request(server.url, method, path)).status).toBe(404)
    expect((await server.fhir(method, path)).status).toBe(404)
  })

  test.each([
    ['GET', '/Patient/1'],
    ['GET', '/Patient/1/Observation'],
    ['GET', '/Patient/1/*'],
    ['POST', '/Patient/$match'],
    ['PUT', '/clinics/demo-clinic/settings'],
    ['POST', '/Patient/1'],
    ['POST', '/'],
  ])('but at %s %s a token is asked for', async (method, path) => {
    expect((await request(server.url, method, path)).status).toBe(401)
  })
})
