/** The outbox of a clinic, for its own staff: GET /clinics/{id}/outbox, POST …/{messageId}/$resend, DELETE …/{messageId}. */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../fhir/outcome.ts'
import { forbidden } from '../http/authenticate.ts'
import { userOf } from '../http/exchange.ts'
import { tellUserAccess } from '../http/user-access.ts'
import { dismiss, listOutbox, type OutboxEntry, resend } from '../integrations/outbox/dead-letters.ts'
import type { Repository } from '../repository/repository.ts'

/** @param router of the clinics */
export function addOutboxRoutes(router: Router, repository: Repository): void {
  router.get('/:clinic/outbox', async (koa) => {
    const clinic = ownClinic(koa, 'read outbox')
    const { state = 'dead', after = '' } = koa.query
    if ((state !== 'dead' && state !== 'waiting') || typeof after !== 'string') {
      throw badRequest("'state' must be dead (the default) or waiting, and 'after' what 'next' of another page says")
    }
    const page = await listOutbox(repository, clinic, state, after)
    tellUserAccess(koa, 'read outbox', { query: koa.req.url ?? '', patients: patientsOf(page.entries) })
    const next = page.after && {
      next: `/clinics/${clinic}/outbox?${new URLSearchParams({ state, after: page.after })}`,
    }
    koa.body = { messages: page.entries, ...next }
  })

  router.post('/:clinic/outbox/:messageId/$resend', async (koa) => {
    const clinic = ownClinic(koa, 'resend message')
    const entry = await repository.change(clinic, (unit) => resend(unit, messageIdOf(koa)))
    tellUserAccess(koa, 'resend message', { patients: patientsOf([entry]) })
    koa.body = entry
    koa.status = 202
  })

  router.delete('/:clinic/outbox/:messageId', async (koa) => {
    const clinic = ownClinic(koa, 'dismiss message')
    const entry = await repository.change(clinic, (unit) => dismiss(unit, messageIdOf(koa)))
    tellUserAccess(koa, 'dismiss message', { patients: patientsOf([entry]) })
    koa.status = 204
  })
}

/**
 * The clinic in the path: it is about patients, so operators see none.
 * @param what the user wants to do
 * @throws FhirError 403 for another one, whether it exists or not
 */
function ownClinic(koa: KoaContext, what: string): string {
  const { clinic } = userOf(koa)
  tellUserAccess(koa, what)
  if (koa.params.clinic !== clinic) throw forbidden(`The outbox of a clinic is for its own staff; yours is '${clinic}'`)
  return clinic
}

const patientsOf = (entries: readonly OutboxEntry[]): readonly string[] => [
  ...new Set(entries.flatMap(({ patient }) => patient?.reference.replace('Patient/', '') ?? [])),
]

const messageIdOf = (koa: KoaContext): string => koa.params.messageId
