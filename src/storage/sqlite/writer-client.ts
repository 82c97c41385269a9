/**
 * The writer as seen by a thread that does not own the writing connection. Change sets are sent in batches: one is
 * under way at a time, and sets that arrive meanwhile form the next one, since a message costs as much as the writing
 * of ten rows.
 */
import type { MessagePort } from 'node:worker_threads'
import { type ComponentHealth, loadOfQueue, Turns } from '../../isolation/fair-queue.ts'
import type { TypeIndex } from '../index/search-index.ts'
import type { ChangeSet, Drop, ResourceChange } from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { type SentError, toThrown } from '../thread-errors.ts'
import type { WaitingChanges, Writer } from './group-commit.ts'
import type { Refill, Refilled } from './refill.ts'
import { packed, type SentEntries, unpacked } from './sent-entries.ts'

/** Limits of a batch, which ends with the change set that reaches one of them: sets, rows and characters. */
const MAX_SETS = 256
const MAX_ROWS = 1_000
const MAX_CHARACTERS = 8_000_000

/** Most turns of the event loop in which change sets join a batch. */
const MAX_TURNS = 6

interface Call {
  readonly request: WriterRequest
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A connection to the writer thread. */
interface Session {
  readonly port: MessagePort
  /** True once the thread has reported that it is ready. */
  isReady: boolean
  readonly timeout: NodeJS.Timeout
}

/** Connects to the writer thread: the current one, or a new one where it has ended. undefined: the store is closed. */
export type Connect = () => MessagePort | undefined

/** Most failed connections in a row, and milliseconds between them. */
const MAX_ATTEMPTS = 20
const RETRY_AFTER = 50
/** Milliseconds within which a starting thread must be ready. */
const LONGEST_START = 30_000

export class WriterClient implements Writer {
  readonly #connect: Connect
  readonly #queue = new Turns<WaitingChanges>()
  #underWay: readonly WaitingChanges[] = []
  readonly #calls = new Map<number, Call>()
  #session: Session | undefined
  #failures = 0
  #isScheduled = false
  #numbers = 0
  #whenIdle: (() => void) | undefined

  constructor(connect: Connect) {
    this.#connect = connect
  }

