/** Runs over HTTP: their start, what is known of them while they are open, and their verdict. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import type { RunReport, StepReport } from '../../../src/rehearsal/runs/run.ts'
import { request } from '../../support/server.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'

const HOUR = 3_600_000

let ahead = 0
let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed({}, { clock: () => Date.now() + ahead })
})
afterAll(() => clinic.server.close())

const SMITH: Patient = { resourceType: 'Patient', name: [{ family: 'Smith', given: ['Ann'] }], birthDate: '1970-01-01' }

const plan = (steps: readonly object[], more: object = {}) => ({
  ...{ plan: 'tried', title: 'Tried', version: '1.0.0', description: 'A plan of a test' },
  ...more,
  steps: steps.map((step, index) => ({
    id: `step-${index + 1}`,
    title: 'A step',
    source: 'https://hl7.org/fhir/R4/http.html',
    ...step,
  })),
})

interface Run {
  readonly id: string
  readonly send: (method: string, path: string, body?: unknown, headers?: object) => ReturnType<typeof request>
  /** By its token alone. */
  readonly byToken: (method: string, path: string, body?: unknown, headers?: object) => ReturnType<typeof request>
  readonly find: () => Promise<RunReport>
  readonly finish: () => Promise<RunReport>
  readonly ask: (method: string, path: string, body?: unknown) => ReturnType<Rehearsed['ask']>
}

async function started(steps: readonly object[], more: object = {}, start: object = {}): Promise<Run> {
  const stored = await clinic.ask('PUT', '/plans/tried', plan(steps, more))
  expect(stored.text.slice(0, 400)).toContain('"plan":"tried"')
  const { status, body, text } = await clinic.ask('POST', '/runs', { plan: 'tried', ...start })
  expect([status, text.slice(0, 300)]).toEqual([201, expect.any(String)])
  const id: string = body.run
  const ask: Run['ask'] = (method, path, given) => clinic.ask(method, `/runs/${id}${path}`, given)
  const headers = { authorization: `Bearer ${clinic.server.token}`, 'x-sandbox-run': id }
  return {
    id,
    ask,
    send: (method, path, given, further) => request(clinic.server.url, method, path, given, { ...headers, ...further }),
    byToken: (method, path, given, further) =>
      request(clinic.server.url, method, path, given, { authorization: `Bearer ${body.token}`, ...further }),
    find: async () => (await ask('GET', '')).body,
    finish: async () => (await ask('POST', '/finish')).body,
  }
}

const results = ({ steps }: RunReport) => steps.map(({ result }) => result)
const only = ({ steps: [step] }: RunReport): StepReport => step as StepReport

