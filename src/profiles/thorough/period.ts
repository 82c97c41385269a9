/** Periods whose start and end have different precision: https://hl7.org/fhir/R4/datatypes.html#Period. */
import { isObject } from '../../fhir/resource.ts'
import type { Findings } from '../findings.ts'
import type { TypedElement } from '../typed-element.ts'

/** Warns where per-1, "start SHALL have a lower value than end", cannot be told. */
export function checkPeriod({ value, path }: TypedElement, findings: Findings): void {
  const { start, end } = isObject(value) ? value : {}
  if (typeof start !== 'string' || typeof end !== 'string' || !isUndecided(start, end)) return
  const message = `begins with ${start} and ends with ${end}: as their precision differs, it cannot be told whether it ends before it begins (per-1); give both with the same precision`
  findings.add({ code: 'value', path, message, severity: 'warning' })
}

/** Whether the dates are the same as far as both are given; times always have seconds, so that two can be compared. */
function isUndecided(start: string, end: string): boolean {
  if (start.length === end.length || (start.includes('T') && end.includes('T'))) return false
  return start.startsWith(end) || end.startsWith(start)
}
