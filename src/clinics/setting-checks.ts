/**
 * Helpers of the checks of a clinic's settings. Each check adds a sentence to `problems` for each problem of a value.
 */
import { isObject } from '../fhir/resource.ts'

export function reject(problems: string[], problem: string): undefined {
  problems.push(problem)
}

/** The fields of an object; adds a problem when it is not one, and for every unknown key. */
export function objectOf(
  value: unknown,
  what: string,
  keys: readonly string[],
  problems: string[],
): Record<string, unknown> {
  if (!isObject(value)) {
    problems.push(`${what} must be a JSON object with ${keys.join(', ')}`)
    return {}
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) problems.push(`'${key}' is not known in ${what}; known are ${keys.join(', ')}`)
  }
  return value
}

/** Replaces a stored secret in responses; a client that sends it back keeps the secret. */
export const SECRET_IS_SET = 'set'

/** The secret that a client sent, or the stored one where it sent none or `set`. */
export const secretOr = (stored: string | undefined, sent: unknown): unknown =>
  sent === undefined || sent === SECRET_IS_SET ? stored : sent

/** For clients, which can set these fields but not read them. */
export const withSecretsHidden = <T extends object>(settings: T, secrets: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, secrets.includes(name) ? SECRET_IS_SET : value]),
  )

export const isHttpAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#symmetric */
export function isWebhookSecret(value: unknown): value is string {
  const base64 = typeof value === 'string' ? /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1] : undefined
  const bytes = Buffer.from(base64 ?? '', 'base64').length
  return bytes >= 24 && bytes <= 64
}
