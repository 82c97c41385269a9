/** A request of a voice platform: the secret that it presents, what a clinic checks of it, and the access of its call. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Context as KoaContext, Middleware } from 'koa'
import type { HandledEnd } from '../calls/session/call-end.ts'
import type { ReceivedRequest } from '../calls/session/signed-request.ts'
import type { EndedCall } from '../calls/tool-runner.ts'
import { clinicFacts } from '../clinics/clinics.ts'
import type { Config } from '../config.ts'
import type { CallSession } from '../core/call-session.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { type ExchangeAccess, stateOf } from '../http/exchange.ts'
import { sentBytes } from '../http/message/body.ts'
import { joinRunOf } from '../http/runs.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'

/** Two while platforms change over. */
type VoiceSecrets = Pick<Config, 'webhookSecret' | 'previousWebhookSecret'>

/**
 * Checked before the body is read. Both sides are hashed, so that the time reveals neither where they differ nor how
 * long the secret is.
 */
export function requireSecret({ webhookSecret, previousWebhookSecret }: VoiceSecrets): Middleware {
  const expected = [webhookSecret, previousWebhookSecret].filter((secret) => secret !== undefined).map(digest)
  return (koa, next) => {
    const given = digest(koa.get('x-voice-secret'))
    if (expected.some((secret) => timingSafeEqual(given, secret))) return next()
    throw new FhirError(401, {
      code: 'login',
      diagnostics: 'The header x-voice-secret must hold the webhook secret of this service',
    })
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** @param facts read from its body and headers */
export const receivedRequest = (
  koa: KoaContext,
  bodyBytes: number,
  facts: Pick<ReceivedRequest, 'isRepeatable' | 'namesCall'>,
): ReceivedRequest => ({
  method: koa.method,
  url: koa.url,
  header: (name) => koa.get(name),
  body: () => sentBytes(koa, bodyBytes),
  ...facts,
})

/** Lets a request about a call join the run that it belongs to; one for tools does so as it may meet its faults. */
export async function joinRunOfCall(
  koa: KoaContext,
  { repository, config }: { readonly repository: Repository; readonly config: Pick<Config, 'rehearsal'> },
  { clinic, callId: call }: { readonly clinic: string; readonly callId?: string | undefined },
): Promise<void> {
  if (!config.rehearsal) return
  joinRunOf(koa, repository, await clinicFacts(repository, clinic), { call, claim: stateOf(koa).user?.run })
}

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

/**
 * The id that a client gives a request, so that a repeat of it has no second effect: `Idempotency-Key`
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/), or `x-tool-call-id`.
 * @returns null where none was sent
 * @throws FhirError 400
 */
export function requestKeyOf(koa: KoaContext): string | null {
  const [name, text] = ['x-tool-call-id', 'idempotency-key']
    .map((name) => [name, koa.get(name)] as const)
    .find(([, text]) => text !== '') ?? ['', '']
  if (text === '') return null
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text
  throw badRequest(`${name} must have 1 to 256 characters without spaces`)
}
