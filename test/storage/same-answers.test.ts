/** Both engines give the same responses to random requests, so that only speed and size tell them apart. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createClinic } from '../../src/clinics/clinics.ts'
import { readConfig } from '../../src/config.ts'
import { signToken } from '../../src/http/token.ts'
import { newMongoUrl } from '../support/mongo.ts'
import { randomRuns, tryProperty } from '../support/random-runs.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'
import { type RandomRequest, requests } from './random-requests.ts'

const RUNS = { least: 5, most: randomRuns(30) }
const JWT_SECRET = 's'.repeat(40)

/** One clinic on one server, as its staff sees it. */
interface Subject {
  readonly ask: (asked: RandomRequest) => Promise<FhirResponse>
  /** The response without what differs between servers: addresses, times, assigned ids. */
  readonly plain: (answer: FhirResponse) => string
}

/** Included resources have no order. */
function withSortedIncludes(text: string): string {
  const [head = '', ...entries] = text.replace(/\]\}$/, '').split('{"fullUrl":')
  const plain = entries.map((entry) => entry.replace(/,$/, ''))
  const isIncluded = (entry: string) => entry.endsWith('"search":{"mode":"include"}}')
  return [head, ...plain.filter((entry) => !isIncluded(entry)), ...plain.filter(isIncluded).sort()].join('\n')
}

async function newClinic(server: TestServer, clinic: string): Promise<Subject> {
  await createClinic(server.app.repository, clinic, {
    name: 'A clinic',
    timeZone: 'Europe/Vienna',
    dialedNumbers: [],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  const { jwt } = readConfig({ JWT_SECRET })
  const { token } = signToken(jwt, { username: 'staff', name: 'Staff', clinic, role: 'staff' })
  const authorization = `Bearer ${token}`
  const made = new Map<string, string>()
  const numbered = (id: string) => made.get(id) ?? made.set(id, `id-${made.size + 1}`).get(id) ?? ''
  return {
    ask: ({ method, path, body, headers }) => request(server.url, method, path, body, { authorization, ...headers }),
    plain: ({ status, headers, text }) =>
      [status, headers.get('etag') ?? '', headers.get('location') ?? '', withSortedIncludes(text)]
        .join('\n')
        .replaceAll(server.url, 'BASE')
        .replaceAll(clinic, 'CLINIC')
        .replace(/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g, 'TIME')
        .replace(/_cursor=[\w-]+/g, 'CURSOR')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, numbered),
  }
}

/** A request, and the pages that follow it. */
async function compare(subjects: readonly [Subject, Subject], asked: RandomRequest): Promise<void> {
  const [one, other] = subjects
  let [left, right] = [asked, asked]
  for (let page = 1; page < 20; page += 1) {
    const [first, second] = await Promise.all([one.ask(left), other.ask(right)])
    expect({ asked, page, answer: other.plain(second) }).toEqual({ asked, page, answer: one.plain(first) })
    const [next, nextRight] = [nextOf(first), nextOf(second)]
    if (next === undefined || nextRight === undefined) return
    left = { method: 'GET', path: next }
    right = { method: 'GET', path: nextRight }
  }
}

function nextOf({ body }: FhirResponse): string | undefined {
  const links: readonly { relation: string; url: string }[] = body?.link ?? []
  const url = links.find(({ relation }) => relation === 'next')?.url
  return url?.replace(/^http:\/\/[^/]+/, '')
}

describe('random requests to a server on SQLite and to one on MongoDB', () => {
  let servers: readonly TestServer[] = []
  beforeAll(async () => {
    const urls = ['sqlite::memory:', await newMongoUrl()]
    servers = await Promise.all(urls.map((DATABASE_URL) => startServer({ DATABASE_URL, JWT_SECRET })))
  })
  afterAll(async () => {
    await Promise.all(servers.map(({ close }) => close()))
  })

  test(`get the same answers, ${RUNS.least} to ${RUNS.most} times`, async () => {
    let clinics = 0
    const property = fc.asyncProperty(requests, async (asked) => {
      clinics += 1
      const [sqlite, mongo] = servers
      if (sqlite === undefined || mongo === undefined) throw new Error('There are no servers')
      const clinic = `clinic-${clinics}-of-this-run`
      const subjects = [await newClinic(sqlite, clinic), await newClinic(mongo, clinic)] as const
      for (const one of asked) await compare(subjects, one)
    })
    await tryProperty(RUNS, property, { endOnFailure: true })
  })
})
