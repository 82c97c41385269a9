/**
 * How the dashboard is served before its build, after a failed and after a good one; and which clients are redirected
 * to it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { BuildFolder } from '../../src/admin-api/dashboard/build-folder.ts'
import { startServer, type TestServer } from '../support/server.ts'

const INDEX = '<base href="__BASE__"><script nonce="__NONCE__" src="./assets/main-1.js"></script>'
const SCRIPT = 'console.log("dashboard")'.repeat(20)

let project: string
let builds: BuildFolder
let server: TestServer

beforeEach(async () => {
  project = mkdtempSync(join(tmpdir(), 'dashboard-'))
  mkdirSync(join(project, 'dashboard'))
  writeFileSync(join(project, 'dashboard/main.tsx'), 'export {}')
  mkdirSync(join(project, 'node_modules/vite'), { recursive: true })
  builds = new BuildFolder(project)
  server = await startServer({}, { dashboard: builds })
})

afterEach(async () => {
  await server.close()
  rmSync(project, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers, redirect: 'manual' })

function putBuild(folder = builds.current, name = 'main-1.js'): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), INDEX)
  writeFileSync(join(folder, 'assets', name), SCRIPT)
  writeFileSync(join(folder, 'assets', `${name}.br`), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets', `${name}.gz`), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets/icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
}

test('before the dashboard is built its page says so and loads again; FHIR is served meanwhile', async () => {
  const response = await get('/dashboard')
  expect(response.status).toBe(503)
  expect(await response.text()).toMatch(/being built[\s\S]*/)
  expect((await get('/dashboard')).headers.get('retry-after')).toBe('2')
  expect((await server.fhir('GET', '/Patient?_count=1')).status).toBe(200)
  putBuild()
  expect((await get('/dashboard')).status).toBe(200)
})

test('where the packages of the dashboard are not installed its page says how to build it, and a build is served all the same', async () => {
  rmSync(join(project, 'node_modules'), { recursive: true })
  const response = await get('/dashboard')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('its packages are not installed; `npm run dashboard` installs them')
  putBuild()
  expect((await get('/dashboard')).status).toBe(200)
})

test('where the build failed the page says why, as text and not as markup', async () => {
  mkdirSync(builds.root, { recursive: true })
  writeFileSync(builds.failure, 'main.tsx: unexpected <script>alert(1)</script>')
  const response = await get('/dashboard/patients')
  expect(response.status).toBe(503)
  const html = await response.text()
  expect(html).toContain('unexpected &lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).not.toContain('http-equiv')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('every page is the same document, with a nonce of its own and a policy that takes nothing from elsewhere', async () => {
  putBuild()
  const nonces = new Set<string>()
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/patients/p1?tab=history']) {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    nonces.add(nonce)
    expect(await response.text()).toBe(INDEX.replace('__BASE__', '/dashboard/').replace('__NONCE__', nonce))
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  }
  expect(nonces.size).toBe(3)
})

test('behind a proxy that adds a path the page finds its files below that path', async () => {
  const proxied = await startServer({ BASE_URL: 'https://clinic.example/emr' }, { dashboard: builds })
  putBuild()
  try {
    const html = await (await fetch(`${proxied.url}/dashboard/patients`)).text()
    expect(html).toContain('<base href="/emr/dashboard/">')
  } finally {
    await proxied.close()
  }
})

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', null],
])('files are sent as they were compressed by the build, for Accept-Encoding %s', async (accepted, encoding) => {
  putBuild()
  const response = await get('/dashboard/assets/main-1.js', { 'accept-encoding': accepted })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-encoding')).toBe(encoding)
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('vary')).toBe('Accept-Encoding')
  expect(await response.text()).toBe(SCRIPT)
})

test('files of the version before are there for pages that are open, those of older ones are not', async () => {
  putBuild(join(builds.root, 'aaaa'), 'older.js')
  await new Promise((resolve) => setTimeout(resolve, 20))
  putBuild(join(builds.root, 'bbbb'), 'before.js')
  putBuild()
  expect((await get('/dashboard/assets/before.js')).status).toBe(200)
  expect((await get('/dashboard/assets/older.js')).status).toBe(404)
})

test.each(['..%2Findex.html', '%2e%2e%2findex.html', 'main-1.js.br', '.hidden.js', 'none.js'])(
  'there is no file %s',
  async (name) => {
    putBuild()
    expect((await get(`/dashboard/assets/${name}`)).status).toBe(404)
  },
)

test('a change of a source is another version', () => {
  const before = builds.version
  writeFileSync(join(project, 'dashboard/main.tsx'), 'export const changed = 1')
  expect(new BuildFolder(project).version).not.toBe(before)
  expect(builds.version).toBe(before)
})

test('/favicon.ico needs no token', async () => {
  putBuild()
  const response = await get('/favicon.ico')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/svg+xml')
})

test('/ leads a browser to the dashboard, and nobody else', async () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const response = await get('/', html)
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe(`${server.url}/dashboard`)
  expect((await get('/', { accept: 'application/fhir+json' })).status).toBe(401)
  expect((await get('/', { ...html, authorization: `Bearer ${server.token}` })).status).not.toBe(302)
  expect((await get('/?_type=Patient', html)).status).toBe(401)
  expect((await fetch(server.url, { method: 'POST', headers: html, redirect: 'manual' })).status).toBe(401)
})

test('pages are read, not written', async () => {
  const response = await fetch(`${server.url}/dashboard`, { method: 'POST' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toMatch(/GET/)
})

test('with DASHBOARD=off there is none, and / is what it was', async () => {
  const without = await startServer({ DASHBOARD: 'off' }, { dashboard: builds })
  putBuild()
  try {
    expect((await fetch(`${without.url}/dashboard`)).status).toBe(404)
    expect((await fetch(without.url, { headers: { accept: 'text/html' }, redirect: 'manual' })).status).toBe(401)
  } finally {
    await without.close()
  }
})
