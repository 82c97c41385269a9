/**
 * BASE/as/{profile}/…: the FHIR API as the profile has it. The prefix is taken off the address before the request is routed, and
 * is put before every link of the answer; the journal has the address as it was sent. docs/strictness.md
 */
import type { Middleware } from 'koa'
import { notFound } from '../fhir/outcome.ts'
import type { StrictnessProfiles } from '../rehearsal/strictness/profiles.ts'
import { stateOf } from './exchange.ts'
import { firstSegment } from './side-router.ts'

/** The first segment of the addresses of profiles. */
export const AS = 'as'

/** First segments of what is served beside FHIR, and below /as/{profile} too: what clients of FHIR are led to. */
const LED_TO: ReadonlySet<string> = new Set(['metadata', 'jobs'])

/**
 * For paths below /as/.
 * @param beside first segments of what is served beside FHIR
 * @throws FhirError 404 for an unknown profile, and for what is no part of FHIR's API
 */
export const asProfile =
  (profiles: StrictnessProfiles, beside: ReadonlySet<string>): Middleware =>
  (koa, next) => {
    const [, , name = '', ...rest] = koa.path.split('/')
    koa.path = `/${rest.join('/')}`
    const first = firstSegment(koa.path)
    if (beside.has(first) && !LED_TO.has(first))
      throw notFound(`Below /${AS}/${name} there is only the FHIR API; ${koa.path} is served at the plain base`)
    stateOf(koa).as = { profile: profiles.named(name), prefix: `/${AS}/${name}` }
    return next()
  }
