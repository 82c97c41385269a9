/** Checks a store on MongoDB, which is only read. */
import type { Db } from 'mongodb'
import type { Config } from '../../src/config.ts'
import { UNFINISHED_COPY } from '../../src/main/open-store.ts'
import { SUBSCRIBED } from '../../src/repository/event-feed.ts'
import { GENERATION, MOVED_CLOCK } from '../../src/repository/generation.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { collectionsOf, LEASE, SCHEMA } from '../../src/storage/mongo/collections.ts'
import { connect } from '../../src/storage/mongo/connection.ts'
import { readState } from '../../src/storage/mongo/index-state.ts'
import { STORE_VERSION } from '../../src/storage/mongo/schema.ts'
import type { StoredRecord } from '../../src/storage/port.ts'
import { indexNamesOf, missingIndexes } from '../backup/mongo-check.ts'
import { about, type Finding, some } from './finding.ts'
import {
  BACK_UP_FIRST,
  type ContentState,
  clockFindings,
  contentFindings,
  databaseClockFinding,
  diskFinding,
  indexFinding,
  olderIndex,
  SETTINGS_KIND,
  settingsFindings,
  subscriptionFindings,
} from './stored.ts'

const [store, audit] = [about('store'), about('audit trail')]

export async function mongoFindings(config: Config): Promise<readonly Finding[]> {
  try {
    const { client, db } = await connect(config.databaseUrl)
    try {
      return await databaseFindings(db, config)
    } finally {
      await client.close()
    }
  } catch (error) {
    return [store.toDo(error instanceof Error ? error.message : String(error))]
  }
}

async function databaseFindings(db: Db, config: Config): Promise<readonly Finding[]> {
  const collections = collectionsOf(db)
  const schema = await collections.store.findOne({ _id: SCHEMA })
  if (schema === null) return [store.note(`there is none in ${db.databaseName} yet; the first start makes it`)]
  // Refuses a newer one.
  const { types, extraction } = await readState(collections)
  const moved = await collections.records.countDocuments({ kind: MOVED_CLOCK.name })
  const { localTime } = await db.command({ hello: 1 })
  return [
    await storeFinding(db),
    ...olderForm(schema.version ?? 1),
    indexFinding([...types.values()], await heldUntil(db)),
    ...olderIndex(extraction, await collections.resources.estimatedDocumentCount()),
    ...settingsFindings(await recordsIn(db, SETTINGS_KIND), config.secretsKeys),
    ...contentFindings(await contentsIn(db)),
    ...subscriptionFindings(await recordsIn(db, SUBSCRIBED.name), await recordsIn(db, GENERATION.name)),
    await auditFinding(db, config),
    await diskOf(db),
    ...clockFindings(await newestIn(db), moved),
    databaseClockFinding(localTime.getTime()),
  ]
}

const olderForm = (version: number): readonly Finding[] =>
  version < STORE_VERSION
    ? [store.note(`it is of store version ${version}, and a start brings it to ${STORE_VERSION}. ${BACK_UP_FIRST}`)]
    : []

async function storeFinding(db: Db): Promise<Finding> {
  const { kind, key } = UNFINISHED_COPY
  if ((await collectionsOf(db).records.findOne({ kind, key })) !== null)
    return store.toDo('it is an unfinished copy; finish it with npm run copy')
  const missing = await missingIndexes(db)
  if (missing.length > 0) return store.toDo(some(missing))
  return store.ok('it has all its indexes; npm run backup -- --check reads everything')
}

/** The time of the newest version, by the index of each clinic. */
async function newestIn(db: Db): Promise<number | undefined> {
  const { resources } = collectionsOf(db)
  const times: number[] = []
  for (const clinic of await resources.distinct('clinic'))
    times.push(
      (await resources.findOne({ clinic }, { sort: { updated: -1 }, projection: { updated: 1 } }))?.updated ?? 0,
    )
  return times.length === 0 ? undefined : Math.max(...times)
}

const heldUntil = async (db: Db): Promise<number> =>
  (await collectionsOf(db).store.findOne({ _id: LEASE }))?.until?.getTime() ?? 0

async function recordsIn(db: Db, kind: string): Promise<readonly StoredRecord[]> {
  const found = await collectionsOf(db).records.find({ kind }).toArray()
  return found.map((record) => ({ ...record, value: JSON.parse(record.value) }))
}

/** Compares the records of contents with the first piece of each. */
async function contentsIn(db: Db): Promise<ContentState> {
  const there = new Set<string>()
  const pieces = db.collection('content').find({ n: 0 }, { projection: { _id: 0, clinic: 1, name: 1 } })
  // Without the index all bytes would be read.
  if ((await indexNamesOf(db, 'content')).has('by_piece')) pieces.hint('by_piece')
  for await (const { name } of pieces) there.add(String(name))
  const missing: string[] = []
  let count = 0
  for await (const { key, value, due } of collectionsOf(db).records.find({ kind: CONTENT.name })) {
    const isThere = there.delete(JSON.parse(value).name)
    if (due !== null) continue
    count += 1
    if (!isThere) missing.push(key)
  }
  for await (const { key } of collectionsOf(db).records.find({ kind: 'content-upload' })) there.delete(key)
  return { count, missing, orphaned: [...there], orphanedBytes: 0 }
}

async function auditFinding(db: Db, config: Config): Promise<Finding> {
  if (config.audit === undefined) return audit.note('it is off')
  return audit.ok(`it has ${await db.collection('audit').estimatedDocumentCount()} blocks of events`)
}

async function diskOf(db: Db): Promise<Finding> {
  const { fsTotalSize = 0, fsUsedSize = 0 } = await db.command({ dbStats: 1 })
  return diskFinding('where MongoDB has its data', fsTotalSize - fsUsedSize, fsTotalSize)
}
