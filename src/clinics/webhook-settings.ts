/** A signed webhook of a clinic: https://www.standardwebhooks.com. */
import { isHttpAddress, isWebhookSecret, objectOf, reject, secretOr } from './setting-checks.ts'

export interface WebhookSettings {
  readonly enabled: boolean
  readonly url: string
  /** Standard Webhooks secret: `whsec_` and base64. */
  readonly secret: string
}

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
  if (!isHttpAddress(url)) reject(problems, `${name}.url must be an http or https address`)
  const kept = secretOr(stored?.secret, secret)
  if (!isWebhookSecret(kept)) reject(problems, `${name}.secret must be "whsec_" followed by 24 to 64 bytes in base64`)
  return { enabled, url, secret: kept } as WebhookSettings
}
