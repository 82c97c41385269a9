/**
 * One store for several threads of a process. The thread that has opened it owns the writer; each other thread reads by
 * its own connection and writes by a port to the writer, which it requests once, and again when the writer has been
 * replaced.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { SharedStore } from '../port.ts'
import { Signals } from './signals.ts'
import type { Connect } from './writer-client.ts'
import type { WriterHost } from './writer-host.ts'

/** SharedStore.value of this engine. */
interface SharedValue {
  /** Each client of the writer posts its port here. */
  readonly control: MessagePort
  readonly signals: SharedArrayBuffer
}

/** A message from a thread that shares the store. */
interface ConnectOrder {
  readonly port: MessagePort
}

export class Sharing {
  readonly #host: WriterHost
  readonly #signals: Signals
  readonly #controls = new Set<MessagePort>()

  constructor(host: WriterHost, signals: Signals) {
    this.#host = host
    this.#signals = signals
  }

  share(): SharedStore {
    const { port1, port2 } = new MessageChannel()
    this.#controls.add(port1)
    port1.on('message', ({ port }: ConnectOrder) => this.#host.give(port))
    port1.on('close', () => this.#controls.delete(port1))
    port1.unref()
    const value: SharedValue = { control: port2, signals: this.#signals.buffer }
    return { value, transferList: [port2] }
  }

  close(): void {
    for (const control of this.#controls) control.close()
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