  write(changes: ChangeSet): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push(changes.clinic, { changes, since: Date.now(), resolve, reject })
      this.#schedule()
    })
  }

  lease(holder: string, milliseconds: number): Promise<boolean> {
    return this.#call('lease', holder, milliseconds)
  }

  complete(index: TypeIndex): Promise<void> {
    return this.#call('complete', index)
  }

  refill(rows: Refill): Promise<Refilled> {
    return this.#call('refill', rows)
  }

  drop(clinic: string, drop: Drop): Promise<boolean> {
    return this.#call('drop', clinic, drop)
  }

  async close(): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => (this.#whenIdle = resolve))
    clearTimeout(this.#session?.timeout)
    this.#session?.port.close()
    this.#session = undefined
  }

  get load(): ComponentHealth {
    const since = [...this.#underWay, ...this.#queue.heads()].map((waiting) => waiting.since)
    const oldestMs = since.length === 0 ? 0 : Date.now() - Math.min(...since)
    const load = loadOfQueue('writer', { waiting: this.#underWay.length + this.#queue.size, oldestMs })
    return this.#failures > 0 ? { ...load, state: 'down' } : load
  }

  get #isBusy(): boolean {
    return this.#underWay.length + this.#queue.size + this.#calls.size > 0
  }

  #call<T>(method: Method, ...args: readonly unknown[]): Promise<T> {
    this.#numbers += 1
    const request: WriterRequest = { kind: 'call', id: this.#numbers, method, args }
    return new Promise((resolve, reject) => {
      this.#calls.set(request.id, { request, resolve: (value) => resolve(value as T), reject })
      if (this.#session?.isReady) this.#session.port.postMessage(request)
      this.#proceed()
    })
  }

  /**
   * Schedules a batch. Change sets join it as long as each turn of the event loop brings more: clients that have just
   * received a response send again, and a shared commit is less work for each.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay.length > 0) return
    this.#isScheduled = true
    this.#afterTurn(MAX_TURNS)
  }

  #afterTurn(turns: number): void {
    const before = this.#queue.size
    setImmediate(() => {
      if (turns > 1 && this.#queue.size > before) {
        this.#afterTurn(turns - 1)
        return
      }
      this.#isScheduled = false
      this.#proceed()
    })
  }

  /** Takes the next possible step. */
  #proceed(): void {
    if (this.#isBusy && this.#session === undefined) this.#open()
    if (this.#session?.isReady && this.#underWay.length === 0 && this.#queue.size > 0) this.#send(this.#session.port)
    if (this.#isBusy) this.#session?.port.ref()
    else this.#session?.port.unref()
    if (!this.#isBusy) this.#whenIdle?.()
  }

  #open(): void {
    const port = this.#connect()
    if (port === undefined) {
      this.#refuseAll(new StoreUnavailable('The store is closed'))
      return
    }
    const timeout = setTimeout(() => port.close(), LONGEST_START).unref()
    const session: Session = { port, isReady: false, timeout }
    this.#session = session
    port.on('message', (response: WriterResponse) => this.#received(session, response))
    port.on('close', () => this.#ended(session))
  }

  #received(session: Session, response: WriterResponse): void {
    switch (response.kind) {
      case 'ready':
        clearTimeout(session.timeout)
        session.isReady = true
        this.#failures = 0
        for (const { request } of this.#calls.values()) session.port.postMessage(request)
        break
      case 'written': {
        const batch = this.#underWay
        this.#underWay = []
        // The thread works on the next batch while the callers of this one continue.
        this.#proceed()
        settle(batch, response.refused)
        return
      }
      case 'done':
        this.#calls.get(response.id)?.resolve(response.value)
        this.#calls.delete(response.id)
        break
      case 'failed':
        this.#calls.get(response.id)?.reject(toThrown(response.error))
        this.#calls.delete(response.id)
    }
    this.#proceed()
  }

  #send(port: MessagePort): void {
    this.#underWay = this.#nextBatch()
    try {
      const sets = this.#underWay.map(({ changes }) => sentOf(changes))
      port.postMessage({ kind: 'write', sets } satisfies WriterRequest)
    } catch (error) {
      // A value cannot be sent; nothing was sent.
      this.#underWay = withoutUnsendable(this.#underWay, error)
      for (const { changes, ...waiting } of this.#underWay) this.#queue.push(changes.clinic, { changes, ...waiting })
      this.#underWay = []
      this.#schedule()
    }
  }

  #nextBatch(): readonly WaitingChanges[] {
    const batch: WaitingChanges[] = []
    let [rows, characters] = [0, 0]
    while (batch.length < MAX_SETS && rows < MAX_ROWS && characters < MAX_CHARACTERS) {
      const waiting = this.#queue.next()
      if (waiting === undefined) break
      batch.push(waiting)
      const { resources, records, guards } = waiting.changes
      rows += resources.length + records.length + guards.length
      for (const { text } of resources) characters += text.length
    }
    return batch
  }

  /**
   * Called when the thread has ended, by a fault or because the store is closed. Waiting sets go to the next thread.
   */
  #ended(session: Session): void {
    if (this.#session !== session) return
    clearTimeout(session.timeout)
    this.#session = undefined
    if (!session.isReady) {
      this.#retry()
      return
    }
    const lost = new StoreUnavailable('The thread that writes to the store has ended', { mayBeWritten: true })
    const batch = this.#underWay
    this.#underWay = []
    for (const { reject } of batch) reject(lost)
    this.#refuseCalls(lost)
    this.#proceed()
  }

  #retry(): void {
    this.#failures += 1
    if (this.#failures < MAX_ATTEMPTS) {
      setTimeout(() => this.#proceed(), RETRY_AFTER)
      return
    }
    this.#failures = 0
    this.#refuseAll(new StoreUnavailable('The thread that writes to the store cannot be started'))
  }

  #refuseAll(error: StoreUnavailable): void {
    for (const { reject } of this.#queue.all()) reject(error)
    this.#refuseCalls(error)
    this.#whenIdle?.()
  }

  #refuseCalls(error: StoreUnavailable): void {
    for (const { reject } of this.#calls.values()) reject(error)
    this.#calls.clear()
  }
}

/** A change set as it is sent. */
export interface SentChanges extends Omit<ChangeSet, 'resources'> {
  readonly resources: readonly SentResource[]
}

interface SentResource extends Omit<ResourceChange, 'entries'> {
  readonly entries: SentEntries
}

/** The change set without extra properties of the caller's objects: each takes time to send. */
const sentOf = ({ clinic, resources, indexVersion, records, guards }: ChangeSet): SentChanges => ({
  clinic,
  resources: resources.map(({ type, id, version, lastUpdated, method, text, expect, entries }) => {
    return { type, id, version, lastUpdated, method, text, expect, entries: packed(entries) }
  }),
  ...(indexVersion === undefined ? {} : { indexVersion }),
  records,
  guards,
})

/** The change set that was sent. */
export const receivedOf = ({ resources, ...changes }: SentChanges): ChangeSet => ({
  ...changes,
  resources: resources.map((resource) => ({ ...resource, entries: unpacked(resource.entries) })),
})

function settle(batch: readonly WaitingChanges[], refused: ReadonlyMap<number, SentError>): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const error = refused.get(index)
    if (error === undefined) resolve()
    else reject(toThrown(error))
  }
}

/** Rejects change sets that cannot be sent in a message. @returns the others */
function withoutUnsendable(batch: readonly WaitingChanges[], error: unknown): readonly WaitingChanges[] {
  return batch.filter(({ changes, reject }) => {
    try {
      structuredClone(sentOf(changes))
      return true
    } catch {
      reject(error instanceof Error ? error : new Error(String(error)))
      return false
    }
  })
}

/** The methods of the writer that are called one by one. */
type Method = 'lease' | 'complete' | 'refill' | 'drop'

/** A message from a client, by its own port. */
export type WriterRequest =
  | { readonly kind: 'write'; readonly sets: readonly SentChanges[] }
  | { readonly kind: 'call'; readonly id: number; readonly method: Method; readonly args: readonly unknown[] }

/** A message to a client. `ready` comes first. */
export type WriterResponse =
  | { readonly kind: 'ready' }
  /** The errors of the sets that were not written, by their index. */
  | { readonly kind: 'written'; readonly refused: ReadonlyMap<number, SentError> }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
