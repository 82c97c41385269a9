/** The permitted resources of a document: https://hl7.org/fhir/R4/documents.html#content. */
import { isObject } from '../../fhir/resource.ts'
import { Meter } from '../../isolation/budget.ts'
import type { Findings } from '../findings.ts'
import type { TypedElement } from '../typed-element.ts'
import { absoluteUrl, entriesIn, entryAt } from './bundle-index.ts'

/** Steps to search a value for a reference. */
const STEPS_PER_VALUE = 0.5
const meter = new Meter('the references of the document')

/**
 * "The document bundle SHALL include only: The Composition resource, and any resources directly or indirectly (e.g.
 * recursively) referenced from it; A Binary resource containing a stylesheet; Provenance Resources that have a target of
 * Composition or another resource included in the document."
 * @throws BudgetError
 */
export function checkDocument({ value: bundle, path }: TypedElement, findings: Findings): void {
  if (!isObject(bundle) || bundle['type'] !== 'document') return
  const entries = entriesIn(bundle)
  const alone = entries.flatMap((entry, index) => (standsAlone(entry, bundle) ? [index] : []))
  const reached = reachedFrom([0, ...alone], bundle)
  for (const [index, entry] of entries.entries()) {
    if (reached.has(index) || !isObject(entry) || !isObject(entry['resource'])) continue
    const message =
      'is not part of the document: no reference leads to it from the Composition; leave it out, or refer to it by its fullUrl'
    findings.add({ code: 'structure', path: `${path}.entry[${index}]`, message })
  }
}

/** Whether an entry is a stylesheet, or a Provenance of something in the document: nothing needs to refer to these. */
function standsAlone(entry: unknown, bundle: object): boolean {
  const { fullUrl, resource } = fieldsOf(entry)
  const { resourceType, contentType, target } = fieldsOf(resource)
  if (resourceType === 'Binary') return contentType === 'text/css'
  return resourceType === 'Provenance' && entriesFrom(target, fullUrl, bundle).next().done === false
}

/** The indices of the entries that any of `starts` leads to, themselves included. */
function reachedFrom(starts: readonly number[], bundle: object): ReadonlySet<number> {
  const reached = new Set(starts)
  const entries = entriesIn(bundle)
  // A Set can be added to while it is iterated over.
  for (const index of reached) {
    const { fullUrl, resource } = fieldsOf(entries[index])
    for (const target of entriesFrom(resource, fullUrl, bundle)) reached.add(target)
  }
  return reached
}

/** The indices of the entries that anything in `value` refers to. */
function* entriesFrom(value: unknown, fullUrl: unknown, bundle: object): Generator<number> {
  for (const text of textsIn(value)) {
    const url = LINK.test(text) ? absoluteUrl(text, fullUrl) : undefined
    const target = url === undefined ? undefined : entryAt(bundle, url)
    if (target !== undefined) yield target
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** Texts that may be a reference, a canonical, or another link to an entry. */
const LINK = /^(?:[a-z][a-z0-9+.-]*:|[A-Z][A-Za-z]+\/)\S+$/

/** All strings in a value. Iterative, so that deep nesting cannot overflow the stack. */
function* textsIn(value: unknown): Generator<string> {
  const open = [value]
  while (open.length > 0) {
    meter.pay(STEPS_PER_VALUE)
    const next = open.pop()
    if (typeof next === 'string') yield next
    else if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
}
