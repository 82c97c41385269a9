/** Generations of a clinic's data, and its clock, on a real store. */
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { addFailures, type Counter, waitFor } from '../../src/clinics/failed-attempts.ts'
import { SETTINGS } from '../../src/clinics/settings.ts'
import { type Generation, stageGeneration } from '../../src/repository/generation.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const NOW = Date.parse('2026-03-02T09:00:00Z')
const DAY = 86_400_000
const CLINIC = 'north-side'
const DUE = recordKind<string>('freed-slot')

let store: TestRepository
beforeEach(async () => {
  store = await openTestRepository(NOW)
})

const use = (generation: Generation, clinic = CLINIC) =>
  store.repository.change(clinic, (unit) => stageGeneration(unit, generation))

const register = (family: string, clinic = CLINIC) =>
  store.access(clinic).change((ctx) => ctx.update<Patient>({ resourceType: 'Patient', id: 'p', name: [{ family }] }))

async function familyIn(clinic = CLINIC): Promise<string | undefined> {
  const reader = await store.access(clinic).reader()
  return (await reader.find<Patient>('Patient', 'p'))?.resource.name?.[0]?.family
}

const found = async (query: string) => {
  const reader = await store.access(CLINIC).reader()
  return (await reader.search<Patient>('Patient', query)).map(({ resource }) => resource.name?.[0]?.family)
}

describe('a generation', () => {
  test('has resources of its own: read, search and history know those of no other', async () => {
    await register('Okafor')
    await use({ number: 1 })
    expect(await familyIn()).toBeUndefined()
    await register('Adeyemi')
    await register('Abara')
    expect([await found('family=Abara'), await found('family=Okafor'), await found('')]).toEqual([
      ['Abara'],
      [],
      ['Abara'],
    ])
    const { unit } = await store.access(CLINIC).reader()
    expect((await unit.history({ count: 10 })).versions.map(({ version }) => version)).toEqual([2, 1])
    await use({ number: 0 })
    expect([await familyIn(), await found('family=Okafor')]).toEqual(['Okafor', ['Okafor']])
  })

  test('has records of its own, but not the settings of the clinic', async () => {
    const put = (value: string) =>
      store.repository.change(CLINIC, async ({ records }) => {
        await records.read(DUE, 'k')
        records.put(DUE, 'k', value)
      })
    await store.repository.change(CLINIC, async ({ records }) => records.put(SETTINGS, 'settings', { name: 'North' }))
    await put('old')
    await use({ number: 1 })
    expect(await store.repository.readRecord(CLINIC, DUE, 'k')).toBeUndefined()
    await put('new')
    expect((await store.repository.records(DUE, { clinic: CLINIC, limit: 9 })).map(({ value }) => value)).toEqual([
      'new',
    ])
    expect((await store.repository.readRecord(CLINIC, SETTINGS, 'settings'))?.value).toEqual({ name: 'North' })
  })

  test('is one throughout an access, also where another becomes current meanwhile', async () => {
    await register('Okafor')
    const access = store.access(CLINIC)
    await access.reader()
    await use({ number: 1 })
    await register('Adeyemi')
    expect((await (await access.reader()).read<Patient>('Patient', 'p')).resource.name?.[0]?.family).toBe('Okafor')
    await access.change((ctx) => ctx.update<Patient>({ resourceType: 'Patient', id: 'p', name: [{ family: 'Late' }] }))
    expect(await familyIn()).toBe('Adeyemi')
  })

  test('is no clinic: the list of clinics names the clinic once', async () => {
    await register('Okafor')
    await use({ number: 1 })
    await register('Adeyemi')
    expect(await store.repository.clinics()).toEqual([CLINIC])
  })

  test('that is replaced has no due records, however many wait to be deleted', async () => {
    await store.repository.change(CLINIC, async ({ records }) => {
      for (let number = 0; number < 50; number++) records.put(DUE, `k${number}`, 'old', { due: NOW - DAY })
    })
    await use({ number: 1 })
    const due = () => store.repository.dueRecords(DUE, { limit: 5 })
    expect(await due()).toEqual([])
    await store.repository.change(CLINIC, async ({ records }) => records.put(DUE, 'k', 'new', { due: NOW }))
    expect(await due()).toMatchObject([{ clinic: CLINIC, key: 'k', value: 'new' }])
  })
})

describe('the clock of a clinic', () => {
  const timesOf = async (clinic = CLINIC) => {
    const { now, unit } = await store.access(clinic).reader()
    return [now, unit.writtenAt]
  }

  test('moves what happens in the clinic, and no version: those have the time of the machine', async () => {
    await use({ number: 0, clock: { ahead: 3 * DAY } })
    expect(await timesOf()).toEqual([NOW + 3 * DAY, NOW])
    expect((await register('Okafor')).lastUpdated).toBe(NOW)
  })

  test('that is stopped stays where it is', async () => {
    await use({ number: 0, clock: { at: NOW + DAY } })
    store.setTime(NOW + 2 * DAY)
    expect(await timesOf()).toEqual([NOW + DAY, NOW + 2 * DAY])
  })

  test('is that of no other clinic', async () => {
    await use({ number: 0, clock: { ahead: DAY } })
    expect(await timesOf('south-side')).toEqual([NOW, NOW])
  })

  test('decides what is due in the clinic: earlier than by the machine, or later', async () => {
    const put = (clinic: string, due: number) =>
      store.repository.change(clinic, async ({ records }) => records.put(DUE, clinic, 'due', { due }))
    await put('ahead', NOW + DAY)
    await put('behind', NOW)
    await put('usual', NOW)
    await put('usual-later', NOW + DAY)
    await use({ number: 0, clock: { ahead: DAY } }, 'ahead')
    await use({ number: 0, clock: { at: NOW - 1 } }, 'behind')
    const due = async () =>
      (await store.repository.dueRecords(DUE, { limit: 20 })).map(({ clinic }) => clinic).toSorted()
    expect(await due()).toEqual(['ahead', 'usual'])
    await use({ number: 0 }, 'behind')
    expect(await due()).toEqual(['ahead', 'behind', 'usual'])
  })

  test('does not decide what is due of the records that outlast a reset: bytes that wait to be used, and waits after failures', async () => {
    await store.contents.receive(CLINIC, Readable.from([Buffer.from('x')]), 10)
    const limit = { kind: recordKind<Counter>('verification-attempts'), key: 'k', patience: { free: 1, longest: DAY } }
    await store.repository.change(CLINIC, (unit) => addFailures(unit, limit, 1))
    const dueContents = async () => (await store.repository.dueRecords(CONTENT, { limit: 5 })).length
    const wait = async () => await waitFor(await store.repository.reader(CLINIC), [limit])
    const before = await wait()
    await use({ number: 0, clock: { ahead: 30 * DAY } })
    expect([await dueContents(), await wait()]).toEqual([0, before])
    store.setTime(NOW + DAY)
    expect([await dueContents(), await wait()]).toEqual([1, 0])
  })
})
