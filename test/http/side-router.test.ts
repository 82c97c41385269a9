/** Addresses outside FHIR: unknown ones are 404, wrong methods 405, both as a plain error. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const notAllowed = (method: string, path: string, allow: string) =>
  `${method} is not allowed at ${path}; allowed: ${allow}`

test.each<[string, string, number, string | null]>([
  ['GET', '/session', 405, 'POST, DELETE'],
  ['PUT', '/session', 405, 'POST, DELETE'],
  ['GET', '/session/renewal', 405, 'POST'],
  ['GET', '/session/mine', 404, null],
  ['POST', '/health/live', 405, 'HEAD, GET'],
  ['GET', '/health/foo', 404, null],
  ['GET', '/health', 404, null],
  ['GET', '/calls', 405, 'POST'],
  ['POST', '/calls/1', 404, null],
  ['POST', '/patient-intake', 404, null],
  ['GET', '/patient-intake', 404, null],
  ['PUT', '/patient-intake/validate_intake_field', 405, 'POST, HEAD, GET'],
  ['GET', '/patient-intake/submit_intake', 405, 'POST'],
  ['POST', '/patient-journey/a/b', 404, null],
  ['GET', '/mcp', 405, 'POST'],
  ['GET', '/mcp/patient-intake', 405, 'POST'],
])('%s %s without a token is %i', async (method, path, status, allow) => {
  const answer = await request(server.url, method, path)
  expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow])
  expect(answer.body).toEqual({
    error: allow === null ? expect.stringContaining(`${method} ${path}`) : notAllowed(method, path, allow),
  })
})

test.each<[string, string, number, string]>([
  ['POST', '/clinics/demo-clinic/sandbox', 405, 'HEAD, GET, PUT'],
  ['DELETE', '/clinics/demo-clinic/settings', 405, 'HEAD, GET, PUT'],
  ['DELETE', '/clinics', 405, 'HEAD, GET, POST'],
  ['GET', '/clinics/demo-clinic', 405, 'DELETE'],
  ['POST', '/accounts/demo', 405, 'HEAD, GET, DELETE'],
  ['GET', '/accounts/demo/password', 405, 'PUT'],
  ['GET', '/mcp/fhir', 405, 'POST'],
  ['DELETE', '/mcp/fhir', 405, 'POST'],
])('%s %s with a token is %i, and without one 401', async (method, path, status, allow) => {
  const answer = await server.fhir(method, path)
  expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow])
  expect(answer.body).toEqual({ error: notAllowed(method, path, allow) })
  const stranger = await request(server.url, method, path)
  expect([stranger.status, Object.keys(stranger.body)]).toEqual([401, ['error']])
})

test.each([
  ['GET', '/clinics/demo-clinic/nonsense'],
  ['PUT', '/clinics/demo-clinic/nothing'],
  ['GET', '/accounts/demo/nothing'],
  ['POST', '/mcp/fhir/nothing'],
])('%s %s is 404 with a token and without one', async (method, path) => {
  for (const answer of [await server.fhir(method, path), await request(server.url, method, path)]) {
    expect([answer.status, answer.body]).toEqual([404, { error: expect.stringContaining(`${method} ${path}`) }])
  }
})

test('what a clinic has not is 404 while its sandbox is off too, not 403', async () => {
  await server.fhir('PUT', '/clinics/demo-clinic/sandbox', { enabled: false })
  expect((await server.fhir('GET', '/clinics/demo-clinic/nothing')).status).toBe(404)
  await server.fhir('PUT', '/clinics/demo-clinic/sandbox', { enabled: true })
})
