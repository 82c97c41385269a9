/** Practitioners with whom a booking goes wrong, for platforms that cannot add a header to a call: docs/magic.md. */
import type { Appointment } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { reservationOf } from '../../reservations/reservation.ts'
import { type MagicRow, magic } from '../magic/table.ts'
import { CATALOGUE } from './catalogue.ts'
import { type NamedFault, namedFault } from './named.ts'

/** By the address of the practitioner. */
const MAGIC: ReadonlyMap<string, NamedFault> = new Map(magic.practitioners.flatMap(faultOf))

/** The seconds of a row are those of its fault, whatever it calls them. */
function faultOf({ resource = '', expect: { fault, seconds } }: MagicRow): readonly (readonly [string, NamedFault])[] {
  if (fault === undefined) return []
  const [parameter = ''] = Object.keys(CATALOGUE.get(String(fault))?.parameters ?? {})
  return [[resource, namedFault(fault, seconds === undefined ? {} : { [parameter]: seconds })]]
}

/** The faults that a booking meets by whom it is with. */
export async function magicFaults(ctx: Context, visit: Appointment): Promise<readonly NamedFault[]> {
  const { actors = new Set<string>() } = (await reservationOf(ctx, visit)) ?? {}
  return [...actors].flatMap((actor) => MAGIC.get(actor) ?? [])
}
