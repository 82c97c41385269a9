/**
 * What the resources of $everything refer to: the practitioners, organizations, locations, medications, attachments
 * without which they would not be understood.
 */

import type { Context } from '../../core/context.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { localReference } from '../../fhir/reference.ts'
import type { Versioned } from '../../repository/repository.ts'
import { extractEntries } from '../../search/index/extract.ts'
import { holds } from '../../search/matches.ts'
import type { Condition } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'
import type { Surroundings } from './everything.ts'

interface Support {
  readonly included: readonly Versioned[]
  /** There was more than the limit. */
  readonly isCut: boolean
}

/** What support itself refers to comes along where it is one of these: of nobody's record, and few. */
const FOLLOWED: ReadonlySet<string> = new Set([
  'Endpoint',
  'HealthcareService',
  'Location',
  'Medication',
  'Organization',
  'Practitioner',
  'PractitionerRole',
  'Substance',
])
/** A PractitionerRole leads to an Organization, that to the one it is part of, that to an Endpoint. */
const MOST_ROUNDS = 4

/** A page of $everything, as far as it is known before its support. */
interface Page {
  readonly around: Surroundings
  /** Ids of those whose records the page has parts of. */
  readonly centers: readonly string[]
  /** By Type/id. */
  readonly matches: ReadonlyMap<string, Versioned>
  readonly provenance: readonly Versioned[]
  /** Resources at most. */
  readonly most: number
}

/** What stands behind a page, Provenance included, `most` resources at most. */
export async function supportFor(ctx: Context, page: Page): Promise<Support> {
  const { matches, most } = page
  const included = new Map<string, Versioned>()
  const add = (found: readonly Versioned[]): void => {
    for (const one of found) if (!belongs(one, page, ctx.baseUrl)) included.set(`${one.type}/${one.id}`, one)
  }
  let isCut = page.provenance.length > most
  add(page.provenance.slice(0, most))
  const seen = new Set([...matches.keys(), ...included.keys()])
  let holders: Iterable<Versioned> = matches.values()
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const isNext = (type: string): boolean => (round === 0 ? type !== otherPatient(page.around) : FOLLOWED.has(type))
    const wanted = [...addressesIn(holders, ctx.baseUrl)].filter((one) => !seen.has(one) && isNext(typeOf(one)))
    const taken = wanted.slice(0, most - included.size)
    isCut ||= taken.length < wanted.length
    for (const address of taken) seen.add(address)
    if (taken.length > 0) add(await readAll(ctx, taken))
    holders = included.values()
  }
  return { included: [...included.values()], isCut }
}

/** Another patient has a record of its own, whatever mentions both: a group, a visit, a link. */
const otherPatient = ({ type }: Surroundings): string | undefined => (type === 'Patient' ? type : undefined)

const typeOf = (address: string): string => address.slice(0, address.indexOf('/'))

/** Literal references and the addresses of attachments, in resources as they are stored: without white space. */
const REFERENCE = /"(?:reference|url)":"([^"\\]{3,2048})"/g

/** As Type/id, each once. */
function addressesIn(holders: Iterable<Versioned>, baseUrl: string): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const { text } of holders) {
    for (const [, reference = ''] of text.matchAll(REFERENCE)) {
      const local = localReference(reference, baseUrl)
      if (local !== undefined && isResourceType(local.type)) addresses.add(`${local.type}/${local.id}`)
    }
  }
  return addresses
}

/** Those of the clinic that are there, by one search. */
async function readAll({ clinic, unit }: Context, addresses: readonly string[]): Promise<readonly Versioned[]> {
  const byType = Map.groupBy(addresses, typeOf)
  const of = [...byType].map(([type, list]): Condition => {
    const ids = list.map((address) => address.slice(type.length + 1))
    return {
      kind: 'all',
      of: [
        { kind: 'type', types: [type] },
        { kind: 'id', ids },
      ],
    }
  })
  const { matches } = await unit.search({
    clinic,
    types: [...byType.keys()],
    where: [{ kind: 'any', of }],
    sort: [],
    count: addresses.length,
    total: 'none',
    include: [],
    includeLimit: 0,
  })
  return matches
}

/** Whether it comes as a match of its own, on this page or another one, as far as it is not filtered out there. */
function belongs(one: Versioned, { around, centers }: Page, baseUrl: string): boolean {
  if (one.type === around.type && centers.includes(one.id)) return true
  // A member mentions whose it is; most of what is looked at does not, and need not be parsed.
  const mentioned = around.members.has(one.type)
    ? centers.filter((id) => one.text.includes(`${around.type}/${id}`))
    : []
  if (mentioned.length === 0) return false
  const candidate = { ...one, entries: extractEntries(one.resource, baseUrl) }
  return mentioned.some((id) => holds(inCompartment({ type: around.type, id }, around.members), candidate))
}
