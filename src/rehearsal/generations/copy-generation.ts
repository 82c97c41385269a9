/** Copies the data of a clinic, as they are at one moment, into another generation, of the same clinic or of another one. */
import type { StoredContents } from '../../content/contents.ts'
import { markersIn, mayHaveMarkers } from '../../fhir/content/marker.ts'
import type { Generation } from '../../repository/generation.ts'
import { generationKinds, partitionOf } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import type { ScannedVersion, StoredRecord, StoreSnapshot } from '../../storage/port.ts'
import { scanPages } from '../../storage/scan-pages.ts'

/** A generation of a clinic. */
export interface Filled {
  readonly clinic: string
  readonly generation: Pick<Generation, 'number'>
}

export interface CopyServices {
  readonly repository: Repository
  readonly contents: StoredContents
}

interface Copy {
  readonly from: Filled
  readonly to: Filled
  /** The time at which a copied record is due; absent: as the original. */
  readonly dueOf?: (due: number) => number
  /** Called with the number of versions that are copied. */
  readonly onCopied: (count: number) => Promise<void>
}

/** Versions, and records, of one change. */
const AT_ONCE = 200

/** Kinds of what waits to be delivered: it stays with the clinic that has to deliver it. */
const DELIVERIES: ReadonlySet<string> = new Set(['outbox', 'outbox-queue', 'simulated-delivery'])

/** Kinds of Subscriptions that are carried out: in a copy they are off, so that nobody is notified twice. */
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(['subscribed', 'event', 'subscription', 'subscription-event'])

/** True for a delivery to the receiver of a Subscription, whose events are not copied either. */
const isOfSubscription = ({ kind, value }: StoredRecord): boolean =>
  kind === 'outbox' && (value as { readonly subscription?: unknown }).subscription !== undefined

/** @throws StoreUnavailable, also where the source is so large that its snapshot ends before it is read */
export async function copyGeneration(services: CopyServices, copy: Copy): Promise<void> {
  const snapshot = await services.repository.snapshot()
  try {
    // First, as versions are indexed by the search parameters that a record declares.
    await copyRecords(services, copy, snapshot)
    await copyVersions(services, copy, snapshot)
  } finally {
    await snapshot.close()
  }
}

async function copyRecords({ repository }: CopyServices, copy: Copy, snapshot: StoreSnapshot): Promise<void> {
  const { from, to, dueOf = (due) => due } = copy
  const kinds = new Set(generationKinds.filter((kind) => !SUBSCRIPTIONS.has(kind)))
  if (from.clinic !== to.clinic) for (const kind of DELIVERIES) kinds.delete(kind)
  for await (const { items } of scanPages((after) =>
    snapshot.scanRecords({ clinic: placeOf(from), limit: AT_ONCE, ...after }),
  )) {
    const copied = items.filter((record) => kinds.has(record.kind) && !isOfSubscription(record))
    if (copied.length === 0) continue
    await repository.change(
      to.clinic,
      async ({ records }) => {
        for (const record of copied) records.copy(record, record.due === null ? null : dueOf(record.due))
      },
      to,
    )
  }
}

async function copyVersions(services: CopyServices, copy: Copy, snapshot: StoreSnapshot): Promise<void> {
  const { from, to, onCopied } = copy
  let [done, writing]: [number, Promise<void>] = [0, Promise.resolve()]
  for await (const { items } of scanPages((after) =>
    snapshot.scanVersions({ clinic: placeOf(from), limit: AT_ONCE, ...after }),
  )) {
    const versions = items.map((version) => switchedOff(inClinic(version, from.clinic, to.clinic)))
    if (from.clinic !== to.clinic) await copyContents(services, copy, versions)
    const before = writing
    writing = services.repository.change(
      to.clinic,
      async (unit) => {
        for (const version of versions) await unit.copy(version)
        // Pages are written in their order; meanwhile the next one is read and indexed.
        await before
      },
      to,
    )
    // Not an unhandled rejection when the page before it can't be written.
    writing.catch(() => {})
    await before
    done += versions.length
    await onCopied(done)
  }
  await writing
}

const placeOf = ({ clinic, generation }: Filled): string => partitionOf(clinic, generation.number)

/** The version as another clinic has it: the Organization that is the clinic has the id of that one. */
function inClinic(version: ScannedVersion, from: string, to: string): ScannedVersion {
  if (from === to) return version
  const text = version.text.replaceAll(`"Organization/${from}"`, `"Organization/${to}"`)
  if (version.type !== 'Organization' || version.id !== from) return { ...version, text }
  return { ...version, id: to, text: text.replace(`"id":"${from}"`, `"id":"${to}"`) }
}

/** A Subscription that is carried out, as one that is not. */
function switchedOff(version: ScannedVersion): ScannedVersion {
  if (version.type !== 'Subscription' || !version.isCurrent || version.method === 'DELETE') return version
  const { error: _error, ...subscription } = JSON.parse(version.text)
  return { ...version, text: JSON.stringify({ ...subscription, status: 'off' }) }
}

/** Copies the bytes of the contents that the versions refer to, where the other clinic does not have them yet. */
async function copyContents({ contents }: CopyServices, { from, to }: Copy, versions: readonly ScannedVersion[]) {
  for (const { text } of versions.filter((version) => mayHaveMarkers(version.text))) {
    for (const sha256 of markersIn(text)) {
      if ((await contents.facts(to.clinic, sha256)) !== undefined) continue
      await contents.receive(to.clinic, contents.read(from.clinic, sha256), Number.POSITIVE_INFINITY)
    }
  }
}
