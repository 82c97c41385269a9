/** What each entry of a transaction writes, and the ids of new resources: https://hl7.org/fhir/R4/http.html#trules. */

import type { Context } from '../../core/context.ts'
import { newId } from '../../fhir/new-id.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { type ConditionalInteraction, matchOf } from '../interactions/conditional.ts'
import type { ConditionalMatch } from '../message/interaction.ts'
import { type Entry, naming } from './entry.ts'
import { targetsFirst } from './order.ts'

export interface Identities {
  /** Entry index to the id its resource will have. */
  readonly ids: ReadonlyMap<number, string>
  /** Addresses of entries in references and other links, to `Type/id`. */
  readonly references: ReadonlyMap<string, string>
  /** The addresses that elements of type uri may hold too: see Replacements. */
  readonly placeholders: ReadonlyMap<string, string>
  /** Entry index to what the criteria of a conditional entry chose. */
  readonly matches: ReadonlyMap<number, ConditionalMatch>
}

/**
 * Decides which resource each entry writes, that of an entry whose criteria name others by their fullUrl after those.
 * @throws FhirError 400 when two entries have one fullUrl or write one resource, or criteria refer to a urn:uuid that no
 *   entry has, 412 when criteria match several
 */
export async function assignIdentities(ctx: Context, entries: readonly Entry[]): Promise<Identities> {
  const ids = new Map<number, string>()
  const references = new Map<string, string>()
  const placeholders = new Map<string, string>()
  const matches = new Map<number, ConditionalMatch>()
  const written = new Map<string, number>()
  const byFullUrl = entriesByFullUrl(entries)
  const namedBy = (entry: Entry) => fullUrlsInCriteria(entry).flatMap((name) => byFullUrl.get(name) ?? [])
  for (const entry of targetsFirst(entries, namedBy)) {
    const { type } = entry.request
    const interaction = WRITES.find((code) => code === entry.match.route.code)
    if (interaction === undefined) continue
    const match = await naming(entry, () => matchOf(ctx, { ...entry.request, links: references }, interaction))
    if (match !== undefined) matches.set(entry.index, match)
    const id = idOf(entry, interaction, match)
    if (id === undefined) continue
    claim(written, `${type}/${id}`, entry)
    // Two entries with the same criteria would write the same resource.
    if (match !== undefined && BRINGS_A_RESOURCE.includes(interaction))
      claim(written, `${type}?${match.criteria}`, entry)
    ids.set(entry.index, id)
    for (const name of namesOf(entry)) {
      references.set(name, `${type}/${id}`)
      if (isPlaceholder(name, entry)) placeholders.set(name, `${type}/${id}`)
    }
  }
  return { ids, references, placeholders, matches }
}

/** The placeholders that the criteria of an entry hold, whatever they stand for there. */
function fullUrlsInCriteria({ request: { query, ifNoneExist = '' } }: Entry): readonly string[] {
  const criteria = [...query.values(), ...new URLSearchParams(ifNoneExist).values()]
  return criteria.flatMap((value) => value.match(PLACEHOLDERS) ?? [])
}

const PLACEHOLDERS = /\burn:(?:uuid|oid):[\w.-]+/gi

/** A urn that the resource itself is known by, as some code systems are by their urn:oid, is a name, and no placeholder. */
const isPlaceholder = (name: string, { request: { body } }: Entry): boolean =>
  /^urn:(?:uuid|oid):/i.test(name) && !(isObject(body) && body.url === name)

const WRITES: readonly ConditionalInteraction[] = ['create', 'update', 'patch', 'delete']
const BRINGS_A_RESOURCE: readonly ConditionalInteraction[] = ['create', 'update']

/** The id that an entry writes to; undefined for a conditional delete or patch that matches nothing. */
function idOf({ request }: Entry, interaction: ConditionalInteraction, match: ConditionalMatch | undefined) {
  if (request.id !== '') return request.id
  if (match?.resource !== undefined || interaction === 'patch' || interaction === 'delete') return match?.resource?.id
  // A client's id is ignored on create.
  const bodyId = interaction === 'update' && isObject(request.body) ? request.body.id : undefined
  return typeof bodyId === 'string' ? bodyId : newId()
}

function claim(written: Map<string, number>, identity: string, { index }: Entry): void {
  const other = written.get(identity)
  if (other !== undefined) {
    throw badRequest(
      `Bundle.entry[${other}] and Bundle.entry[${index}] both write ${identity}; a transaction may write a resource once`,
      { expression: `Bundle.entry[${index}]` },
    )
  }
  written.set(identity, index)
}

/** References name an entry by its fullUrl (bdl-7). @throws FhirError 400 when two entries have the same */
function entriesByFullUrl(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const first = new Map<string, Entry>()
  for (const entry of entries) {
    const { fullUrl, index } = entry
    if (fullUrl === undefined) continue
    const other = first.get(fullUrl)?.index
    if (other !== undefined) {
      throw badRequest(
        `Bundle.entry[${other}] and Bundle.entry[${index}] have the same fullUrl, ${fullUrl}; a reference to it could mean either`,
        { expression: `Bundle.entry[${index}].fullUrl` },
      )
    }
    first.set(fullUrl, entry)
  }
  return first
}

/** The fullUrl, and for `http://elsewhere/Patient/1` the relative reference other entries may use. */
function namesOf({ fullUrl, match }: Entry): string[] {
  if (fullUrl === undefined) return []
  const relative = /^https?:.*\/([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})$/.exec(fullUrl)?.[1]
  return relative === undefined || match.route.method !== 'POST' ? [fullUrl] : [fullUrl, relative]
}
