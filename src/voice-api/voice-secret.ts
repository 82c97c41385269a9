/** The shared secret of voice platforms (spec 5). */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Config } from '../config.ts'
import { FhirError } from '../fhir/outcome.ts'

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
