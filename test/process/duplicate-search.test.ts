/** A search for duplicate patients where several servers share a store, and one of them is killed. */
import { expect, test } from '@jest/globals'
import type { Bundle, Linkage } from 'fhir/r4'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { type FhirResponse, request } from '../support/server.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<FhirResponse>

async function connected(url: string): Promise<Send> {
  const authorization = `Bearer ${await login(url)}`
  return (method, path, body, headers) => request(url, method, path, body, { authorization, ...headers })
}

const PEOPLE = 240
/** Every second person is registered twice. */
const DUPLICATES = PEOPLE / 2

/** Names that are far from each other. */
const nameOf = (number: number): string =>
  Array.from(
    String(number).padStart(4, '0'),
    (digit) => 'bo da fu gi ka le mo nu pi ra'.split(' ')[Number(digit)],
  ).join('')

const person = (number: number, copy: 'a' | 'b') => ({
  resourceType: 'Patient',
  id: `${copy}-${number}`,
  name: [{ family: nameOf(number), given: [nameOf(9_999 - number)] }],
  birthDate: new Date(Date.UTC(1930, 0, 1 + number * 31)).toISOString().slice(0, 10),
  telecom: [{ system: 'phone', value: `+1518555${String(number).padStart(4, '0')}` }],
})

async function store(send: Send, people: readonly ReturnType<typeof person>[]): Promise<void> {
  const entry = people.map((resource) => ({ resource, request: { method: 'PUT', url: `Patient/${resource.id}` } }))
  const sent = () => send('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  // Retries, as a busy server may refuse.
  for (let tries = 0; tries < 20; tries += 1) if ((await sent()).status === 200) return
  expect((await sent()).status).toBe(200)
}

const comparedIn = ({ headers }: FhirResponse): number => Number.parseInt(headers.get('x-progress') ?? '0', 10)

async function allPairs(send: Send): Promise<readonly string[]> {
  const pairs: string[] = []
  for (let next: string | undefined = '/Patient/$find-duplicates?_count=100'; next !== undefined; ) {
    const { body }: { body: Bundle } = await send('GET', next)
    const found = (body.entry ?? []).filter(({ search }) => search?.mode === 'match')
    pairs.push(...found.map(({ resource }) => pairOf(resource as Linkage)))
    next = body.link?.find(({ relation }) => relation === 'next')?.url.replace(/^.*(?=\/Patient\/)/, '')
  }
  return pairs
}

const pairOf = ({ item }: Linkage): string =>
  item
    .map(({ resource }) => resource.reference)
    .sort()
    .join(' ')

test('a server that is killed in the middle leaves the rest to the others, which find every pair once', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
  const first = await start(env)
  const send = await connected(first.url)
  for (let from = 0; from < PEOPLE; from += 120) {
    await store(
      send,
      Array.from({ length: 120 }, (_, index) => person(from + index, 'a')),
    )
  }
  await store(
    send,
    Array.from({ length: DUPLICATES }, (_, index) => person(index * 2, 'b')),
  )
  const begun = await send('GET', '/Patient/$find-duplicates', undefined, { prefer: 'respond-async' })
  expect(begun.status).toBe(202)
  const state = (begun.headers.get('content-location') ?? '').replace(/^.*(?=\/Patient\/)/, '')
  await until(async () => comparedIn(await send('GET', state)) >= 100)
  await stop(first, 'SIGKILL')

  const [second, third] = [await start(env), await start(env)]
  const [there, elsewhere] = [await connected(second.url), await connected(third.url)]
  const resumed = await there('GET', state)
  // The search is resumed, not restarted.
  expect([resumed.status, comparedIn(resumed) >= 100]).toEqual([202, true])
  await until(async () => (await elsewhere('GET', state)).status !== 202)
  const found = await allPairs(there)
  const expected = Array.from({ length: DUPLICATES }, (_, index) => `Patient/a-${index * 2} Patient/b-${index * 2}`)
  expect(found.filter((pair) => pair.includes('/a-')).toSorted()).toEqual(expected.toSorted())
  const { body } = await there('GET', '/Patient?_summary=count')
  expect(JSON.stringify((await there('GET', state)).body)).toContain(`compared ${body.total} patients`)
})
