/** Reference.type: https://hl7.org/fhir/R4/references-definitions.html#Reference.type. */
import { localReference, restfulUrl } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import type { Findings } from '../findings.ts'
import { coreType, type TypedElement } from '../typed-element.ts'

/**
 * "If both Reference.type and Reference.reference are populated and Reference.reference is a FHIR URL, both SHALL be
 * consistent."
 */
export function checkReferenceType({ value, path }: TypedElement, findings: Findings): void {
  const { type, reference } = isObject(value) ? value : {}
  if (typeof type !== 'string' || typeof reference !== 'string') return
  const [unversioned = ''] = reference.split('/_history/', 1)
  const found = localReference(unversioned, '')?.type ?? restfulUrl(unversioned)?.type
  if (found === undefined || found === (coreType(type) ?? type)) return
  const message = `is ${shortened(type)}, but the reference is to a ${found}; they must agree`
  findings.add({ code: 'value', path: `${path}.type`, message })
}
