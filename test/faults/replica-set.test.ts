/** Nodes of a replica set are killed (-9) while 16 clients write through two server processes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ReplicaSet } from '../support/replica-set.ts'
import { request } from '../support/server.ts'
import { endProcessesAfterEach, login, start, until } from '../support/server-process.ts'
import { expectKept } from './audit.ts'
import { fhir, isUnavailable, Load, type Target } from './load.ts'

/**
 * Milliseconds from the kill until 100 writes more are acknowledged: the election (two seconds of silence, and the
 * vote), what the driver takes to notice, and a busy machine.
 */
const SERVICE_IS_BACK = 20_000
/** Milliseconds, see docs/operating.md. */
const LONGEST_ANSWER = 15_000
const SECRET = { JWT_SECRET: 'one secret for all the servers of a test' }

describe('a replica set of three nodes', () => {
  let nodes: ReplicaSet
  beforeAll(async () => {
    nodes = await ReplicaSet.start({ nodes: 3 })
  })
  afterAll(() => nodes.stop())
  endProcessesAfterEach()
  let load: Load | undefined
  afterEach(() => load?.stop())

  /** Two servers on one database, under load. */
  async function underLoad(run: string): Promise<{ readonly load: Load; readonly targets: readonly [Target, Target] }> {
    const env = { ...SECRET, DATABASE_URL: nodes.url('emr') }
    const first = await start(env)
    const second = await start(env)
    const token = await login(first.url)
    const targets = [
      { url: first.url, token },
      { url: second.url, token },
    ] as const
    load = new Load(run, targets)
    await load.progress(200)
    return { load, targets }
  }

  test('whose primary is killed serves again after the election, and has every acknowledged write once', async () => {
    const { load, targets } = await underLoad('primary')
    await nodes.kill('primary')
    const back = await load.progress(100)
    await load.progress(100)
    await load.stop()
    expect(back).toBeLessThan(SERVICE_IS_BACK)
    expect(load.slowest).toBeLessThan(LONGEST_ANSWER)
    await expectKept(load, targets[1], { fault: 'primary killed', back })
    await nodes.mend()
  })

  test('that loses a secondary goes on without a refusal', async () => {
    const { load, targets } = await underLoad('secondary')
    await nodes.kill('secondary')
    const back = await load.progress(200)
    await load.stop()
    expect(load.refused + load.unanswered).toBe(0)
    await expectKept(load, targets[0], { fault: 'secondary killed', back })
    await nodes.mend()
  })

  test('all of whose nodes are killed and started again has every acknowledged write; the servers go on by themselves', async () => {
    const { load, targets } = await underLoad('all')
    await nodes.kill('all')
    const [target] = targets
    await expectRefusals(target)
    await nodes.mend()
    const back = await load.progress(100)
    await load.progress(100)
    await load.stop()
    expect(load.refused).toBeGreaterThan(0)
    expect(back).toBeLessThan(SERVICE_IS_BACK)
    expect(load.slowest).toBeLessThan(LONGEST_ANSWER)
    await until(async () => (await request(target.url, 'GET', '/health/ready')).status === 200)
    await expectKept(load, target, { fault: 'all nodes killed, and started again', back })
  })

  /** Without a database: each kind of route says "not now" in its own way, and the process is alive. */
  async function expectRefusals(target: Target): Promise<void> {
    const session = { username: 'demo', password: 'demo' }
    const json = { 'content-type': 'application/json' }
    const [read, search, logIn, live] = await Promise.all([
      fhir(target, 'GET', '/Patient/1'),
      fhir(target, 'GET', '/Patient?family=x'),
      request(target.url, 'POST', '/session', session, json),
      request(target.url, 'GET', '/health/live'),
    ])
    expect([isUnavailable(read), isUnavailable(search)]).toEqual([true, true])
    expect([logIn.status, Object.keys(logIn.body), logIn.headers.get('retry-after')]).toEqual([503, ['error'], '5'])
    expect(live.status).toBe(200)
    // /health/ready responds at once, so it reports the silent database only after a moment.
    await until(async () => (await request(target.url, 'GET', '/health/ready')).status === 503)
  }
})
