/**
 * The clinic that a request names which could not be authenticated. It is a claim of a stranger: nothing may be granted or
 * told by it.
 */
import jsonwebtoken from 'jsonwebtoken'
import type { Context as KoaContext } from 'koa'
import { isClinicId } from '../clinics/clinics.ts'
import { present } from '../fhir/resource.ts'
import type { Claim } from '../record/journal/strangers.ts'
import { callIdOf } from './headers.ts'

/** By the token, whose signature may be anybody's, the path, the dialled number, or the call. */
export function claimIn(koa: Pick<KoaContext, 'req' | 'path'>): Claim | undefined {
  const { headers } = koa.req
  const [, token] = /^Bearer +([^ ]+)$/i.exec(headers.authorization?.trim() ?? '') ?? []
  const clinic = (token === undefined ? undefined : clinicIn(token)) ?? clinicOfPath(koa.path)
  if (clinic !== undefined) return { clinic }
  const dialed = String(headers['x-call-to'] ?? '').trim() || undefined
  const call = callIdOf(koa)
  return dialed === undefined && call === undefined ? undefined : present({ dialed, call })
}

function clinicOfPath(path: string): string | undefined {
  const [, id] = /^\/clinics\/([^/]+)/.exec(path) ?? []
  return isClinicId(id) ? id : undefined
}

function clinicIn(token: string): string | undefined {
  try {
    const claims = jsonwebtoken.decode(token, { json: true })
    return isClinicId(claims?.clinic) ? claims.clinic : undefined
  } catch {
    return undefined
  }
}
