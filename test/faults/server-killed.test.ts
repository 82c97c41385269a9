/** A server process is killed (-9) in the middle of transactions on MongoDB. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ReplicaSet } from '../support/replica-set.ts'
import { endProcessesAfterEach, login, start, stop } from '../support/server-process.ts'
import { expectKept } from './audit.ts'
import { Load } from './load.ts'

const KILLS = 4
/**
 * Milliseconds until every client has written its own resource again. MongoDB itself aborts abandoned transactions
 * after 60 s.
 */
const SERVICE_IS_BACK = 15_000
const KINDS = ['update', 'transaction', 'tool'] as const

describe('a server process', () => {
  let nodes: ReplicaSet
  beforeAll(async () => {
    nodes = await ReplicaSet.start({ nodes: 1 })
  })
  afterAll(() => nodes.stop())
  endProcessesAfterEach()
  let load: Load | undefined
  afterEach(() => load?.stop())

  test(`that is killed in the middle of transactions, ${KILLS} times, leaves none half done, and the next one is not held up by them`, async () => {
    const env = { DATABASE_URL: nodes.url('killed'), JWT_SECRET: 'one secret for all the servers of a test' }
    let server = await start(env)
    const token = await login(server.url)
    load = new Load('killed', [{ url: server.url, token }], KINDS)
    let longest = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      await load.progress(150)
      await stop(server, 'SIGKILL')
      server = await start(env)
      load.move([{ url: server.url, token }])
      longest = Math.max(longest, await load.progressOfAll('update'))
    }
    await load.stop()
    expect(load.unanswered).toBeGreaterThan(0)
    expect(longest).toBeLessThan(SERVICE_IS_BACK)
    await expectKept(
      load,
      { url: server.url, token },
      { fault: `server process killed, ${KILLS} times`, back: longest },
    )
  })
})
