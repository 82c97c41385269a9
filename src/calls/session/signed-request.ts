/**
 * The clinic's own check of requests that belong to its calls (ClinicSettings.callSecurity). A signature with a time is valid
 * for five minutes, and each for one request; the same request again is a repeat, whose tool calls get their stored results.
 *
 * Platforms sign only the body. Method, URL and headers of the call are therefore bound to the signature's id on first
 * use, and a later request that differs in any of them is refused.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { CallSecurity } from '../../clinics/call-security.ts'
import { readSettings } from '../../clinics/settings.ts'
import { badRequest, conflict, FhirError } from '../../fhir/outcome.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'

const CLINIC_SECRET_HEADER = 'x-clinic-secret'

/** Maximum difference between the signature's time and now, in milliseconds. */
const TOLERANCE = 5 * 60_000

const SIGNED_REQUEST = recordKind<SignedRequest>('signed-request')

interface SignedRequest {
  /** Hash of everything that arrived with the signature's id and affects the request: see `hashOf`. */
  readonly request: string
}

/** Headers not covered by any signature: they identify the call, or the request that is repeated. */
const BOUND_HEADERS = ['x-call-id', 'x-call-to', 'x-call-from', 'idempotency-key', 'x-tool-call-id']

/** A request as it was received. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Value of a header; '' if it is absent. */
  readonly header: (name: string) => string
  /** The raw bytes. */
  readonly body: () => Promise<Buffer>
  /**
   * True if repeating the request has no second effect: each of its tool calls has an id, or it has an Idempotency-Key.
   */
  readonly isRepeatable: boolean
  /** False if the body must name the call, so that the signature covers its id, but does not. */
  readonly namesCall?: boolean
}

/**
 * Does nothing if the clinic has no check of its own.
 * @throws FhirError 403 `call-not-signed`; 400 `call-without-id`; 409 `signature-used` if the signature was used with
 * another request
 */
export async function requireClinicCheck(
  repository: Repository,
  clinic: string,
  request: ReceivedRequest,
): Promise<void> {
  const { callSecurity } = await readSettings(repository, clinic)
  if (callSecurity === undefined) return
  const body = await request.body()
  const signature = CHECKS[callSecurity.method](callSecurity.secrets, request.header, body)
  if (signature === undefined) return
  if (request.namesCall === false) throw callNotNamed()
  if (!request.isRepeatable) throw withoutIds()
  await takeSignature(repository, clinic, signature, hashOf(request, body))
}

interface Signature {
  readonly id: string
  /** False if the signature has no time, so that it is valid for ever. */
  readonly isTimed: boolean
}

/** @returns undefined if the method has no signature. @throws FhirError 403 */
type Check = (secrets: readonly string[], header: ReceivedRequest['header'], body: Buffer) => Signature | undefined

const CHECKS: Readonly<Record<CallSecurity['method'], Check>> = {
  header: (secrets, header) => {
    const given = header(CLINIC_SECRET_HEADER)
    if (secrets.some((secret) => isSame(given, secret))) return undefined
    throw notSigned(`the header ${CLINIC_SECRET_HEADER} must hold the secret that the clinic has set for its calls`)
  },

  'standard-webhooks': (secrets, header, body) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const headers = Object.fromEntries(names.map((name) => [name, header(name)]))
    if (secrets.some((secret) => verifies(new Webhook(secret), body, headers)))
      return { id: header('webhook-id'), isTimed: true }
    throw notSigned(`${names.join(', ')} must sign this body with the secret of the clinic, within five minutes`)
  },

  // The digest covers the body followed by the time in milliseconds.
  retell: (secrets, header, body) => {
    const [, time = '', digest = ''] = /^v=(\d{1,15}),d=([\da-f]{64})$/.exec(header('x-retell-signature')) ?? []
    if (isRecent(Number(time)) && signs(secrets, digest, [body, time])) return { id: digest, isTimed: true }
    throw notSigned('x-retell-signature must sign this body with the API key of the clinic, within five minutes')
  },

  // https://docs.vapi.ai/server-url/server-authentication: whether there is a time is chosen in the credential.
  hmac: (secrets, header, body) => {
    const [digest, time] = [header('x-vapi-signature'), header('x-timestamp')]
    const isTimed = time !== ''
    const signed = isTimed ? [`${time}.`, body] : [body]
    if ((!isTimed || isRecent(millisecondsOf(time))) && signs(secrets, digest, signed)) return { id: digest, isTimed }
    throw notSigned(
      'x-vapi-signature must be the HMAC-SHA256 in hexadecimal digits of this body, with the secret key of the clinic, or of x-timestamp, a dot and the body, within five minutes',
    )
  },

  // https://elevenlabs.io/docs/eleven-api/resources/webhooks. Its server tools are not signed, so they carry the secret.
  elevenlabs: (secrets, header, body) => {
    const sent = header('elevenlabs-signature')
    if (sent === '') return CHECKS.header(secrets, header, body)
    const [, time = '', digest = ''] = /^t=(\d{1,12}),v0=([\da-f]{64})$/.exec(sent) ?? []
    if (isRecent(Number(time) * 1000) && signs(secrets, digest, [`${time}.`, body]))
      return { id: digest, isTimed: true }
    throw notSigned(
      "ElevenLabs-Signature must sign this body with the secret of the clinic's webhook, within five minutes",
    )
  },
}

