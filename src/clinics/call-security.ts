/** A clinic's own check of its calls, in addition to the webhook secret that all clinics of the service share. */
import { isObject } from '../fhir/resource.ts'
import { isWebhookSecret, SECRET_IS_SET, secretOr } from './setting-checks.ts'

export interface CallSecurity {
  readonly method: CallSecurityMethod
  /** One, or two during a change. */
  readonly secrets: readonly string[]
}

/** The form of a secret of each method. */
const METHODS = {
  header: { accepts: isText, expected: 'a text of 16 to 256 characters without spaces' },
  'standard-webhooks': { accepts: isWebhookSecret, expected: '"whsec_" followed by 24 to 64 bytes in base64' },
  retell: { accepts: isText, expected: 'the API key of the Retell account that signs, 16 to 256 characters' },
  hmac: { accepts: isText, expected: "the secret key of Vapi's HMAC credential, 16 to 256 characters without spaces" },
  elevenlabs: { accepts: isText, expected: "the secret of ElevenLabs' webhook, 16 to 256 characters without spaces" },
} as const
export type CallSecurityMethod = keyof typeof METHODS

/** The setting in its stored form; adds its problems to `problems`. */
export function checkCallSecurity(
  value: unknown,
  problems: string[],
  current: CallSecurity | undefined,
): CallSecurity | undefined {
  if (value === undefined || value === null) return undefined
  const { method, secrets, ...others } = isObject(value) ? value : {}
  const name = Object.keys(METHODS).find((one): one is CallSecurityMethod => one === method)
  if (name === undefined || !Array.isArray(secrets) || secrets.length < 1 || secrets.length > 2) {
    problems.push(
      `callSecurity must be an object with method (${Object.keys(METHODS).join(', ')}) and secrets, a list of one or two`,
    )
    return undefined
  }
  for (const other of Object.keys(others))
    problems.push(`'${other}' is not known in callSecurity; known are method, secrets`)
  // A secret that is sent back as `set`, at the same place, is kept.
  const kept = secrets.map((secret: unknown, at) => secretOr(current?.secrets[at], secret))
  for (const [at, secret] of kept.entries())
    if (!METHODS[name].accepts(secret)) problems.push(`callSecurity.secrets[${at}] must be ${METHODS[name].expected}`)
  return { method: name, secrets: kept as string[] }
}

/** The setting for clients, which can set the secrets but not read them. */
export const withoutCallSecrets = ({ method, secrets }: CallSecurity): CallSecurity => ({
  method,
  secrets: secrets.map(() => SECRET_IS_SET),
})

function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{16,256}$/.test(value)
}
