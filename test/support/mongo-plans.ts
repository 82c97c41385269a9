/** How MongoDB executes the server's commands: https://www.mongodb.com/docs/manual/reference/explain-results/. */
import type { Db, Document } from 'mongodb'
import { type MongoTestOptions, openTestMongo, withDatabase } from './mongo.ts'
import { commandsDuring, filtersOf, OF_CLINICS, onCommand, type SentCommand } from './mongo-commands.ts'

/** A page of the contract suite, at most. */
const MOST_SORTED = 1_000

export interface Plan {
  /** The command, without its circumstances (session, transaction). */
  readonly asked: Document
  readonly stages: ReadonlySet<string>
  readonly keysExamined: number
  readonly documentsExamined: number
  readonly returned: number
  /** The number of documents that each sort in memory keeps. */
  readonly sorted: readonly number[]
}

/** Collects the commands that the server sends to the database at `url` during `work`, then has them explained. */
export async function plansOf(url: string, work: () => Promise<unknown>): Promise<readonly Plan[]> {
  return await explained(url, await commandsDuring(work))
}

/**
 * A store as `openTestMongo` gives it. When it is closed, all its queries are explained.
 * @throws Error on closing, when a query read a collection from end to end
 */
export async function openExplainedMongo(options: MongoTestOptions): ReturnType<typeof openTestMongo> {
  const shapes = new Map<string, SentCommand>()
  const end = onCommand((command) => shapes.set(shapeOf(command), command))
  const { url, store, close } = await openTestMongo(options)
  return {
    url,
    store,
    close: async () => {
      end()
      const bad = tooCostly(await explained(url, [...shapes.values()]))
      await close()
      if (bad.length > 0) throw new Error(`Collection scans, or sorts without a limit: ${JSON.stringify(bad, null, 2)}`)
    },
  }
}

/** The shape of a command, without its values: commands of one shape are executed alike. */
const shapeOf = ({ name, collection, database, command }: SentCommand): string =>
  textOf([database, name, collection, command]).replace(/:(?:"[^"]*"|-?[\d.e+]+)/g, ':?')

/** The explained queries of clinics' data, one for each shape. */
async function explained(url: string, commands: readonly SentCommand[]): Promise<readonly Plan[]> {
  return await withDatabase(url, async (db) => {
    const ours = commands.filter(
      ({ database, collection }) => database === db.databaseName && OF_CLINICS.has(collection),
    )
    const queries = new Map(ours.flatMap(queriesOf).map((query) => [textOf(query), query]))
    const plans: Plan[] = []
    for (const asked of queries.values()) plans.push(await explain(db, asked))
    return plans
  })
}

/** Fields of a command that are about its circumstances. */
const CIRCUMSTANCES =
  /^(\$.*|lsid|txnNumber|startTransaction|autocommit|readConcern|writeConcern|maxTimeMS|ordered|bypassDocumentValidation)$/

/** The queries of a command in a form that can be explained; for a write, those that find its documents. */
function queriesOf({ name, collection, command }: SentCommand): readonly Document[] {
  switch (name) {
    case 'find':
    case 'aggregate':
    case 'count':
    case 'distinct':
      return [Object.fromEntries(Object.entries(command).filter(([field]) => !CIRCUMSTANCES.test(field)))]
    case 'update':
    case 'delete':
      return filtersOf(name, command).map((filter) => ({ find: collection, filter }))
    default:
      return []
  }
}

/** The driver gives the order of a sort as a Map. */
const textOf = (query: unknown): string =>
  JSON.stringify(query, (_, value) => (value instanceof Map ? [...value] : value))

async function explain(db: Db, asked: Document): Promise<Plan> {
  const explanation = await db.command({ explain: asked, verbosity: 'executionStats' })
  const executions = nodesOf(explanation).filter((node) => 'totalKeysExamined' in node)
  const stages = executions.flatMap(({ executionStages }) => nodesOf(executionStages)).filter(({ stage }) => stage)
  const pipelineSorts = nodesOf(explanation['stages']).flatMap(({ $sort }) => $sort ?? [])
  const sum = (field: string) => executions.reduce((total, execution) => total + Number(execution[field]), 0)
  return {
    asked,
    stages: new Set(stages.map(({ stage }) => stage)),
    keysExamined: sum('totalKeysExamined'),
    documentsExamined: sum('totalDocsExamined'),
    returned: sum('nReturned'),
    sorted: [
      ...stages.filter(({ stage }) => stage === 'SORT').map(({ limitAmount, nReturned }) => limitAmount || nReturned),
      ...pipelineSorts.map(({ limit }) => Number(limit ?? Number.POSITIVE_INFINITY)),
    ],
  }
}

/** A part of an explanation and everything in it. */
function nodesOf(part: unknown): readonly Document[] {
  if (typeof part !== 'object' || part === null) return []
  const inside = Object.values(part).flatMap(nodesOf)
  return Array.isArray(part) ? inside : [part, ...inside]
}

/** The plans that scan a whole collection, or keep more than `page` + 1 resources to sort them. */
export const tooCostly = (plans: readonly Plan[], page = MOST_SORTED): readonly Document[] =>
  plans
    .filter(({ stages, sorted }) => stages.has('COLLSCAN') || sorted.some((kept) => kept > page + 1))
    .map(({ asked, stages, sorted }) => ({ asked, stages: [...stages], sorted }))
