/** Live calls in the audit trail: who acts is the call, and the patient is the one that the call is about. */
import type { HandledEnd } from '../calls/session/call-end.ts'
import type { EndedCall } from '../calls/tool-runner.ts'
import type { CallSession } from '../core/call-session.ts'
import type { ExchangeAccess } from '../http/exchange.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { SERVICE } from '../repository/record-kinds.ts'

/** A tool call that has ended. */
export function accessByCall({ tool, session, clinic, status, patients }: EndedCall): ExchangeAccess {
  const access = { ...NO_SUBJECT, interaction: 'tool', detail: tool, status, patients } as const
  if (session === undefined) return { ...access, by: { clinic: clinic ?? SERVICE, agent: { kind: 'unknown' } } }
  return { ...access, ...by(session) }
}

/** A call that is registered or ended. */
export const accessToCall = (session: CallSession): ExchangeAccess => ({
  ...NO_SUBJECT,
  interaction: 'call',
  ...by(session),
  patients: session.patient === undefined ? [] : [session.patient],
})

/** The access of the end of a call; where its clinic refused the request, the caller is unknown. */
export const accessToEnd = (end: HandledEnd): ExchangeAccess =>
  'ended' in end
    ? accessToCall(end.ended)
    : {
        ...NO_SUBJECT,
        interaction: 'call',
        status: end.status,
        by: { clinic: end.refusedBy, agent: { kind: 'unknown' } },
        patients: [],
      }

const by = ({ clinic, callId }: CallSession): Pick<ExchangeAccess, 'by'> => ({
  by: { clinic, agent: { kind: 'call', id: callId } },
})
