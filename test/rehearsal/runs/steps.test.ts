/** Steps of a run over HTTP: what each of them watches, and how it is judged. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RunReport, StepReport } from '../../../src/rehearsal/runs/run.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'
import { results, SMITH, startRun } from './started-run.ts'

let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed()
})
afterAll(() => clinic.server.close())

const started = (steps: readonly object[], more: object = {}, start: object = {}) =>
  startRun(clinic, steps, more, start)

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
