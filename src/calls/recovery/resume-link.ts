/** Resume links: one-time, with an expiry. The token is only in the link; its hash is stored. */
import { hash, randomBytes } from 'node:crypto'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { findAbandonment, withOutput } from '../record/abandonment.ts'
import { fieldsOf } from './form-fields.ts'

interface ResumeLink {
  readonly clinic: string
  /** Task.id of the abandonment. */
  readonly abandonment: string
}

/** Stored for the whole service, as a request to open a link names no clinic. */
export const RESUME_LINK = recordKind<ResumeLink>('resume-link')

export const tokenKey = (token: string): string => hash('sha256', token)

const HOUR = 3_600_000

/** Stages a link. @returns its URL, and its expiry in ms since 1970 UTC */
export async function stageResumeLink(
  ctx: Context,
  abandonment: string,
): Promise<{ readonly link: string; readonly expiresAt: number }> {
  const { recovery } = await readSettings(ctx.unit, ctx.clinic)
  const token = randomBytes(24).toString('base64url')
  const expiresAt = ctx.now + recoveryDefaults(recovery).linkHours * HOUR
  ctx.unit.records.put(RESUME_LINK, tokenKey(token), { clinic: ctx.clinic, abandonment }, { due: expiresAt })
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
): Promise<{ readonly resumed: Resumed; readonly patient: string } | undefined> {
  const key = tokenKey(token)
  const record = await ctx.unit.records.read(RESUME_LINK, key)
  if (record?.due == null || record.value.clinic !== ctx.clinic) return undefined
  ctx.unit.records.delete(RESUME_LINK, key)
  const abandonment = await findAbandonment(ctx.unit, record.value.abandonment)
  if (record.due <= ctx.now || abandonment?.isOpen !== true) return undefined
  const { kind, stepReached, patient, task } = abandonment
  const { known, missing } = await fieldsOf(ctx, abandonment)
  await ctx.update(withOutput(task.resource, 'resume-link-used', new Date(ctx.now).toISOString()))
  return { resumed: { kind, stepReached, fields: known, missingFields: missing }, patient }
}
