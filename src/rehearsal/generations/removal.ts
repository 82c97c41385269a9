/** The removal of generations that are no longer used, in the background. */
import type { BackgroundLoop, LeasedJob, LoopPace } from '../../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../../repository/due-records.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import { CONTENT, releaseContent } from '../../repository/used-content.ts'

interface Leaving {
  readonly clinic: string
  /** The number of the generation. */
  readonly number: number
}

const LEAVING = recordKind<Leaving>('leaving-generation')

/** Milliseconds for which requests that have begun in a generation may go on in it: longer than any takes. */
export const GRACE = 60_000
/** Resources that one change deletes. */
const AT_ONCE = 200
const PACE: LoopPace = { look: 1_000, pause: 20 }

/** Stages the removal of a generation of the unit's clinic. @param at milliseconds since 1970 UTC, of the machine */
export function stageRemoval({ clinic, records }: UnitOfWork, number: number, at: number): void {
  records.put(LEAVING, `${clinic} ${number}`, { clinic, number }, { due: at, expect: 'any' })
}

type RemovalServices = DueServices & { readonly repository: Repository }

/** The loop that removes them. */
export const generationRemoval = (services: RemovalServices): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: LEAVING,
      failure: 'a generation that nobody uses was not removed',
      begin: ({ key, value }) => new Removal(services.repository, key, value),
    },
    PACE,
  )

class Removal implements LeasedJob {
  readonly #repository: Repository
  readonly #key: string
  readonly #leaving: Leaving
  #hasReleased = false
  #isDone = false

  constructor(repository: Repository, key: string, leaving: Leaving) {
    this.#repository = repository
    this.#key = key
    this.#leaving = leaving
  }

  async batch(): Promise<boolean> {
    const { clinic, number } = this.#leaving
    if (!this.#hasReleased) await releaseContents(this.#repository, clinic, number)
    this.#hasReleased = true
    this.#isDone = await this.#repository.drop(clinic, number, AT_ONCE)
    return !this.#isDone
  }

  async end(): Promise<void> {
    if (!this.#isDone) return
    const { clinic } = this.#leaving
    await this.#repository.change(clinic, async ({ records }) => records.delete(LEAVING, this.#key, { expect: 'any' }))
  }
}

/** Releases all contents that a generation refers to. */
async function releaseContents(repository: Repository, clinic: string, number: number): Promise<void> {
  for await (const page of repository.recordPages(CONTENT, { clinic })) {
    const used = page.filter(({ value: { usedBy = [0] } }) => usedBy.includes(number))
    if (used.length === 0) continue
    await repository.change(clinic, async (unit) => {
      for (const { key } of used) await releaseContent(unit, key, number)
    })
  }
}
