/**
 * One store for several threads of a process. The thread that has opened it owns the writer; each other thread reads by
 * its own connection and writes by a port to the writer, which it requests once, and again when the writer has been
 * replaced.
 */
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { HostedThread, type ThreadListener } from '../../isolation/thread-host.ts'
import type { SharedStore } from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { toThrown } from '../thread-errors.ts'
import type { SentOptions } from './engine.ts'
import { Signals } from './engine.ts'
import type { Connect } from './writer-client.ts'

/** SharedStore.value of this engine. */
interface SharedValue {
  /** Each client of the writer posts its port here. */
  readonly control: MessagePort
  readonly signals: SharedArrayBuffer
}

/** The port of a client of the writer: a message to the thread that owns it, and to the writer itself. */
export interface ConnectOrder {
  readonly port: MessagePort
}

/** Megabytes. Several change sets of the largest size allowed by the configuration must fit in. */
const MEGABYTES = [1024, 8] as const

export class Sharing {
  readonly #writer: HostedThread<ConnectOrder, void>
  readonly #signals: Signals
  readonly #controls = new Set<MessagePort>()
  #isClosed = false

  constructor(options: () => SentOptions, signals: Signals, { onFault, onThread }: ThreadListener) {
    const entry = join(import.meta.dirname, 'writer-thread.ts')
    const data = () => ({ value: options() })
    const lost = () => new StoreUnavailable('The thread that writes to the store has ended')
    const settings = { entry, name: 'store writer', megabytes: MEGABYTES, data, toThrown, lost, onFault, onThread }
    this.#writer = new HostedThread(settings)
    this.#signals = signals
  }

  /** A port for a client in this thread; undefined: the store is closed. */
  readonly connect: Connect = () => {
    const { port1, port2 } = new MessageChannel()
    this.#give(port2)
    return this.#isClosed ? undefined : port1
  }

  share(): SharedStore {
    const { port1, port2 } = new MessageChannel()
    this.#controls.add(port1)
    port1.on('message', ({ port }: ConnectOrder) => this.#give(port))
    port1.on('close', () => this.#controls.delete(port1))
    port1.unref()
    const value: SharedValue = { control: port2, signals: this.#signals.buffer }
    return { value, transferList: [port2] }
  }

  /** Ends the writer once it has done its orders. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const control of this.#controls) control.close()
    await this.#writer.close()
  }

  /** Gives the writer the port of a client, which notices by its closing that the writer has ended. */
  #give(port: MessagePort): void {
    if (this.#isClosed) port.close()
    else this.#writer.run({ port }, { transfer: [port] }).catch(() => undefined)
  }
}

/** The counterpart of Sharing in the other thread. */
export class Shared {
  readonly signals: Signals
  readonly #control: MessagePort
  #isClosed = false

  /** @param value the result of `share` */
  constructor(value: object) {
    const { control, signals } = value as SharedValue
    this.signals = new Signals(signals)
    this.#control = control
    control.on('close', () => {
      this.#isClosed = true
    })
    control.unref()
  }

  readonly connect: Connect = () => {
    if (this.#isClosed) return undefined
    const { port1, port2 } = new MessageChannel()
    this.#control.postMessage({ port: port2 } satisfies ConnectOrder, [port2])
    return port1
  }

  close(): void {
    this.#isClosed = true
    this.#control.close()
  }
}
