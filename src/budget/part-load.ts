/** How a part of the server keeps up with what it is given: what /health/ready tells. */

export interface PartLoad {
  /** A noun phrase for the operator: `work threads`. */
  readonly name: string
  /**
   * `behind`: what waits has waited for long. `degraded`: it does not work now, and requests are served without it.
   * `down`: it does not work now, and requests that need it fail.
   */
  readonly state: 'ok' | 'behind' | 'degraded' | 'down'
  /** Requests that wait for it. */
  readonly waiting: number
  /** Milliseconds that the oldest of them has waited. */
  readonly oldestMs: number
  /** A remark for the operator. */
  readonly note?: string
}

/** Milliseconds. */
const LONG = 1_000

/** Of a part that works, with a queue before it. */
export function loadOfQueue(name: string, { waiting, oldestMs }: Pick<PartLoad, 'waiting' | 'oldestMs'>): PartLoad {
  return { name, state: oldestMs > LONG ? 'behind' : 'ok', waiting, oldestMs: Math.round(oldestMs) }
}

/** The note that a file was set aside; none where none was. @param setAsideAt milliseconds since 1970 UTC */
export const noteOfSetAside = (setAsideAt: number | undefined): Pick<PartLoad, 'note'> =>
  setAsideAt === undefined
    ? {}
    : {
        note: `its file could not be read, was set aside beside it, and a new one has begun at ${new Date(setAsideAt).toISOString()}`,
      }
