/**
 * Opt-outs, which are final for calls: a Consent that denies contact, which only staff can end over FHIR (`status`
 * inactive). It is found by contact point and by patient, so it applies to anyone reached at that contact point.
 */
import { hash } from 'node:crypto'
import type { Consent } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
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
