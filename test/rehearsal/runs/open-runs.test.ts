/** The record of open runs, and how a request names its run. */
import { describe, expect, test } from '@jest/globals'
import { clinicFacts } from '../../../src/clinics/clinics.ts'
import { SETTINGS, SETTINGS_KEY } from '../../../src/clinics/settings.ts'
import {
  faultsOfPlan,
  type NamedRun,
  type OpenRun,
  openRunsIn,
  runOfRequest,
  stageClosedRun,
  stageOpenRun,
} from '../../../src/rehearsal/runs/open-runs.ts'
import { openTestRepository } from '../../support/repository.ts'

const NOW = Date.parse('2026-03-02T10:00:00Z')
const HOUR = 3_600_000

const run = (id: string, more: Partial<OpenRun> = {}): OpenRun => ({
  ...{ id, callPrefix: `${id}.`, until: NOW + HOUR, faults: {} },
  ...more,
})

describe('a request', () => {
  const TWO = [run('one'), run('two')]
  const OVER = run('over', { until: NOW })

  test.each<[string, readonly OpenRun[], NamedRun, string | undefined]>([
    ['of no open run', [], { claim: 'one', header: 'one', call: 'one.1' }, undefined],
    [
      'whose token, header and call name three runs',
      [...TWO, run('x')],
      { claim: 'two', header: 'x', call: 'one.1' },
      'two',
    ],
    ['whose header and call name two', TWO, { header: 'two', call: 'one.1' }, 'two'],
    ['whose call has the prefix of one', TWO, { call: 'two.17' }, 'two'],
    ['whose call has it, and whose header is any text', TWO, { header: 'tour', call: 'two.17' }, 'two'],
    ['that names none, of two', TWO, {}, undefined],
    ['that names none, of one', [run('one')], {}, 'one'],
    ['that names none, of one and one that is over', [OVER, run('one')], {}, 'one'],
    ['whose call has another prefix, of one', [run('one')], { call: 'two.17' }, 'one'],
    ['whose header is any text, of one', [run('one')], { header: 'dashboard' }, undefined],
    ['whose token names another run, of one', [run('one')], { claim: 'over' }, undefined],
    ['whose token names another run, and whose header this one', [run('one')], { claim: 'over', header: 'one' }, 'one'],
    ['whose token names a run that is over', [OVER, run('one')], { claim: 'over' }, undefined],
    ['of a run that is over', [OVER], { claim: 'over', header: 'over', call: 'over.1' }, undefined],
  ])('%s belongs where it should', (_, runs, named, expected) => {
    expect(runOfRequest({ runs }, named, NOW)?.id).toBe(expected)
  })
})

describe('the record of a clinic', () => {
  const open = async (runs: readonly OpenRun[]) => {
    const opened = await openTestRepository(NOW)
    const { repository } = opened
    const start = (one: OpenRun) => repository.change('a', (unit) => stageOpenRun(unit, one))
    const end = (id: string) => repository.change('a', (unit) => stageClosedRun(unit, id))
    await repository.change('a', async ({ records }) => {
      records.put(SETTINGS, SETTINGS_KEY, {
        name: 'A',
        timeZone: 'America/New_York',
        dialedNumbers: [],
        defaultRegion: 'US',
        policies: { overbooking: false, slotTakenStatus: 409 },
      })
    })
    for (const one of runs) await start(one)
    const ids = async () => {
      const facts = await clinicFacts(repository, 'a')
      return facts && openRunsIn(facts).runs.map(({ id }) => id)
    }
    return { ...opened, start, end, ids }
  }

  test('has the runs that were started and not ended', async () => {
    const { end, ids } = await open([run('one'), run('two')])
    expect(await ids()).toEqual(['one', 'two'])
    await end('one')
    await end('one')
    expect(await ids()).toEqual(['two'])
    await end('two')
    expect(await ids()).toEqual([])
  })

  test('has 20 at most, among which those that are over do not count', async () => {
    const { start, ids, setTime } = await open(Array.from({ length: 20 }, (_, index) => run(`run-${index}`)))
    await expect(start(run('more'))).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('20 open runs, which is the most; finish or abort one of them first'),
    })
    setTime(NOW + HOUR)
    await start(run('more', { until: NOW + 2 * HOUR }))
    expect(await ids()).toEqual(['more'])
  })
})

test('the faults of a plan are rules by its steps, for the first matching request unless it says which', () => {
  const step = { title: '', source: '' }
  const faults = faultsOfPlan({
    steps: [
      { id: 'busy', ...step, do: { fault: 'throttled', when: { type: 'Slot' } } },
      { id: 'quiet', ...step },
      { id: 'late', ...step, do: { fault: 'slow', on: [2, 3], with: { seconds: 1 } } },
    ],
  })
  expect(faults).toEqual({
    busy: { fault: 'throttled', when: { type: 'Slot' }, on: [1], with: { 'retry-after': 5, form: 'seconds' } },
    late: { fault: 'slow', on: [2, 3], with: { seconds: 1 } },
  })
})
