/** Units of work: atomic changes, based on the versions they have read. */
import { afterEach, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { Repository, type UnitOfWork } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'

const NOTE = recordKind<number>('outbox')

const stores: ResourceStore[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

async function open(): Promise<Repository> {
  const store = await openTestStore()
  stores.push(store)
  return new Repository(store, { baseUrl: 'http://localhost' })
}

const patient = (id: string, more: Partial<Patient> = {}): Patient => ({ resourceType: 'Patient', id, ...more })
const current = async (repository: Repository, id: string) =>
  (await (await repository.reader('c')).read<Patient>('Patient', id))?.resource

describe('a change', () => {
  test.each([
    ['read', async (unit: UnitOfWork) => (await unit.read<Patient>('Patient', 'p'))?.resource],
    [
      'found by a search',
      async (unit: UnitOfWork) => {
        const plan = {
          clinic: 'c',
          types: ['Patient'],
          where: [],
          sort: [],
          count: 10,
          total: 'none',
          include: [],
          includeLimit: 0,
        } as const
        return (await unit.search(plan)).matches[0]?.resource as Patient | undefined
      },
    ],
  ])('keeps what another one wrote after it was %s', async (_name, look) => {
    const repository = await open()
    await repository.change('c', (unit) => unit.put(patient('p'), 'PUT'))
    let interfered = false
    await repository.change('c', async (unit) => {
      const seen = await look(unit)
      if (!interfered) {
        interfered = true
        await repository.change('c', (other) => other.put(patient('p', { birthDate: '1980-03-03' }), 'PUT'))
      }
      await unit.put({ ...patient('p'), ...seen, active: true }, 'PUT')
    })
    expect(await current(repository, 'p')).toMatchObject({
      birthDate: '1980-03-03',
      active: true,
      meta: { versionId: '3' },
    })
  })

  test('that writes one resource twice makes one version of it', async () => {
    const repository = await open()
    await repository.change('c', async (unit) => {
      await unit.put(patient('p'), 'POST')
      await unit.put(patient('p', { active: true }), 'PUT')
    })
    expect(await current(repository, 'p')).toMatchObject({ active: true, meta: { versionId: '1' } })
    expect((await (await repository.reader('c')).history({ count: 10 })).versions.map(({ method }) => method)).toEqual([
      'POST',
    ])
  })

  test('sees what it has staged before it is written, and nobody else does', async () => {
    const repository = await open()
    await repository.change('c', async (unit) => {
      await unit.put(patient('p', { active: true }), 'POST')
      expect((await unit.read<Patient>('Patient', 'p'))?.resource.active).toBe(true)
      expect(await current(repository, 'p')).toBeUndefined()
    })
  })

  test('that fails writes nothing of what it staged', async () => {
    const repository = await open()
    const failed = repository.change('c', async (unit) => {
      await unit.put(patient('p'), 'POST')
      unit.records.put(NOTE, 'k', 1)
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await current(repository, 'p')).toBeUndefined()
    expect(await repository.readRecord('c', NOTE, 'k')).toBeUndefined()
  })

  test('tells what it has staged of a type, each resource as it is now', async () => {
    const repository = await open()
    await repository.change('c', async (unit) => {
      await unit.put(patient('kept'), 'PUT')
      await unit.put(patient('gone'), 'PUT')
    })
    const unit = await repository.reader('c')
    await unit.put(patient('kept', { active: false }), 'PUT')
    await unit.put(patient('kept', { active: true }), 'PUT')
    await unit.delete('Patient', 'gone')
    const staged = unit.staged<Patient>('Patient')
    expect(staged.map(({ id, deleted }) => [id, deleted])).toEqual([
      ['kept', false],
      ['gone', true],
    ])
    expect(staged[0]?.resource.active).toBe(true)
    expect(unit.staged('Practitioner')).toEqual([])
  })

  test('is refused by a check before its commit, which sees everything that is staged, once for a subject', async () => {
    const repository = await open()
    const seen: unknown[] = []
    const change = repository.change('c', async (unit) => {
      const check = async () => {
        seen.push((await unit.read<Patient>('Patient', 'p'))?.resource.active)
        throw new Error('refused')
      }
      unit.checkBeforeCommit('Patient/p', check)
      unit.checkBeforeCommit('Patient/p', check)
      await unit.put(patient('p', { active: true }), 'PUT')
    })
    await expect(change).rejects.toThrow('refused')
    expect(seen).toEqual([true])
    expect(await current(repository, 'p')).toBeUndefined()
  })

  test('that loses for a second, as while a replica set elects, is written after that', async () => {
    const repository = await open()
    const end = Date.now() + 1_000
    let others = 0
    await repository.change('c', async (unit) => {
      await unit.read('Patient', 'p')
      if (Date.now() < end)
        await repository.change('c', (other) =>
          other.put(patient('p', { birthDate: `19${10 + (others++ % 90)}` }), 'PUT'),
        )
      await unit.put(patient('p', { active: true }), 'PUT')
    })
    expect(others).toBeGreaterThan(4)
    expect(await current(repository, 'p')).toMatchObject({ active: true })
  })

  test('that always loses is given up with 409', async () => {
    const repository = await open()
    let n = 0
    const loser = repository.change('c', async (unit) => {
      await unit.read('Patient', 'p')
      await repository.change('c', (other) => other.put(patient('p', { birthDate: `19${10 + (n++ % 90)}` }), 'PUT'))
      await unit.put(patient('p'), 'PUT')
    })
    await expect(loser).rejects.toMatchObject({ status: 409 })
  })

  test('never gives a version an earlier time than the one before', async () => {
    const store = await openTestStore()
    stores.push(store)
    let now = 2_000_000
    const repository = new Repository(store, { baseUrl: 'http://localhost', clock: () => now })
    await repository.change('c', (unit) => unit.put(patient('p'), 'PUT'))
    now = 1_000_000
    await repository.change('c', (unit) => unit.put(patient('p', { active: true }), 'PUT'))
    expect((await current(repository, 'p'))?.meta?.lastUpdated).toBe(new Date(2_000_000).toISOString())
  })
})
