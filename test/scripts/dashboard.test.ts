/** The build of the dashboard, on a project of a few lines. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { BuildFolder } from '../../src/admin-api/dashboard/build-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/dashboard.ts')
const INDEX = '<!doctype html><base href="__BASE__"><body><script type="module" src="./main.ts"></script></body>'

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'dashboard-build-'))
  mkdirSync(join(project, 'dashboard'))
  write('index.html', INDEX)
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  write('main.ts', 'document.title = "built"')
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

const write = (name: string, text: string): void => writeFileSync(join(project, 'dashboard', name), text)

/** Its exit code. */
async function build(): Promise<number | null> {
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT, '--project', project]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code
}

test('builds once for a version of the sources, however many ask for it at the same time, compressed', async () => {
  expect(await Promise.all([build(), build()])).toEqual([0, 0])
  const { current, root } = new BuildFolder(project)
  expect(readdirSync(root)).toEqual([current.slice(root.length + 1)])
  const html = readFileSync(join(current, 'index.html'), 'utf8')
  const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ''
  expect(html).toContain('nonce="__NONCE__"')
  const text = readFileSync(join(current, script), 'utf8')
  expect(text).toContain('built')
  expect(brotliDecompressSync(readFileSync(join(current, `${script}.br`))).toString()).toBe(text)
  expect(gunzipSync(readFileSync(join(current, `${script}.gz`))).toString()).toBe(text)
  expect(existsSync(join(current, 'assets/icon.svg'))).toBe(true)
})

test('a source that cannot be built leaves the reason, which names the file, and nothing half done; mended, it is built', async () => {
  write('main.ts', 'document.title = ')
  expect(await build()).not.toBe(0)
  const broken = new BuildFolder(project)
  const state = broken.state()
  expect(state).toMatchObject({ kind: 'failed', reason: expect.stringContaining('main.ts') })
  expect(existsSync(broken.current)).toBe(false)
  write('main.ts', 'document.title = "mended"')
  expect(await build()).toBe(0)
  expect(new BuildFolder(project).state().kind).toBe('built')
  expect(existsSync(broken.failure)).toBe(false)
})

test('of versions before the last one is kept', async () => {
  const versions: string[] = []
  for (const title of ['one', 'two', 'three']) {
    write('main.ts', `document.title = "${title}"`)
    expect(await build()).toBe(0)
    versions.push(new BuildFolder(project).version)
  }
  expect(readdirSync(new BuildFolder(project).root).sort()).toEqual(versions.slice(1).sort())
})
