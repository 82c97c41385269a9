/** The queue in which passwords are hashed: each takes 32 MiB and a core, so there is one at a time in each process. */
import { FairQueue, QueueFull } from '../../budget/fair-queue.ts'
import { FhirError } from '../../fhir/outcome.ts'

/** Whoever sends many waits behind the others. */
const LIMITS = { slots: 1, slotsPerClinic: 1, perClinic: 100, total: 200 }

export class PasswordQueue {
  readonly #queue = new FairQueue(LIMITS)

  /**
   * Does `work` in turn. Turns go round the addresses, and within one round the user names.
   * @throws FhirError 503 when too many wait already
   */
  async run<T>(address: string, username: string, work: () => Promise<T>): Promise<T> {
    const release = await this.#enter(address, username)
    try {
      return await work()
    } finally {
      release()
    }
  }

  async #enter(address: string, username: string) {
    try {
      return await this.#queue.enter({ clinic: address, token: username })
    } catch (error) {
      throw error instanceof QueueFull ? tooMany() : error
    }
  }
}

const tooMany = (): FhirError =>
  new FhirError(503, { code: 'throttled', diagnostics: 'Too many logins at once; try again' }, { 'retry-after': '5' })
