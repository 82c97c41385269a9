/** The extensible bindings of R4's own elements: https://hl7.org/fhir/R4/terminologies.html#extensible. */
import { besideExtensible, membershipOf } from './codes.ts'
import type { Findings } from './findings.ts'
import { elementsOf, type Item } from './item.ts'
import type { Knowledge } from './known-definitions.ts'

/** Notes codes beside the value set. A text instead of a code is what R4 allows, and a set that is not here tells nothing. */
export function checkExtensible(item: Item, knowledge: Knowledge, findings: Findings): void {
  const { parent, name, path } = item
  const valueSet = parent === undefined ? undefined : elementsOf(parent.type).get(name)?.extensible
  if (valueSet === undefined || membershipOf(item, valueSet, knowledge)?.is !== 'out') return
  findings.add({ code: 'code-invalid', path, said: besideExtensible(item, valueSet), severity: 'warning' })
}
