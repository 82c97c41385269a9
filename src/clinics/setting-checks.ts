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

/** In place of the address of a system: the simulator of this server. docs/simulators.md */
export const SIMULATOR = 'simulator'

export const isHttpAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#symmetric */
export function isWebhookSecret(value: unknown): value is string {
  const base64 = typeof value === 'string' ? /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1] : undefined
  const bytes = Buffer.from(base64 ?? '', 'base64').length
  return bytes >= 24 && bytes <= 64
}

/** The range of a setting that is a whole number. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/** @param absent for the message: the value where the setting is absent */
export function checkWholeNumber(
  name: string,
  value: unknown,
  { least, most, absent }: Bounds & { readonly absent?: string | undefined },
  problems: string[],
): void {
  const isRight = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
  if (value !== undefined && !isRight)
    reject(problems, `${name} must be a whole number from ${least} to ${most}${orAbsent(absent)}`)
}

/** The same for one of some words. */
export function checkOneOf(
  name: string,
  value: unknown,
  words: readonly string[],
  problems: string[],
  absent?: string,
): void {
  if (value === undefined || words.some((one) => one === value)) return
  reject(problems, `${name} must be one of ${words.join(', ')}${orAbsent(absent)}`)
}

const orAbsent = (absent: string | undefined): string => (absent === undefined ? '' : `, or absent for ${absent}`)
