/** `npm run clinic`: how an operator makes clinics and accounts; each test runs the script as a process of its own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from '@jest/globals'
import { RECENT } from '../../src/storage/port.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request, startServer } from '../support/server.ts'

const PRODUCTION = { NODE_ENV: 'production', DEMO: 'off', JWT_SECRET: 's'.repeat(40), WEBHOOK_SECRET: 'w'.repeat(20) }
const SCRIPT = join(import.meta.dirname, '../../scripts/clinic.ts')

let env: Record<string, string>
beforeAll(async () => {
  env = { ...PRODUCTION, DATABASE_URL: await newLastingDatabaseUrl() }
})

async function clinic(
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; output: string; error: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { env: { ...process.env, ...env } })
  let output = ''
  let error = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    error += chunk
  })
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output, error }
}

const CREATE = ['create', 'north', '--name', 'North Clinic', '--time-zone', 'Europe/Berlin', '--region', 'DE']

test('a clinic and an account made from the command line can log in, outside demo mode', async () => {
  expect(await clinic([...CREATE, '--number', '+493012345678'])).toMatchObject({ code: 0, error: '' })
  const made = await clinic(
    ['account', 'north', '--username', 'nora', '--role', 'admin', '--person', 'Nora North'],
    'a long password\n',
  )
  expect(made).toMatchObject({ code: 0, error: '' })
  expect(made.output).not.toContain('a long password')

  expect((await clinic(CREATE)).error).toContain('exists already')
  expect((await clinic(['account', 'north', '--username', 'NORA', '--role', 'staff'], 'a long password\n')).code).toBe(
    1,
  )
  expect((await clinic(['password', 'nora'], 'another password\n')).code).toBe(0)

  const server = await startServer(env)
  try {
    const login = (password: string) =>
      request(server.url, 'POST', '/session', { username: 'nora', password }, { 'content-type': 'application/json' })
    expect((await login('a long password')).status).toBe(401)
    const { body } = await login('another password')
    expect(body).toMatchObject({ clinic: 'north', role: 'admin' })
    const headers = { authorization: `Bearer ${body.token}` }
    const settings = await request(server.url, 'GET', '/clinics/north/settings', undefined, headers)
    expect(settings.body).toMatchObject({ name: 'North Clinic', dialedNumbers: ['+493012345678'] })
    const organization = await request(server.url, 'GET', '/Organization/north', undefined, headers)
    expect(organization.body).toMatchObject({ resourceType: 'Organization', name: 'North Clinic' })
  } finally {
    await server.close()
  }
})

test('an operator made from the command line makes clinics and accounts over HTTP, until he is disabled', async () => {
  const made = await clinic(['operator', 'otto', '--person', 'Otto Operator'], 'a long password\n')
  expect(made).toMatchObject({ code: 0, error: '' })
  const server = await startServer(env)
  const json = { 'content-type': 'application/json' }
  const login = () => request(server.url, 'POST', '/session', { username: 'otto', password: 'a long password' }, json)
  try {
    const { body } = await login()
    expect(body).toMatchObject({ role: 'operator' })
    const headers = { ...json, authorization: `Bearer ${body.token}` }
    const south = { id: 'south-side', name: 'South', timeZone: 'Europe/Berlin', defaultRegion: 'DE' }
    expect((await request(server.url, 'POST', '/clinics', south, headers)).status).toBe(201)
    const account = { username: 'sam', clinic: 'south-side', role: 'staff', password: 'a long password' }
    expect((await request(server.url, 'POST', '/accounts', account, headers)).status).toBe(201)

    expect((await clinic(['list'])).output).toContain('south-side\tSouth\n')
    const { output } = await clinic(['accounts'])
    expect(output).toContain('otto\toperator\t-\tenabled\tOtto Operator\n')
    expect((await clinic(['accounts', 'south-side'])).output).toBe('sam\tstaff\tsouth-side\tenabled\tsam\n')

    expect((await clinic(['disable', 'otto'])).code).toBe(0)
    expect((await clinic(['accounts'])).output).toContain('otto\toperator\t-\tdisabled\t')
    await sleep(RECENT)
    expect((await request(server.url, 'GET', '/accounts', undefined, headers)).status).toBe(401)
    expect((await login()).status).toBe(401)
    expect((await clinic(['enable', 'otto'])).code).toBe(0)
    expect((await login()).status).toBe(200)
    expect((await clinic(['remove-account', 'otto'])).code).toBe(0)
    expect((await clinic(['remove-account', 'otto'])).error).toContain("no account 'otto'")
  } finally {
    await server.close()
  }
})

test.each<[string, readonly string[], string]>([
  ['without a command', [], 'npm run clinic -- create ID'],
  ['without what the command is about', ['disable'], 'npm run clinic -- disable USERNAME'],
  ['with more than the command takes', ['list', 'north'], 'npm run clinic -- list'],
  ['with a command that does not exist', ['destroy', 'north'], 'npm run clinic -- create ID'],
  [
    'with a zone and a region that do not exist',
    [...CREATE.slice(0, 4), '--time-zone', 'X', '--region', 'Y'],
    'defaultRegion must be',
  ],
  [
    'for an account of a clinic that does not exist',
    ['account', 'south', '--username', 'a', '--role', 'staff'],
    "no clinic 'south'",
  ],
  ['without a role', ['account', 'north', '--username', 'a'], '--role must be staff, admin or operator'],
])('%s it says what is wrong, and ends with 1', async (_what, args, told) => {
  const { code, error } = await clinic(args, 'a long password\n')
  expect(code).toBe(1)
  expect(error).toContain(told)
})
