/**
 * The clinic that a request names which could not be authenticated. It is a claim of a stranger: nothing may be granted or
 * told by it.
 */
import jsonwebtoken from 'jsonwebtoken'
import type { Context as KoaContext } from 'koa'
import { isClinicId } from '../clinics/clinics.ts'
import type { Claim } from '../record/journal/strangers.ts'

/** By the token, whose signature may be anybody's, or by the dialled number beside a voice secret. */
export function claimIn({ req: { headers } }: Pick<KoaContext, 'req'>): Claim | undefined {
  const [, token] = /^Bearer +([^ ]+)$/i.exec(headers.authorization?.trim() ?? '') ?? []
  const clinic = token === undefined ? undefined : clinicIn(token)
  if (clinic !== undefined) return { clinic }
  const dialed = String(headers['x-call-to'] ?? '').replaceAll(/[\s().-]/g, '')
  return /^\+\d{6,15}$/.test(dialed) ? { dialed } : undefined
}

function clinicIn(token: string): string | undefined {
  try {
    const claims = jsonwebtoken.decode(token, { json: true })
    return isClinicId(claims?.clinic) ? claims.clinic : undefined
  } catch {
    return undefined
  }
}
