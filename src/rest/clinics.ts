/**
 * Configuration of a clinic: GET|PUT /clinics/{id}/sandbox and /clinics/{id}/settings. Staff configure their own clinic,
 * an admin any; that is all an admin may do in a clinic of others: FHIR data are always those of the token's clinic.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { isClinicId } from '../clinics/clinics.ts'
import { isSandboxEnabled, readSandbox, setSandbox } from '../clinics/sandbox.ts'
import { type ClinicSettings, findSettings, parseSettings, withoutSecrets, writeSettings } from '../clinics/settings.ts'
import { badRequest, FhirError, notFound } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import type { Repository } from '../repository/repository.ts'
import { parseBody, readBody } from './message/body.ts'
import { userOf } from './server/authenticate.ts'
import { type SmallRouter, smallRouter } from './server/small-router.ts'

interface ClinicDependencies {
  readonly repository: Repository
}

const MAX_BODY_BYTES = 100_000
const MAX_DEPTH = 16

/** Run after `authenticate`. */
export function clinicRoutes({ repository }: ClinicDependencies): SmallRouter {
  const router = new Router({ prefix: '/clinics/:clinic' })

  router.get('/sandbox', async (koa) => {
    const { clinic } = await configurable(koa, repository)
    koa.body = { enabled: await readSandbox(repository, clinic) }
  })

  router.put('/sandbox', async (koa) => {
    const { clinic } = await configurable(koa, repository)
    const enabled = switchPosition(await jsonBody(koa))
    await repository.change(clinic, async (unit) => setSandbox(unit, enabled))
    koa.body = { enabled }
  })

  router.get('/settings', async (koa) => {
    const { settings } = await configurable(koa, repository)
    koa.body = withoutSecrets(settings)
  })

  router.put('/settings', async (koa) => {
    const { clinic } = await configurable(koa, repository)
    const answer = await replaceSettings(repository, clinic, await jsonBody(koa))
    koa.status = answer.status
    koa.body = answer.body
  })

  return smallRouter(['clinics'], router)
}

/** For FHIR data routes: 403 while the sandbox of the user's clinic is off. */
export function requireSandbox(repository: Repository): Middleware {
  return async (koa, next) => {
    if (!(await isSandboxEnabled(repository, userOf(koa).clinic))) throw sandboxIsOff()
    return next()
  }
}

const sandboxIsOff = (): FhirError =>
  new FhirError(403, {
    code: 'forbidden',
    diagnostics:
      'The sandbox of this clinic is turned off; its data are kept. PUT /clinics/{id}/sandbox {"enabled": true} turns it on',
    reason: 'sandbox-off',
  })

/** The clinic in the path. @throws FhirError 403 when it is not the user's to configure, 404 when there is none. */
async function configurable(
  koa: KoaContext,
  repository: Repository,
): Promise<{ clinic: string; settings: ClinicSettings }> {
  const user = userOf(koa)
  const clinic: string = koa.params.clinic
  // The same answer whether the other clinic exists or not: staff learn nothing about other clinics.
  if (user.role !== 'admin' && clinic !== user.clinic) {
    throw new FhirError(403, {
      code: 'forbidden',
      diagnostics: `Staff configure their own clinic only, which is '${user.clinic}'`,
    })
  }
  const settings = isClinicId(clinic) ? await findSettings(repository, clinic) : undefined
  if (settings === undefined) throw notFound('There is no such clinic')
  return { clinic, settings }
}

async function replaceSettings(repository: Repository, clinic: string, body: unknown) {
  return repository.change(clinic, async (unit) => {
    const parsed = parseSettings(body, await findSettings(unit, clinic))
    if ('problems' in parsed) {
      return { status: 422, body: { error: `The settings have problems: ${parsed.problems.join('; ')}`, ...parsed } }
    }
    await writeSettings(unit, parsed.settings)
    return { status: 200, body: withoutSecrets(parsed.settings) }
  })
}

const jsonBody = async (koa: KoaContext): Promise<unknown> => parseBody(await readBody(koa, MAX_BODY_BYTES), MAX_DEPTH)

function switchPosition(body: unknown): boolean {
  if (isObject(body) && typeof body.enabled === 'boolean' && Object.keys(body).length === 1) return body.enabled
  throw badRequest('The body must be {"enabled": true} or {"enabled": false}')
}
