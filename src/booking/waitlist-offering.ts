/** Offers freed slots in the background, if the change that frees them would take too long: see waitlist.ts. */
import type { Appointment, Slot } from 'fhir/r4'
import type { ClinicAccess } from '../core/context.ts'
import { searchRequest } from '../core/search-request.ts'
import type { BackgroundLoop, LeasedJob } from '../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { byTurn } from '../scheduling/waitlist.ts'
import { asEntry, FREED_SLOT, offerToWaiting, wanting } from './waitlist.ts'
import { offersTo } from './waitlist-offers.ts'

/** Entries read per page. */
const PAGE = 25
/** Number of next entries kept, as some may have another offer by the time of the change. */
const KEPT = 20

export const waitlistOffering = (services: DueServicesOf<ClinicAccess>): BackgroundLoop =>
  dueRecordLoop(services, {
    kind: FREED_SLOT,
    begin: ({ clinic, key }) => new FreedSlot(services.accessOf(clinic), key),
    failure: 'a slot that was freed could not be offered to the waitlist',
  })

/** The work on one slot: each batch reads a page of the waitlist, and the last one makes the offer. */
class FreedSlot implements LeasedJob {
  readonly #access: ClinicAccess
  readonly #slot: string
  #next: readonly Appointment[] = []
  #after: string | undefined

  constructor(access: ClinicAccess, slot: string) {
    this.#access = access
    this.#slot = slot
  }

  async batch(): Promise<boolean> {
    const isMore = await this.#readPage()
    if (!isMore) await this.#offer()
    return isMore
  }

  /** Nothing to release: without an offer the work is repeated after the lease. */
  async end(): Promise<void> {}

  /** Keeps the entries of a page that are next in turn. @returns whether there is another page */
  async #readPage(): Promise<boolean> {
    const ctx = this.#access.reader()
    const slot = (await ctx.find<Slot>('Slot', this.#slot))?.resource
    if (slot?.status !== 'free') return false
    const limits = { defaultCount: PAGE, maxCount: PAGE, includes: 0 }
    const { plan } = await searchRequest(ctx, ['Appointment'], new URLSearchParams('status=waitlist'), { limits })
    const { matches, next } = await ctx.unit.search(this.#after === undefined ? plan : { ...plan, after: this.#after })
    const entries = matches.map(({ resource }) => resource as Appointment)
    const wantingIt = await wanting(ctx, slot, entries)
    const offers =
      wantingIt.length === 0
        ? []
        : await offersTo(
            ctx,
            wantingIt.map(({ id = '' }) => id),
          )
    const offered = new Set(offers.map(({ focus }) => focus?.reference))
    const waiting = wantingIt.filter(({ id }) => !offered.has(`Appointment/${id}`))
    this.#next = [...this.#next, ...waiting]
      .map(asEntry)
      .toSorted(byTurn)
      .slice(0, KEPT)
      .map(({ resource }) => resource)
    this.#after = next
    return next !== undefined
  }

  async #offer(): Promise<void> {
    await this.#access.change(async (ctx) => {
      await ctx.unit.records.read(FREED_SLOT, this.#slot)
      ctx.unit.records.delete(FREED_SLOT, this.#slot)
      const slot = (await ctx.find<Slot>('Slot', this.#slot))?.resource
      const found = await Promise.all(this.#next.map(({ id = '' }) => ctx.find<Appointment>('Appointment', id)))
      const waiting = found.flatMap((entry) => (entry?.resource.status === 'waitlist' ? [entry.resource] : []))
      if (slot?.status === 'free') await offerToWaiting(ctx, slot, waiting)
    })
  }
}
