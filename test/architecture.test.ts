/**
 * The ways that docs/architecture.md draws: each request runs through every file that its way names; and how many files a
 * request may run through.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { newFolder } from './support/run.ts'

const ROOT = join(import.meta.dirname, '..')

const BODIES: Readonly<Record<string, object>> = {
  'POST /Patient': { resourceType: 'Patient', name: [{ family: 'Smith', given: ['Ann'] }], birthDate: '1980-01-02' },
  'POST /patient-journey/resolve_patient_identity': { statedName: 'Ann Smith', statedPhone: '+12125550123' },
}

/** A section of the page: its request, and the files that it draws. */
const sections = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  .split(/^## /m)
  .filter((section) => section.startsWith('Life of '))
  .map((section) => {
    const [, drawn = ''] = section.split('```')
    const request = /^`([A-Z]+ \S+)`$/m.exec(section)?.[1] ?? ''
    return { name: section.split('\n', 1)[0] ?? '', request, files: drawn.match(/\bsrc\/[\w/.-]+\.ts/g) ?? [] }
  })

/** The output of scripts/trace.ts. */
async function trace(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/trace.ts', ...args], { cwd: ROOT })
  return stdout
}

/** The files that one warm request runs through. */
async function filesOf(request: string): Promise<ReadonlySet<string>> {
  const [method = '', path = ''] = request.split(' ')
  const body = BODIES[request]
  const file = join(newFolder(), 'body.json')
  if (body !== undefined) writeFileSync(file, JSON.stringify(body))
  const what = path.startsWith('/patient-') ? ['tool', path.slice(1)] : [method, path]
  const printed = await trace(...what, ...(body === undefined ? [] : [file]))
  const files = new Set<string>()
  let folder = ''
  for (const line of printed.split('\n')) {
    const inFolder = /^ {2}(\S+\.ts):/.exec(line)?.[1]
    if (inFolder === undefined) folder = line
    else files.add(`${folder}/${inFolder}`)
  }
  return files
}

test('the page draws the life of a search, of a write and of a tool call', () => {
  expect(sections.map(({ name }) => name)).toEqual(['Life of a search', 'Life of a write', 'Life of a tool call'])
  for (const { files } of sections) expect(files.length).toBeGreaterThan(10)
})

test.each(sections)('$name runs through every file that is drawn', async ({ request, files }) => {
  const ran = await filesOf(request)
  expect(files.filter((file) => !ran.has(file))).toEqual([])
})

test('every file that the page names exists', () => {
  const named = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').match(/\bsrc\/[\w/.-]+\.ts\b/g) ?? []
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

/** Most files of src that a warm request runs through. Lower a number when a change makes it smaller, and do not raise it. */
const MOST_FILES: Readonly<Record<string, number>> = {
  read: 45,
  search: 77,
  create: 87,
  'tool call': 139,
  $match: 70,
}

/** The lines of the trace that exceed the table. */
async function exceeding(): Promise<readonly string[]> {
  const totals = [...(await trace()).matchAll(/^(\S+(?: \S+)?) +\d+ functions in (\d+) files/gm)]
  expect(totals.map(([, name]) => name).toSorted()).toEqual(Object.keys(MOST_FILES).toSorted())
  return totals.filter(([, name = '', files]) => Number(files) > (MOST_FILES[name] ?? 0)).map(([line]) => line)
}

test('a request runs through no more files than the table allows', async () => {
  let beyond = await exceeding()
  // On a busy machine other work of the server may come between in every measured request.
  for (let again = 0; again < 2 && beyond.length > 0; again += 1) beyond = await exceeding()
  expect(beyond).toEqual([])
})
