/** The console of the explorer: requests to this server alone, and commands that run as they are. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
let folder: string
beforeAll(async () => {
  dashboard = await startDashboard()
  folder = await mkdtemp(join(tmpdir(), 'console-'))
})
afterAll(async () => {
  await dashboard?.close()
  await rm(folder, { recursive: true })
})

test.each([
  'https://elsewhere.example/Patient',
  'http://elsewhere.example/fhir/Patient/1',
  'ftp://elsewhere.example/x',
])('the address of another server is not sent to this one: %s', async (address) => {
  const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(address)}`)
  await page.getByText('This is the address of another server').waitFor()
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  expect(await page.getByRole('heading', { name: 'Response' }).count()).toBe(0)
})

test('an absolute address of this server is sent', async () => {
  const address = `${dashboard.server.url}/Patient/abernathy-ruth`
  const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(address)}`)
  await page.getByRole('button', { name: 'Delete' }).waitFor()
})

test.each(['metadata', 'Patient?_id=abernathy-ruth', 'Patient/abernathy-ruth/_history'])(
  'what is no stored resource cannot be deleted: %s',
  async (path) => {
    const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(path)}`)
    await page.getByText(`GET ${path}`).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  },
)

describe('a command that is copied from the capabilities runs as it is:', () => {
  test.each([
    ['Create', 'resource.json', { resourceType: 'Basic', code: { text: 'a' } }, 201],
    ['Update', 'resource.json', { resourceType: 'Basic', id: 'of-console', code: { text: 'a' } }, 200],
    ['Patch', 'patch.json', [{ op: 'replace', path: '/code/text', value: 'b' }], 200],
    ['$validate', 'resource.json', { resourceType: 'Basic', code: { text: 'a' } }, 200],
  ])('%s', async (label, file, body, status) => {
    const basic = { resourceType: 'Basic', id: 'of-console', code: { text: 'old' } }
    await dashboard.server.fhir('PUT', '/Basic/of-console', basic)
    const page = await dashboard.signedIn('/explorer?view=capabilities&type=Basic')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const row = page.locator('div', { has: page.getByText(label, { exact: true }) }).filter({
      has: page.getByRole('button', { name: 'Copy as curl' }),
    })
    await row.last().getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('The curl is copied, with your token in it.').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    await writeFile(join(folder, file), JSON.stringify(body))
    const command = copied.replaceAll('{id}', 'of-console').replaceAll('%7Bid%7D', 'of-console')
    const { stdout } = await promisify(execFile)('bash', ['-c', `${command} -o answer -w '%{http_code}'`], {
      cwd: folder,
    })
    expect(Number(stdout)).toBe(status)
  })
})
