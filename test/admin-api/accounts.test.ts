/** Accounts over HTTP: who may create, see, change and remove which ones. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Role } from '../../src/clinics/accounts.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { request, type TestServer } from '../support/server.ts'
import { logInAs, OTHER_CLINIC, PASSWORD, startTwoClinics, withToken } from '../support/two-clinics.ts'

let server: TestServer
/** By role; the admin is of the demo clinic, as the staff. */
let by: Readonly<Record<Role, TestServer['fhir']>>

beforeAll(async () => {
  ;({ server } = await startTwoClinics())
  const logIn = async (username: string, role: Role, clinic: string) =>
    withToken(server, await logInAs(server, { username, role, clinic })).fhir
  by = {
    staff: await logIn('stella', 'staff', DEMO_CLINIC),
    admin: await logIn('ada', 'admin', DEMO_CLINIC),
    operator: await logIn('otto', 'operator', SERVICE),
  }
})
afterAll(() => server.close())

const send = (role: Role, method: string, path: string, body?: unknown) =>
  by[role](method, path, body, { 'content-type': 'application/json' })

const logIn = (username: string, password: string) =>
  request(server.url, 'POST', '/session', { username, password }, { 'content-type': 'application/json' })

let number = 0
/** @returns the user name of a new account */
async function newAccount(more: object = {}): Promise<string> {
  const username = `user-${++number}`
  const account = { username, clinic: OTHER_CLINIC, role: 'staff', password: PASSWORD, ...more }
  expect((await send('operator', 'POST', '/accounts', account)).status).toBe(201)
  return username
}

test.each<[string, object]>([
  ['name', { name: 'Another' }],
  ['login', { enabled: false }],
])('the %s of an account is not changed by who has not seen its last change', async (what, body) => {
  const username = await newAccount({ name: 'First' })
  const put = (path: string, given: object, tag: unknown) =>
    by.operator('PUT', `/accounts/${username}/${path}`, given, {
      'content-type': 'application/json',
      'if-match': String(tag),
    })
  const read = () => send('operator', 'GET', `/accounts/${username}`)
  const seen = (await read()).headers.get('etag')
  const second = await put('name', { name: 'Second' }, seen)
  expect([second.status, second.headers.get('etag')]).toEqual([200, (await read()).headers.get('etag')])
  const late = await put(what, body, seen)
  expect([late.status, late.body.error]).toEqual([412, expect.stringContaining('somebody has changed them')])
  expect((await read()).body).toMatchObject({ name: 'Second', enabled: true })
  expect((await put(what, body, second.headers.get('etag'))).status).toBe(200)
  expect((await read()).body).toMatchObject(body)
})

