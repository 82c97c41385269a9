/** Search parameters of a clinic where several servers serve it, and one of them dies. */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { openStore } from '../../src/main/open-store.ts'
import { CUSTOM_INDEX } from '../../src/storage/port.ts'
import { NOTHING } from '../../src/storage/sqlite/schema.ts'
import { StoreConflict } from '../../src/storage/store-errors.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { testEngine } from '../support/engine.ts'
import { withDatabase } from '../support/mongo.ts'
import { type FhirResponse, request, startServer } from '../support/server.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

type Send = (method: string, path: string, body?: unknown) => Promise<FhirResponse>

const parameter = (id: string, element: string) => ({
  ...{
    resourceType: 'SearchParameter',
    id,
    url: `http://example.org/SearchParameter/${id}`,
    name: id,
    status: 'active',
  },
  ...{ description: id, code: id, base: ['Patient'], type: 'string', expression: `Patient.name.${element}` },
})

const named = (family: string) => ({ resourceType: 'Patient', name: [{ family }] })

/** A transaction of `count` Patients. */
const patients = (count: number, family: string) => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: Array.from({ length: count }, (_, index) => ({
    request: { method: 'POST', url: 'Patient' },
    resource: named(`${family}${index}`),
  })),
})

const totalOf = async (send: Send, query: string): Promise<number | undefined> =>
  (await send('GET', `/Patient?${query}&_summary=count`)).body.total

test('what one server writes is found by what another one has just been told, whoever asks', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const [one, other] = [await startServer({ DATABASE_URL }), await startServer({ DATABASE_URL })]
  for (const [round, element] of ['family', 'given', 'family'].entries()) {
    const id = `round-${round}`
    const family = `Nearly${round}`
    let written = 0
    let isOver = false
    const writing = (async () => {
      for (; !isOver || written < 20; written += 1) {
        const name = [{ family: `${family} ${written}`, given: [family] }]
        expect((await other.fhir('POST', '/Patient', { ...named(family), name })).status).toBe(201)
      }
    })()
    expect((await one.fhir('PUT', `/SearchParameter/${id}`, parameter(id, element))).status).toBe(201)
    // Both servers learn of it soon, and serve searches by it once all is indexed; writes continue meanwhile.
    for (const { fhir } of [one, other]) {
      await until(async () => (await fhir('GET', `/Patient?${id}=nobody`)).status === 200)
    }
    isOver = true
    await writing
    for (const { fhir } of [one, other]) expect(await totalOf(fhir, `${id}=${family}`)).toBe(written)
  }
  for (const { close } of [one, other]) await close()
})

test('what a server has written that had not heard of it is found, or was refused', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const [{ fhir, close }, late] = [await startServer({ DATABASE_URL }), await openStore(DATABASE_URL)]
  expect((await fhir('PUT', '/SearchParameter/late', parameter('late', 'family'))).status).toBe(201)
  await until(async () => (await fhir('GET', '/Patient?late=nobody')).status === 200)
  const text = JSON.stringify({ ...named('Latecomer'), id: 'latecomer' })
  const change = { type: 'Patient', id: 'latecomer', version: 1, expect: 0, lastUpdated: 1, method: 'PUT' } as const
  const resources = [{ ...change, text, entries: [] }]
  const refusal = await late
    .write({ clinic: DEMO_CLINIC, resources, indexVersion: 0, records: [], guards: [] })
    .catch((error) => error)
  expect(refusal === undefined || refusal instanceof StoreConflict).toBe(true)
  expect(await totalOf(fhir, 'late=latecomer')).toBe(refusal === undefined ? 1 : 0)
  await Promise.all([close(), late.close()])
})

/** Makes a store as a server left it that kept the progress of indexing under older names. */
async function makeOlder(url: string): Promise<void> {
  const [find, replacement] = ['"indexVersion":', '"madeBy":']
  if (testEngine() === 'sqlite') {
    const db = new DatabaseSync(url.slice('sqlite:'.length))
    const changed = db
      .prepare('UPDATE record SET value = replace(value, ?, ?) WHERE kind = ?')
      .run(find, replacement, CUSTOM_INDEX.kind)
    expect(changed.changes).toBe(1)
    // Version 8 has added a row that stands for nothing to each of these.
    db.exec(`DELETE FROM name WHERE parent = ${NOTHING}; DELETE FROM resource WHERE type = ${NOTHING}`)
    db.exec(`DELETE FROM version WHERE type = ${NOTHING}; PRAGMA user_version = 6`)
    db.close()
    return
  }
  await withDatabase(url, async (db) => {
    const value = { $replaceAll: { input: '$value', find, replacement } }
    const changed = await db.collection('records').updateOne({ kind: CUSTOM_INDEX.kind }, [{ $set: { value } }])
    expect(changed.modifiedCount).toBe(1)
    await db.collection<{ readonly _id: string }>('store').updateOne({ _id: 'schema' }, { $set: { version: 2 } })
  })
}

test('a store of an older version is indexed anew by what the clinic has added, and is then searched by it', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const old = await startServer({ DATABASE_URL })
  for (const family of ['Olderson', 'Olderman', 'Newman']) await old.fhir('POST', '/Patient', named(family))
  expect((await old.fhir('PUT', '/SearchParameter/older', parameter('older', 'family'))).status).toBe(201)
  await until(async () => (await old.fhir('GET', '/Patient?older=nobody')).status === 200)
  await old.close()
  await makeOlder(DATABASE_URL)
  const { fhir, close } = await startServer({ DATABASE_URL })
  await until(async () => (await fhir('GET', '/Patient?older=nobody')).status === 200)
  expect(await totalOf(fhir, 'older=older')).toBe(2)
  await close()
})

test('a server that is killed in the middle leaves the rest to the next, which finds everything', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const env = { DATABASE_URL, DEMO: 'on' }
  const connected = async (url: string): Promise<Send> => {
    const authorization = `Bearer ${await login(url)}`
    return (method, path, body) => request(url, method, path, body, { authorization })
  }
  const first = await start(env)
  const send = await connected(first.url)
  for (let part = 0; part < 6; part += 1) {
    expect((await send('POST', '/', patients(500, `Many${part}-`))).status).toBe(200)
  }
  expect((await send('PUT', '/SearchParameter/killed', parameter('killed', 'family'))).status).toBe(201)
  const state = async (from: Send) => {
    const [found] = (await from('GET', '/$reindex-status')).body.parameter ?? []
    return Object.fromEntries(
      (found?.part ?? []).map(({ name, ...value }: { name: string }) => [name, Object.values(value)[0]]),
    )
  }
  expect(await state(send)).toMatchObject({ code: 'killed', type: 'Patient', failed: 0 })
  await until(async () => Number((await state(send)).done) > 0)
  await stop(first, 'SIGKILL')

  const [second, third] = [await start(env), await start(env)]
  const [there, elsewhere] = [await connected(second.url), await connected(third.url)]
  // The server that was killed may have just finished.
  const early = await there('GET', '/Patient?killed=many&_summary=count')
  expect([503, 3000]).toContain(early.status === 200 ? early.body.total : early.status)
  expect((await elsewhere('POST', '/Patient', named('Many at last'))).status).toBe(201)
  for (const ask of [there, elsewhere]) {
    await until(async () => (await state(ask)).state === 'complete')
    await until(async () => (await ask('GET', '/Patient?killed=many')).status === 200)
    expect(await totalOf(ask, 'killed=many')).toBe(3001)
  }
})
