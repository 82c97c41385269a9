/** The outbox of a clinic, for its own staff: GET /clinics/{id}/outbox, POST …/{messageId}/$resend, DELETE …/{messageId}. */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { readSettings } from '../clinics/settings.ts'
import { badRequest } from '../fhir/outcome.ts'
import { ownClinic } from '../http/authenticate.ts'
import { tellUserAccess } from '../http/exchange.ts'
import { dismiss, listOutbox, type OutboxEntry, resend } from '../integrations/outbox/dead-letters.ts'
import type { Repository } from '../repository/repository.ts'

/** It is about patients, so operators see none. */
const OUTBOX = 'The outbox'

/** @param router of the clinics */
export function addOutboxRoutes(router: Router, repository: Repository): void {
  router.get('/:clinic/outbox', async (koa) => {
    const clinic = ownClinic(koa, 'read outbox', OUTBOX)
    const { state = 'dead', after = '' } = koa.query
    if (!isState(state) || typeof after !== 'string') {
      throw badRequest(
        "'state' must be dead (the default), waiting or sent, and 'after' what 'next' of another page says",
      )
    }
    const settings = await readSettings(repository, clinic)
    const page = await listOutbox(repository, { clinic, settings }, state, after)
    tellUserAccess(koa, 'read outbox', { query: koa.req.url ?? '', patients: patientsOf(page.entries) })
    const next = page.after && {
      next: `/clinics/${clinic}/outbox?${new URLSearchParams({ state, after: page.after })}`,
    }
    koa.body = { messages: page.entries, ...next }
  })

  router.post('/:clinic/outbox/:messageId/$resend', async (koa) => {
    const clinic = ownClinic(koa, 'resend message', OUTBOX)
    const entry = await repository.change(clinic, (unit) => resend(unit, messageIdOf(koa)))
    tellUserAccess(koa, 'resend message', { patients: patientsOf([entry]) })
    koa.body = entry
    koa.status = 202
  })

  router.delete('/:clinic/outbox/:messageId', async (koa) => {
    const clinic = ownClinic(koa, 'dismiss message', OUTBOX)
    const entry = await repository.change(clinic, (unit) => dismiss(unit, messageIdOf(koa)))
    tellUserAccess(koa, 'dismiss message', { patients: patientsOf([entry]) })
    koa.status = 204
  })
}

const STATES = ['dead', 'waiting', 'sent'] as const
const isState = (state: unknown): state is (typeof STATES)[number] => STATES.some((one) => one === state)

const patientsOf = (entries: readonly OutboxEntry[]): readonly string[] => [
  ...new Set(entries.flatMap(({ patient }) => patient?.reference.replace('Patient/', '') ?? [])),
]

const messageIdOf = (koa: KoaContext): string => koa.params.messageId
