/** The delay of the event loop, as a component of /health/ready. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ComponentHealth } from '../../isolation/fair-queue.ts'

/** Milliseconds between two measurements, which wake an idle process. */
const RESOLUTION = 100
/** Milliseconds that the event loop may be late. */
const LATE = 100

type Delays = ReturnType<typeof monitorEventLoopDelay>

export class EventLoopLoad {
  #delays: Delays | undefined

  /** By how much it was late at most since the last call; measured from the first call on. */
  get load(): ComponentHealth {
    const delays = this.#measuring()
    const oldestMs = delays.count === 0 ? 0 : Math.max(0, Math.round(delays.max / 1e6) - RESOLUTION)
    delays.reset()
    return { name: 'event loop', state: oldestMs > LATE ? 'behind' : 'ok', waiting: 0, oldestMs }
  }

  close(): void {
    this.#delays?.disable()
    this.#delays = undefined
  }

  #measuring(): Delays {
    if (this.#delays !== undefined) return this.#delays
    this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION })
    this.#delays.enable()
    return this.#delays
  }
}
