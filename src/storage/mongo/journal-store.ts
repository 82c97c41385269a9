/**
 * The journal in its own collection, through its own client, so that it takes no connections from requests. MongoDB
 * removes old entries (https://www.mongodb.com/docs/manual/core/index-ttl/).
 */
import { type ClientSession, type Collection, type Db, type Filter, MongoServerError } from 'mongodb'
import { present } from '../../fhir/resource.ts'
import { MILLISECONDS_PER_DAY } from '../audit-port.ts'
import type {
  FoundEntry,
  JournalBounds,
  JournalEntry,
  JournalFilter,
  JournalPage,
  JournalScan,
  JournalStore,
  Kept,
  MeasurePage,
} from '../journal-port.ts'
import type { Connection } from './connection.ts'
import { PartConnection } from './part-connection.ts'
import type { ReadLimits } from './read-limits.ts'
import { inTransaction } from './transaction.ts'

interface EntryDocument extends Omit<JournalEntry, 'at'> {
  readonly number: number
  readonly at: Date
  /** The time from which it is no longer kept. */
  readonly expires: Date
}

/** The number of the last entry of a clinic: transactions that increment it run one after the other. */
interface CounterDocument {
  readonly _id: string
  readonly last: number
}

const COLLECTION = 'journal'
const COUNTERS = 'journal_counters'

/** @param url as DATABASE_URL */
export function openMongoJournalStore(url: string): JournalStore {
  const part = new PartConnection({ url, what: 'the journal', ...{ reading: 2, writing: 2 }, prepare: collectionsIn })
  return {
    write: (entries, kept) => part.write((opened) => write(opened, entries, kept)),
    scan: (query) => part.read(query.clinic, (opened, limits) => scan(opened, query, limits)),
    measure: (query) => part.read(query.clinic, (opened, limits) => measure(opened, query, limits)),
    read: (clinic, ids) => part.read(clinic, (opened, limits) => read(opened, clinic, ids, limits)),
    bounds: (clinic) => part.read(clinic, (opened, limits) => bounds(opened, clinic, limits)),
    close: () => part.close(),
  }
}

interface Opened extends Pick<Connection, 'client'> {
  readonly entries: Collection<EntryDocument>
  readonly counters: Collection<CounterDocument>
}

async function collectionsIn({ client, db }: Connection): Promise<Opened> {
  await createCollection(db, COUNTERS)
  const [entries, counters] = [db.collection<EntryDocument>(COLLECTION), db.collection<CounterDocument>(COUNTERS)]
  await entries.createIndexes([
    { name: 'by_number', key: { clinic: 1, number: 1 }, unique: true },
    // Not unique, as the collection may be sharded by the other index; a transaction ensures it.
    { name: 'by_id', key: { clinic: 1, id: 1 } },
    { name: 'by_expiry', key: { expires: 1 }, expireAfterSeconds: 0 },
  ])
  return { client, entries, counters }
}

const EXISTS = 48

/** Creates a collection where there is none: not every cluster allows that in a transaction. */
async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name)
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === EXISTS)) throw error
  }
}

async function write(opened: Opened, entries: readonly JournalEntry[], kept: ReadonlyMap<string, Kept>): Promise<void> {
  // In a fixed order, so that transactions cannot deadlock.
  const byClinic = [...Map.groupBy(entries, ({ clinic }) => clinic)].sort(([one], [other]) => (one < other ? -1 : 1))
  const last = new Map<string, number>()
  await inTransaction(opened.client, async (session) => {
    for (const [clinic, own] of byClinic) {
      last.set(clinic, await writeOf(opened, session, clinic, own, kept.get(clinic)?.days ?? 1))
    }
  })
  for (const [clinic, number] of last) {
    const keep = kept.get(clinic)
    if (keep !== undefined) await opened.entries.deleteMany({ clinic, number: { $lte: number - keep.entries } })
  }
}

/** @returns the number of the last entry */
async function writeOf(
  { entries, counters }: Opened,
  session: ClientSession,
  clinic: string,
  given: readonly JournalEntry[],
  days: number,
): Promise<number> {
  const ids = given.map(({ id }) => id)
  // Entries exist already when a write of unknown outcome is repeated.
  const known = new Set(
    (await entries.find({ clinic, id: { $in: ids } }, { session, projection: { id: 1 } }).toArray()).map(
      ({ id }) => id,
    ),
  )
  const added = given.filter(({ id }) => !known.has(id))
  const counted = await counters.findOneAndUpdate(
    { _id: clinic },
    { $inc: { last: added.length } },
    { session, upsert: true, returnDocument: 'after' },
  )
  const last = counted?.last ?? added.length
  const documents = added.map(({ at, ...entry }, index) => ({
    ...entry,
    number: last - added.length + 1 + index,
    at: new Date(at),
    expires: new Date(at + days * MILLISECONDS_PER_DAY),
  }))
  if (documents.length > 0) await entries.insertMany(documents, { session })
  return last
}

