/** Entity tags (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3), which hold versions (`W/"3"`), and the preconditions of writes that name them. */

import type { Precondition } from '../../core/precondition.ts'
import { badRequest, preconditionFailed } from '../../fhir/outcome.ts'
import { etagOf } from './http.ts'
import type { InteractionRequest } from './interaction.ts'

/** Tags in a list: in quotes, with commas in them, or without quotes, as some clients send them. */
const TAGS = /(?:W\/)?"[^"]*"|[^\s,]+/g

/** A tag of this server: weak, strong, or the bare version. */
const VERSION = /^(?:W\/)?(?:"(\d{1,15})"|(\d{1,15}))$/

/** The versions in a list of tags, as in If-Match; tags of other servers are left out. */
export const versionsIn = (tags: string): readonly number[] =>
  (tags.match(TAGS) ?? []).flatMap((tag) => {
    const [, quoted, bare] = VERSION.exec(tag) ?? []
    const version = quoted ?? bare
    return version === undefined ? [] : [Number(version)]
  })

/**
 * Checks the If-Match of a change to something other than a FHIR resource.
 * @param ifMatch the header, or '' for none
 * @param current its version; 0 where it has not been stored yet
 * @param what for the message: `the settings`
 * @throws FhirError 412 when it was changed since the client read it
 */
export function requireMatch(ifMatch: string, current: number, what: string): void {
  if (ifMatch === '' || ifMatch.trim() === '*' || versionsIn(ifMatch).includes(current)) return
  throw preconditionFailed(
    `If-Match asks for ${ifMatch}, but ${what} have the tag ${etagOf(current)} now: somebody has changed them; read them again and repeat the change on that`,
  )
}

/**
 * If-Match and If-None-Match of a write: https://hl7.org/fhir/R4/http.html#concurrency. A tag in If-Match that this server never issued matches no version, so the precondition fails.
 * @throws FhirError 400 for an If-None-Match other than *
 */
export function preconditionOf({
  ifMatch,
  ifNoneMatch,
}: Pick<InteractionRequest, 'ifMatch' | 'ifNoneMatch'>): Precondition {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw badRequest(`If-None-Match on a write can only be *, not '${ifNoneMatch}'`)
  }
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: ifMatch.trim() === '*' ? ('*' as const) : versionsIn(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: '*' as const }),
  }
}
