/** Entity tags (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3), which are versions here: `W/"3"`. */

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
