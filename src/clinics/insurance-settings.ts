/** A clinic's insurance-verification system: its address, its credentials, and how long a caller waits for it. docs/insurance.md */
import { present } from '../fhir/resource.ts'
import {
  checkWholeNumber,
  isHttpAddress,
  objectOf,
  reject,
  SIMULATOR,
  secretOr,
  withSecretsHidden,
} from './setting-checks.ts'

export interface InsuranceSettings {
  readonly enabled: boolean
  /** An http or https address, or SIMULATOR. */
  readonly url: string
  /** Sent as `Authorization: Bearer …`, or unchanged in the header that `apiKeyHeader` names. */
  readonly token?: string
  readonly apiKeyHeader?: string
  /** Milliseconds that the system may take while a caller waits on the line; absent: DEFAULT_DEADLINE. */
  readonly deadlineMs?: number
}

/** Milliseconds. Including the recording of the result, the caller has an answer within three seconds. */
export const DEFAULT_DEADLINE = 2_500
const DEADLINES = { least: 100, most: 2_800, absent: String(DEFAULT_DEADLINE) }

/** Undefined where the clinic uses the simulator. */
export const ownSystem = (insurance: InsuranceSettings | undefined): InsuranceSettings | undefined =>
  insurance?.url === SIMULATOR ? undefined : insurance

const FIELDS = ['enabled', 'url', 'token', 'apiKeyHeader', 'deadlineMs'] as const
const SECRETS = ['token']

/** Headers that the request itself sets. */
const OTHER_HEADERS = [
  ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'cookie', 'expect', 'host'],
  ...['idempotency-key', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]

/** The settings for clients, which can set the token but not read it. */
export const withoutToken = (insurance: InsuranceSettings): object => withSecretsHidden(insurance, SECRETS)

/** The settings as a client sent them; null for none. A token that is absent or `set` keeps the stored one. */
export function checkInsurance(
  value: unknown,
  problems: string[],
  stored: InsuranceSettings | undefined,
): InsuranceSettings | undefined {
  if (value === undefined || value === null) return undefined
  const { enabled, url, token, apiKeyHeader, deadlineMs } = objectOf(value, 'insurance', FIELDS, problems)
  if (typeof enabled !== 'boolean') reject(problems, 'insurance.enabled must be true or false')
  if (url !== SIMULATOR && !isAddress(url))
    reject(problems, `insurance.url must be an http or https address without a user name, or "${SIMULATOR}"`)
  const kept = secretOr(keptToken(stored, url), token)
  if (!isRightToken(url, kept))
    reject(
      problems,
      `insurance.token must be a text of 8 to 4096 characters without spaces; the ${SIMULATOR} of this server has none`,
    )
  if (apiKeyHeader !== undefined && !isHeader(apiKeyHeader))
    reject(
      problems,
      'insurance.apiKeyHeader must be the name of a header such as "X-Api-Key", other than those that every request has',
    )
  checkWholeNumber('insurance.deadlineMs', deadlineMs, DEADLINES, problems)
  return { enabled, url, ...present({ token: kept, apiKeyHeader, deadlineMs }) } as InsuranceSettings
}

const isAddress = (value: unknown): value is string => {
  if (!isHttpAddress(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

/** The stored token, unless it was given for another address. */
function keptToken(stored: InsuranceSettings | undefined, url: unknown): string | undefined {
  if (stored === undefined || !isAddress(url) || !isAddress(stored.url)) return undefined
  return new URL(url).origin === new URL(stored.url).origin ? stored.token : undefined
}

/** Requires a token: a system without credentials would be open to anybody. */
const isRightToken = (url: unknown, token: unknown): boolean =>
  url === SIMULATOR ? token === undefined : typeof token === 'string' && /^[\x21-\x7e]{8,4096}$/.test(token)

const isHeader = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z][\w-]{0,63}$/.test(value) && !OTHER_HEADERS.includes(value.toLowerCase())
