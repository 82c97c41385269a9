/** The dashboard of a server that is a process: one that is stopped and started again, and one whose dashboard cannot be built. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { buildDashboard, openBrowser, type Windows } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'
import { endProcessesAfterEach, login, type Started, start, stop } from '../../support/server-process.ts'

const PROJECT = join(import.meta.dirname, '../../..')
/** The parts of the project that the server and the build of the dashboard need. */
const PARTS = [
  ...['src', 'scripts', 'dashboard', 'resources', 'capability'],
  ...['package.json', 'package-lock.json', 'tsconfig.json'],
]
/** Milliseconds; a build takes its time on a busy machine. */
const BUILD = 90_000
const AWAY = 'The server is not responding. The data shown may be out of date'

let folder: string
let server: Started
let windows: Windows
beforeAll(async () => {
  buildDashboard()
  windows = await openBrowser(() => server.url)
})
afterAll(() => windows?.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dashboard-process-'))
})
endProcessesAfterEach()
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const environment = () => ({ DASHBOARD: 'on', DATABASE_URL: `sqlite:${join(folder, 'emr.db')}` })
/** With it sessions outlive the process, as in production. */
const KEPT = { JWT_SECRET: 'a secret of more than 32 characters' }
const portOf = ({ url }: Started) => ({ PORT: new URL(url).port })

const fhir = async (method: string, path: string, body?: unknown) =>
  request(server.url, method, path, body, { authorization: `Bearer ${await login(server.url)}` })

test.each([
  ['SIGTERM', 'goes on', KEPT],
  ['SIGKILL', 'has ended', {}],
] as const)(
  'a form that is half filled in loses nothing by a server that ends by %s and starts again, where the session %s',
  async (signal, _, secrets) => {
    server = await start({ ...environment(), ...secrets })
    const page = await windows.signedIn('/patients/abernathy-ruth')
    await page.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit demographics' })
    await form.getByLabel('City').fill('Troy')
    await stop(server, signal)
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await form.getByRole('alert').getByText('The server is not responding.').waitFor()
    await page.getByText(AWAY).waitFor()
    await form.getByLabel('State').fill('NJ')
    server = await start({ ...environment(), ...secrets, ...portOf(server) })
    await page.getByText(AWAY).waitFor({ state: 'detached' })
    if (secrets !== KEPT) {
      const asked = page.getByRole('dialog', { name: 'Your session has ended' })
      await asked.getByLabel('Password of demo').fill('demo')
      await asked.getByRole('button', { name: 'Go on' }).click()
      await asked.waitFor({ state: 'detached' })
    }
    expect(await form.getByLabel('City').inputValue()).toBe('Troy')
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await form.waitFor({ state: 'detached' })
    expect((await fhir('GET', '/Patient/abernathy-ruth')).body.address[0]).toMatchObject({ city: 'Troy', state: 'NJ' })
  },
)

test('the journal that is followed goes on after a restart, with what has happened meanwhile, without gaps or doubles', async () => {
  server = await start({ ...environment(), ...KEPT })
  const page = await windows.signedIn('/journal?path=%2FBasic')
  const shown = (number: number) => page.getByRole('link', { name: `/Basic?_count=${number}` })
  await page.getByText('Nothing of this kind').waitFor()
  await fhir('GET', '/Basic?_count=1')
  await shown(1).waitFor()
  await stop(server, 'SIGTERM')
  server = await start({ ...environment(), ...KEPT, ...portOf(server) })
  for (const number of [2, 3]) await fhir('GET', `/Basic?_count=${number}`)
  await shown(3).waitFor()
  await page.getByText(AWAY).waitFor({ state: 'detached' })
  await fhir('GET', '/Basic?_count=4')
  await shown(4).waitFor()
  for (const number of [1, 2, 3, 4]) expect(await shown(number).count()).toBe(1)
})

test('where the dashboard cannot be built the FHIR server starts all the same, and /dashboard says why until it is mended', async () => {
  const project = join(folder, 'project')
  for (const part of PARTS) cpSync(join(PROJECT, part), join(project, part), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'))
  const main = join(project, 'dashboard/main.tsx')
  const entry = join(project, 'src/index.ts')
  writeFileSync(main, "import './what-is-not-there.ts'\n")
  server = await start(environment(), [], entry)
  const page = await windows.open()
  await page.getByRole('heading', { name: 'The dashboard could not be built' }).waitFor({ timeout: BUILD })
  await page.getByText('what-is-not-there').waitFor()
  expect((await fhir('GET', '/Patient/abernathy-ruth')).status).toBe(200)
  await stop(server, 'SIGTERM')
  cpSync(join(PROJECT, 'dashboard/main.tsx'), main)
  server = await start({ ...environment(), ...portOf(server) }, [], entry)
  await page.reload()
  await page.getByLabel('User name').waitFor({ timeout: BUILD })
})

test('no script fails, and nothing is stopped by the Content-Security-Policy', () => {
  expect(windows.complaints).toEqual([])
})
