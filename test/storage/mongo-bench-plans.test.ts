/** MongoDB's query plans for the requests of the benchmark (bench/scenarios.ts), on a part of its data set. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sizesAt } from '../../bench/data-set.ts'
import { importData } from '../../bench/import-data.ts'
import { once, requestOf } from '../../bench/load.ts'
import { scenarios } from '../../bench/scenarios.ts'
import { newMongoUrl } from '../support/mongo.ts'
import { plansOf, tooCostly } from '../support/mongo-plans.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Large enough for each scenario to find its resources. */
const SIZES = sizesAt(0.3)
/** Requests of each scenario. */
const REQUESTS = 10

let url = ''
let server: TestServer

beforeAll(async () => {
  url = await newMongoUrl()
  server = await startServer({ DATABASE_URL: url })
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/fhir+json' }
  await importData(server.url, headers, SIZES)
})

afterAll(() => server?.close())

/** The most index keys that a command may look at. */
const KEYS: Readonly<Record<string, number>> = {
  // The settings of the clinic, which are cached for a moment.
  metadata: 1,
  'metadata, not compressed': 1,
  read: 1,
  // Finds one to three; the matches of each condition are counted first.
  'few-hit search': 128,
  // All that match are collected, one in 25 of the Patients and others.
  'prefix search': SIZES.patients / 25 + 2,
  // A page of 50, and one more; a quarter of the slots is taken.
  'slot search': 102,
  // A week of 25 Appointments; the search is for one day.
  'include search': 128,
  create: 1,
  update: 1,
  // None of them is there; each is looked for between two others.
  'transaction of 10': 20,
}

const byName = new Map(
  scenarios(SIZES, { authorization: '', voiceSecret: '' }).map((scenario) => [scenario.name, scenario]),
)

/** Sends requests `from` to `to` of a scenario, and expects the response of the scenario to each. */
async function ask(name: string, from: number, to: number): Promise<void> {
  const access = { authorization: `Bearer ${server.token}`, voiceSecret: 'demo-secret' }
  const scenario = scenarios(SIZES, access).find((one) => one.name === name)
  for (let n = from; n < to; n += 1) {
    const request = scenario && requestOf(scenario.traffic, n)
    if (request === undefined) return
    const { status, text } = await once(server.url, request)
    expect([200, 201]).toContain(status)
    expect(scenario?.problemOf?.(text)).toBeUndefined()
  }
}

describe('MongoDB, asked as the benchmark asks', () => {
  test.each([...byName.keys()].filter((name) => name in KEYS))('serves %s by few keys of an index', async (name) => {
    const plans = await plansOf(url, () => ask(name, 0, REQUESTS))
    expect(tooCostly(plans, 50)).toEqual([])
    const bad = plans.filter(({ keysExamined }) => keysExamined > (KEYS[name] ?? 0))
    expect(bad.map(({ keysExamined, asked }) => ({ keysExamined, asked: JSON.stringify(asked) }))).toEqual([])
  })

  test.each([...byName.keys()].filter((name) => !(name in KEYS) && !name.endsWith('bursts')))(
    'serves the tool %s without a collection scan',
    async (name) => {
      const plans = await plansOf(url, () => ask(name, 0, 4))
      expect(tooCostly(plans)).toEqual([])
      // How many patients the clinic has is counted once in some minutes, from the index alone.
      const others = plans.filter(({ stages }) => !stages.has('COUNT_SCAN'))
      expect(others.filter(({ keysExamined }) => keysExamined > 100)).toEqual([])
      expect(plans.length - others.length).toBeLessThanOrEqual(1)
    },
  )
})
