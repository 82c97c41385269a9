/** The outbox of a clinic, for its own staff: GET /clinics/{id}/outbox, POST …/{messageId}/$resend, DELETE …/{messageId}. */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../fhir/outcome.ts'
import { dismiss, listOutbox, resend } from '../integrations/outbox/dead-letters.ts'
import type { Repository } from '../repository/repository.ts'
import { userOf } from './server/authenticate.ts'
import { forbidden } from './server/roles.ts'

/** @param router of the clinics */
export function addOutboxRoutes(router: Router, repository: Repository): void {
  router.get('/:clinic/outbox', async (koa) => {
    const clinic = ownClinic(koa)
    const { state = 'dead', after = '' } = koa.query
    if ((state !== 'dead' && state !== 'waiting') || typeof after !== 'string') {
      throw badRequest("'state' must be dead (the default) or waiting, and 'after' what 'next' of another page says")
    }
    const page = await listOutbox(repository, clinic, state, after)
    const next = page.after && {
      next: `/clinics/${clinic}/outbox?${new URLSearchParams({ state, after: page.after })}`,
    }
    koa.body = { messages: page.entries, ...next }
  })

  router.post('/:clinic/outbox/:messageId/$resend', async (koa) => {
    const clinic = ownClinic(koa)
    koa.body = await repository.change(clinic, (unit) => resend(unit, messageIdOf(koa)))
    koa.status = 202
  })

  router.delete('/:clinic/outbox/:messageId', async (koa) => {
    const clinic = ownClinic(koa)
    await repository.change(clinic, (unit) => dismiss(unit, messageIdOf(koa)))
    koa.status = 204
  })
}

/**
 * The clinic in the path: it is about patients, so operators see none.
 * @throws FhirError 403 for another one, whether it exists or not
 */
function ownClinic(koa: KoaContext): string {
  const { clinic } = userOf(koa)
  if (koa.params.clinic !== clinic) throw forbidden(`The outbox of a clinic is for its own staff; yours is '${clinic}'`)
  return clinic
}

const messageIdOf = (koa: KoaContext): string => koa.params.messageId
