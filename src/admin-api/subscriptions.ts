/**
 * How the Subscriptions of a clinic do, for its own staff: GET /clinics/{id}/subscriptions?ids=…, GET …/{subscription}, POST
 * …/{subscription}/$resend and …/$test. The Subscriptions themselves are read and written over FHIR.
 */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { AccessOf } from '../core/clinic-access.ts'
import type { ClinicAccess } from '../core/context.ts'
import { MOST_WATCHED, stageResend, stageTestEvent, watchAll, watchOne } from '../events/watch.ts'
import { badRequest } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { ownClinic } from '../http/authenticate.ts'
import { userAgentOf } from '../http/exchange.ts'
import { isText, readJsonBody } from '../http/message/body.ts'

const LIMITS = { bodyBytes: 10_000, jsonDepth: 4 }

/** @param router of the clinics */
export function addSubscriptionRoutes(router: Router, access: AccessOf): void {
  const accessOf = (koa: KoaContext, what: string): ClinicAccess => {
    // Events are about patients, so operators see none.
    const clinic = ownClinic(koa, what, 'What Subscriptions have sent')
    return access(clinic, userAgentOf(koa))
  }

  router.get('/:clinic/subscriptions', async (koa) => {
    const { unit } = await accessOf(koa, 'watch subscriptions').reader()
    koa.body = { subscriptions: await watchAll(unit, idsIn(koa)) }
  })

  router.get('/:clinic/subscriptions/:subscription', async (koa) => {
    const { unit } = await accessOf(koa, 'watch subscription').reader()
    koa.body = await watchOne(unit, idIn(koa), numberIn('before', koa.query.before ?? String(LATER_THAN_ALL)))
  })

  router.post('/:clinic/subscriptions/:subscription/$resend', async (koa) => {
    const clinic = accessOf(koa, 'resend events')
    const from = numberIn('from', memberOf(await readJsonBody(koa, LIMITS), 'from'))
    await clinic.change((ctx) => stageResend(ctx, idIn(koa), from))
    await answerProgress(koa, clinic)
  })

  router.post('/:clinic/subscriptions/:subscription/$test', async (koa) => {
    const clinic = accessOf(koa, 'send test event')
    const focus = memberOf(await readJsonBody(koa, LIMITS), 'focus')
    if (!isText(focus)) throw badRequest('\'focus\' must name a resource: {"focus": "Patient/1"}')
    await clinic.change((ctx) => stageTestEvent(ctx, idIn(koa), focus))
    await answerProgress(koa, clinic)
  })
}

async function answerProgress(koa: KoaContext, clinic: ClinicAccess): Promise<void> {
  const [progress] = await watchAll((await clinic.reader()).unit, [idIn(koa)])
  koa.status = 202
  koa.body = progress
}

const LATER_THAN_ALL = 999_999_999_999

const idIn = (koa: KoaContext): string => koa.params.subscription

/** @throws FhirError 400 */
function idsIn({ query: { ids = '' } }: KoaContext): readonly string[] {
  const list = [ids].flat().flatMap((part) => part.split(',').filter((id) => id !== ''))
  if (list.length <= MOST_WATCHED) return list
  throw badRequest(`'ids' must be ids of Subscriptions with commas, ${MOST_WATCHED} at most`)
}

const memberOf = (body: unknown, name: string): unknown => (isObject(body) ? body[name] : undefined)

/** The number of an event. @throws FhirError 400 */
function numberIn(name: string, value: unknown): number {
  if (/^[1-9]\d{0,11}$/.test(String(value))) return Number(value)
  throw badRequest(`'${name}' must be the number of an event, which is 1 or more`)
}
