/** Addresses that are typed in the console: nothing leaves this server. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { addressOf, isElsewhere } from '../../dashboard/api/address.ts'

const HERE = 'http://127.0.0.1:3000/emr/'
let page: { readonly addressOf: typeof addressOf; readonly isElsewhere: typeof isElsewhere }
beforeAll(async () => {
  Object.assign(globalThis, { document: { baseURI: `${HERE}dashboard/` } })
  page = await import('../../dashboard/api/address.ts')
})
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'document')
})

test.each([
  ...[
    '//evil.example/x',
    'http://evil.example',
    'https://evil.example/Patient',
    '\\\\evil.example',
    '/\\evil.example/x',
  ],
  ...[' https://evil.example', '\t//evil.example', 'ftp://evil.example', 'javascript:alert(1)', 'data:text/html,x'],
  ...['http://127.0.0.1:3000@evil.example/', 'http://127.0.0.1:3001/Patient', 'https:', 'h\nttp://evil.example'],
])('%j leads elsewhere, and would be sent to this server only', (path) => {
  expect(page.isElsewhere(path, undefined)).toBe(true)
  expect(page.addressOf(path).href.startsWith(HERE)).toBe(true)
})

test.each([
  ['Patient?name=x&date=ge2026-01-01T00:00:00Z', 'Patient?name=x&date=ge2026-01-01T00:00:00Z'],
  ['/Patient/1', 'Patient/1'],
  ['', ''],
  ['?_type=Patient', '?_type=Patient'],
  [`${HERE}Patient/1`, 'Patient/1'],
  ['https://known.example/Patient/1?a=b', 'Patient/1?a=b'],
])('%j leads to this server', (path, below) => {
  expect(page.isElsewhere(path, 'https://known.example/')).toBe(false)
  expect(page.addressOf(path).href).toBe(HERE + below)
})
