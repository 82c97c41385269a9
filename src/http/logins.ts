/** Checks the password of a user, limiting the rate of guesses. */
import type { Context as KoaContext } from 'koa'
import { type Account, verifyPassword } from '../clinics/accounts.ts'
import { takeAttempt } from '../clinics/login-limit.ts'
import type { PasswordCost } from '../clinics/passwords.ts'
import type { Config } from '../config.ts'
import { FhirError } from '../fhir/outcome.ts'
import { FairQueue, QueueFull } from '../isolation/fair-queue.ts'
import type { Repository } from '../repository/repository.ts'

export interface LoginServices {
  readonly repository: Repository
  readonly config: Pick<Config, 'demo'>
  /** The IP address of the client of a request. */
  readonly addressOf: (koa: KoaContext) => string
  /** Cost of the accounts' hashes; absent: the default. */
  readonly passwordCost?: PasswordCost | undefined
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Limits of the queue for passwords: each takes 32 MiB and a core, so each process hashes one at a time. */
const LIMITS = { slots: 1, slotsPerClinic: 1, perClinic: 100, total: 200 }

export class Logins {
  readonly #services: LoginServices
  /** Turns go round the addresses, and within one round the user names: a client that sends many waits behind the others. */
  readonly #queue = new FairQueue(LIMITS)

  constructor(services: LoginServices) {
    this.#services = services
  }

  /**
   * The account, when the password is correct; undefined otherwise, whether there is such an account or not.
   * @throws FhirError 429 when the attempt comes too early after failed ones, 503 when too many wait
   */
  async check(koa: KoaContext, { username, password }: Credentials): Promise<Account | undefined> {
    const { repository, config, addressOf, passwordCost } = this.#services
    return await this.hashing(koa, username, async () => {
      const attempt = await takeAttempt(repository, username, addressOf(koa))
      const account = await verifyPassword(repository, username, password, config.demo, passwordCost)
      if (account !== undefined) await attempt.succeeded()
      return account
    })
  }

  /** Work that hashes a password, in turn. @throws FhirError 503 when too many wait */
  async hashing<T>(koa: KoaContext, username: string, work: () => Promise<T>): Promise<T> {
    const release = await this.#enter(this.#services.addressOf(koa), username)
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
