/** A server of this version on a store that an older one has left: what it says, and that it goes on where it was killed (-9). */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from '@jest/globals'
import { extraction } from '../../src/search/index/versions.ts'
import { STORE_VERSION } from '../../src/storage/sqlite/schema.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, type Started, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const BATCHES = 6
const IN_A_BATCH = 200
const ADDED = BATCHES * IN_A_BATCH
const BIRTH_DATE = '1901-02-03'

async function addPatients({ url }: Started): Promise<void> {
  const headers = { authorization: `Bearer ${await login(url)}` }
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const entry = Array.from({ length: IN_A_BATCH }, (_, index) => ({
      resource: { resourceType: 'Patient', id: `added-${batch}-${index}`, birthDate: BIRTH_DATE },
      request: { method: 'PUT', url: `Patient/added-${batch}-${index}` },
    }))
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry }
    expect((await request(url, 'POST', '/', bundle, headers)).status).toBe(200)
  }
}

/** As a server of the version before has left it, to which a birth date was something else. */
function makeOlder(path: string): void {
  const store = new DatabaseSync(path)
  store.exec(`DELETE FROM name WHERE id = 0; DELETE FROM resource WHERE row = 0; DELETE FROM version WHERE seq = 0;
    UPDATE store SET extraction = ${extraction('').version - 1};
    UPDATE type_index SET wanted = json_set(wanted, '$.birthdate', 'older'), filled = json_set(filled, '$.birthdate', 'older')
      WHERE type = 'Patient';
    PRAGMA user_version = ${STORE_VERSION - 1}`)
  store.close()
}

interface Part {
  readonly state: string
  readonly waiting: number
  readonly note?: string
}

async function searchIndex({ url }: Started): Promise<Part> {
  const { status, body } = await request(url, 'GET', '/health/ready')
  expect({ status, is: body.status }).toEqual({ status: 200, is: 'ready' })
  return body.parts.find(({ name }: { readonly name: string }) => name === 'search index')
}

const linesOf = ({ output }: Started, msg: string): readonly Record<string, unknown>[] =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === msg)

async function byBirthDate({ url }: Started): Promise<{ readonly status: number; readonly total?: number }> {
  const headers = { authorization: `Bearer ${await login(url)}` }
  const path = `/Patient?birthdate=${BIRTH_DATE}&_summary=count`
  const { status, body } = await request(url, 'GET', path, undefined, headers)
  return { status, ...(status === 200 ? { total: body.total } : {}) }
}

test('an older store is brought up to date with progress in the log and at /health/ready, and across kill -9 in the middle', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl() }
  const before = await start(env)
  await addPatients(before)
  expect(linesOf(before, 'upgrade of the store')).toEqual([])
  expect(await searchIndex(before)).toMatchObject({ state: 'ok', waiting: 0 })
  await stop(before, 'SIGTERM')
  makeOlder(env.DATABASE_URL.slice('sqlite:'.length))

  const killed = await start(env)
  const [form, index] = linesOf(killed, 'upgrade of the store')
  expect(form).toMatchObject({
    part: 'form',
    from: STORE_VERSION - 1,
    to: STORE_VERSION,
    wayBack: expect.stringContaining('restore a backup made before'),
  })
  expect(index).toMatchObject({
    part: 'search index',
    from: extraction('').version - 1,
    resources: { Patient: expect.any(Number) },
    seconds: expect.any(Number),
  })
  const { Patient: patients = 0 } = (index?.resources ?? {}) as { readonly Patient?: number }
  expect(patients).toBeGreaterThanOrEqual(ADDED)
  expect((await searchIndex(killed)).state).toBe('behind')
  expect(await byBirthDate(killed)).toEqual({ status: 503 })
  await until(async () => {
    const { waiting, note } = await searchIndex(killed)
    if (waiting === 0) return false
    expect(note).toMatch(
      /^the store is of an older version: \d+ resources are left to be indexed, about \d+ s; searches/,
    )
    return waiting < patients
  })
  await stop(killed, 'SIGKILL')

  const after = await start(env)
  // The form is that of today by now, and the way back was said.
  expect(linesOf(after, 'upgrade of the store')).toEqual([])
  await until(async () => (await searchIndex(after)).state === 'ok')
  expect(await byBirthDate(after)).toEqual({ status: 200, total: ADDED })
  const [begins, ...others] = linesOf(after, 'search index')
  expect(begins).toMatchObject({ type: 'Patient', state: 'begins', failed: 0, seconds: expect.any(Number) })
  expect(begins?.left).toBeLessThan(patients)
  expect(others.at(-1)).toMatchObject({ state: 'is complete', left: 0, leftInAll: 0, seconds: 0 })
})
