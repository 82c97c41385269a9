/** The data set of the growth measurement: that of the benchmark, plus one Observation per Patient. */
import type { Observation } from 'fhir/r4'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { patientId, type Sizes, stages } from '../data-set.ts'

const MINUTE = 60_000
const FIRST_MEASUREMENT = Date.UTC(2031, 0, 6)
const LIGHTEST = 3_000

/** Each has a unique minute and weight, so that a search by either finds as few in a large store as in a small one. */
export const minuteOf = (n: number): string => new Date(FIRST_MEASUREMENT + n * MINUTE).toISOString()
export const gramsOf = (n: number): number => LIGHTEST + n
/** A word that occurs in a single narrative. */
export const wordOf = (n: number): string => `weight${n}`

const observation = (n: number): Observation => ({
  resourceType: 'Observation',
  id: `bench-observation-${n}`,
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">Body weight ${wordOf(n)}</div>` },
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7', display: 'Body weight' }] },
  subject: { reference: `Patient/${patientId(n)}` },
  effectiveDateTime: minuteOf(n),
  valueQuantity: { value: gramsOf(n), unit: 'g', system: 'http://unitsofmeasure.org', code: 'g' },
})

interface Stage {
  readonly count: number
  readonly make: (n: number) => AnyResource
}

export const grownStages = (sizes: Sizes): readonly Stage[] => [
  ...stages(sizes).map(({ count, make }) => ({ count, make: (n: number): AnyResource => ({ ...make(n) }) })),
  { count: sizes.patients, make: (n) => ({ ...observation(n) }) },
]
