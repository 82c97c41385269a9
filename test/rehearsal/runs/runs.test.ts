/** Runs over HTTP: their start, what is known of them while they are open, and their verdict. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { StepReport } from '../../../src/rehearsal/runs/run.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'
import { plan, results, SMITH, startRun } from './started-run.ts'

const HOUR = 3_600_000

let ahead = 0
let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed({}, { clock: () => Date.now() + ahead })
})
afterAll(() => clinic.server.close())

const started = (steps: readonly object[], more: object = {}, start: object = {}) =>
  startRun(clinic, steps, more, start)

describe('a run', () => {
  test('tells of its traffic and of what its client uses', async () => {
    const run = await started([{ never: { interaction: 'delete' } }])
    await run.send('GET', '/Patient?family:exact=Smith&birthdate=1970-01-01&_count=2')
    await run.send('POST', '/Patient', SMITH)
    await run.send('GET', '/Patient/nobody')
    await run.send('GET', '/clinics/demo-clinic/settings')
    const { traffic, observed, notes } = await run.finish()
    expect(traffic).toMatchObject({ exchanges: 3, tools: 0, byStatus: { '2xx': 2, '4xx': 1 } })
    expect(observed.types['Patient']).toEqual({
      interactions: ['create', 'read', 'search-type'],
      searchParameters: ['birthdate', 'family'],
      operations: [],
    })
    expect(notes).toEqual([])
  })

  test('keeps its report, whatever comes later, and a reset of the clinic does not touch it', async () => {
    const run = await started([{ expect: { interaction: 'create', type: 'Patient' } }])
    await run.send('POST', '/Patient', SMITH)
    await clinic.resetTo('quiet-week')
    expect(results(await run.find())).toEqual(['pass'])
    const report = await run.finish()
    await run.send('POST', '/Patient', SMITH)
    expect((await run.find()).steps).toEqual(report.steps)
    expect((await run.finish()).endedAt).toBe(report.endedAt)
    const { body } = await clinic.ask('GET', '/runs')
    expect(body.runs[0]).toMatchObject({ run: run.id, status: 'finished', result: 'pass', score: 100 })
  })

  test('that is aborted has no verdict and takes no more requests', async () => {
    const run = await started([{ attest: 'All is well' }])
    expect((await run.ask('POST', '/abort')).body).toMatchObject({ status: 'aborted', result: 'pending' })
    for (const path of ['/finish', '/abort']) expect((await run.ask('POST', path)).status).toBe(409)
    expect((await run.ask('POST', '/attest', { step: 'step-1', ok: true })).status).toBe(409)
  })

  test('by a strict address has it as its base, and its steps name paths below it', async () => {
    const steps = [{ expect: { path: '/Patient', status: 200 } }, { expect: { path: '/Slot', status: 400 } }]
    const run = await started(steps, {}, { as: 'oracle-r4' })
    await run.send('GET', '/as/oracle-r4/Patient?_id=nobody')
    await run.send('GET', '/as/oracle-r4/Slot?status=free')
    const report = await run.finish()
    expect(report).toMatchObject({ as: 'oracle-r4', base: `${clinic.server.url}/as/oracle-r4`, result: 'pass' })
  })

  test('is judged the same whenever the same journal is read', async () => {
    const run = await started([
      { expect: { interaction: 'create', type: 'Patient' }, after: { interaction: 'read', type: 'Patient' } },
      { never: { interaction: 'delete' } },
      { expect: { interaction: 'search-type', type: 'Slot' } },
    ])
    const { body } = await run.send('POST', '/Patient', SMITH)
    await run.send('GET', `/Patient/${body.id}`)
    await run.send('DELETE', `/Patient/${body.id}`)
    const { steps, traffic, observed } = await run.finish()
    const again = await clinic.ask('POST', '/plans/$dry-run', { plan: 'tried', run: run.id })
    expect(again.body).toEqual({ steps, traffic, observed, notes: [] })
    expect(steps.map(({ result }) => result)).toEqual(['pass', 'fail', 'fail'])
  })

  test('has a note for each other run that its requests named in a header', async () => {
    const run = await started([{ never: { interaction: 'delete' } }])
    const naming = (name: string) => ({ 'x-sandbox-run': name, 'x-run-id': run.id })
    await run.byToken('GET', '/Patient?_count=1')
    for (const name of ['run-other', 'run-other', run.id, 'tour'])
      await run.byToken('GET', '/Patient?_count=1', undefined, naming(name))
    const says = 'the token or the call says to which a request belongs'
    expect((await run.finish()).notes).toEqual([
      `2 requests of the run named another in a header, 'run-other': ${says}`,
      `One request of the run named another in a header, 'tour': ${says}`,
    ])
  })

  test('that nobody finishes ends by itself, with what was seen, and takes no more requests', async () => {
    const run = await started([{ expect: { interaction: 'create', type: 'Patient' }, times: 1 }], {}, { ttl: 'PT1M' })
    await run.byToken('POST', '/Patient', SMITH)
    ahead += HOUR
    await run.byToken('POST', '/Patient', SMITH)
    expect(await run.find()).toMatchObject({ status: 'finished', result: 'pass', traffic: { exchanges: 1 } })
  })

  test('takes no request after its end that names it all the same', async () => {
    ahead -= 2 * HOUR
    const run = await started([{ expect: { interaction: 'create', type: 'Patient' } }], {}, { ttl: 'PT1M' })
    // By the clock of the machine, which the journal has, the run is over.
    await run.send('POST', '/Patient', SMITH)
    ahead += 2 * HOUR
    expect(await run.find()).toMatchObject({ status: 'finished', traffic: { exchanges: 0 } })
  })

  test('finished by two at once ends once', async () => {
    const run = await started([{ attest: 'All is well' }])
    const [one, other] = await Promise.all([run.finish(), run.finish()])
    expect(one.endedAt).toBe(other.endedAt)
  })

  test('may have a step with the name of a member of every object', async () => {
    const run = await started([{ id: 'constructor', attest: 'All is well' }])
    expect(results(await run.finish())).toEqual(['warning'])
  })

  test('finished and aborted at once ends in one of the two ways, and the other is refused', async () => {
    const run = await started([{ attest: 'All is well' }])
    const ends = await Promise.all([run.ask('POST', '/finish'), run.ask('POST', '/abort')])
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('beside another one judges its own requests only', async () => {
    const step = { expect: { interaction: 'create', type: 'Patient' } }
    const [one, other] = [await started([step]), await started([step])]
    await one.send('POST', '/Patient', SMITH)
    expect([results(await one.finish()), results(await other.finish())]).toEqual([['pass'], ['fail']])
  })
})

describe('a run is refused', () => {
  const WELL = [{ attest: 'All is well' }]
  const setJournal = async (journal: string) => {
    const settings = await clinic.ask('GET', '/settings')
    const changed = await clinic.ask('PUT', '/settings', { ...settings.body, journal })
    expect(changed.status).toBe(200)
  }
  beforeEach(async () => void (await clinic.ask('PUT', '/plans/tried', plan(WELL))))

  test('without a journal', async () => {
    await setJournal('off')
    const { status, body } = await clinic.ask('POST', '/runs', { plan: 'tried' })
    await setJournal('full')
    expect([status, body.error]).toEqual([422, expect.stringContaining('keeps no journal')])
  })

  test.each([
    [
      'that is about somebody whom the clinic does not have',
      {
        names: { who: 'Patient/nobody-here' },
        steps: [{ id: 'no-one', title: 'x', source: 'y', state: { query: 'Appointment?patient={{who}}', count: 0 } }],
      },
      "step 'no-one' is about Patient/nobody-here",
    ],
    [
      'whose search is refused',
      { steps: [{ id: 'odd', title: 'x', source: 'y', state: { query: 'Patient?nonsense=1', count: 0 } }] },
      "step 'odd': the search Patient?nonsense=1 is refused",
    ],
  ])('with a plan %s', async (_what, more, said) => {
    expect((await clinic.ask('PUT', '/plans/tried', { ...plan(WELL), ...more })).status).toBe(200)
    const { status, body } = await clinic.ask('POST', '/runs', { plan: 'tried' })
    expect([status, body.error]).toEqual([422, expect.stringContaining(said)])
  })

  test.each([
    [{}, 400, "'plan' must be"],
    [{ plan: 'booking-livecycle' }, 404, 'There is no plan'],
    [{ plan: 'tried', clientName: '' }, 400, 'clientName'],
    [{ plan: 'tried', ttl: 'P1Y' }, 400, 'ttl'],
    [{ plan: 'tried', as: 'oracle-r5' }, 404, 'did you mean oracle-r4?'],
    [{ plan: 'tried', client: 'x' }, 400, "'client' is not known"],
  ])('with the body %j', async (body, status, said) => {
    const answer = await clinic.ask('POST', '/runs', body)
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(said)])
  })

  test('by staff, who may read runs', async () => {
    const staff = clinic.server.token
    expect((await clinic.ask('POST', '/runs', { plan: 'tried' }, staff)).status).toBe(403)
    expect((await clinic.ask('GET', '/runs', undefined, staff)).status).toBe(200)
  })
})

test('where bodies are not kept, what they decide is an error and no failure', async () => {
  const settings = await clinic.ask('GET', '/settings')
  await clinic.ask('PUT', '/settings', { ...settings.body, journal: 'headers' })
  const run = await started([
    { expect: { interaction: 'create', type: 'Patient', request: "name.family = 'Smith'" } },
    { expect: { interaction: 'create', type: 'Patient' } },
  ])
  await run.send('POST', '/Patient', SMITH)
  const report = await run.finish()
  await clinic.ask('PUT', '/settings', settings.body)
  expect([results(report), report.result]).toEqual([['error', 'pass'], 'error'])
})

test('a plan that asks for much is judged without holding up others', async () => {
  const dear = 'Bundle.entry.resource.descendants().descendants().where($this.toString() = $this.toString()).empty()'
  const steps = Array.from({ length: 30 }, () => ({
    expect: { interaction: 'search-type', response: Array(10).fill(dear) },
  }))
  const run = await started(steps)
  for (let count = 0; count < 5; count += 1) await run.send('GET', '/Patient?_count=10')
  const judging = run.find()
  let isJudged = false
  const done = judging.then(() => {
    isJudged = true
  })
  let served = 0
  while (!isJudged) {
    expect((await clinic.server.fhir('GET', '/Patient?_count=1')).status).toBe(200)
    served += 1
  }
  await done
  await run.ask('POST', '/abort')
  expect(served).toBeGreaterThan(10)
})

test('while a run is open the journal keeps its exchanges, however few it is set to', async () => {
  const settings = await clinic.ask('GET', '/settings')
  await clinic.ask('PUT', '/settings', { ...settings.body, journalEntries: 100 })
  const run = await started([{ expect: { interaction: 'create', type: 'Patient' } }])
  await run.send('POST', '/Patient', SMITH)
  for (let round = 0; round < 15; round += 1)
    await Promise.all(Array.from({ length: 10 }, () => run.send('GET', '/Patient?_count=1')))
  const report = await run.finish()
  await clinic.ask('PUT', '/settings', settings.body)
  expect([results(report), report.notes, report.traffic.exchanges]).toEqual([['pass'], [], 151])
})

test('a plan is tried on recorded traffic, and nothing is kept of that', async () => {
  await clinic.server.fhir('POST', '/Patient', SMITH, {
    'x-run-id': 'recorded',
    authorization: `Bearer ${clinic.server.token}`,
  })
  const steps = [{ expect: { interaction: 'create', type: 'Patient' } }, { expect: { interaction: 'delete' } }]
  const { status, body } = await clinic.ask('POST', '/plans/$dry-run', { plan: plan(steps), run: 'recorded' })
  expect([status, body.steps.map(({ result }: StepReport) => result)]).toEqual([200, ['pass', 'fail']])
})
