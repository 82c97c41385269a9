/**
 * `npm run copy`: copies all clinics of a store to another one, of the same or another engine; see docs/operating.md.
 */
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { loadExtensions } from '../src/extensions/load.ts'
import { declareServer } from '../src/main/declare-server.ts'
import { openContentStore, openStore } from '../src/main/open-store.ts'
import { extraction } from '../src/search/index/versions.ts'
import type { ResourceStore } from '../src/storage/port.ts'
import { checkSource, storeName } from './copy/address.ts'
import { differences } from './copy/compare.ts'
import type { WholeStore } from './copy/contents.ts'
import { clinicsOf, copyStore } from './copy/copy-store.ts'
import { removeMarks, start, startedFrom } from './copy/marks.ts'
import { Progress } from './copy/progress.ts'

const USAGE = `npm run copy -- --from STORE --to STORE

STORE is sqlite:<file> or mongodb://<host>/<database>?replicaSet=<name>. The target has to be empty, or what an earlier
run of the same copy has left: then the copy is resumed. Stop the server of the source first.`

const OPTIONS = { from: { type: 'string' }, to: { type: 'string' } } as const

interface Stores {
  readonly source: WholeStore
  readonly target: WholeStore
}

async function run(): Promise<void> {
  const { from, to } = parseArgs({ options: OPTIONS }).values
  if (from === undefined || to === undefined) throw new Error(USAGE)
  if (storeName(from) === storeName(to)) throw new Error('The source and the target are the same store')
  checkSource(from)
  const config = readConfig(process.env)
  const baseUrl = config.baseUrl ?? `http://${config.host}:${config.port}`
  const { providers } = declareServer(config, await loadExtensions(config.extensions))
  const source = await openWhole(from, await openStore(from, undefined, { onlyScanned: true }))
  try {
    const target = await openWhole(to, await openStore(to, providers, { baseUrl, isCopied: true }))
    try {
      await copyAndCompare({ source, target }, storeName(from), baseUrl)
    } finally {
      await close(target)
    }
  } finally {
    await close(source)
  }
}

const openWhole = async (address: string, store: ResourceStore): Promise<WholeStore> => ({
  store,
  contents: await openContentStore(address),
})

async function close({ store, contents }: WholeStore): Promise<void> {
  await contents.close()
  await store.close()
}

async function copyAndCompare(stores: Stores, from: string, baseUrl: string): Promise<void> {
  await begin(stores, from)
  const wasWritten = await copy(stores, baseUrl)
  const clinics = await clinicsOf(stores)
  const found = await compare(stores, clinics)
  if (found.length > 0) throw new Error([...found, wasWritten ? WRITTEN_MEANWHILE : DIFFERENT].join('\n'))
  await removeMarks(stores.target.store, clinics)
  if (wasWritten) console.log(STILL_WRITTEN)
  const names = clinics.filter((clinic) => clinic !== '')
  console.log(`Copied and compared: ${names.length} clinics (${names.join(', ')}); both stores hold the same.`)
}

const WRITTEN_MEANWHILE =
  'The source was written while it was copied. Stop its server, then run the same command again: it copies the rest.'
const STILL_WRITTEN =
  'The source was written while it was copied. These changes are copied too, but not what its server writes from now on.'
const DIFFERENT =
  'The target does not hold what the source holds. If the server of the source is running, stop it and run the same ' +
  'command again. Otherwise something else has written to the target: empty it, and copy again.'

/** @throws Error when there is nothing to copy, or the target has data that is not from this copy */
async function begin({ source: { store: source }, target: { store: target } }: Stores, from: string): Promise<void> {
  const unfinished = await startedFrom(source)
  if (unfinished !== undefined) throw new Error(`The source is an unfinished copy of ${unfinished}; finish that first`)
  if (await source.isEmpty()) throw new Error('There is nothing to copy: the source is empty')
  const started = await startedFrom(target)
  if (started === from) return console.log('Resuming the unfinished copy')
  if (started !== undefined) throw new Error(`The target is a started copy of another store, ${started}`)
  if (!(await target.isEmpty())) throw new Error('The target is not empty; name one that is, which will be created')
  await start(target, from)
}

async function copy({ source, target }: Stores, baseUrl: string): Promise<boolean> {
  const progress = new Progress('Copied versions', await versionsOf(source.store), await versionsOf(target.store))
  const { entriesOf } = extraction(baseUrl)
  const wasWritten = await copyStore({ source, target, entriesOf, onCopied: (count) => progress.add(count) })
  progress.end()
  return wasWritten
}

async function compare({ source, target }: Stores, clinics: readonly string[]): Promise<readonly string[]> {
  const progress = new Progress(
    'Compared versions',
    (await versionsOf(source.store)) + (await versionsOf(target.store)),
  )
  const found = await differences(clinics, [source, target], (count) => progress.add(count))
  progress.end()
  return found
}

async function versionsOf(store: ResourceStore): Promise<number> {
  let sum = 0
  for (const clinic of await store.clinics()) sum += (await store.history({ clinic, count: 0 })).total
  return sum
}

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
