/** The image: its steps are carried out in an empty folder, and it starts with nothing else. docs/deploying.md */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { buildImage, type Image } from '../deploy/containerfile.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, launch, type Started, start, stop } from '../support/server-process.ts'

const SECRETS = { JWT_SECRET: 's'.repeat(32), WEBHOOK_SECRET: 'w'.repeat(32), SECRETS_KEY: 'k'.repeat(32) }

let image: Image
let app: string
beforeAll(() => {
  image = buildImage()
  app = join(image.root, image.workdir)
})
afterAll(() => image?.remove())
endProcessesAfterEach()

/** The environment of a container; it listens to this machine alone, at a free port. */
const environment = () => ({
  ...image.env,
  ...SECRETS,
  ...{ HOST: '127.0.0.1', PORT: '0', DASHBOARD: 'on' },
  DATABASE_URL: (image.env.DATABASE_URL ?? '').replace('/data', join(image.root, 'data')),
})

const startImage = (): Promise<Started> => start(environment(), [], join(app, image.command.at(-1) ?? ''))

/** Files below the folder of the project, with the times of their last change. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mtimeMs}`)
    .toSorted()

test('it starts in production, serves FHIR and the dashboard, and writes nothing outside its volume', async () => {
  const before = filesOf(app)
  const { url, output, ...server } = await startImage()
  expect((await request(url, 'GET', '/metadata')).status).toBe(200)
  const { text: page } = await request(url, 'GET', '/dashboard')
  const script = /assets\/[\w.-]+\.js/.exec(page)?.[0]
  expect((await request(url, 'GET', `/dashboard/${script}`)).status).toBe(200)
  expect(await stop({ output, ...server }, 'SIGTERM')).toBe(0)
  expect(output()).not.toContain('dashboard is not built')
  expect(filesOf(app)).toEqual(before)
  expect(readdirSync(join(image.root, 'data'))).toContain('emr.db')
})

test('its health check ends with 0 while the server is ready, and else with 1 and the reason', async () => {
  const { url } = await startImage()
  const { port } = new URL(url)
  const [program, ...args] = image.health
  expect(program).toBe('node')
  const check = (PORT: string) => spawnSync(process.execPath, args, { cwd: app, env: { PORT }, encoding: 'utf8' })
  expect(check(port)).toMatchObject({ status: 0, stderr: '' })
  expect(check('1')).toMatchObject({ status: 1, stderr: expect.stringMatching(/\S/) })
})

test('it does not start without its secrets', async () => {
  const { output, exited } = launch({ ...environment(), JWT_SECRET: '' }, [], join(app, image.command.at(-1) ?? ''))
  expect(await exited).toBe(1)
  expect(output()).toContain('JWT_SECRET')
})

test('it has neither the packages of the dashboard nor those for development, no tests, and is not run by root', () => {
  const packages = readdirSync(join(app, 'node_modules'))
  expect(packages).toContain('koa')
  expect(packages.filter((name) => /^(react|vite|jest|typescript|@mantine|@biomejs)/.test(name))).toEqual([])
  expect(readdirSync(app).filter((name) => ['test', 'bench', '.git', 'data'].includes(name))).toEqual([])
  expect([image.user, image.volumes]).toEqual(['node', ['/data']])
})
