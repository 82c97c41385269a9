/**
 * Clinics: GET|POST /clinics, GET|PUT /clinics/{id}/sandbox and /clinics/{id}/settings. All configure their own clinic, an
 * operator any; that is all an operator may do in a clinic of others: FHIR data are always those of the token's clinic.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { createClinic, isClinicId, readSandbox, setSandbox, type VersionedSandbox } from '../clinics/clinics.ts'
import {
  type ClinicSettings,
  findSettings,
  findVersionedSettings,
  parseSettingsFor,
  secretsIn,
  type VersionedSettings,
  withoutSecrets,
  writeSettings,
} from '../clinics/settings.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import { badRequest } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { requireMatch } from '../fhir-api/message/entity-tag.ts'
import { etagOf } from '../fhir-api/message/http.ts'
import { requireOperator } from '../http/authenticate.ts'
import { tellSecrets, tellUserAccess, userOf } from '../http/exchange.ts'
import { readJsonBody, readSwitch } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import type { TrialParts } from '../integrations/trial.ts'
import { spend } from '../isolation/budget.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { addCallRoutes } from './calls.ts'
import { clinicInPath } from './clinic-in-path.ts'
import { addConnectorRoutes } from './connectors.ts'
import { addExchangeRoutes, type ExchangeDependencies } from './exchanges.ts'
import { addOutboxRoutes } from './outbox.ts'
import { answerClone, asksForClone } from './rehearsal/clones.ts'
import { addRehearsalRoutes, type RehearsalServices } from './rehearsal/routes.ts'
import { addSubscriptionRoutes } from './subscriptions.ts'

interface ClinicDependencies extends ExchangeDependencies {
  readonly access: AccessOf
  readonly trials: TrialParts
  /** Absent: no clinic can be rehearsed in. */
  readonly rehearsal: RehearsalServices | undefined
}

const LIMITS = { bodyBytes: 100_000, jsonDepth: 16 }

/** Run after `authenticate`. */
export function clinicRoutes(dependencies: ClinicDependencies): SideRouter {
  const { repository, access, trials, rehearsal } = dependencies
  const router = new Router({ prefix: '/clinics' })

  router.get('/', async (koa) => {
    requireOperator(userOf(koa), 'list clinics')
    tellUserAccess(koa, 'list clinics', OF_SERVICE)
    const { after } = koa.query
    koa.body = await listClinics(repository, typeof after === 'string' ? after : '')
  })

  router.post('/', async (koa) => {
    const body =
      rehearsal === undefined && userOf(koa).role !== 'operator' ? undefined : await readJsonBody(koa, LIMITS)
    if (rehearsal !== undefined && asksForClone(body)) return await answerClone(koa, body, rehearsal)
    requireOperator(userOf(koa), 'make clinics')
    tellUserAccess(koa, 'make clinic', OF_SERVICE)
    const answer = await makeClinic(repository, body, tellingSecrets(koa))
    if (answer.status === 201) {
      tellUserAccess(koa, 'make clinic', { clinic: answer.body.id, leastRole: 'operator' })
      koa.set('Location', `/clinics/${answer.body.id}/settings`)
    }
    koa.status = answer.status
    koa.body = answer.body
  })

  router.get('/:clinic/sandbox', async (koa) => {
    const { clinic } = await configurable(koa, repository, 'read sandbox switch')
    answerSandbox(koa, await readSandbox(repository, clinic))
  })

  router.put('/:clinic/sandbox', async (koa) => {
    const { clinic } = await configurable(koa, repository, 'change sandbox switch')
    const enabled = readSwitch(await readJsonBody(koa, LIMITS))
    const ifMatch = koa.get('If-Match')
    const changed = await repository.change(clinic, async (unit) => {
      requireMatch(ifMatch, (await readSandbox(unit, clinic)).version, 'the settings of the sandbox')
      return setSandbox(unit, enabled)
    })
    answerSandbox(koa, changed)
  })

  router.get('/:clinic/settings', async (koa) => {
    answerSettings(koa, await configurable(koa, repository, 'read settings'))
  })

  router.put('/:clinic/settings', async (koa) => {
    const { clinic } = await configurable(koa, repository, 'change settings')
    const ifMatch = koa.get('If-Match')
    const answer = await replaceSettings(
      repository,
      clinic,
      await readJsonBody(koa, LIMITS),
      ifMatch,
      tellingSecrets(koa),
    )
    if ('settings' in answer) return answerSettings(koa, answer)
    koa.status = answer.status
    koa.body = answer.body
  })

  addCallRoutes(router, repository)
  addOutboxRoutes(router, repository)
  addSubscriptionRoutes(router, access)
  addConnectorRoutes(router, repository, trials)
  addExchangeRoutes(router, dependencies)
  if (rehearsal !== undefined) addRehearsalRoutes(router, rehearsal)
  return sideRouter(['clinics'], router)
}

