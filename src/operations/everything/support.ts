/**
 * The resources that the results of $everything refer to: practitioners, organizations, locations, medications,
 * attachments, without which they could not be understood.
 */

import type { Context } from '../../core/context.ts'
import type { CompartmentMembers } from '../../fhir/compartments.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { localReference } from '../../fhir/reference.ts'
import { Meter, spend } from '../../isolation/budget.ts'
import type { Versioned } from '../../repository/repository.ts'
import { extractEntries } from '../../search/index/extract.ts'
import { matches } from '../../search/matches.ts'
import { type Condition, plainPage } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'

/** The resources that $everything returns for a patient or encounter. */
export interface EverythingScope {
  readonly type: 'Patient' | 'Encounter'
  /** The related resources. */
  readonly members: CompartmentMembers
}

interface Support {
  readonly included: readonly Versioned[]
  /** Resources were left out because of the limit. */
  readonly isCut: boolean
}

/** Types whose own references to each other are followed: they belong to no patient, and are few. */
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
/** PractitionerRole -> Organization -> the organization it is part of -> Endpoint. */
const MAX_ROUNDS = 4

/** A page of $everything without the referenced resources. */
interface Page {
  readonly around: EverythingScope
  /** Ids of the patients or encounters on the page. */
  readonly centers: readonly string[]
  /** By Type/id. */
  readonly matches: ReadonlyMap<string, Versioned>
  readonly provenance: readonly Versioned[]
  /** Maximum number of resources. */
  readonly max: number
}

/** The resources that a page refers to, and its Provenance; at most `max` resources. */
export async function supportFor(ctx: Context, page: Page): Promise<Support> {
  const { matches, max } = page
  const included = new Map<string, Versioned>()
  const add = (found: readonly Versioned[]): void => {
    for (const one of found) if (!belongs(one, page, ctx.baseUrl)) included.set(`${one.type}/${one.id}`, one)
  }
  let isCut = page.provenance.length > max
  add(page.provenance.slice(0, max))
  const seen = new Set([...matches.keys(), ...included.keys()])
  let holders: Iterable<Versioned> = matches.values()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const isNext = (type: string): boolean => (round === 0 ? type !== otherPatient(page.around) : FOLLOWED.has(type))
    const referenced = [...addressesIn(holders, ctx.baseUrl)].filter((one) => !seen.has(one) && isNext(typeOf(one)))
    const toRead = referenced.slice(0, max - included.size)
    isCut ||= toRead.length < referenced.length
    for (const address of toRead) seen.add(address)
    if (toRead.length > 0) add(await readAll(ctx, toRead))
    holders = included.values()
  }
  return { included: [...included.values()], isCut }
}

/** References to other patients, as in groups and links, are not followed, as these have a record of their own. */
const otherPatient = ({ type }: EverythingScope): string | undefined => (type === 'Patient' ? type : undefined)

const typeOf = (address: string): string => address.slice(0, address.indexOf('/'))

/** Literal references and URLs of attachments in stored JSON, which has no white space. */
const REFERENCE = /"(?:reference|url)":"([^"\\]{3,2048})"/g

/** Characters that are searched for references in one step, and for the id of one patient. */
const SEARCHED_IN_A_STEP = 300
const COMPARED_IN_A_STEP = 5_000

/** The referenced local resources as Type/id. */
function addressesIn(holders: Iterable<Versioned>, baseUrl: string): ReadonlySet<string> {
  const addresses = new Set<string>()
  const meter = new Meter('the references of its resources')
  for (const { text } of holders) {
    meter.pay(1 + text.length / SEARCHED_IN_A_STEP)
    for (const [, reference = ''] of text.matchAll(REFERENCE)) {
      const local = localReference(reference, baseUrl)
      if (local !== undefined && isResourceType(local.type)) addresses.add(`${local.type}/${local.id}`)
    }
  }
  return addresses
}

/** Reads resources of the clinic by a single search; missing ones are skipped. */
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
  const where: readonly Condition[] = [{ kind: 'any', of }]
  const types = [...byType.keys()]
  const page = plainPage({ clinic, types, where, count: addresses.length, after: undefined })
  return (await unit.search(page)).matches
}

/** Whether the resource is itself a match, on this or another page (unless it is filtered out there). */
function belongs(one: Versioned, { around, centers }: Page, baseUrl: string): boolean {
  if (one.type === around.type && centers.includes(one.id)) return true
  spend((one.text.length * centers.length) / COMPARED_IN_A_STEP, 'the resources that its results refer to')
  // Members mention their patient or encounter; most other resources do not, and need not be parsed.
  const mentioned = around.members.has(one.type)
    ? centers.filter((id) => one.text.includes(`${around.type}/${id}`))
    : []
  if (mentioned.length === 0) return false
  const candidate = { ...one, entries: extractEntries(one.resource, baseUrl) }
  return mentioned.some((id) => matches(inCompartment({ type: around.type, id }, around.members), candidate))
}
