/** Access to the rehearsal of a clinic, by every route that OpenAPI describes; none of them exists where rehearsal is off. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'
import { askAs, type Rehearsed, startRehearsed } from './rehearsed.ts'

const FOLDER = join(import.meta.dirname, '../../resources/openapi')

/** Method and path of each route, `{…}` filled in. */
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  'generations',
  'rehearsal',
  'reports',
  'runs',
  'transfer',
].flatMap((file) => {
  const { paths } = JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8')) as {
    paths: Record<string, object>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'parameters')
      .map((method): readonly [string, string] => [
        method.toUpperCase(),
        path.replace('{clinic}', 'demo-clinic').replace(/\{\w+\}/, 'some'),
      ]),
  )
})
const OF_CLINIC = ROUTES.filter(([, path]) => path.startsWith('/clinics/'))
/** A statement that is sent to be compared with changes nothing. */
const CHANGING = OF_CLINIC.filter(([method, path]) => method !== 'GET' && !path.endsWith('/capability'))

describe('the routes by which a clinic is rehearsed in', () => {
  let clinics: TwoClinics
  let clinic: Rehearsed
  beforeAll(async () => {
    clinics = await startTwoClinics()
    clinic = await startRehearsed()
  })
  afterAll(async () => {
    await clinics.server.close()
    await clinic.server.close()
  })

  test('are many', () => {
    expect(OF_CLINIC.length).toBeGreaterThan(14)
    expect(CHANGING.length).toBeGreaterThan(8)
  })

  test.each(OF_CLINIC)('%s %s is refused to the users of another clinic', async (method, path) => {
    const { status } = await clinics.theirs(method, path, method === 'GET' || method === 'DELETE' ? undefined : {})
    expect(status === 403 || (status === 404 && path === '/clinics/demo-clinic')).toBe(true)
  })

  test.each(CHANGING)('%s %s is refused to staff', async (method, path) => {
    const { status } = await askAs(
      clinic.server,
      clinic.server.token,
      method,
      path,
      method === 'DELETE' ? undefined : {},
    )
    expect(status === 403 || (status === 404 && path === '/clinics/demo-clinic')).toBe(true)
  })

  test.each(ROUTES)('%s %s needs a token', async (method, path) => {
    expect((await request(clinic.server.url, method, path)).status).toBe(401)
  })
})

describe('where rehearsal is off', () => {
  let off: Rehearsed
  beforeAll(async () => {
    off = await startRehearsed({ REHEARSAL: 'off' })
  })
  afterAll(() => off.server.close())

  test.each(ROUTES)('there is no %s %s', async (method, path) => {
    const admin = await off.server.login('admin', 'admin')
    const { status } = await askAs(
      off.server,
      admin,
      method,
      path,
      method === 'GET' || method === 'DELETE' ? undefined : {},
    )
    expect([404, 405]).toContain(status)
  })

  test('a header that names a fault is ignored, and a clone cannot be asked for', async () => {
    const { server } = off
    const { status, headers } = await server.fhir('GET', '/Patient?_count=1', undefined, {
      'x-sandbox-fault': 'throttled',
    })
    expect([status, headers.get('x-sandbox-fault')]).toEqual([200, null])
    const admin = await server.login('admin', 'admin')
    expect((await askAs(server, admin, 'POST', '/clinics', { from: { scenario: 'empty' } })).status).toBe(403)
  })
})
