/** The documentation as the server has it: anybody reads it, and nothing else of the machine. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const get = (path: string) => request(server.url, 'GET', path)

test('the pages are listed by title and headings, and each is Markdown', async () => {
  const { body } = await get('/docs')
  const page = body.pages.find(({ path }: { path: string }) => path === 'operations/patient-merge.md')
  expect(page.title).toContain('$merge')
  expect(body.pages.find(({ path }: { path: string }) => path === 'sessions.md').headings).toContain('Programs')
  const response = await fetch(`${server.url}/docs/operations/patient-merge.md`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(await response.text()).toContain('# ')
})

test('a comment in a curl is no heading', async () => {
  const { pages } = (await get('/docs')).body
  const headings = pages.flatMap(({ headings: all }: { headings: readonly string[] }) => all)
  expect(headings.filter((text: string) => /^(npm|curl|export) /.test(text))).toEqual([])
})

test.each([
  '/docs/..%2Fpackage.json',
  '/docs/..%2F..%2Fetc%2Fpasswd',
  '/docs/adr/..%2F..%2Fpackage.json',
  '/docs/none.md',
])('%s is no page', async (path) => {
  expect((await get(path)).status).toBe(404)
})
