/** Checks a database that was restored by MongoDB's own means. */
import { createHash } from 'node:crypto'
import type { Binary, Db } from 'mongodb'
import { markersIn } from '../../src/fhir/content/marker.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { collectionsOf, INDEXES, SCHEMA } from '../../src/storage/mongo/collections.ts'
import { connect } from '../../src/storage/mongo/connection.ts'
import { unpackText } from '../../src/storage/mongo/stored-text.ts'

export interface MongoCheck {
  /** Documents by collection, one line each. */
  readonly counts: readonly string[]
  /** In words; none when all is whole. */
  readonly problems: readonly string[]
}

/** Reads everything in the database, and writes nothing. @throws Error where there is no store */
export async function checkMongo(url: string): Promise<MongoCheck> {
  const { client, db } = await connect(url)
  try {
    if ((await collectionsOf(db).store.findOne({ _id: SCHEMA })) === null)
      throw new Error(`There is no store in the database ${db.databaseName}`)
    const whole = new Set<string>()
    const problems = [...(await missingIndexes(db)), ...(await contentProblems(db, whole))]
    return { counts: await countsOf(db), problems: [...problems, ...(await danglingReferences(db, whole))] }
  } finally {
    await client.close()
  }
}

const COUNTED = ['resources', 'inner', 'history', 'records', 'content', 'audit', 'journal']

async function countsOf(db: Db): Promise<readonly string[]> {
  const counts: string[] = []
  for (const name of COUNTED) counts.push(`${name}: ${await db.collection(name).countDocuments()}`)
  return counts
}

/** The indexes that searches and unique keys need, and the database lacks. */
export async function missingIndexes(db: Db): Promise<readonly string[]> {
  const missing: string[] = []
  for (const [collection, wanted] of Object.entries(INDEXES)) {
    const known = await indexNamesOf(db, collection)
    for (const { name } of wanted)
      if (!known.has(name)) missing.push(`${collection} has no index ${name}${INDEX_ADVICE}`)
  }
  return missing
}

const INDEX_ADVICE = '; the start of a server makes it'

/** None of a collection that is not there. */
export async function indexNamesOf(db: Db, collection: string): Promise<ReadonlySet<string>> {
  const found = await db.listCollections({ name: collection }).toArray()
  const indexes = found.length === 0 ? [] : await db.collection(collection).indexes()
  return new Set(indexes.map(({ name }) => String(name)))
}

/** Reads the bytes of each content. @param whole receives clinic and SHA-256 of those that are whole */
async function contentProblems(db: Db, whole: Set<string>): Promise<readonly string[]> {
  const problems: string[] = []
  for await (const { clinic, key, value, due } of collectionsOf(db).records.find({ kind: CONTENT.name })) {
    const name: string = JSON.parse(value).name
    if ((await hashOf(db, clinic, name)) === key) whole.add(placeOf(clinic, key))
    // One that is due is used by nothing, and may be removed already.
    else if (due === null) problems.push(`The content ${key} of clinic ${clinic} is missing or damaged`)
  }
  return problems
}

const placeOf = (clinic: string, sha256: string): string => `${clinic} ${sha256}`

async function hashOf(db: Db, clinic: string, name: string): Promise<string | undefined> {
  const digest = createHash('sha256')
  let pieces = 0
  for await (const { n, bytes } of db.collection<Piece>('content').find({ clinic, name }).sort({ n: 1 })) {
    if (n !== pieces) return undefined
    digest.update(bytes.value())
    pieces += 1
  }
  return pieces === 0 ? undefined : digest.digest('hex')
}

interface Piece {
  readonly clinic: string
  readonly name: string
  readonly n: number
  readonly bytes: Binary
}

/** References of all versions to contents that are not whole. */
async function danglingReferences(db: Db, whole: ReadonlySet<string>): Promise<readonly string[]> {
  const { resources, history } = collectionsOf(db)
  const problems = new Set<string>()
  for (const versions of [resources, history]) {
    const projection = { clinic: 1, type: 1, id: 1, version: 1, text: 1 }
    for await (const { clinic, type, id, version, text } of versions.find({}, { projection })) {
      const missing = markersIn(unpackText(text)).filter((sha256) => !whole.has(placeOf(clinic, sha256)))
      for (const sha256 of missing)
        problems.add(
          `${type}/${id}/_history/${version} of clinic ${clinic} refers to the content ${sha256}, which is not whole`,
        )
    }
  }
  return [...problems]
}
