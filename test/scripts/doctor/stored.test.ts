/** Findings about values that a test of the whole doctor cannot bring about: full disks, clocks, indexes. */
import { describe, expect, test } from '@jest/globals'
import {
  databaseClockFinding,
  diskFinding,
  indexFinding,
  olderIndex,
  subscriptionFindings,
} from '../../../scripts/doctor/stored.ts'
import { extraction } from '../../../src/search/index/versions.ts'

const GIGABYTE = 1024 ** 3

describe('a disk', () => {
  test.each([
    [2, 10, 'ok'],
    [2, 100, 'to do'],
    [0.5, 1, 'to do'],
    [100, 1000, 'ok'],
  ] as const)('with %d of %d GB free is %s', (free, size, state) => {
    expect(diskFinding('here', free * GIGABYTE, size * GIGABYTE).state).toBe(state)
  })
})

describe('a search index', () => {
  const type = { type: 'Patient', generation: 2, wanted: { name: '2' }, filled: { name: '2' } }
  const old = { ...type, type: 'Slot', filled: { name: '1' } }

  test('that is complete is right', () => {
    expect(indexFinding([type], 0)).toMatchObject({ state: 'ok' })
  })

  test('that is incomplete is noted while a server works on it, and else needs one', () => {
    expect(indexFinding([type, old], Date.now() + 10_000)).toMatchObject({
      state: 'note',
      said: expect.stringMatching(/^Slot are/),
    })
    expect(indexFinding([type, old], 0)).toMatchObject({ state: 'to do', said: expect.stringContaining('start one') })
  })
})

test('a search index of an earlier version is noted before a start makes it anew, with the time and that there is no way back', () => {
  const { version } = extraction('')
  expect(olderIndex(version, 1_000)).toEqual([])
  expect(olderIndex(version - 1, 1_000)).toMatchObject([
    {
      state: 'note',
      said: expect.stringMatching(/at most 1000 resources .* about 2 s\. Servers of earlier versions refuse/),
    },
  ])
})

test('Subscriptions in error are counted in the current generation of each clinic', () => {
  const record = (clinic: string, value: object) => ({ clinic, kind: 'x', key: 'x', version: 1, value, due: null })
  const failed = (count: number) => ({ types: {}, running: count, statuses: { error: count } })
  const subscribed = [record('north', failed(1)), record('north~2', failed(2)), record('south', failed(3))]
  const said = (generation: number) =>
    subscriptionFindings(
      [...subscribed, record('west', { types: {}, running: 0 })],
      [record('north', { number: generation })],
    )
  expect(said(2)).toMatchObject([{ state: 'note', said: expect.stringContaining('at north (2), south (3): ') }])
  expect(said(3)).toMatchObject([{ state: 'note', said: expect.stringContaining('at south (3): ') }])
  expect(subscriptionFindings([], [])).toMatchObject([{ state: 'ok' }])
})

test('the clock of MongoDB may differ from that of the machine by some seconds, not by a minute', () => {
  expect(databaseClockFinding(Date.now() - 2_000).state).toBe('ok')
  expect(databaseClockFinding(Date.now() - 60_000)).toMatchObject({
    state: 'to do',
    said: expect.stringContaining('differ by -60 s'),
  })
})
