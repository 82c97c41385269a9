/**
 * The commands that the server sends to MongoDB, as its driver reports them
 * (https://github.com/mongodb/specifications/blob/master/source/command-logging-and-monitoring/command-logging-and-monitoring.md),
 * and the rule that they keep: every command on the data of clinics names the clinic first.
 */
import { afterAll } from '@jest/globals'
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb'
import { APP_NAME } from '../../src/storage/mongo/connection.ts'

export interface SentCommand {
  /** `find`, `insert`, … */
  readonly name: string
  readonly database: string
  readonly collection: string
  readonly command: Document
}

type Listener = (command: SentCommand) => void

const listeners = new Set<Listener>()
const heard = new WeakSet<MongoClient>()
const connect = MongoClient.prototype.connect

/** Monitors all clients of the server that connect after this file is imported. */
MongoClient.prototype.connect = async function connectHeard(this: MongoClient) {
  if (this.options.appName === APP_NAME && !heard.has(this)) {
    heard.add(this)
    Object.assign(this, { monitorCommands: true })
    this.on('commandStarted', tell)
  }
  return await connect.call(this)
}

// The driver is loaded once for all test files of a worker.
afterAll(() => {
  MongoClient.prototype.connect = connect
})

/**
 * Calls `listener` with every command that the server sends from now on.
 * @returns a function that stops this
 */
export function onCommand(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The commands that the server sends during `work`. */
export async function commandsDuring(work: () => Promise<unknown>): Promise<readonly SentCommand[]> {
  const commands: SentCommand[] = []
  const end = onCommand((command) => commands.push(command))
  try {
    await work()
  } finally {
    end()
  }
  return commands
}

function tell({ commandName: name, command, databaseName: database }: CommandStartedEvent): void {
  const collection: unknown = command[name]
  if (typeof collection !== 'string') return
  for (const listener of listeners) listener({ name, database, collection, command })
}

/** Collections with the data of clinics; `store` is the server's own. */
export const OF_CLINICS: ReadonlySet<string> = new Set(['resources', 'history', 'records', 'locks'])

/** The commands that need not name a clinic, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'find records {kind,due}': 'work of all clinics that is due: outbox, expiry',
  'find resources {}': 'is the store empty?',
  'find records {}': 'is the store empty?',
  'distinct resources clinic {}': 'the names of the clinics: copies, search index of what is stored',
  'distinct records clinic {}': 'the names of the clinics: copies',
}

/**
 * A command that does not name its clinic first, as a key of EXCEPTIONS; undefined where all is well. A `getMore`
 * continues an earlier command, a `killCursors` ends it.
 */
export function strayIn({ name, collection, command }: SentCommand): string | undefined {
  if (!OF_CLINICS.has(collection) || name === 'getMore' || name === 'killCursors') return undefined
  const stray = filtersOf(name, command).find((filter) => !namesClinic(filter))
  if (stray === undefined) return undefined
  const field = name === 'distinct' ? `${command['key']} ` : ''
  const shape = `${name} ${collection} ${field}{${Object.keys(stray).join()}}`
  return shape in EXCEPTIONS ? undefined : shape
}

/** Each says which documents a part of a command is about. Of an insert these are the documents. */
export function filtersOf(name: string, command: Document): readonly Document[] {
  switch (name) {
    case 'find':
      return [command['filter'] ?? {}]
    case 'aggregate':
      return [command['pipeline'][0]?.$match ?? {}]
    case 'count':
    case 'distinct':
    case 'findAndModify':
      return [command['query'] ?? {}]
    case 'insert':
      return command['documents'].map(({ _id, ...fields }: Document) => fields)
    case 'update':
      return command['updates'].map(({ q }: Document) => q)
    case 'delete':
      return command['deletes'].map(({ q }: Document) => q)
    default:
      // Collections and indexes are for all clinics.
      return /^(create|createIndexes|drop|dropIndexes|listIndexes|collMod)$/.test(name) ? [] : [{}]
  }
}

/** By an equality that is the first field, in every alternative. */
function namesClinic(filter: Document): boolean {
  const [first] = Object.entries(filter)
  if (first === undefined) return false
  const [field, value] = first
  if (field === '$or') return value.length > 0 && value.every(namesClinic)
  return field === 'clinic' && typeof value === 'string'
}
