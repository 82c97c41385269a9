/**
 * Displays and codes compared with the code systems at hand, those of the clinic and those of the R4 packages:
 * https://hl7.org/fhir/R4/datatypes.html#Coding.
 */
import { isObject } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import type { Membership } from '../../terminology/member.ts'
import { displayMismatch } from '../../terminology/validate-code.ts'
import { checkBinding, extensibleMessage } from '../codes.ts'
import type { Findings } from '../findings.ts'
import type { KnownDefinitions } from '../known-definitions.ts'
import { elementsByName, type TypedElement } from '../typed-element.ts'

/**
 * Warns, as the system may have another version elsewhere. Unavailable code systems are skipped.
 * @throws BudgetError
 */
export function checkCoding(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  const { system, version, code, display } = isObject(item.value) ? item.value : {}
  if (typeof code !== 'string') return
  if (typeof system === 'string') {
    const found = definitions.inSystem({ system, code, ...(typeof version === 'string' ? { version } : {}) })
    const message = messageFor(found, { system, code, display, isBound: isBound(item) })
    if (message !== undefined) warn(item, message, findings)
  } else if (system === undefined) {
    warn(item, `has the code ${shortened(code)} without a system, which alone gives it a meaning`, findings)
  }
}

const warn = ({ path }: TypedElement, message: string, findings: Findings): void =>
  findings.add({ code: 'code-invalid', path, message, severity: 'warning' })

interface RecordedCoding {
  readonly system: string
  readonly code: string
  readonly display: unknown
  readonly isBound: boolean
}

function messageFor(found: Membership | undefined, coding: RecordedCoding): string | undefined {
  const { system, code, display, isBound } = coding
  if (found?.status === 'out' && !isBound)
    return `has the code ${shortened(code)}, which the code system ${system} does not have`
  if (found?.status !== 'in' || typeof display !== 'string') return undefined
  const right = displayMismatch(found.member, display)
  if (right === undefined) return undefined
  return `has the display "${shortened(display)}", which is wrong for ${system}|${code}; its display is "${right}"`
}

/** Whether R4 binds the element, so that a code outside its value set is reported anyway. */
function isBound(item: TypedElement): boolean {
  const { parent } = item
  const concept = parent?.type === 'CodeableConcept' ? parent : item
  const element = concept.parent && elementsByName(concept.parent.type).get(concept.name)
  return element?.binding !== undefined || element?.extensible !== undefined
}

/**
 * Warns about codes outside of the value set of an extensible binding (https://hl7.org/fhir/R4/terminologies.html#extensible).
 * Text without a code is allowed; unavailable value sets are skipped.
 */
export function checkExtensible(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  const { parent, name, path } = item
  const valueSet = parent === undefined ? undefined : elementsByName(parent.type).get(name)?.extensible
  if (valueSet === undefined || checkBinding(item, valueSet, definitions)?.kind !== 'out') return
  findings.add({ code: 'code-invalid', path, message: extensibleMessage(item, valueSet), severity: 'warning' })
}
