/** Durable on commit: a process killed with SIGKILL while it writes loses nothing that it had acknowledged. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { newMongoUrl } from '../support/mongo.ts'
import { newFolder } from '../support/run.ts'
import { openNamedStore } from './durability-store.ts'
import { Clinic, ids } from './fixtures.ts'

/** Acknowledged sets after which the writer is killed, round by round. */
const ROUNDS = [1, 60, 250, 7, 400]
const WRITER = join(import.meta.dirname, 'durability-writer.ts')

const folder = newFolder()

describeOnSqlite('a store whose process is killed', () => {
  test(`in the middle of writing, ${ROUNDS.length} times, has every acknowledged change set and no half one`, async () => {
    await expectWholeSets(`sqlite:${join(folder, 'killed.db')}`)
  })
})

describeOnMongo('a server on MongoDB that is killed', () => {
  test(`in the middle of transactions, ${ROUNDS.length} times, has every acknowledged change set and no half one`, async () => {
    await expectWholeSets(await newMongoUrl())
  })
})

async function expectWholeSets(url: string): Promise<void> {
  const acknowledged: number[] = []
  for (const [round, count] of ROUNDS.entries()) {
    acknowledged.push(...(await writeUntilKilled(url, round * 100_000, count)))
    const { whole, partial } = await changeSets(url)
    expect(partial).toEqual([])
    expect(acknowledged.filter((set) => !whole.has(set))).toEqual([])
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS.reduce((sum, count) => sum + count, 0))
}

/** Numbers of the sets that were acknowledged before the end. */
async function writeUntilKilled(url: string, first: number, count: number): Promise<readonly number[]> {
  const writer = spawn(process.execPath, [WRITER, url, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(writer, 'close')
  let output = ''
  writer.stdout.setEncoding('utf8')
  writer.stdout.on('data', (chunk: string) => {
    output += chunk
    if (output.split('\n').length > count) writer.kill('SIGKILL')
  })
  const [, signal] = await closed
  expect(signal).toBe('SIGKILL')
  return output.split('\n').slice(0, -1).map(Number)
}

/** A set is whole when the Patient, the Appointment, their index entries and the record are there. */
async function changeSets(
  url: string,
): Promise<{ readonly whole: ReadonlySet<number>; readonly partial: readonly number[] }> {
  const store = await openNamedStore(url)
  const clinic = new Clinic(store, 'c')
  const all = { count: 100_000 }
  const parts = [
    ids((await clinic.search('Patient', all)).matches),
    ids(
      (await clinic.search('Patient', { ...all, where: [{ kind: 'missing', param: 'run', missing: false }] })).matches,
    ),
    ids((await clinic.search('Appointment', all)).matches),
    ids(
      (await clinic.search('Appointment', { ...all, where: [{ kind: 'missing', param: 'patient', missing: false }] }))
        .matches,
    ),
    (await store.records({ clinic: 'c', kind: 'set', limit: 100_000 })).map(({ key }) => key),
  ].map((part) => new Set(part.map(Number)))
  await store.close()
  const everything = [...new Set(parts.flatMap((part) => [...part]))]
  const isWhole = (set: number) => parts.every((part) => part.has(set))
  return { whole: new Set(everything.filter(isWhole)), partial: everything.filter((set) => !isWhole(set)) }
}
