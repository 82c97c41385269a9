/**
 * Whether and when a person may be contacted: the hours are the clinic's, in the person's own time zone if known; the
 * outbox checks consent and hours before each attempt to send a message.
 */
import type { Patient } from 'fhir/r4'
import { DateTime, IANAZone } from 'luxon'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import type { OutboxRow } from '../../integrations/outbox/rows.ts'
import { findAbandonment } from './abandonment.ts'
import { hasOptedOut, refusesCommunication } from './contact-consent.ts'

export interface ContactWindow {
  readonly zone: string
  /** Minutes since midnight. */
  readonly from: number
  readonly until: number
}

/** https://hl7.org/fhir/R4/extension-timezone.html, on an address of the Patient. */
const TIME_ZONE = 'http://hl7.org/fhir/StructureDefinition/timezone'

/** @param patient Patient.id */
export async function contactWindow(ctx: Context, patient: string | undefined): Promise<ContactWindow> {
  const found = patient === undefined ? undefined : await ctx.find<Patient>('Patient', patient)
  return windowOf(await readSettings(ctx.unit, ctx.clinic), found?.resource)
}

/** @param patient whose own time zone applies, if known */
export function windowOf({ timeZone, recovery }: ClinicSettings, patient: Patient | undefined): ContactWindow {
  const { contactFrom, contactUntil } = recoveryDefaults(recovery)
  return { zone: zoneOf(patient) ?? timeZone, from: minuteOf(contactFrom), until: minuteOf(contactUntil) }
}

/** Uses only a time zone stated in the address: states do not determine one, as several have two zones. */
const zoneOf = (patient: Patient | undefined): string | undefined =>
  (patient?.address ?? [])
    .filter(({ use }) => use !== 'old')
    .flatMap(({ extension = [] }) => extension.filter(({ url }) => url === TIME_ZONE))
    .map(({ valueCode }) => valueCode)
    .find((zone) => zone !== undefined && IANAZone.isValidZone(zone))

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** The first moment from `moment` on (ms since 1970 UTC) within the window; `moment` itself if it is. */
export function firstOpen({ zone, from, until }: ContactWindow, moment: number): number {
  const local = DateTime.fromMillis(moment, { zone })
  const minute = local.hour * 60 + local.minute
  if (minute >= from && minute < until) return moment
  const day = (minute < from ? local : local.plus({ days: 1 })).startOf('day')
  return day.set({ hour: Math.floor(from / 60), minute: from % 60 }).toMillis()
}

/** The reason why the row must not be sent any more; undefined if it may be. */
export async function objectionTo(ctx: Context, { message }: OutboxRow): Promise<string | undefined> {
  if (message === undefined) return undefined
  const { channel, to, patient } = message
  if (await hasOptedOut(ctx.unit, channel, { point: to, patient })) return 'the person has opted out'
  if (patient !== undefined && (await refusesCommunication(ctx.unit, patient)))
    return 'the person does not agree to be contacted any more'
  if (message.abandonment !== undefined && (await findAbandonment(ctx.unit, message.abandonment))?.isOpen !== true)
    return 'what the message is about has been closed'
  return undefined
}

/** The time from which the row may be sent, in milliseconds since 1970 UTC; undefined: now. */
export async function heldUntil(ctx: Context, { message }: OutboxRow): Promise<number | undefined> {
  if (message === undefined) return undefined
  const opens = firstOpen(await contactWindow(ctx, message.patient), ctx.now)
  return opens > ctx.now ? opens : undefined
}