describe('an operator', () => {
  test('makes an account, which can log in at once', async () => {
    const account = { username: 'Nora', name: 'Nora North', clinic: OTHER_CLINIC, role: 'admin' }
    const made = await send('operator', 'POST', '/accounts', { ...account, password: PASSWORD })
    const shown = { ...account, enabled: true }
    expect([made.status, made.headers.get('location'), made.body]).toEqual([201, '/accounts/Nora', shown])
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect((await send('operator', 'GET', '/accounts/nora')).body).toEqual(shown)
    expect((await logIn('nora', PASSWORD)).body).toMatchObject({ clinic: OTHER_CLINIC, role: 'admin' })
  })

  test('makes other operators, who need be of no clinic', async () => {
    const username = await newAccount({ role: 'operator', clinic: undefined })
    const { body } = await logIn(username, PASSWORD)
    expect(Object.keys(body)).toEqual(['token', 'expiresAt', 'role'])
    const other = withToken(server, body.token)
    expect((await other.fhir('GET', '/accounts')).status).toBe(200)
    expect((await other.fhir('GET', `/clinics/${OTHER_CLINIC}/settings`)).status).toBe(200)
  })

  test.each<[string, object, number, RegExp]>([
    ['without a password', { password: undefined }, 400, /"password"/],
    ['with a short password', { password: 'short' }, 400, /10 to 1024/],
    ['with a name of spaces', { name: ' ' }, 400, /name of a person/],
    ['with a role that there is not', { role: 'root' }, 400, /staff, admin, operator/],
    ['of staff without a clinic', { clinic: undefined }, 400, /"clinic"/],
    ['of a clinic that there is not', { clinic: 'nowhere' }, 422, /no clinic 'nowhere'/],
    ['with a user name that is taken', { username: 'OTHER' }, 409, /already/],
    ['with a user name of spaces', { username: 'a b' }, 400, /user name/],
    ['with a field that there is not', { demoOnly: true }, 400, /'demoOnly' is not known/],
  ])('makes no account %s', async (_what, wrong, status, told) => {
    const account = { username: 'nobody', clinic: OTHER_CLINIC, role: 'staff', password: PASSWORD, ...wrong }
    const answer = await send('operator', 'POST', '/accounts', account)
    expect([answer.status, answer.body]).toEqual([status, { error: expect.stringMatching(told) }])
    expect((await send('operator', 'GET', '/accounts/nobody')).status).toBe(404)
  })

  test('lists the accounts of all clinics, or of one, page by page, without anything secret', async () => {
    const all = await send('operator', 'GET', '/accounts')
    const names = all.body.accounts.map(({ username }: { username: string }) => username)
    expect(names).toEqual(expect.arrayContaining(['ada', 'other', 'otto', 'ours', 'stella']))
    expect(names.map((name: string) => name.toLowerCase())).toEqual(
      names.map((name: string) => name.toLowerCase()).sort(),
    )
    expect(all.text).not.toMatch(/scrypt|version|passwordHash/)
    const ours = await send('operator', 'GET', `/accounts?clinic=${DEMO_CLINIC}`)
    expect(ours.body.accounts.map(({ username }: { username: string }) => username)).toEqual(['ada', 'ours', 'stella'])
    const behind = await send('operator', 'GET', `/accounts?clinic=${DEMO_CLINIC}&after=ours`)
    expect(behind.body.accounts).toEqual([
      { username: 'stella', name: 'stella', clinic: DEMO_CLINIC, role: 'staff', enabled: true },
    ])
  })

  test('changes a password: the old one and all sessions end', async () => {
    const username = await newAccount()
    const session = withToken(server, (await logIn(username, PASSWORD)).body.token)
    const answer = await send('operator', 'PUT', `/accounts/${username}/password`, { password: 'another password' })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await session.fhir('GET', '/Patient')).status).toBe(401)
    expect((await logIn(username, PASSWORD)).status).toBe(401)
    expect((await logIn(username, 'another password')).status).toBe(200)
  })

  test('disables an account and enables it again: nobody logs in meanwhile, and the sessions are gone', async () => {
    const username = await newAccount()
    const session = withToken(server, (await logIn(username, PASSWORD)).body.token)
    const disabled = await send('operator', 'PUT', `/accounts/${username}/login`, { enabled: false })
    expect([disabled.status, disabled.body.enabled]).toEqual([200, false])
    expect((await session.fhir('GET', '/Patient')).status).toBe(401)
    expect((await logIn(username, PASSWORD)).status).toBe(401)
    const enabled = await send('operator', 'PUT', `/accounts/${username}/login`, { enabled: true })
    expect([enabled.status, enabled.body.enabled]).toEqual([200, true])
    expect((await session.fhir('GET', '/Patient')).status).toBe(401)
    expect((await logIn(username, PASSWORD)).status).toBe(200)
  })

  test('removes an account', async () => {
    const username = await newAccount()
    const session = withToken(server, (await logIn(username, PASSWORD)).body.token)
    expect((await send('operator', 'DELETE', `/accounts/${username}`)).status).toBe(204)
    expect((await session.fhir('GET', '/Patient')).status).toBe(401)
    expect((await logIn(username, PASSWORD)).status).toBe(401)
    expect((await send('operator', 'GET', `/accounts/${username}`)).status).toBe(404)
  })

  test('neither disables nor removes the account that he is logged in with', async () => {
    expect((await send('operator', 'PUT', '/accounts/OTTO/login', { enabled: false })).status).toBe(409)
    expect((await send('operator', 'DELETE', '/accounts/otto')).status).toBe(409)
    expect((await send('operator', 'GET', '/accounts')).status).toBe(200)
  })
})

