/** The order in which the entries of a transaction are processed: https://hl7.org/fhir/R4/http.html#trules. */
import { localReference } from '../../fhir/reference.ts'
import type { Entry } from './entry.ts'
import { REFERENCES_AND_LINKS, referencesIn } from './rewrite-references.ts'

/** Writes go first, in the order of the specification, so that reads see them. */
export const PHASES = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET'] as const

/**
 * By phase, but what an entry creates or updates comes before the entries that refer to it, so that a rule such as
 * "the slot exists" holds whatever the order in the Bundle. References are those between resources, `Type/id` or with our base.
 */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const byPhase = PHASES.flatMap((method) => entries.filter(({ match }) => match.route.method === method))
  const writers = new Map(byPhase.filter(isWrite).map((entry) => [identityOf(entry), entry]))
  return targetsFirst(byPhase, (entry) => targetsOf(entry, writers))
}

/** The same entries, each after those that it names, as far as they do not name each other. */
export function targetsFirst(
  entries: readonly Entry[],
  targetsOf: (entry: Entry) => readonly Entry[],
): readonly Entry[] {
  const opened = new Set<Entry>()
  const ordered = new Set<Entry>()
  for (const entry of entries) {
    const stack = [entry]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const first = opened.has(top) ? [] : targetsOf(top).filter((target) => !opened.has(target))
      opened.add(top)
      if (first.length > 0) stack.push(...first)
      else ordered.add(stack.pop() ?? top)
    }
  }
  return [...ordered]
}

const isWrite = ({ match: { route } }: Entry): boolean => route.method === 'POST' || route.method === 'PUT'

const identityOf = ({ request: { type, id, assignedId } }: Entry): string => `${type}/${assignedId ?? id}`

/** The entries that write what this one refers to. */
const targetsOf = ({ request }: Entry, writers: ReadonlyMap<string, Entry>): readonly Entry[] =>
  [...new Set(referencesIn(request.body, REFERENCES_AND_LINKS))].flatMap((reference) => {
    const local = localReference(reference, request.base)
    return local === undefined ? [] : (writers.get(`${local.type}/${local.id}`) ?? [])
  })
