/** The server where the packages of the dashboard are not installed: a project with those that src needs, and no others. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { packagesOf, readLockFile } from '../../scripts/packages/lock-file.ts'
import { BuildFolder } from '../../src/admin-api/dashboard/build-folder.ts'
import { newDatabaseUrl } from '../support/database.ts'
import { endProcessesAfterEach, login, start, until } from '../support/server-process.ts'

const ROOT = join(import.meta.dirname, '../..')

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'server-alone-'))
  for (const part of ['src', 'scripts', 'dashboard', 'resources', 'capability', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, part), join(project, part), { recursive: true })
  const needed = packagesOf(readLockFile(join(ROOT, 'package-lock.json'))).filter(({ use }) => use === 'runtime')
  for (const { place } of needed) link(place)
})
endProcessesAfterEach()
afterEach(() => rmSync(project, { recursive: true, force: true }))

/** Packages within another one are found beside it, as it is a link. */
function link(place: string): void {
  if (place.lastIndexOf('node_modules/') > 0) return
  mkdirSync(dirname(join(project, place)), { recursive: true })
  symlinkSync(join(ROOT, place), join(project, place))
}

const startAlone = async () =>
  start({ DASHBOARD: 'on', DATABASE_URL: await newDatabaseUrl() }, [], join(project, 'src/index.ts'))

test('a server without the packages of the dashboard serves FHIR, and says once how the dashboard is built', async () => {
  const server = await startAlone()
  const sentence = 'the dashboard is not built: its packages are not installed; `npm run dashboard` installs them'
  await until(() => server.output().includes(sentence))
  expect(server.output().split(sentence)).toHaveLength(2)
  const headers = { authorization: `Bearer ${await login(server.url)}` }
  expect((await fetch(`${server.url}/Patient?_count=1`, { headers })).status).toBe(200)
  expect(await (await fetch(`${server.url}/dashboard`)).text()).toContain('its packages are not installed')
})

test('a server without the packages of the dashboard serves a build that was made elsewhere', async () => {
  const { current } = new BuildFolder(project)
  mkdirSync(current, { recursive: true })
  cpSync(join(ROOT, 'dashboard/index.html'), join(current, 'index.html'))
  const server = await startAlone()
  expect((await fetch(`${server.url}/dashboard`)).status).toBe(200)
  expect(server.output()).not.toContain('the dashboard is not built')
})