/**
 * The clinic in the path, which the exchange is about.
 * @param what the user wants to do there
 * @throws FhirError 403 when it is not the user's to configure, 404 when there is none.
 */
async function configurable(
  koa: KoaContext,
  repository: Repository,
  what: string,
): Promise<VersionedSettings & { readonly clinic: string }> {
  tellUserAccess(koa, what, userOf(koa).role === 'operator' ? OF_SERVICE : {})
  const found = await clinicInPath(koa, repository, 'configure')
  tellUserAccess(koa, what, { clinic: found.clinic })
  return found
}

/** Requests of operators that are about no clinic, or about one that does not exist. */
const OF_SERVICE = { clinic: SERVICE, leastRole: 'operator' } as const

/** The tag is made from the version, so that it also changes with a secret, which is not shown. */
function answerSettings(koa: KoaContext, { settings, version }: VersionedSettings): void {
  koa.set('ETag', etagOf(version))
  koa.body = withoutSecrets(settings)
}

function answerSandbox(koa: KoaContext, { enabled, version }: VersionedSandbox): void {
  koa.set('ETag', etagOf(version))
  koa.body = { enabled }
}

/** Clinics of a page. */
const PAGE = 100

async function listClinics(repository: Repository, after: string) {
  const clinics: { readonly id: string; readonly name: string }[] = []
  for (const id of await repository.clinics()) {
    if (id <= after) continue
    spend(1, 'the list of clinics')
    const settings = await findSettings(repository, id)
    if (settings === undefined) continue
    if (clinics.length === PAGE) return { clinics, next: `/clinics?after=${clinics.at(-1)?.id}` }
    clinics.push({ id, name: settings.name })
  }
  return { clinics }
}

type OnParsed = (settings: ClinicSettings) => void

const tellingSecrets =
  (koa: KoaContext): OnParsed =>
  (settings) =>
    tellSecrets(koa, ...secretsIn(settings))

async function makeClinic(repository: Repository, body: unknown, onParsed: OnParsed) {
  const { id, ...rest } = isObject(body) ? body : {}
  if (!isClinicId(id)) {
    throw badRequest("The body must be the settings of the clinic with its \"id\": 1 to 64 letters, digits, '-' or '.'")
  }
  const parsed = await parseSettingsFor(await repository.reader(id), rest)
  if ('problems' in parsed) return withProblems(parsed.problems)
  onParsed(parsed.settings)
  await createClinic(repository, id, parsed.settings)
  return { status: 201, body: { id, ...withoutSecrets(parsed.settings) } } as const
}

const withProblems = (problems: readonly string[]) =>
  ({ status: 422, body: { error: `The settings have problems: ${problems.join('; ')}`, problems } }) as const

/** @param ifMatch the header, or '' for none */
async function replaceSettings(
  repository: Repository,
  clinic: string,
  body: unknown,
  ifMatch: string,
  onParsed: OnParsed,
) {
  return repository.change(clinic, async (unit) => {
    const current = await findVersionedSettings(unit, clinic)
    requireMatch(ifMatch, current?.version ?? 0, 'the settings')
    const parsed = await parseSettingsFor(unit, body, current?.settings)
    if ('problems' in parsed) return withProblems(parsed.problems)
    onParsed(parsed.settings)
    await writeSettings(unit, parsed.settings)
    return { settings: parsed.settings, version: (current?.version ?? 0) + 1 }
  })
}
