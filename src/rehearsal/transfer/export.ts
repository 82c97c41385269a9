/** Everything that a clinic has at one moment, resource by resource: what an import takes (docs/imports.md). */
import { isShipped } from '../../core/shipped.ts'
import { present } from '../../fhir/resource.ts'
import { typesInOrder } from '../../fhir/type-order.ts'
import { forNoRequest } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { Repository, StoredResource, StoreSnapshot } from '../../repository/repository.ts'
import { isRestricted } from '../../repository/restriction.ts'
import { isShippedScript } from '../plans/plans.ts'

/** Resources that are in memory at a time; fewer where they are large. */
const PAGE = 50

/** A clinic at one moment. */
export interface ExportedClinic {
  /** Its current resources a page at a time, without those that the server has shipped, and those that nobody may see. */
  readonly pages: AsyncIterable<readonly StoredResource[]>
  /** Ends it, also in the middle. */
  readonly close: () => Promise<void>
}

export async function openExport(repository: Repository, clinic: string): Promise<ExportedClinic> {
  // First: a reset in between leaves the data that it replaces where they are for a while.
  const partition = await repository.partition(clinic)
  const snapshot = await repository.snapshot()
  return { pages: pagesOf(snapshot, partition), close: () => snapshot.close() }
}

const isOfServer = ({ type, id }: StoredResource): boolean => isShipped(type, id) || isShippedScript(type, id)

const isExported = (resource: StoredResource): boolean =>
  resource.method !== 'DELETE' && !isOfServer(resource) && !isRestricted(resource)

type Page = Awaited<ReturnType<StoreSnapshot['scanVersions']>>

async function* pagesOf(snapshot: StoreSnapshot, partition: string): AsyncGenerator<readonly StoredResource[]> {
  for (const type of typesInOrder) {
    const scan = { clinic: partition, type, isCurrent: true, limit: PAGE } as const
    let after: string | undefined
    do {
      // It takes as long as its client takes to receive it, so it is not paid from the budget of the request.
      const page: Page = await forNoRequest(() => snapshot.scanVersions({ ...scan, ...present({ after }) }))
      if (page.items.length > 0) await yieldToEventLoop()
      yield page.items.filter(isExported)
      after = page.next
    } while (after !== undefined)
  }
}