/** @param at milliseconds since 1970 UTC */
const isRecent = (at: number): boolean => Math.abs(Date.now() - at) <= TOLERANCE

/** A time in seconds or milliseconds since 1970, which are told apart by their size; NaN for anything else. */
const millisecondsOf = (time: string): number =>
  /^\d{1,15}$/.test(time) ? Number(time) * (time.length > 11 ? 1 : 1000) : Number.NaN

/** Whether the digest is the HMAC-SHA256, in hexadecimal digits, of the parts with one of the secrets. */
const signs = (secrets: readonly string[], digest: string, parts: readonly (string | Buffer)[]): boolean =>
  secrets.some((secret) => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) hmac.update(part)
    return isSame(hmac.digest('hex'), digest)
  })

/** The library also allows five minutes. */
function verifies(webhook: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** Constant-time comparison, which reveals neither the first difference nor the length. */
const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'))

/**
 * Longer than a signature with a time is accepted, whatever the clocks: its expired record is overwritten. One without a time
 * is refused once its record has expired: results are stored for a day only, and then its request would have a second effect.
 */
const LIFETIME = 3 * TOLERANCE

/** An empty header equals an absent one. URLs are compared as sent. */
const hashOf = ({ method, url, header }: ReceivedRequest, body: Buffer): string =>
  hash('sha256', JSON.stringify([method, url, ...BOUND_HEADERS.map(header), hash('sha256', body)]))

async function takeSignature(
  repository: Repository,
  clinic: string,
  { id, isTimed }: Signature,
  sent: string,
): Promise<void> {
  const key = hash('sha256', id)
  const take = async ({ records, writtenAt: now }: UnitOfWork): Promise<void> => {
    const known = await records.read(SIGNED_REQUEST, key)
    const isExpired = known?.due == null || known.due <= now
    if (known === undefined || (isExpired && isTimed))
      records.put(SIGNED_REQUEST, key, { request: sent }, { due: now + LIFETIME })
    else if (isExpired || known.value.request !== sent) throw used()
  }
  // A retried change must accept the record of its own first run.
  await repository.change(clinic, take, { isRepeatable: true })
}

const notSigned = (what: string): FhirError =>
  new FhirError(403, {
    code: 'security',
    diagnostics: `The clinic of this call requires a check of its own: ${what}`,
    reason: 'call-not-signed',
  })

const callNotNamed = (): FhirError => notSigned('the signed body must name the call that it ends')

const withoutIds = (): FhirError =>
  badRequest(
    'Each tool call of a signed request needs an id, and POST /abandonments an Idempotency-Key, by which a repeat is told from a new one',
    { reason: 'call-without-id' },
  )

const used = (): FhirError =>
  conflict(
    'The id of this signature has come with another request before: body, method, address, x-call-id, x-call-to, x-call-from, Idempotency-Key and x-tool-call-id must be the same in a repeat, and one whose signature has no time must come within 15 minutes; sign each other request with an id of its own',
    {
      reason: 'signature-used',
    },
  )
