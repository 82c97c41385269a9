/** The limits of searches on MongoDB: the time of each command, and the number of commands of a search. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Condition } from '../../src/search/plan.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import { newMongoUrl, withDatabase } from '../support/mongo.ts'
import { commandsDuring, OF_CLINICS, type SentCommand } from '../support/mongo-commands.ts'
import { Clinic, COMBINED, reference, string, token } from './fixtures.ts'

const PATIENTS = 200
const MAX_LISTED = 20

let url = ''
let clinic: Clinic

beforeAll(async () => {
  url = await newMongoUrl()
  clinic = new Clinic(await openMongoStore({ url, combined: COMBINED, maxListed: MAX_LISTED }), 'c')
  const numbers = Array.from({ length: PATIENTS }, (_, n) => n)
  await clinic.write(...numbers.map((n) => clinic.change(`Patient/p${n}`, [string('name', `Family${n}`)])))
  await clinic.write(
    ...numbers.map((n) =>
      clinic.change(`Observation/o${n}`, [reference('subject', `Patient/p${n}`), token('code', `code-${n % 100}`)]),
    ),
  )
})

afterAll(async () => {
  if (url === '') return
  await clinic.store.close()
  await withDatabase(url, (db) => db.dropDatabase())
})

async function commandsOf(work: () => Promise<unknown>): Promise<readonly SentCommand[]> {
  const commands = await commandsDuring(work)
  return commands.filter(({ collection }) => OF_CLINICS.has(collection))
}

const name = (match: 'prefix' | 'contains', value: string): Condition => ({
  kind: 'string',
  param: 'name',
  match,
  value,
})
const ofPatient = (where: Condition): Condition => ({ kind: 'chain', param: 'subject', types: ['Patient'], where })
/** A condition that every resource fulfils. */
const ANY: Condition = { kind: 'all', of: [] }
const anyOf = (of: readonly Condition[]): Condition => ({ kind: 'any', of })
const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n))

describe('on MongoDB', () => {
  test('every command that reads for a request says how long it may take', async () => {
    const include = [{ source: 'Observation', param: 'subject', reverse: false, iterate: false }] as const
    const where = [ofPatient(name('prefix', 'family7'))]
    const commands = await commandsOf(async () => {
      await clinic.read('Patient/p1')
      await clinic.store.readVersion('c', 'Patient', 'p1', 7)
      await clinic.store.readRecord('c', 'call', '1')
      await clinic.search('Observation', { where, include, total: 'accurate' })
      await clinic.search('Observation', { where: [{ kind: 'not', of: anyOf(where) }], count: 5 })
      await clinic.search('Patient', { where: [name('prefix', 'family1')], count: 2 })
      await clinic.search(['Patient', 'Observation', 'Slot', 'Basic'], { count: 2 })
      await clinic.search('Patient', { sort: [{ by: 'string', param: 'name', descending: true }], count: 2 })
      await clinic.history({ type: 'Patient', count: 2 })
      await clinic.store.values({ clinic: 'c', kind: 'token', param: 'code', limit: 3 })
      await clinic.store.records({ clinic: 'c', kind: 'call', limit: 1 })
      await clinic.store.scanVersions({ clinic: 'c', limit: 1 })
      await clinic.store.scanRecords({ clinic: 'c', limit: 1 })
    })
    expect(commands.length).toBeGreaterThan(20)
    const unlimited = commands.filter(({ name, command }) => name !== 'getMore' && !(command['maxTimeMS'] > 0))
    expect(unlimited.map(({ name, collection, command }) => [name, collection, JSON.stringify(command)])).toEqual([])
  })

  test.each<[string, Condition, number]>([
    ['chains through one reference', anyOf(numbered(60, (n) => ofPatient(name('contains', `y${n}`)))), 3],
    ['parts of a string', ofPatient(anyOf(numbered(200, (n) => name('contains', `ly19${n}`)))), 3],
    ['the same condition', { kind: 'all', of: numbered(20, () => ofPatient(name('prefix', 'family19'))) }, 4],
  ])('many alternatives of %s are looked up by one scan', async (_, condition, most) => {
    const commands = await commandsOf(() => clinic.search('Observation', { where: [condition] }).catch(() => {}))
    expect(commands.length).toBeLessThanOrEqual(most)
  })

  test('alternatives find the same together as one by one', async () => {
    const found = async (value: string) => clinic.find('Observation', [ofPatient(name('contains', value))])
    const together = anyOf(['ly19', 'y3', 'none', 'family1(', '199'].map((value) => ofPatient(name('contains', value))))
    const unlimited = new Clinic(await openMongoStore({ url, combined: COMBINED }), 'c')
    try {
      const one = await unlimited.find('Observation', [ofPatient(name('contains', 'ly19'))])
      const other = await unlimited.find('Observation', [ofPatient(name('contains', 'y3'))])
      expect(await unlimited.find('Observation', [together])).toEqual([...new Set([...one, ...other])].toSorted())
    } finally {
      await unlimited.store.close()
    }
    expect(await found('ly19')).toHaveLength(11)
  })

  test.each<[string, string, Condition]>([
    ['a chain', 'Observation', ofPatient(name('prefix', 'family'))],
    [
      '_has',
      'Patient',
      { kind: 'has', type: 'Observation', param: 'subject', where: { kind: 'token', param: 'code' } },
    ],
  ])('%s through more resources than can be listed is refused as too costly', async (_, type, condition) => {
    await expect(clinic.search(type, { where: [condition] })).rejects.toMatchObject({
      name: 'BudgetError',
      reason: 'too costly',
    })
  })

  test.each([
    ['16 MB that a document may have', 18],
    ['100 MB that the database may keep', 110],
  ])('addresses of more than the %s are refused as too costly', async (_, megabytes) => {
    const store = await openMongoStore({ url, combined: COMBINED })
    const addressed = new Clinic(store, `addresses-${megabytes}`)
    try {
      for (const n of numbered(megabytes, (each) => each)) {
        const address = `http://example.org/${n}/${'x'.repeat(1024 * 1024)}`
        await addressed.put(`Questionnaire/q${n}`, [reference('_canonical', address)])
      }
      const where = [
        { kind: 'chain', param: 'questionnaire', types: ['Questionnaire'], canonical: true, where: ANY },
      ] as const
      await expect(addressed.search('QuestionnaireResponse', { where })).rejects.toMatchObject({
        name: 'BudgetError',
        reason: 'too costly',
      })
    } finally {
      await store.close()
    }
  })
})

describe('records that every request reads, in several threads of a process', () => {
  test('show at once what another of the stores has written', async () => {
    const options = { url, combined: COMBINED, recentKinds: ['settings'] }
    const store = await openMongoStore(options)
    const other = await openMongoStore({ ...options, shared: structuredClone(store.share?.()?.value) })
    const [writer, reader] = [new Clinic(store, 'r'), other]
    try {
      for (let value = 0; value < 50; value += 1) {
        await writer.record('settings', 'one', value)
        expect((await reader.readRecent('r', 'settings', 'one'))?.value).toBe(value)
      }
    } finally {
      await Promise.all([store.close(), other.close()])
    }
  })
})