describe('an admin', () => {
  test('sees the accounts of his clinic, and no others: those are 404 like one that there is not', async () => {
    const list = await send('admin', 'GET', '/accounts')
    expect(list.body.accounts.map(({ username }: { username: string }) => username)).toEqual(['ada', 'ours', 'stella'])
    expect((await send('admin', 'GET', `/accounts?clinic=${OTHER_CLINIC}`)).status).toBe(403)
    expect((await send('admin', 'GET', '/accounts/stella')).status).toBe(200)
    for (const method of ['GET', 'PUT']) {
      const answer = async (username: string) => {
        const { status, text } = await send('admin', method, `/accounts/${username}${method === 'GET' ? '' : '/login'}`)
        return [status, text.replaceAll(username, '…')]
      }
      const other = await answer('other')
      expect(other[0]).toBe(404)
      expect(other).toEqual(await answer('nobody'))
    }
  })

  test('makes, renames, lets in and removes the staff of his clinic, and gives them passwords', async () => {
    const username = `staff-${++number}`
    const account = { username, name: 'Sam South', role: 'staff', password: PASSWORD }
    const made = await send('admin', 'POST', '/accounts', account)
    expect([made.status, made.body]).toEqual([
      201,
      { username, name: 'Sam South', clinic: DEMO_CLINIC, role: 'staff', enabled: true },
    ])
    expect((await logIn(username, PASSWORD)).body).toMatchObject({ clinic: DEMO_CLINIC, role: 'staff' })
    const renamed = await send('admin', 'PUT', `/accounts/${username}/name`, { name: 'Samuel South' })
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Samuel South'])
    expect((await send('admin', 'PUT', `/accounts/${username}/name`, { name: ' ' })).status).toBe(400)
    const changed = await send('admin', 'PUT', `/accounts/${username}/password`, { password: 'another password' })
    expect(changed.status).toBe(204)
    expect((await logIn(username, PASSWORD)).status).toBe(401)
    expect((await logIn(username, 'another password')).status).toBe(200)
    for (const enabled of [false, true]) {
      const answer = await send('admin', 'PUT', `/accounts/${username}/login`, { enabled })
      expect([answer.status, answer.body.enabled]).toEqual([200, enabled])
    }
    expect((await send('admin', 'DELETE', `/accounts/${username}`)).status).toBe(204)
    expect((await send('admin', 'GET', `/accounts/${username}`)).status).toBe(404)
  })

  test('disables another admin of his clinic, and does nothing else with an admin', async () => {
    const username = await newAccount({ clinic: DEMO_CLINIC, role: 'admin' })
    const disabled = await send('admin', 'PUT', `/accounts/${username}/login`, { enabled: false })
    expect([disabled.status, disabled.body.enabled]).toEqual([200, false])
    expect((await logIn(username, PASSWORD)).status).toBe(401)
    for (const [method, path, body] of [
      ['PUT', `/accounts/${username}/login`, { enabled: true }],
      ['PUT', `/accounts/${username}/name`, { name: 'Somebody' }],
      ['PUT', `/accounts/${username}/password`, { password: 'another password' }],
      ['DELETE', `/accounts/${username}`, undefined],
      ['POST', '/accounts', { username: 'friend', clinic: DEMO_CLINIC, role: 'admin', password: PASSWORD }],
      ['POST', '/accounts', { username: 'friend', clinic: OTHER_CLINIC, role: 'staff', password: PASSWORD }],
      ['POST', '/accounts', { username: 'friend', role: 'operator', password: PASSWORD }],
    ] as const) {
      const answer = await send('admin', method, path, body)
      expect([method, path, answer.status, Object.keys(answer.body)]).toEqual([method, path, 403, ['error']])
    }
  })

  test('changes and removes nobody of another clinic: they are 404 like one that there is not', async () => {
    const username = await newAccount()
    for (const [method, path, body] of [
      ['PUT', 'login', { enabled: true }],
      ['PUT', 'name', { name: 'Somebody' }],
      ['PUT', 'password', { password: 'another password' }],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = async (name: string) => {
        const { status, text } = await send('admin', method, `/accounts/${name}${path === '' ? '' : `/${path}`}`, body)
        return [status, text.replaceAll(name, '…')]
      }
      const other = await answer(username)
      expect(other[0]).toBe(404)
      expect(other).toEqual(await answer('nobody'))
    }
    expect((await logIn(username, PASSWORD)).status).toBe(200)
  })

  test('does not disable an operator who is of his clinic', async () => {
    const username = await newAccount({ clinic: DEMO_CLINIC, role: 'operator' })
    expect((await send('admin', 'PUT', `/accounts/${username}/login`, { enabled: false })).status).toBe(403)
    expect((await logIn(username, PASSWORD)).status).toBe(200)
  })
})

describe('staff', () => {
  test('get the names of the accounts of their own clinic that can log in, and nothing else of them', async () => {
    const gone = await newAccount({ clinic: DEMO_CLINIC, name: 'Gone' })
    expect((await send('operator', 'PUT', `/accounts/${gone}/login`, { enabled: false })).status).toBe(200)
    const theirs = await newAccount({ name: 'Theirs' })
    for (const path of ['/accounts', `/accounts?clinic=${DEMO_CLINIC}`]) {
      const { status, body, text } = await send('staff', 'GET', path)
      expect([status, Object.keys(body)]).toEqual([200, ['accounts']])
      expect(body.accounts).toEqual(
        expect.arrayContaining([
          { username: 'ada', name: 'ada' },
          { username: 'stella', name: 'stella' },
        ]),
      )
      for (const hidden of [gone, theirs, 'otto', 'role', 'enabled']) expect(text).not.toContain(`"${hidden}"`)
    }
    expect((await send('staff', 'GET', '/accounts?after=ada')).text).not.toContain('"ada"')
    for (const clinic of [OTHER_CLINIC, 'nowhere']) {
      const { status, body } = await send('staff', 'GET', `/accounts?clinic=${clinic}`)
      expect([status, Object.keys(body)]).toEqual([403, ['error']])
    }
  })

  test('see, make and change no accounts: 403', async () => {
    for (const [method, path, body] of [
      ['GET', '/accounts/stella', undefined],
      ['GET', '/accounts/nobody', undefined],
      ['PUT', '/accounts/ours/login', { enabled: false }],
      ['DELETE', '/accounts/ours', undefined],
      ['PUT', '/accounts/ours/password', { password: 'another password' }],
      ['POST', '/accounts', { username: 'friend', clinic: DEMO_CLINIC, role: 'staff', password: PASSWORD }],
    ] as const) {
      const answer = await send('staff', method, path, body)
      expect([method, path, answer.status, Object.keys(answer.body)]).toEqual([method, path, 403, ['error']])
    }
  })

  test('change their own password with the one that they have; their sessions end', async () => {
    const username = await newAccount({ clinic: DEMO_CLINIC })
    const own = withToken(server, (await logIn(username, PASSWORD)).body.token)
    const change = (body: object) =>
      own.fhir('PUT', `/accounts/${username}/password`, body, { 'content-type': 'application/json' })
    expect((await change({ password: 'another password' })).status).toBe(400)
    expect((await change({ currentPassword: 'wrong', password: 'another password' })).status).toBe(403)
    expect((await change({ currentPassword: PASSWORD, password: 'short' })).status).toBe(400)
    expect((await own.fhir('GET', '/Organization/demo-clinic')).status).toBe(200)
    expect((await change({ currentPassword: PASSWORD, password: 'another password' })).status).toBe(204)
    expect((await own.fhir('GET', '/Organization/demo-clinic')).status).toBe(401)
    expect((await logIn(username, 'another password')).status).toBe(200)
  })

  test('who guess their password so are slowed down as at a login', async () => {
    const username = await newAccount({ clinic: DEMO_CLINIC })
    const own = withToken(server, (await logIn(username, PASSWORD)).body.token)
    const guess = () =>
      own.fhir(
        'PUT',
        `/accounts/${username}/password`,
        { currentPassword: 'wrong', password: 'another password' },
        { 'content-type': 'application/json' },
      )
    const statuses = []
    for (let i = 0; i < 11; i++) statuses.push((await guess()).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429])
  })
})

test('nobody does anything with accounts without a token: 401', async () => {
  for (const [method, path] of [
    ['GET', '/accounts'],
    ['POST', '/accounts'],
    ['DELETE', '/accounts/stella'],
    ['PUT', '/accounts/stella/password'],
  ] as const) {
    const answer = await request(server.url, method, path)
    expect([answer.status, Object.keys(answer.body)]).toEqual([401, ['error']])
  }
})
