/**
 * Whether and when a person may be contacted. The consent is a Consent beside the Patient's extension: one for each patient,
 * updated and never duplicated. Opt-outs are final for calls: a Consent that denies contact, which only staff can end over
 * FHIR (`status` inactive); it is found by contact point and by patient, so it applies to anyone reached at that contact
 * point. The hours are the clinic's, in the person's own time zone if known; the outbox checks consent and hours before each
 * attempt to send a message.
 */
import { hash } from 'node:crypto'
import type { Consent, Patient } from 'fhir/r4'
import { DateTime, IANAZone } from 'luxon'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { OutboxRow } from '../../integrations/outbox/rows.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork, Versioned } from '../../repository/repository.ts'
import { lettersOf } from '../../spoken/spoken.ts'
import { findAbandonment } from './abandonment.ts'
import { CONSENT_CATEGORY_SYSTEM, concept } from './vocabulary.ts'

export const CONTACT_CHANNELS = ['phone', 'sms', 'email'] as const
export type ContactChannel = (typeof CONTACT_CHANNELS)[number]

interface OptOut {
  /** Consent.id */
  readonly consent: string
}

const OPT_OUT = recordKind<OptOut>('contact-opt-out')

/** The target of an opt-out: a number or an address, and a Patient. */
export interface Reached {
  readonly point?: string | undefined
  /** Patient.id */
  readonly patient?: string | undefined
}

/** Hashed, so that keys reveal no numbers and addresses. */
const keysOf = (channel: ContactChannel, { point, patient }: Reached): readonly string[] =>
  [point?.toLowerCase(), patient === undefined ? undefined : `Patient/${patient}`].flatMap((whom) =>
    whom === undefined ? [] : hash('sha256', JSON.stringify([channel, whom])),
  )

type Reader = Pick<UnitOfWork, 'read' | 'records'>

export async function hasOptedOut(unit: Reader, channel: ContactChannel, reached: Reached): Promise<boolean> {
  for (const key of keysOf(channel, reached)) if (await isDenied(unit, key)) return true
  return false
}

async function isDenied(unit: Reader, key: string): Promise<boolean> {
  const record = await unit.records.read(OPT_OUT, key)
  const found = record === undefined ? undefined : await unit.read('Consent', record.value.consent)
  return found !== undefined && !found.deleted && (found.resource as Consent).status === 'active'
}

/** Stages an opt-out; does nothing if both the contact point and the patient have one. */
export async function optOut(ctx: Context, channel: ContactChannel, reached: Reached): Promise<void> {
  const denied = await Promise.all(keysOf(channel, reached).map((key) => isDenied(ctx.unit, key)))
  if (denied.every(Boolean)) return
  const consent = await ctx.create<Consent>({
    resourceType: 'Consent',
    status: 'active',
    scope: concept('http://terminology.hl7.org/CodeSystem/consentscope', 'patient-privacy'),
    category: [concept(CONSENT_CATEGORY_SYSTEM, 'contact-opt-out', 'Contact opt-out')],
    ...(reached.patient === undefined ? {} : { patient: { reference: `Patient/${reached.patient}` } }),
    dateTime: new Date(ctx.now).toISOString(),
    policyRule: concept('http://terminology.hl7.org/CodeSystem/v3-ActCode', 'OPTOUT'),
    provision: { type: 'deny', code: [{ text: channel }] },
  })
  for (const key of keysOf(channel, reached)) {
    ctx.unit.records.put(OPT_OUT, key, { consent: consent.id })
  }
}

const consentIdOf = (patient: string): string => derivedId('communication', patient)

/** Whether the patient, or staff, have refused it. @param patient Patient.id */
export async function refusesCommunication(unit: Pick<UnitOfWork, 'read'>, patient: string): Promise<boolean> {
  const found = await unit.read('Consent', consentIdOf(patient))
  return found !== undefined && !found.deleted && (found.resource as Consent).status === 'inactive'
}

/** Returns the written Consent; undefined if nothing changed. */
export async function writeCommunicationConsent(
  ctx: Context,
  patient: string,
  agreed: boolean,
): Promise<Versioned<Consent> | undefined> {
  const id = consentIdOf(patient)
  const current = (await ctx.find<Consent>('Consent', id))?.resource
  const status = agreed ? 'active' : 'inactive'
  if (current?.status === status) return undefined
  return await ctx.update<Consent>({
    ...current,
    resourceType: 'Consent',
    id,
    status,
    scope: concept('http://terminology.hl7.org/CodeSystem/consentscope', 'patient-privacy'),
    category: [concept(CONSENT_CATEGORY_SYSTEM, 'communication', 'Communication')],
    patient: { reference: `Patient/${patient}` },
    dateTime: new Date(ctx.now).toISOString(),
    policyRule: concept('http://terminology.hl7.org/CodeSystem/v3-ActCode', agreed ? 'OPTIN' : 'OPTOUT'),
    provision: { type: agreed ? 'permit' : 'deny' },
  })
}

/** Words for each channel, by their letters alone. */
const CHANNEL_WORDS: Readonly<Record<ContactChannel, readonly string[]>> = {
  phone: ['phone', 'call', 'calls', 'phonecall', 'phonecalls', 'voice'],
  sms: ['sms', 'text', 'texts', 'textmessage', 'textmessages'],
  email: ['email', 'emails'],
}

/** A contact channel in the agents' words: "SMS", "text message", "E-mail"; undefined for anything else. */
export const statedChannel = (value: unknown): ContactChannel | undefined =>
  CONTACT_CHANNELS.find((channel) => CHANNEL_WORDS[channel].includes(lettersOf(String(value))))

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
