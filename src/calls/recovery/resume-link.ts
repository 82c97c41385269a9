/**
 * Resume links: one-time, with an expiry. The token is only in the link; its hash is stored. A browser that redeems one gets
 * the token of a form instead, with which the person goes on for an hour.
 */
import { linkTokenKey, newLinkToken } from '../../clinics/link-token.ts'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { type Abandonment, findAbandonment, withOutput } from '../record/abandonment.ts'
import { type FormFields, fieldsOf } from './form-fields.ts'

interface ResumeLink {
  readonly clinic: string
  /** Task.id of the abandonment. */
  readonly abandonment: string
  /** The token is that of a form, which a redeemed link has opened. */
  readonly isForm?: true
}

/** Stored for the whole service, as a request to open a link names no clinic. */
export const RESUME_LINK = recordKind<ResumeLink>('resume-link')

const HOUR = 3_600_000

/** Stages a link. @returns its URL, and its expiry in ms since 1970 UTC */
export async function stageResumeLink(
  ctx: Context,
  abandonment: string,
): Promise<{ readonly link: string; readonly expiresAt: number }> {
  const { recovery } = await readSettings(ctx.unit, ctx.clinic)
  const token = newLinkToken()
  const expiresAt = ctx.now + recoveryDefaults(recovery).linkHours * HOUR
  ctx.unit.records.put(RESUME_LINK, linkTokenKey(token), { clinic: ctx.clinic, abandonment }, { due: expiresAt })
  return { link: addressOf(recovery?.formUrl, ctx.baseUrl, token), expiresAt }
}

function addressOf(formUrl: string | undefined, baseUrl: string, token: string): string {
  if (formUrl === undefined) return `${baseUrl}/resume/${token}`
  const url = new URL(formUrl)
  url.searchParams.set('resume', token)
  return url.href
}

interface Resumed {
  readonly kind: string
  readonly stepReached: string
  readonly fields: Readonly<Record<string, string | boolean>>
  readonly missingFields: readonly string[]
}

/**
 * Redeems a resume link, once, for the fields completed so far, to be shown in the clinic's form.
 * @returns undefined if the link is unknown, expired or used; of concurrent requests only one succeeds
 */
export async function redeemLink(
  ctx: Context,
  token: string,
): Promise<{ readonly resumed: Resumed; readonly patient: string; readonly abandonment: string } | undefined> {
  const key = linkTokenKey(token)
  const record = await ctx.unit.records.read(RESUME_LINK, key)
  if (record?.due == null || record.value.clinic !== ctx.clinic || record.value.isForm) return undefined
  ctx.unit.records.delete(RESUME_LINK, key)
  const abandonment = await findAbandonment(ctx.unit, record.value.abandonment)
  if (record.due <= ctx.now || abandonment?.isOpen !== true) return undefined
  const { kind, stepReached, patient, task } = abandonment
  const { known, missing } = await fieldsOf(ctx, abandonment)
  await ctx.update(withOutput(task.resource, 'resume-link-used', new Date(ctx.now).toISOString()))
  return { resumed: { kind, stepReached, fields: known, missingFields: missing }, patient, abandonment: task.id }
}

/** Redeems a resume link for the form of this server. @returns the token of the form; undefined as redeemLink */
export async function redeemForForm(
  ctx: Context,
  token: string,
): Promise<{ readonly form: string; readonly patient: string } | undefined> {
  const redeemed = await redeemLink(ctx, token)
  if (redeemed === undefined) return undefined
  const { abandonment, patient } = redeemed
  const form = newLinkToken()
  const opened: ResumeLink = { clinic: ctx.clinic, abandonment, isForm: true }
  ctx.unit.records.put(RESUME_LINK, linkTokenKey(form), opened, { due: ctx.now + HOUR })
  return { form, patient }
}

interface OpenedForm extends FormFields {
  readonly abandonment: Abandonment
}

/**
 * The form of a token, with the fields completed so far; none where it has been taken care of meanwhile.
 * @returns undefined if the token is unknown or has expired
 */
export async function openedForm(ctx: Context, token: string): Promise<OpenedForm | undefined> {
  const record = await ctx.unit.records.read(RESUME_LINK, linkTokenKey(token))
  const isOpened = record?.value.isForm === true && record.value.clinic === ctx.clinic
  if (!isOpened || record.due == null || record.due <= ctx.now) return undefined
  const abandonment = await findAbandonment(ctx.unit, record.value.abandonment)
  if (abandonment === undefined) return undefined
  const fields = abandonment.isOpen ? await fieldsOf(ctx, abandonment) : { known: {}, missing: [] }
  return { abandonment, ...fields }
}
