/** A live call as the staff of its clinic see it: GET /clinics/{id}/calls/{call}, for as long as the call is kept. */
import type { Router } from '@koa/router'
import { CALL, type CallSession, callKey, rememberedCall } from '../core/call-session.ts'
import { notFound } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import { ownClinic } from '../http/authenticate.ts'
import { tellUserAccess } from '../http/exchange.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'

/** @param router of the clinics */
export function addCallRoutes(router: Router, repository: Repository): void {
  router.get('/:clinic/calls/:call', async (koa) => {
    // Calls are about patients, so operators see none.
    const clinic = ownClinic(koa, 'read call', 'A call')
    const record = await repository.readRecord(SERVICE, CALL, callKey(koa.params.call ?? ''))
    const call = rememberedCall(record, await repository.reader(clinic))
    // The same response for a call of another clinic.
    if (call?.clinic !== clinic) throw notFound('There is no such call; calls are kept for 7 days')
    tellUserAccess(koa, 'read call', { patients: call.patient === undefined ? [] : [call.patient] })
    koa.body = shown(call)
  })
}

const shown = ({ callId, dialedNumber, callerNumber, patient, abandonment, endedAt, endReason }: CallSession) =>
  present({ callId, dialedNumber, callerNumber, patient, abandonment, endedAt, endReason })
