/** A store in a SQLite file notices the commits of all threads and processes, by clinic and type. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { newFolder } from '../support/run.ts'
import { Clinic, COMBINED } from './fixtures.ts'

const WRITERS = ['the same store', 'another store', 'another thread'] as const

/** More than are looked at one by one. */
const MANY = 300

describe.each(WRITERS)('what %s writes', (name) => {
  let reader: ResourceStore
  let writer: ResourceStore
  beforeEach(async () => {
    const options = { path: join(newFolder(), 'emr.db'), combined: COMBINED }
    reader = await openSqliteStore(options)
    if (name === 'the same store') writer = reader
    else if (name === 'another store') writer = await openSqliteStore(options)
    else writer = await openSqliteStore({ ...options, shared: reader.share?.()?.value })
    last('one', 'Patient')
  })
  afterEach(async () => {
    await writer.close()
    await reader.close()
  })

  const last = (clinic: string, ...types: string[]) => reader.noticeChanges?.().last(clinic, types) ?? Number.NaN

  test('shows at its type and its clinic, and at no other', async () => {
    const clinic = new Clinic(writer, 'one')
    await clinic.put('Slot/1')
    const before = { slots: last('one', 'Slot'), others: last('one', 'Patient', 'Schedule'), two: last('two', 'Slot') }
    expect(before.slots).toBeGreaterThan(before.others)
    await clinic.put('Slot/1')
    expect(last('one', 'Slot')).toBeGreaterThan(before.slots)
    expect(last('one', 'Schedule', 'Slot')).toBe(last('one', 'Slot'))
    expect([last('one', 'Patient', 'Schedule'), last('two', 'Slot')]).toEqual([before.others, before.two])
  })

  test('shows where it is a deletion', async () => {
    const clinic = new Clinic(writer, 'one')
    await clinic.put('Slot/1')
    const before = last('one', 'Slot')
    await clinic.delete('Slot/1')
    expect(last('one', 'Slot')).toBeGreaterThan(before)
  })

  test('shows where it is so much that everything counts as changed', async () => {
    const clinic = new Clinic(writer, 'one')
    await clinic.put('Slot/1')
    const before = [last('one', 'Slot'), last('one', 'Patient'), last('two', 'Slot')]
    await clinic.fill(MANY, (n) => clinic.change(`Slot/many-${n}`))
    const after = [last('one', 'Slot'), last('one', 'Patient'), last('two', 'Slot')]
    expect(after.every((number, index) => number > (before[index] ?? 0))).toBe(true)
    expect([last('one', 'Slot'), last('one', 'Patient'), last('two', 'Slot')]).toEqual(after)
  })

  test('shows nothing where it is a record', async () => {
    const clinic = new Clinic(writer, 'one')
    await clinic.put('Slot/1')
    const before = last('one', 'Slot')
    await clinic.record('lease', 'x', 1)
    expect(last('one', 'Slot')).toBe(before)
  })
})

test('a store in memory notices its own changes', async () => {
  const store = await openSqliteStore({ path: ':memory:', combined: COMBINED })
  const last = () => store.noticeChanges?.().last('one', ['Slot']) ?? Number.NaN
  const before = last()
  await new Clinic(store, 'one').put('Slot/1')
  expect(last()).toBeGreaterThan(before)
  await store.close()
})
