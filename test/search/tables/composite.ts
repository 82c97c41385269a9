/** https://hl7.org/fhir/R4/search.html#composite */
import { concept, LOINC, type Table, UCUM } from './table.ts'

const quantity = (value: number, code: string) => ({ value, system: UCUM, code })
const observation = (code: string, more: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: concept(LOINC, code),
  ...more,
})
const component = (code: string, value: number) => ({
  code: concept(LOINC, code),
  valueQuantity: quantity(value, 'mm[Hg]'),
})
const characteristic = (code: string, value: object) => ({ code: { coding: [{ code }] }, exclude: false, ...value })
const group = (...all: readonly object[]) => ({
  resourceType: 'Group',
  type: 'person',
  actual: true,
  characteristic: all,
})
const value = (code: string) => ({ valueCodeableConcept: { coding: [{ code }] } })

export const composite: Table = {
  name: 'composite',
  resources: [
    observation('2823-3', { valueQuantity: quantity(5.5, 'mmol/L') }),
    observation('2823-3', { valueQuantity: quantity(5.4, 'mmol/L') }),
    observation('2823-3', { valueQuantity: quantity(6000, 'umol/L') }),
    observation('2951-2', { valueQuantity: quantity(140, 'mmol/L') }),
    observation('8480-6', { valueCodeableConcept: concept('urn:x', 'high', 'High') }),
    observation('8480-6', { valueString: 'very high' }),
    observation('8480-6', { valueDateTime: '2013-01-14' }),
    // 7 and 8: the high value of one is the low value of the other
    observation('85354-9', { component: [component('8480-6', 140), component('8462-4', 85)] }),
    observation('85354-9', { component: [component('8480-6', 85), component('8462-4', 140)] }),
    group(characteristic('gender', value('mixed')), characteristic('owner', value('john-smith'))),
    group(characteristic('gender', value('john-smith')), characteristic('owner', value('mixed'))),
    group(characteristic('gender', { valueBoolean: true })),
  ],
  rows: [
    // R4's own: potassium above 5.4, sodium is none.
    [`Observation?code-value-quantity=${LOINC}|2823-3$gt5.4|${UCUM}|mmol/L`, [0, 2]],
    [`Observation?code-value-quantity=2823-3$gt5.4|${UCUM}|mmol/L`, [0, 2]],
    ['Observation?code-value-quantity=2823-3$5.4', [1]],
    // The other way round, as only that makes sense.
    [`Observation?code-value-quantity=gt5.4|${UCUM}|mmol/L$${LOINC}|2823-3`, [0, 2]],
    ['Observation?code-value-quantity=5.4$2823-3,2951-2$140', [1, 3]],
    [`Observation?code-value-quantity=2823-3$5.4,2951-2$140`, [1, 3]],
    [`Observation?code-value-quantity=${LOINC}|$lt6||mmol/L`, [0, 1]],
    ['Observation?code-value-concept=8480-6$high', [4]],
    ['Observation?code-value-concept=8480-6$urn:x|high', [4]],
    ['Observation?code-value-string=8480-6$VERY', [5]],
    ['Observation?code-value-date=8480-6$lt2013-02', [6]],
    ['Observation?code-value-date=8480-6$2014', []],
    // Both values of one component, not of two.
    [`Observation?component-code-value-quantity=8480-6$ge140|${UCUM}|mm[Hg]`, [7]],
    [`Observation?component-code-value-quantity=8462-4$ge140|${UCUM}|mm[Hg]`, [8]],
    ['Observation?component-code-value-quantity=8480-6$140&component-code-value-quantity=8462-4$85', [7]],
    ['Observation?combo-code-value-quantity=8480-6$lt90', [8]],
    // R4: "groups with a characteristic gender = mixed, as opposed to gender or mixed anywhere".
    ['Group?characteristic-value=gender$mixed', [9]],
    ['Group?characteristic-value=gender$mixed,owner$mixed', [9, 10]],
    ['Group?characteristic-value=gender$true', [11]],
    ['Group?characteristic-value=gender$|true', [11]],
    ['Group?value=|true', [11]],
    ['Group?characteristic=gender&value=mixed', [9, 10]],
  ],
}
