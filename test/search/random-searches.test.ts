/**
 * Random searches on random resources find the same as a scan of every resource. The seed that a failure names makes the
 * same ones again: RANDOM_SEED=….
 */
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createClinic } from '../../src/clinics/clinics.ts'
import { readConfig } from '../../src/config.ts'
import { signToken } from '../../src/http/token.ts'
import { randomRuns, SEED, tryCases } from '../support/random-runs.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'
import type { Resource } from './naive/elements.ts'
import { Search } from './naive/search.ts'
import { compareBy } from './naive/sort.ts'
import { populations } from './random/population.ts'
import { Queries } from './random/queries.ts'
import { BASE } from './random/vocabulary.ts'

const POPULATIONS = { least: 2, most: randomRuns(40) }
const SEARCHES = 60
const JWT_SECRET = 's'.repeat(40)

let server: TestServer
beforeAll(async () => {
  server = await startServer({ JWT_SECRET, BASE_URL: BASE })
})
afterAll(() => server.close())

type Ask = (method: string, path: string, body?: unknown) => Promise<FhirResponse>

/** A clinic of its own for each population. */
async function newClinic(clinic: string): Promise<Ask> {
  await createClinic(server.app.repository, clinic, {
    name: 'A clinic',
    timeZone: 'Europe/Vienna',
    dialedNumbers: [],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  const { jwt } = readConfig({ JWT_SECRET })
  const { token } = signToken(jwt, { username: 'staff', name: 'Staff', clinic, role: 'staff' })
  const headers = { authorization: `Bearer ${token}`, prefer: 'return=representation' }
  return (method, path, body) => request(server.url, method, path, body, headers)
}

/**
 * In three transactions, for different times of storing.
 * @returns the resources as they are stored, with what every clinic has from the beginning
 */
async function stored(ask: Ask, population: readonly Resource[]): Promise<readonly Resource[]> {
  const parts = [0, 1, 2].map((part) => population.filter((_, index) => index % 3 === part))
  const answers: Resource[] = (await ask('GET', '/Organization')).body.entry.map(({ resource }: Entry) => resource)
  for (const part of parts) {
    const entry = part.map((resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }))
    const { status, text, body } = await ask('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    if (status !== 200) throw new Error(`The population is refused: ${text}`)
    answers.push(...body.entry.map((one: { resource: Resource }) => one.resource))
  }
  return answers
}

interface Entry {
  readonly resource: Resource
  readonly search: { readonly mode: string }
}
interface Answer {
  readonly matches: readonly string[]
  readonly included: readonly string[]
  readonly total: number | undefined
}

const MOST_PAGES = 100

/** All pages. */
async function answerTo(ask: Ask, path: string): Promise<Answer> {
  const entries: Entry[] = []
  let total: number | undefined
  for (let next: string | undefined = path, page = 0; next !== undefined; page += 1) {
    const { status, text, body } = await ask('GET', next)
    if (status !== 200 || page > MOST_PAGES) throw new Error(`Page ${page} is ${status}: ${text}`)
    entries.push(...(body.entry ?? []))
    total ??= body.total
    next = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url.slice(BASE.length)
  }
  const ofMode = (mode: string) =>
    entries.filter(({ search }) => search.mode === mode).map(({ resource }) => nameOf(resource))
  return { matches: ofMode('match'), included: ofMode('include'), total }
}

const nameOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`

/** @throws Error with the search and the resources that are found by one and not by the other */
async function compare(ask: Ask, resources: readonly Resource[], path: string): Promise<void> {
  try {
    expectSame(await answerTo(ask, path), resources, path)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`GET ${decodeURIComponent(path)}\n${message}\n${differing(resources, message)}`)
  }
}

function expectSame(answer: Answer, resources: readonly Resource[], path: string): void {
  const setting = { base: BASE, now: Date.now() }
  const search = new Search(resources, setting)
  const matches = search.matches(path)
  const found = { matches: [...answer.matches].sort(), included: [...answer.included].sort() }
  expect(found).toEqual({ matches: namesOf(matches), included: namesOf(search.included(path, matches)) })
  expect([matches.length, path.includes('_total=accurate') ? undefined : answer.total]).toContain(answer.total)
  const keys = new URLSearchParams(path.split('?')[1]).get('_sort')?.split(',') ?? []
  const inOrder = answer.matches.flatMap((name) => matches.find((one) => nameOf(one) === name) ?? [])
  const wrong = inOrder.findIndex((one, at) => compareBy(keys, inOrder[at - 1] ?? one, one, setting) > 0)
  if (wrong >= 0) throw new Error(`Not in order:\n- "${answer.matches[wrong - 1]}"\n- "${answer.matches[wrong]}"`)
}

const namesOf = (list: readonly Resource[]) => list.map(nameOf).sort()

/** The resources that are in only one of the results. */
function differing(resources: readonly Resource[], difference: string): string {
  const lines = stripVTControlCharacters(difference).split('\n')
  const names = lines.flatMap((line) => /^[-+] .*"(\w+\/\w+)"/.exec(line)?.[1] ?? [])
  return resources
    .filter((one) => names.includes(nameOf(one)))
    .map((one) => JSON.stringify(one))
    .join('\n')
}

const cases = populations.chain((population) =>
  fc.tuple(
    fc.constant(population),
    fc.array(new Queries(population).searches(), { minLength: SEARCHES, maxLength: SEARCHES }),
  ),
)

test(`${POPULATIONS.least} to ${POPULATIONS.most} times ${SEARCHES} random searches find what is found by looking at every resource (RANDOM_SEED=${SEED})`, async () => {
  let clinics = 0
  const property = fc.asyncProperty(cases, async ([population, searches]) => {
    clinics += 1
    const ask = await newClinic(`clinic-${clinics}`)
    const resources = await stored(ask, population)
    for (const path of searches) await compare(ask, resources, path)
  })
  await tryCases(POPULATIONS, async (index) => {
    const seed = SEED + index
    const { failed, errorInstance } = await fc.check(property, { numRuns: 1, seed, endOnFailure: true })
    // The whole population and all searches, as fc.assert shows them, would hide the one that matters.
    if (failed) throw new Error(`RANDOM_SEED=${seed}`, { cause: errorInstance })
  })
})
