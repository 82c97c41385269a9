/** The shared secret of voice platforms (spec 5). */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import { FhirError } from '../fhir/outcome.ts'

/**
 * Checked before the body is read. Both sides are hashed, so that the time reveals neither where they differ nor how
 * long the secret is.
 */
export function requireSecret(secret: string): Middleware {
  const expected = digest(secret)
  return (koa, next) => {
    if (timingSafeEqual(digest(koa.get('x-voice-secret')), expected)) return next()
    throw new FhirError(401, {
      code: 'login',
      diagnostics: 'The header x-voice-secret must hold the webhook secret of this service',
    })
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
