/** The network between the server and its MongoDB is cut for ten seconds, or until all has been refused, while 16 clients write. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ReplicaSet } from '../support/replica-set.ts'
import { endProcessesAfterEach, login, start } from '../support/server-process.ts'
import { type Cut, type Wire, wireTo } from '../support/wire.ts'
import { expectKept } from './audit.ts'
import { fhir, isUnavailable, Load } from './load.ts'

/** Milliseconds at least. */
const CUT = 10_000
/** Milliseconds. */
const SHORT_CUT = 150
const BREAKS = 30
/** See docs/operating.md. */
const LONGEST_ANSWER = 15_000
/** From the moment the network is mended until 100 writes more are acknowledged. */
const SERVICE_IS_BACK = 15_000

describe('a network that is cut', () => {
  let wire: Wire | undefined
  let nodes: ReplicaSet
  beforeAll(async () => {
    const behind = async (port: number) => {
      wire = await wireTo(port)
      return wire.host
    }
    nodes = await ReplicaSet.start({ nodes: 1, behind })
  })
  afterAll(async () => {
    await nodes.stop()
    await wire?.end()
  })
  endProcessesAfterEach()
  let load: Load | undefined
  afterEach(() => load?.stop())

  test.each<[Cut, string]>([
    ['silent', 'packets are lost'],
    ['reset', 'connections break off'],
  ])(
    '(%s: %s) is answered in bounded time with 503 and Retry-After; then service is back, and every acknowledged write is there once',
    async (how) => {
      const server = await start({ DATABASE_URL: nodes.url(how) })
      const target = { url: server.url, token: await login(server.url) }
      load = new Load(how, [target])
      await load.progress(200)
      wire?.cut(how)
      const cut = sleep(CUT)
      const refused = await Promise.all([fhir(target, 'GET', '/Patient/1'), fhir(target, 'GET', '/Patient?family=x')])
      expect(refused.map(isUnavailable)).toEqual([true, true])
      await cut
      wire?.mend()
      const back = await load.progress(100)
      await load.progress(100)
      await load.stop()
      expect(load.refused).toBeGreaterThan(0)
      expect(load.slowest).toBeLessThan(LONGEST_ANSWER)
      expect(back).toBeLessThan(SERVICE_IS_BACK)
      await expectKept(load, target, { fault: `network cut for 10 s (${how})`, back })
    },
  )

  test('that breaks off again and again is answered with 503 and Retry-After, wherever a write is at that moment', async () => {
    const server = await start({ DATABASE_URL: nodes.url('again') })
    const target = { url: server.url, token: await login(server.url) }
    load = new Load('again', [target])
    for (let cuts = 0; cuts < BREAKS; cuts += 1) {
      await load.progress(50)
      wire?.cut('reset')
      await sleep(SHORT_CUT)
      wire?.mend()
    }
    await load.progress(50)
    await load.stop()
    expect(load.slowest).toBeLessThan(LONGEST_ANSWER)
    await expectKept(load, target, { fault: `network cut ${BREAKS} times` })
  })
})
