/**
 * Faults that are true in the data: others change what a request is about to change, a moment before its change is written. The
 * store then finds the conflict, the change is made again on what others have written, and is refused or not as it would
 * be in production.
 */
import type { Appointment } from 'fhir/r4'
import type { AccessOf, Work } from '../../core/clinic-access.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { currentBudget } from '../../isolation/budget.ts'
import type { Repository, Versioned } from '../../repository/repository.ts'
import { OPEN_STATUSES } from '../../scheduling/appointment-status.ts'
import { fireNamed } from './deciding.ts'
import { type Fired, fire, firedAs } from './fired.ts'
import { magicFaults } from './magic.ts'
import { planMove } from './moved-visits.ts'
import { bookForOthers, writeVersions } from './others.ts'

/** Makes the work of a change meet the faults of its request. @param accessOf for others who act a moment before */
export const faultyWork =
  (accessOf: AccessOf, repository: Repository) =>
  <T>(work: Work<T>): Work<T> => {
    // The data that the request has met, also where a reset comes between.
    const othersAt = ({ clinic, unit, now }: Context) =>
      accessOf(clinic, { kind: 'server' }, { number: unit.generation, clock: { at: now } })
    return meeting(work, { othersAt, repository })
  }

interface Parts {
  /** Acts for others, on the same data at the same time. */
  readonly othersAt: (ctx: Context) => ClinicAccess
  readonly repository: Repository
}

function meeting<T>(work: Work<T>, parts: Parts): Work<T> {
  // The work runs again after each conflict; what others do, they do once.
  let isFirst = true
  return async (ctx) => {
    const result = await work(ctx)
    const visits = ctx.unit.staged<Appointment>('Appointment')
    if (visits.length > 0 && isFirst && !ctx.isImport) await fireMagic(ctx, visits, parts)
    if (currentBudget()?.isFaulted) {
      if (isFirst) await bringAbout(ctx, visits, parts)
      if (firedAs('moved') !== undefined) planMoves(ctx, visits, firedAs('moved'))
    }
    isFirst = false
    return result
  }
}

/** Whom a visit is booked with may decide what goes wrong: docs/magic.md */
async function fireMagic(ctx: Context, visits: readonly Versioned<Appointment>[], parts: Parts): Promise<void> {
  for (const visit of visits) {
    if (visit.deleted || visit.resource.status !== 'booked') continue
    const faults = await magicFaults(ctx, visit.resource)
    if (faults.length === 0 || (await wasBooked(visit, parts.othersAt(ctx)))) continue
    for (const named of faults) fire([await fireNamed(parts.repository, ctx.clinic, named)])
  }
}

async function wasBooked({ id, created }: Versioned<Appointment>, others: ClinicAccess): Promise<boolean> {
  if (created) return false
  const stored = await (await others.reader()).find<Appointment>('Appointment', id)
  return stored?.resource.status === 'booked'
}

/** Makes others act a moment before the change is written. */
async function bringAbout(ctx: Context, visits: readonly Versioned<Appointment>[], { othersAt }: Parts): Promise<void> {
  const others = othersAt(ctx)
  if (firedAs('slot-gone') !== undefined) {
    for (const visit of visits) {
      if (visit.deleted || !OPEN_STATUSES.includes(visit.resource.status)) continue
      await unlessRefused(() => bookForOthers(others, visit.resource))
    }
  }
  if (firedAs('version-moved') !== undefined) await writeVersions(others, changedBy(ctx))
}

/** Others are refused where nothing can be taken: the time is taken already, or stays as it was. */
async function unlessRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
  }
}

/** The subjects of the change, as `Type/id`: its Slots only where it changes nothing else. */
function changedBy({ unit }: Context): readonly string[] {
  const changed = unit.staged().filter(({ created }) => !created)
  const own = changed.filter(({ type }) => type !== 'Slot')
  return (own.length > 0 ? own : changed).map(({ type, id }) => `${type}/${id}`)
}

/** In the same change as the booking, so that none is without the other. */
function planMoves(ctx: Context, visits: readonly Versioned<Appointment>[], moved: Fired | undefined): void {
  for (const visit of visits) {
    if (!visit.deleted && visit.resource.status === 'booked') planMove(ctx, visit.id, Number(moved?.with.after))
  }
}
