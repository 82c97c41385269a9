/**
 * The resource that each entry of a transaction writes, and the ids of new ones:
 * https://hl7.org/fhir/R4/http.html#trules.
 */

import type { Context } from '../../core/context.ts'
import { newId } from '../../fhir/new-id.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { type ConditionalInteraction, matchOf } from '../interactions/conditional.ts'
import type { ConditionalMatch } from '../message/interaction.ts'
import { type Entry, naming } from './entry.ts'
import { targetsFirst } from './order.ts'

export interface Identities {
  /** Entry index to the id of its resource. */
  readonly ids: ReadonlyMap<number, string>
  /** Names of entries in references and other links, to `Type/id`. */
  readonly references: ReadonlyMap<string, string>
  /** The names that elements of type uri may hold too: see Replacements. */
  readonly placeholders: ReadonlyMap<string, string>
  /** Entry index to the match of a conditional entry's criteria. */
  readonly matches: ReadonlyMap<number, ConditionalMatch>
}

/**
 * Decides which resource each entry writes; an entry whose criteria name others by their fullUrl comes after those.
 * @throws FhirError 400 when two entries have the same fullUrl or write the same resource, or criteria refer to a
 *   urn:uuid that no entry has, 412 when criteria match several
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

/** The placeholders in the criteria of an entry. */
function fullUrlsInCriteria({ request: { query, ifNoneExist = '' } }: Entry): readonly string[] {
  const criteria = [...query.values(), ...new URLSearchParams(ifNoneExist).values()]
  return criteria.flatMap((value) => value.match(PLACEHOLDERS) ?? [])
}

const PLACEHOLDERS = /\burn:(?:uuid|oid):[\w.-]+/gi

/** False also for a urn that is the canonical URL of the resource, as the urn:oid of some code systems. */
const isPlaceholder = (name: string, { request: { body } }: Entry): boolean =>
  /^urn:(?:uuid|oid):/i.test(name) && !(isObject(body) && body.url === name)

const WRITES: readonly ConditionalInteraction[] = ['create', 'update', 'patch', 'delete']
const BRINGS_A_RESOURCE: readonly ConditionalInteraction[] = ['create', 'update']

/** The id of the resource that an entry writes; undefined for a conditional delete or patch without a match. */
function idOf({ request }: Entry, interaction: ConditionalInteraction, match: ConditionalMatch | undefined) {
  if (request.id !== '') return request.id
  if (match?.resource !== undefined || interaction === 'patch' || interaction === 'delete') return match?.resource?.id
  // The id in the body of a create is ignored.
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

/** References name an entry by its fullUrl (bdl-7). @throws FhirError 400 when two entries have the same fullUrl */
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

/** The fullUrl, and for `http://elsewhere/Patient/1` the relative reference that other entries may use. */
function namesOf({ fullUrl, match }: Entry): string[] {
  if (fullUrl === undefined) return []
  const relative = /^https?:.*\/([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})$/.exec(fullUrl)?.[1]
  return relative === undefined || match.route.method !== 'POST' ? [fullUrl] : [fullUrl, relative]
}
