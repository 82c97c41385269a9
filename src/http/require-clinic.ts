/** The clinic of a request: there is such a clinic, and its sandbox is on. */
import type { Context as KoaContext, Middleware, Next } from 'koa'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { type ClinicSettings, recentSettings } from '../clinics/settings.ts'
import { FhirError } from '../fhir/outcome.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { forbidden } from './authenticate.ts'
import { userOf } from './exchange.ts'

/**
 * For all routes: 403 when there is no clinic of the name in the token, which may be that of a foreign issuer. Its settings
 * are in memory from here on, so that all observers of the request know the secrets of the clinic.
 */
export function requireClinic(repository: Repository): Middleware {
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE) return next()
    const settings = recentSettings(repository, clinic)
    if (settings instanceof Promise) return settings.then(requireFound).then(next)
    requireFound(settings)
    return next()
  }
}

/** @throws FhirError 403 */
function requireFound(settings: ClinicSettings | undefined): void {
  if (settings === undefined) throw noSuchClinic()
}

const noSuchClinic = (): FhirError =>
  forbidden("The claim 'clinic' of the token names no clinic of this service; an operator makes one with POST /clinics")

/**
 * For FHIR data routes: 403 while the sandbox of the user's clinic is off, and for users of no clinic, who read nothing but
 * the events of the audit trail that belong to no clinic either.
 */
export function requireSandbox(repository: Repository): Middleware {
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE) {
      if (isReadOfTrail(koa)) return next()
      throw ofNoClinic()
    }
    const isEnabled = isSandboxEnabled(repository, clinic)
    return isEnabled instanceof Promise ? isEnabled.then((known) => goOn(known, next)) : goOn(isEnabled, next)
  }
}

/** @throws FhirError 403 */
function goOn(isEnabled: boolean, next: Next): Promise<unknown> {
  if (!isEnabled) throw sandboxIsOff()
  return next()
}

const isReadOfTrail = ({ method, path }: KoaContext): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/AuditEvent(?:\/trail-[\w-]+)?$/.test(path)

const ofNoClinic = (): FhirError =>
  forbidden(
    'Your account is of no clinic, so there are no FHIR data for it but GET /AuditEvent; log in with an account of the clinic',
  )

const sandboxIsOff = (): FhirError =>
  new FhirError(403, {
    code: 'forbidden',
    diagnostics:
      'The sandbox of this clinic is turned off; its data are kept. PUT /clinics/{id}/sandbox {"enabled": true} turns it on',
    reason: 'sandbox-off',
  })
