/** FHIR packages: https://confluence.hl7.org/display/FHIR/NPM+Package+Specification. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { readPackage } from '../../src/fhir/fhir-package.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { Budget, OffloadRequired, withBudget } from '../../src/isolation/budget.ts'
import { packageOf, type TarFile, tarOf } from '../support/packages.ts'

const manifest = {
  path: 'package/package.json',
  text: '{"name":"a.b","version":"1.0","fhirVersions":["4.0.1"],"dependencies":{"c.d":"2.0"}}',
}

async function read(...entries: readonly TarFile[]) {
  const found = await readPackage(gzipSync(tarOf([manifest, ...entries])))
  const files = await Array.fromAsync(found.files())
  expect(found.fileCount).toBe(files.length)
  return { ...found, files }
}

test('a package is its manifest and the JSON files in its folder', async () => {
  const { name, version, fhirVersions, dependencies, files } = await read(
    { path: 'package/Patient-1.json', text: '{"a":"ä"}' },
    { path: 'package/.index.json', text: '{}' },
    { path: 'package/example/Patient-2.json', text: '{}' },
    { path: 'package/notes.md', text: 'x' },
    { path: 'package/other', text: '', kind: '5' },
  )
  expect({ name, version, fhirVersions, dependencies }).toEqual({
    name: 'a.b',
    version: '1.0',
    fhirVersions: ['4.0.1'],
    dependencies: ['c.d#2.0'],
  })
  expect(files.map(({ path, text }) => [path, text])).toEqual([['package/Patient-1.json', '{"a":"ä"}']])
})

test.each([
  ['GNU tar', 'L', (name: string) => `${name}\0`],
  ['POSIX', 'x', (name: string) => `30 mtime=1\n${name.length + 9} path=${name}\n`],
])('a name that is too long for a header is found as %s writes it', async (_name, kind, text) => {
  const name = `package/${'x'.repeat(150)}.json`
  const { files } = await read(
    { path: 'long', kind, text: text(name) },
    { path: 'cut', text: '{}' },
    { path: 'package/short.json', text: '{}' },
  )
  expect(files.map(({ path }) => path)).toEqual([name, 'package/short.json'])
})

test.each([
  '../../etc/passwd.json',
  '/etc/passwd.json',
  'package/../../x.json',
  'package/a/../b.json',
  'package\\..\\x.json',
])('a path that leads elsewhere is not taken: %s', async (path) => {
  expect((await read({ path, text: '{}' })).files).toEqual([])
})

test('a link is not taken', async () => {
  expect((await read({ path: 'package/x.json', text: '', kind: '2' })).files).toEqual([])
})

test('a package is unpacked file by file, so that it can be left after the first', async () => {
  const { files } = await readPackage(packageOf([{ resourceType: 'Patient' }, { resourceType: 'Group' }]))
  for await (const { text } of files()) {
    expect(JSON.parse(text)).toEqual({ resourceType: 'Patient' })
    break
  }
})

test('what is unpacked is paid from the budget of the request', async () => {
  const bytes = gzipSync(Buffer.alloc(20_000_000))
  await expect(withBudget(new Budget({ canMove: true }), () => readPackage(bytes))).rejects.toThrow(OffloadRequired)
})

describe('refused is', () => {
  const whole = packageOf([{ resourceType: 'Patient' }])
  const broken = tarOf([manifest])
  broken[0] = 0x78

  test.each<[what: string, bytes: Buffer, status: number, said: string]>([
    ['nothing', Buffer.alloc(0), 400, 'not gzipped'],
    ['what is not gzipped', Buffer.from('{}'), 400, 'not gzipped'],
    ['a file that is cut off', whole.subarray(0, whole.length - 20), 400, 'not gzipped'],
    ['a gzipped text', gzipSync('x'.repeat(1000)), 400, 'broken or cut off'],
    ['a tar file that is cut off', gzipSync(tarOf([manifest]).subarray(0, 520)), 400, 'broken or cut off'],
    ['a header that was changed', gzipSync(broken), 400, 'broken or cut off'],
    ['an empty tar file', gzipSync(tarOf([])), 400, 'no package/package.json'],
    ['a manifest that is no JSON', gzipSync(tarOf([{ ...manifest, text: 'x' }])), 400, 'no JSON object'],
    ['a manifest that is a list', gzipSync(tarOf([{ ...manifest, text: '[]' }])), 400, 'no JSON object'],
    ['more than is unpacked', gzipSync(Buffer.alloc(129 * 1024 * 1024)), 413, 'more than 134217728 bytes'],
    [
      'a file that is too large',
      packageOf([{ a: 'x'.repeat(17_000_000) }]),
      413,
      'more than 16777216 bytes in package/',
    ],
    [
      'a manifest that is too large',
      packageOf([], { name: 'x'.repeat(17_000_000) }),
      413,
      'more than 16777216 bytes in',
    ],
    ['too many files', packageOf(Array.from({ length: 20_000 }, () => ({}))), 413, 'more than 20000 files'],
    [
      'a name without end',
      gzipSync(tarOf([{ path: 'l', kind: 'L', text: 'x'.repeat(70_000) }])),
      400,
      'broken or cut off',
    ],
  ])('%s', async (_what, bytes, status, said) => {
    const error = await readPackage(bytes).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(FhirError)
    expect(error).toMatchObject({ status, message: expect.stringContaining(said) })
  })
})
