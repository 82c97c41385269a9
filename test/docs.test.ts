/** README and docs/: every curl works as it is pasted, in order, against a fresh demo clinic. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from './support/server.ts'
import { logInAs } from './support/two-clinics.ts'

const ROOT = join(import.meta.dirname, '..')
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('adr') && file !== 'README.md')
  .map((file) => join('docs', file))

/** The bash blocks of a page as one script; `sh` blocks are for reading. */
const scriptOf = (page: string): string =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```bash\n(.*?)^```/gms)].map(([, block]) => block).join('\n')

let server: TestServer
let operator: string
beforeAll(async () => {
  server = await startServer()
  operator = await logInAs(server, { username: 'operator', clinic: '', role: 'operator' })
})
afterAll(() => server.close())

async function paste(page: string): Promise<string> {
  const script = scriptOf(page).replaceAll('http://127.0.0.1:3000', server.url)
  const env = { ...process.env, BASE: server.url, TOKEN: server.token, OPERATOR: operator }
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script], { env, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

describe('the five-minute tour of README', () => {
  test('shows what it says', async () => {
    const output = await paste('README.md')
    for (const shown of [
      '"resourceType": "CapabilityStatement"',
      'HTTP/1.1 201',
      'Moreau',
      'Patient.gender',
      '"status":"busy"',
      'ACTION_REQUIRED',
      'Okonkwo',
      'match-grade',
      'As recorded: my-client: fail, 2 of 8 steps pass (25 %)',
      'Not yet: it ends with 1',
    ]) {
      expect(output).toContain(shown)
    }
  })
})

describe('every curl of', () => {
  test.each(pages.filter((page) => scriptOf(page) !== ''))('%s works', async (page) => {
    const output = await paste(page)
    expect(output).not.toBe('')
    expect(output).not.toMatch(
      /unexpected fault|There is nothing at|There is no interaction at|There is no operation|is not JSON/,
    )
  })
})

describe('every link of', () => {
  test.each(['README.md', 'CONTRIBUTING.md', ...pages])('%s leads to a file that exists', (page) => {
    const links = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(
      ([, target = '']) => target,
    )
    const missing = links.filter((target) => !exists(join(ROOT, page, '..', target)))
    expect(missing.map((target) => relative(ROOT, join(ROOT, page, '..', target)))).toEqual([])
  })
})

function exists(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR'
  }
}
