/** The clinic of a request: its facts are looked up once, and decide whether it is served. */
import type { Context as KoaContext, Middleware } from 'koa'
import { type ClinicFacts, clinicFacts } from '../clinics/clinics.ts'
import { FhirError } from '../fhir/outcome.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { forbidden } from './authenticate.ts'
import { stateOf, userOf } from './exchange.ts'

/**
 * For all routes: 403 when there is no clinic of the name in the token, which may be that of a foreign issuer. Its settings
 * are in memory from here on, so that all observers of the request know the secrets of the clinic.
 */
export function requireClinic(repository: Repository): Middleware {
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE) return next()
    const facts = clinicFacts(repository, clinic)
    if (facts instanceof Promise) return facts.then((found) => keep(koa, found)).then(next)
    keep(koa, facts)
    return next()
  }
}

/** @throws FhirError 403 */
function keep(koa: KoaContext, facts: ClinicFacts | undefined): void {
  if (facts === undefined) throw noSuchClinic()
  stateOf(koa).clinic = facts
}

const noSuchClinic = (): FhirError =>
  forbidden("The claim 'clinic' of the token names no clinic of this service; an operator makes one with POST /clinics")

/**
 * For FHIR data routes: 403 while the sandbox of the user's clinic is off, and for users of no clinic, who read nothing but
 * the events of the audit trail that belong to no clinic either.
 */
export const requireSandbox: Middleware = (koa, next) => {
  const { clinic } = stateOf(koa)
  if (clinic === undefined ? isReadOfTrail(koa) : clinic.isSandboxEnabled) return next()
  throw clinic === undefined ? ofNoClinic() : sandboxIsOff()
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

/**
 * For FHIR data routes: a clinic has the conformance resources that the server ships before its first request is answered.
 * Each process checks each clinic once; requests that arrive meanwhile wait for that check.
 * @param ship writes what a clinic lacks
 * @param goOn runs for each waiting request after it, as all would continue at once
 */
export function shipResources(ship: (clinic: string) => Promise<void>, goOn: Middleware): Middleware {
  const complete = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  const shipTo = async (clinic: string): Promise<void> => {
    try {
      await ship(clinic)
      complete.add(clinic)
    } finally {
      // After a failure the next request tries again.
      underWay.delete(clinic)
    }
  }
  return (koa, next) => {
    const { clinic } = userOf(koa)
    if (clinic === SERVICE || complete.has(clinic)) return next()
    const shipping = underWay.get(clinic) ?? shipTo(clinic)
    underWay.set(clinic, shipping)
    return shipping.then(() => goOn(koa, next))
  }
}
