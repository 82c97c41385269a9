/**
 * Official R4 invariants that reject what the specification allows, with corrected expressions. A comparison that is
 * undecided yields "empty" in FHIRPath, and an invariant that is not true counts as violated.
 */
export const ERRATA: ReadonlyMap<string, string> = new Map([
  // per-1, inv-1 of Task, mdd-1, rng-2: 2024-01 is not known to be before 2024-01-15, nor 1 {score} below 2 {points}.
  [
    'start.hasValue().not() or end.hasValue().not() or (start <= end)',
    'start.hasValue().not() or end.hasValue().not() or iif(start > end, false, true)',
  ],
  [
    'lastModified.exists().not() or authoredOn.exists().not() or lastModified >= authoredOn',
    'lastModified.exists().not() or authoredOn.exists().not() or iif(lastModified < authoredOn, false, true)',
  ],
  [
    'whenHandedOver.empty() or whenPrepared.empty() or whenHandedOver >= whenPrepared',
    'whenHandedOver.empty() or whenPrepared.empty() or iif(whenHandedOver < whenPrepared, false, true)',
  ],
  ['low.empty() or high.empty() or (low <= high)', 'low.empty() or high.empty() or iif(low > high, false, true)'],
  // ref-1: a Reference may have no `reference`, only an identifier or a display.
  [
    "reference.startsWith('#').not() or (reference.substring(1).trace('url') in %rootResource.contained.id.trace('ids'))",
    "reference.hasValue().not() or reference.startsWith('#').not() or reference = '#' or (reference.substring(1) in %rootResource.contained.id)",
  ],
])
