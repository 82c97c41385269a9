/** A signed webhook of a clinic: https://www.standardwebhooks.com. */
import { present } from '../fhir/resource.ts'
import { isHttpAddress, isWebhookSecret, objectOf, reject, SIMULATOR, secretOr } from './setting-checks.ts'

export interface WebhookSettings {
  readonly enabled: boolean
  /** An http or https address, or SIMULATOR. */
  readonly url: string
  /** Standard Webhooks secret: `whsec_` and base64; absent for the simulator. */
  readonly secret?: string
}

/** The rule for the secret of a webhook to the simulator. */
export const NO_SECRET = `absent: the ${SIMULATOR} of this server has none`

const WEBHOOK_FIELDS = ['enabled', 'url', 'secret'] as const

/**
 * The settings of a webhook as a client sent them; null for none. A secret that is absent or `set` keeps the stored one.
 * @param name of the setting, for problems
 */
export function checkWebhook(
  name: string,
  value: unknown,
  problems: string[],
  stored: Partial<WebhookSettings> | undefined,
): WebhookSettings | undefined {
  if (value === undefined || value === null) return undefined
  const { enabled, url, secret } = objectOf(value, name, WEBHOOK_FIELDS, problems)
  if (typeof enabled !== 'boolean') reject(problems, `${name}.enabled must be true or false`)
  const isSimulator = url === SIMULATOR
  if (!isSimulator && !isHttpAddress(url))
    reject(problems, `${name}.url must be an http or https address, or "${SIMULATOR}"`)
  const kept = secretOr(isSimulator ? undefined : stored?.secret, secret)
  if (!isSimulator && !isWebhookSecret(kept))
    reject(problems, `${name}.secret must be "whsec_" followed by 24 to 64 bytes in base64`)
  if (isSimulator && kept !== undefined) reject(problems, `${name}.secret must be ${NO_SECRET}`)
  return { enabled, url, ...present({ secret: kept }) } as WebhookSettings
}