describe('a step', () => {
  const READS = { expect: { interaction: 'read', type: 'Patient', status: 200 } }

  test('whose exchange comes passes, and names it', async () => {
    const run = await started([READS])
    expect(results(await run.find())).toEqual(['pending'])
    const { body } = await clinic.server.fhir('POST', '/Patient', SMITH)
    const read = await run.send('GET', `/Patient/${body.id}`)
    const exchange = read.headers.get('x-request-id')
    expect(only(await run.find())).toMatchObject({ result: 'pass', evidence: [{ exchange, of: 'expect' }] })
    const report = await run.finish()
    expect(report).toMatchObject({ status: 'finished', result: 'pass', score: 100 })
    expect(only(report).message).toBe(`GET /Patient/${body.id} 200 came as expected.`)
  })

  test('that is required and not seen fails with the nearest exchange', async () => {
    const run = await started([
      { expect: { interaction: 'search-type', type: 'Slot', query: { status: 'free', start: ['ge*', 'gt*'] } } },
    ])
    await run.send('GET', '/Slot?status=free')
    const step = only(await run.finish())
    expect(step).toMatchObject({ result: 'fail', evidence: [{ of: 'nearest', line: 'GET /Slot?status=free 200' }] })
    expect(step.message).toBe(
      'Search-type Slot with status, start was expected; GET /Slot?status=free 200 came, but start is absent, not ge* or gt*.',
    )
  })

  test('that is optional and not seen is skipped', async () => {
    const run = await started([{ ...READS, optional: true }])
    const report = await run.finish()
    expect([results(report), report.result, report.score]).toEqual([['skip'], 'pass', 100])
  })

  test('fails where something comes that must not, after its own exchange only', async () => {
    const run = await started([
      { expect: { interaction: 'search-type', type: 'Patient' }, never: { interaction: 'create', type: 'Patient' } },
    ])
    await run.send('POST', '/Patient', SMITH)
    await run.send('GET', '/Patient?family=Smith')
    expect(results(await run.find())).toEqual(['pass'])
    await run.send('POST', '/Patient', SMITH)
    expect(only(await run.finish())).toMatchObject({
      result: 'fail',
      message: 'POST /Patient 201 came, which must not.',
    })
  })

  test('fails where the same as its own exchange comes again too soon', async () => {
    const again = { same: 'address', soonerThan: 'PT1M' }
    const run = await started([
      { expect: { interaction: 'search-type', type: 'Patient' }, never: again },
      { expect: { interaction: 'search-type', type: 'Patient' }, after: again },
    ])
    await run.send('GET', '/Patient?family=Smith')
    expect(results(await run.find())).toEqual(['pass', 'pending'])
    await run.send('GET', '/Patient?family=Smith')
    expect(results(await run.finish())).toEqual(['fail', 'pass'])
  })

  test('is told apart from another of the same fault by its when', async () => {
    const provoke = (type: string) => ({ fault: 'throttled', with: { 'retry-after': 1 }, when: { type } })
    const again = { same: 'address', status: 200 }
    const run = await started([
      { do: provoke('Patient'), after: again },
      { do: provoke('Task'), after: again },
    ])
    for (const path of ['/Patient', '/Task', '/Task']) await run.send('GET', path)
    expect(results(await run.finish())).toEqual(['fail', 'pass'])
  })

  test('is missed, not unclear, where its address says so and a long body is not kept', async () => {
    const run = await started([
      { expect: { interaction: 'search-type', type: 'Slot', query: { status: 'busy' }, response: 'entry.exists()' } },
    ])
    const { headers } = await run.send('GET', '/Slot?status=free&_count=200')
    const { body } = await clinic.ask('GET', `/exchanges/${headers.get('x-request-id')}`)
    expect(body.response.body.cut).toBe(true)
    expect(only(await run.finish())).toMatchObject({ result: 'fail', evidence: [{ of: 'nearest' }] })
  })

  test('counts', async () => {
    const run = await started([
      { expect: { interaction: 'create', type: 'Patient' }, times: 1 },
      { expect: { interaction: 'create', type: 'Patient' }, times: { least: 3 } },
    ])
    await run.send('POST', '/Patient', SMITH)
    await run.send('POST', '/Patient', SMITH)
    const { steps } = await run.finish()
    expect(steps.map(({ message }) => message)).toEqual([
      'It came 2 times, and may come 1 times.',
      expect.stringContaining('at least 3 times, and came 2 times'),
    ])
  })

  test('asks bodies by FHIRPath, also about those of its own exchange', async () => {
    const run = await started([
      {
        expect: { interaction: 'create', type: 'Patient', request: "name.family = 'Smith'", response: 'id.exists()' },
        after: {
          interaction: 'update',
          type: 'Patient',
          request: 'id = %received.id and name.given = %sent.name.given',
        },
      },
    ])
    const { body } = await run.send('POST', '/Patient', SMITH)
    await run.send('PUT', `/Patient/${body.id}`, {
      ...SMITH,
      id: body.id,
      name: [{ family: 'Smith', given: ['Other'] }],
    })
    expect(results(await run.find())).toEqual(['pending'])
    await run.send('PUT', `/Patient/${body.id}`, { ...SMITH, id: body.id, active: true })
    expect(results(await run.finish())).toEqual(['pass'])
  })

  test('meets its fault, and what comes sooner than Retry-After fails it', async () => {
    const step = {
      do: { fault: 'throttled', when: { type: 'Patient', interaction: 'search-type' }, with: { 'retry-after': 3 } },
      never: { type: 'Patient', interaction: 'search-type', soonerThan: 'retry-after' },
    }
    const [patient, rash] = [await started([step]), await started([step])]
    expect((await patient.send('GET', '/Patient?family=Smith')).status).toBe(429)
    expect((await rash.send('GET', '/Patient?family=Smith')).status).toBe(429)
    expect((await rash.send('GET', '/Patient?family=Smith')).status).toBe(200)
    expect(results(await patient.finish())).toEqual(['pass'])
    expect(results(await rash.finish())).toEqual(['fail'])
  })

  test('searches the record when the run is finished', async () => {
    const family = `Once${Date.now()}`
    const run = await started([{ state: { query: `Patient?family=${family}`, count: 1 } }])
    await run.send('POST', '/Patient', { ...SMITH, name: [{ family }] })
    expect(results(await run.find())).toEqual(['pending'])
    await run.send('POST', '/Patient', { ...SMITH, name: [{ family }] })
    const step = only(await run.finish())
    expect([step.result, step.message]).toEqual(['fail', `Patient?family=${family} must find 1, and finds 2.`])
  })

  test('is attested by a person, and is a warning without', async () => {
    const run = await started([{ attest: 'The caller is told the true time' }, { attest: 'The caller is told no' }])
    const told = await run.ask('POST', '/attest', { step: 'step-1', ok: false, note: 'she was told nine' })
    expect(told.status).toBe(200)
    const report = await run.finish()
    expect(report.steps.map(({ result, message }) => [result, message])).toEqual([
      ['fail', expect.stringContaining('says no: The caller is told the true time (she was told nine).')],
      ['warning', 'Nobody has said whether: The caller is told no.'],
    ])
  })
})

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
