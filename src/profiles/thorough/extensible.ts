/** The extensible bindings of R4's own elements: https://hl7.org/fhir/R4/terminologies.html#extensible. */
import { checkBinding, extensibleMessage } from '../codes.ts'
import type { Findings } from '../findings.ts'
import type { KnownDefinitions } from '../known-definitions.ts'
import { elementsByName, type TypedElement } from '../typed-element.ts'

/** Warns about codes outside of the value set. Text without a code is allowed; unavailable value sets are skipped. */
export function checkExtensible(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  const { parent, name, path } = item
  const valueSet = parent === undefined ? undefined : elementsByName(parent.type).get(name)?.extensible
  if (valueSet === undefined || checkBinding(item, valueSet, definitions)?.kind !== 'out') return
  findings.add({ code: 'code-invalid', path, message: extensibleMessage(item, valueSet), severity: 'warning' })
}
