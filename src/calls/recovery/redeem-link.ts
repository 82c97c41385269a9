/** Redeems a resume link, once, for the fields completed so far, to be shown in the clinic's form. */
import type { Context } from '../../core/context.ts'
import { findAbandonment, withOutput } from '../record/abandonment.ts'
import { fieldsOf } from './form-fields.ts'
import { RESUME_LINK, tokenKey } from './resume-link.ts'

export interface Resumed {
  readonly kind: string
  readonly stepReached: string
  readonly fields: Readonly<Record<string, string | boolean>>
  readonly missingFields: readonly string[]
}

/** Returns undefined if the link is unknown, expired or used; of concurrent requests only one succeeds. */
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
