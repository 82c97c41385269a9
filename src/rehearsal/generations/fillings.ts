/** Work that fills a generation: in a work thread where there are some, as it may take long, else between other work. */
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import type { Filling } from './filling.ts'
import { finishReset, type HasReset, type Reset, type ResetServices } from './reset.ts'
import { finishSnapshot, type NamedSnapshot } from './snapshots.ts'

interface SnapshotToTake {
  readonly clinic: string
  readonly name: string
  readonly serverVersion: string
}

/** A filling that has begun, for another thread. */
export type FillWork =
  | { readonly reset: Reset; readonly filling: Filling }
  | { readonly snapshot: SnapshotToTake; readonly filling: Filling }

/** Its result, or the refusal, which is no fault of the thread. */
export type FillResult =
  | { readonly filled: HasReset | NamedSnapshot }
  | { readonly refused: { readonly status: number; readonly issues: readonly Issue[] } }

export interface FillThreads {
  fill(work: FillWork): Promise<FillResult>
}

export async function fill(services: ResetServices, work: FillWork): Promise<FillResult> {
  try {
    if ('reset' in work) return { filled: await finishReset(services, work.reset, work.filling) }
    return { filled: await finishSnapshot(services, work.snapshot, work.filling) }
  } catch (error) {
    if (error instanceof FhirError) return { refused: { status: error.status, issues: error.issues } }
    throw error
  }
}

export class Fillings {
  readonly #fill: (work: FillWork) => Promise<FillResult>
  readonly #serverVersion: string

  /** @param threads absent: the work is done on this thread */
  constructor(services: ResetServices, threads: FillThreads | undefined, serverVersion: string) {
    this.#fill = threads === undefined ? (work) => fill(services, work) : (work) => threads.fill(work)
    this.#serverVersion = serverVersion
  }

  /** @throws FhirError as finishReset */
  async reset(reset: Reset, filling: Filling): Promise<HasReset> {
    return (await this.#filled({ reset, filling })) as HasReset
  }

  /** @throws FhirError as finishSnapshot */
  async snapshot(of: Pick<SnapshotToTake, 'clinic' | 'name'>, filling: Filling): Promise<NamedSnapshot> {
    const snapshot = { ...of, serverVersion: this.#serverVersion }
    return (await this.#filled({ snapshot, filling })) as NamedSnapshot
  }

  async #filled(work: FillWork): Promise<HasReset | NamedSnapshot> {
    const result = await this.#fill(work)
    if ('filled' in result) return result.filled
    throw new FhirError(result.refused.status, result.refused.issues)
  }
}