async function scan(opened: Opened, query: JournalScan, limits: ReadLimits): Promise<JournalPage> {
  const condition = conditionOf(query.filter)
  const found = Object.keys(condition).length === 0 ? {} : { $or: [{ isGap: true }, condition] }
  const documents = await documentsOf(opened, query, found, { summary: 1 }, limits)
  return {
    entries: documents.map(({ number, summary }) => ({ number, summary })),
    ...nextOf(documents, query.limit),
  }
}

async function measure(opened: Opened, query: JournalScan, limits: ReadLimits): Promise<MeasurePage> {
  const condition = { isGap: false, ...conditionOf(query.filter) }
  const documents = await documentsOf(opened, query, condition, MEASURED, limits)
  const oldest = documents.at(-1)?.at.getTime()
  return {
    ...(oldest === undefined ? {} : { oldest }),
    // Entries of older versions have no measures.
    measures: documents.map(({ number, at, status, duration = 0, method = '', user = '', operation = '' }) => ({
      ...{ number, at: at.getTime(), status, duration, method, user, operation },
    })),
    ...nextOf(documents, query.limit),
  }
}

const MEASURED: Readonly<Record<string, 1>> = { at: 1, status: 1, duration: 1, method: 1, user: 1, operation: 1 }

/** The entries of a scan that meet a condition. */
function documentsOf(
  { entries }: Opened,
  { clinic, order, after, limit }: JournalScan,
  condition: Filter<EntryDocument>,
  projection: Readonly<Record<string, 1>>,
  limits: ReadLimits,
): Promise<readonly EntryDocument[]> {
  const isNewestFirst = order === 'newest first'
  const bound = after === undefined ? {} : { number: isNewestFirst ? { $lt: after } : { $gt: after } }
  return entries
    .find({ clinic, ...bound, ...condition }, { projection: { _id: 0, number: 1, ...projection }, ...limits })
    .sort({ number: isNewestFirst ? -1 : 1 })
    .limit(limit)
    .toArray()
}

/** Where the next scan begins. */
function nextOf(documents: readonly EntryDocument[], limit: number): { readonly next?: number } {
  const last = documents.at(-1)
  return last === undefined || documents.length < limit ? {} : { next: last.number }
}

function conditionOf(filter: JournalFilter): Filter<EntryDocument> {
  const { run, call, trace, status, path, type, fault, since, until, audiences } = filter
  const { method, direction, user, operation, text, notRun } = filter
  return {
    ...present({ call, trace, type, method, direction, user }),
    ...(run === undefined && notRun === undefined ? {} : { run: present({ $eq: run, $ne: notRun }) }),
    ...(status === undefined ? {} : { status: { $gte: status.from, $lte: status.to } }),
    ...(path === undefined ? {} : { path: { $gte: path, $lt: `${path}\uffff` } }),
    ...(fault === undefined ? {} : { fault: among(fault) }),
    ...(operation === undefined ? {} : { operation: among(operation) }),
    ...(text === undefined ? {} : { words: { $regex: RegExp.escape(text) } }),
    ...(since === undefined && until === undefined ? {} : { at: present({ $gte: dateOf(since), $lt: dateOf(until) }) }),
    ...(audiences === undefined ? {} : { audience: { $in: [...audiences] } }),
  }
}

/** One of the names in a text. */
const among = (name: string) => ({ $regex: `(^|,)${RegExp.escape(name)}(,|$)` })

const dateOf = (at: number | undefined): Date | undefined => (at === undefined ? undefined : new Date(at))

async function read(
  { entries }: Opened,
  clinic: string,
  ids: readonly string[],
  limits: ReadLimits,
): Promise<readonly FoundEntry[]> {
  const projection = { _id: 0, id: 1, number: 1, summary: 1, detail: 1, audience: 1 }
  const found = await entries.find({ clinic, id: { $in: ids } }, { projection, ...limits }).toArray()
  // The audience of an older version's entries is unknown, so only operators may read them.
  return found.map((entry) => ({ ...entry, audience: entry.audience ?? 'operator' }))
}

async function bounds({ entries, counters }: Opened, clinic: string, limits: ReadLimits): Promise<JournalBounds> {
  const counter = await counters.findOne({ _id: clinic }, { ...limits })
  const oldest = await entries.findOne({ clinic }, { sort: { number: 1 }, projection: { number: 1 }, ...limits })
  return { first: oldest?.number ?? 0, last: counter?.last ?? 0 }
}
