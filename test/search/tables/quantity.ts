/** https://hl7.org/fhir/R4/search.html#quantity */
import { type Table, UCUM } from './table.ts'

const observation = (valueQuantity: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  valueQuantity,
})
const of = (value: number, code: string, more: object = {}) => observation({ value, system: UCUM, code, ...more })
const invoice = (value: number, currency: string) => ({
  resourceType: 'Invoice',
  status: 'issued',
  totalGross: { value, currency },
})
const condition = (onset: object) => ({ resourceType: 'Condition', subject: { display: 'x' }, ...onset })
const years = (value: number) => ({ value, system: UCUM, code: 'a', unit: 'years' })

export const quantity: Table = {
  name: 'quantity',
  resources: [
    of(5.4, 'mg'),
    of(5.44, 'mg'),
    of(5.45, 'mg'),
    of(0.0054, 'g'),
    of(5.4, 'g'),
    of(5.4, 'mm'),
    // 6 to 8: by a name of the unit, of another system, of none
    observation({ value: 5.4, unit: 'mg' }),
    observation({ value: 5.4, system: 'urn:other', code: 'mg' }),
    observation({ value: 5.4 }),
    // 9 to 12
    of(5, 'mg', { comparator: '<' }),
    of(6, 'mg', { comparator: '>=' }),
    observation({ unit: 'mg' }),
    of(100, '[degF]'),
    // 13 to 14
    invoice(100, 'EUR'),
    invoice(100, 'USD'),
    // 15 to 17
    condition({ onsetAge: years(40) }),
    condition({ onsetRange: { low: years(30), high: years(50) } }),
    condition({ onsetRange: { low: years(60) } }),
    // 18 to 21
    condition({ onsetAge: { ...years(5), comparator: '>' } }),
    condition({ onsetAge: { ...years(5), comparator: '>=' } }),
    condition({ onsetAge: { ...years(7), comparator: '<' } }),
    condition({ onsetAge: { ...years(7), comparator: '<=' } }),
    // 22
    {
      resourceType: 'ChargeItem',
      status: 'billable',
      subject: { display: 'x' },
      code: { text: 'x' },
      quantity: { value: 3, system: UCUM, code: 'pill' },
    },
  ],
  rows: [
    // R4: "a value of 5.4(+/-0.05) mg".
    [`Observation?value-quantity=5.4|${UCUM}|mg`, [0, 1, 3]],
    // "a value of 0.0054(+/-0.00005) g": the same in another unit, however it is written.
    [`Observation?value-quantity=5.4e-3|${UCUM}|g`, [0, 1, 3]],
    [`Observation?value-quantity=5.40|${UCUM}|mg`, [0, 3]],
    [`Observation?value-quantity=5.4e0|${UCUM}|mg`, [0, 1, 3]],
    // "5.4(+/-0.05) where the unit - either the code or the stated human unit - is mg".
    ['Observation?value-quantity=5.4||mg', [0, 1, 6, 7]],
    // Whatever the unit.
    ['Observation?value-quantity=5.4', [0, 1, 4, 5, 6, 7, 8]],
    ['Observation?value-quantity=5.4|urn:other|mg', [7]],
    // "less or equal to 5.4 mg exactly".
    [`Observation?value-quantity=le5.4|${UCUM}|mg`, [0, 3, 9]],
    [`Observation?value-quantity=lt5.4|${UCUM}|mg`, [9]],
    [`Observation?value-quantity=ge5.4|${UCUM}|mg`, [0, 1, 2, 3, 4, 10]],
    [`Observation?value-quantity=gt5.4|${UCUM}|mg`, [1, 2, 4, 10]],
    [`Observation?value-quantity=sa5.4|${UCUM}|mg`, [1, 2, 4, 10]],
    [`Observation?value-quantity=eb5.4|${UCUM}|mg`, [9]],
    [`Observation?value-quantity=ne5.4|${UCUM}|mg`, [2, 4, 9, 10]],
    // "about 5.4 mg": a tenth more or less, which a value "under 5" may be.
    [`Observation?value-quantity=ap5.4|${UCUM}|mg`, [0, 1, 2, 3, 9]],
    [`Observation?value-quantity=lt5|${UCUM}|mg`, [9]],
    [`Observation?value-quantity=37.8|${UCUM}|Cel`, [12]],
    [`Observation?value-quantity=gt310|${UCUM}|K`, [12]],
    [`Observation?value-quantity=gt1|${UCUM}|km`, []],
    // "The system and code follow the same pattern as token parameters are also optional".
    [`Observation?value-quantity=5.4|${UCUM}|`, [0, 1, 4, 5]],
    [`Observation?value-quantity=5.4|${UCUM}`, [0, 1, 4, 5]],
    ['Observation?value-quantity=lt6|urn:other|', [7]],
    ['Observation?value-quantity=5.4||', [0, 1, 4, 5, 6, 7, 8]],
    // A unit that UCUM does not have is found where it was stored so.
    [`ChargeItem?quantity=3|${UCUM}|pill`, [22]],
    [`ChargeItem?quantity=gt2|${UCUM}|pill`, [22]],
    [`ChargeItem?quantity=gt2|${UCUM}|pil`, []],
    ['Observation?value-quantity:missing=true', []],
    ['Observation?value-quantity:missing=false', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['Invoice?totalgross=100', [13, 14]],
    ['Invoice?totalgross=gt99|urn:iso:std:iso:4217|EUR', [13]],
    ['Invoice?totalgross=100||USD', [14]],
    [`Condition?onset-age=40|${UCUM}|a`, [15]],
    [`Condition?onset-age=gt45|${UCUM}|a`, [16, 17, 18, 19]],
    [`Condition?onset-age=lt480|${UCUM}|mo`, [16, 18, 19, 20, 21]],
    [`Condition?onset-age=sa50|${UCUM}|a`, [17]],
    [`Condition?onset-age=ap55|${UCUM}|a`, [16, 17, 18, 19]],
    // More than 5 is wholly above 5, and 5 or more is not.
    [`Condition?onset-age=sa5|${UCUM}|a`, [15, 16, 17, 18]],
    [`Condition?onset-age=sa60|${UCUM}|mo`, [15, 16, 17, 18]],
    [`Condition?onset-age=eb7|${UCUM}|a`, [20]],
    ['Condition?onset-age=eb7', [20]],
  ],
}
