/** kill -9 in the middle of the generation of Slots: after the restart all of them are there, once. */
import { describe, expect, test } from '@jest/globals'
import type { Bundle, Slot } from 'fhir/r4'
import { SLOT_GENERATION } from '../../src/availability/slot-generation.ts'
import { openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import { horizonDays, open, scheduleWith, slotMinutes, timeZone } from '../scheduling/availability-samples.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { type FhirResponse, request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const SCHEDULE = 'killed'
const DAYS = 40
const PER_DAY = 32
/** Slots after which the server is killed. */
const SOME = 150

const schedule = scheduleWith(SCHEDULE, timeZone('UTC'), horizonDays(DAYS), slotMinutes(15), open('09:00', '17:00'))

type Send = (method: string, path: string, body?: unknown) => Promise<FhirResponse>

async function connected(url: string): Promise<Send> {
  const authorization = `Bearer ${await login(url)}`
  return (method, path, body) => request(url, method, path, body, { authorization })
}

const OURS = `/Slot?schedule=Schedule/${SCHEDULE}`

const count = async (send: Send): Promise<number> => (await send('GET', `${OURS}&_summary=count`)).body.total

async function starts(send: Send): Promise<readonly string[]> {
  const found: string[] = []
  for (let next: string | undefined = `${OURS}&_count=1000&_sort=start`; next !== undefined; ) {
    const { body }: { body: Bundle } = await send('GET', next)
    found.push(...(body.entry ?? []).map(({ resource }) => (resource as Slot).start))
    next = body.link?.find(({ relation }) => relation === 'next')?.url.replace(/^https?:\/\/[^/]+/, '')
  }
  return found
}

/** Each quarter of an hour once; on the first day only the future ones. */
async function expectAllOnce(send: Send): Promise<void> {
  const byDay = Map.groupBy(await starts(send), (start) => start.slice(0, 10))
  const today = new Date().toISOString().slice(0, 10)
  const [, ...days] = [today, ...[...byDay.keys()].filter((day) => day !== today)]
  for (const found of byDay.values()) expect(found).toEqual([...new Set(found)])
  expect(days.map((day) => byDay.get(day)?.length)).toEqual(Array.from({ length: DAYS - 1 }, () => PER_DAY))
}

/** As if the time had passed in which another process may be at work. */
async function passLease(databaseUrl: string): Promise<void> {
  const store = await openStore(databaseUrl)
  const repository = new Repository(store, { baseUrl: '' })
  await repository.change('demo-clinic', async ({ records, now }) => {
    const record = await records.read(SLOT_GENERATION, SCHEDULE)
    if (record !== undefined) records.put(SLOT_GENERATION, SCHEDULE, record.value, { due: now })
  })
  await store.close()
}

describe('a server that is killed while it generates Slots', () => {
  test('in the background goes on after its restart, and makes each once', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
    const first = await start(env)
    const send = await connected(first.url)
    expect((await send('PUT', `/Schedule/${SCHEDULE}`, schedule)).status).toBe(201)
    await until(async () => (await count(send)) >= SOME)
    await stop(first, 'SIGKILL')
    await passLease(env.DATABASE_URL)
    const again = await connected((await start(env)).url)
    await until(async () => (await count(again)) >= (DAYS - 1) * PER_DAY)
    await expectAllOnce(again)
  })

  test('by $generate-slots has whole parts, and the next call makes the others', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
    const first = await start(env)
    const send = await connected(first.url)
    expect((await send('PUT', `/Schedule/${SCHEDULE}`, schedule)).status).toBe(201)
    const call = send('POST', `/Schedule/${SCHEDULE}/$generate-slots`).catch(() => undefined)
    await until(async () => (await count(send)) >= SOME)
    await stop(first, 'SIGKILL')
    expect(await call).toBeUndefined()
    const again = await connected((await start(env)).url)
    const { body } = await again('POST', `/Schedule/${SCHEDULE}/$generate-slots`)
    expect(body.parameter).toContainEqual({ name: 'isComplete', valueBoolean: true })
    await expectAllOnce(again)
  })
})
