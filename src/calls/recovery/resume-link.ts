/** Resume links: one-time, with an expiry. The token is only in the link; its hash is stored. */
import { hash, randomBytes } from 'node:crypto'
import { recoveryDefaults } from '../../clinics/recovery-settings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'

export interface ResumeLink {
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
