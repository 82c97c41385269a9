/** One way to assemble searches: the same rules for searches over HTTP, conditions and handlers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ClinicAccess } from '../../src/core/context.ts'
import { startServer, type TestServer } from '../support/server.ts'

const EYES = {
  resourceType: 'SearchParameter',
  url: 'http://example.org/SearchParameter/patient-eyes',
  name: 'eyes',
  status: 'active',
  description: 'Colour of the eyes',
  code: 'eyes',
  base: ['Patient'],
  type: 'token',
  expression: "Patient.extension.where(url = 'http://example.org/eyes').value",
}
const brown = (family: string) => ({
  resourceType: 'Patient',
  name: [{ family }],
  extension: [{ url: 'http://example.org/eyes', valueCode: 'brown' }],
})

let server: TestServer
let ours: ClinicAccess
beforeAll(async () => {
  server = await startServer()
  ours = server.app.access('demo-clinic', { kind: 'server' })
  expect((await server.fhir('POST', '/SearchParameter', EYES)).status).toBe(201)
  expect((await server.fhir('POST', '/Patient', brown('Own'))).status).toBe(201)
  const deadline = Date.now() + 30_000
  while ((await server.fhir('GET', '/Patient?eyes=brown')).status === 503 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})
afterAll(() => server.close())

describe("a clinic's own search parameter", () => {
  test('is found by a search over HTTP, by a handler, and by a condition', async () => {
    expect((await server.fhir('GET', '/Patient?eyes=brown&_summary=count')).body.total).toBe(1)
    expect(await (await ours.reader()).search('Patient', 'eyes=brown')).toHaveLength(1)
    const created = await server.fhir('POST', '/Patient', brown('Again'), { 'if-none-exist': 'eyes=brown' })
    expect(created.status).toBe(200)
    const guarded = await ours.change((ctx) => ctx.searchGuarded('Patient', 'eyes=brown'))
    expect(guarded).toHaveLength(1)
  })

  test('means nothing to a handler of another clinic', async () => {
    const theirs = await server.app.access('other-clinic', { kind: 'server' }).reader()
    await expect(theirs.search('Patient', 'eyes=brown')).rejects.toThrow(/no search parameter 'eyes'/)
  })
})

test('what FULL_TEXT turns off is refused to handlers and conditions as it is over HTTP', async () => {
  const without = await startServer({ FULL_TEXT: 'off' })
  try {
    expect((await without.fhir('GET', '/Patient?_content=x')).status).toBe(400)
    const { status } = await without.fhir('POST', '/Patient', brown('x'), { 'if-none-exist': '_content=x' })
    expect(status).toBe(400)
    const handler = await without.app.access('demo-clinic', { kind: 'server' }).reader()
    await expect(handler.search('Patient', '_content=x')).rejects.toThrow(/FULL_TEXT is off/)
  } finally {
    await without.close()
  }
})
