/** Entity tags (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3), which are versions here: `W/"3"`. */
import { preconditionFailed } from '../../fhir/outcome.ts'
import { etagOf } from './interaction.ts'

/** Of a list: those in quotes, which may have a comma in them, and what some clients send without quotes. */
const TAGS = /(?:W\/)?"[^"]*"|[^\s,]+/g

/** A tag of this server, weak, strong, or as the bare version. */
const VERSION = /^(?:W\/)?(?:"(\d{1,15})"|(\d{1,15}))$/

/** The versions that a list of tags names, as in If-Match; a tag that this server did not make names none. */
export const versionsIn = (tags: string): readonly number[] =>
  (tags.match(TAGS) ?? []).flatMap((tag) => {
    const [, quoted, bare] = VERSION.exec(tag) ?? []
    const version = quoted ?? bare
    return version === undefined ? [] : [Number(version)]
  })

/**
 * If-Match of a change of what is no resource of FHIR.
 * @param ifMatch the header, or '' for none
 * @param current its version; 0 where it has not been stored yet
 * @param what for the message: `the settings`
 * @throws FhirError 412 when somebody has changed it since the client has read it
 */
export function requireMatch(ifMatch: string, current: number, what: string): void {
  if (ifMatch === '' || ifMatch.trim() === '*' || versionsIn(ifMatch).includes(current)) return
  throw preconditionFailed(
    `If-Match asks for ${ifMatch}, but ${what} have the tag ${etagOf(current)} now: somebody has changed them; read them again and repeat the change on that`,
  )
}
