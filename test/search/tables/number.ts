/** https://hl7.org/fhir/R4/search.html#number */
import { type Table, UCUM } from './table.ts'

const item = (factorOverride: number) => ({
  resourceType: 'ChargeItem',
  status: 'billable',
  code: { text: 'x' },
  subject: { display: 'x' },
  factorOverride,
})
const risk = (...prediction: readonly object[]) => ({
  resourceType: 'RiskAssessment',
  status: 'final',
  subject: { display: 'x' },
  prediction,
})
const percent = (value: number) => ({ value, system: UCUM, code: '%' })

export const number: Table = {
  name: 'number',
  resources: [
    ...[94.9, 95, 99.4, 99.5, 99.995, 100, 100.004, 100.4, 100.5, 104.9, 105, -1, 0].map(item),
    // 13 to 16
    risk({ probabilityDecimal: 0.8 }, { probabilityDecimal: 0.1 }),
    risk({ probabilityDecimal: 0.85 }),
    risk({ probabilityRange: { low: percent(10), high: percent(20) } }),
    risk({ qualitativeRisk: { text: 'x' } }),
  ],
  rows: [
    // R4: "Values that equal 100, to 3 significant figures precision, so this is actually searching for values in the range [99.5 ... 100.5)".
    ['ChargeItem?factor-override=100', [3, 4, 5, 6, 7]],
    // "to 5 significant figures precision": [99.995 ... 100.005)
    ['ChargeItem?factor-override=100.00', [4, 5, 6]],
    // "to 1 significant figures precision": [95 ... 105)
    ['ChargeItem?factor-override=1e2', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    // "Values that are not equal to 100, to 3 significant figures precision": outside [99.5 ... 100.5)
    ['ChargeItem?factor-override=ne100', [0, 1, 2, 8, 9, 10, 11, 12]],
    // "less than exactly 100" and so on.
    ['ChargeItem?factor-override=lt100', [0, 1, 2, 3, 4, 11, 12]],
    ['ChargeItem?factor-override=le100', [0, 1, 2, 3, 4, 5, 11, 12]],
    ['ChargeItem?factor-override=gt100', [6, 7, 8, 9, 10]],
    ['ChargeItem?factor-override=ge100', [5, 6, 7, 8, 9, 10]],
    ['ChargeItem?factor-override=gt1.00e2', [6, 7, 8, 9, 10]],
    ['ChargeItem?factor-override=sa100', [6, 7, 8, 9, 10]],
    ['ChargeItem?factor-override=eb100', [0, 1, 2, 3, 4, 11, 12]],
    // "approximately": a tenth more or less.
    ['ChargeItem?factor-override=ap95.4', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['ChargeItem?factor-override=-1', [11]],
    ['ChargeItem?factor-override=0', [12]],
    ['ChargeItem?factor-override=0.0,105', [9, 10, 12]],
    ['ChargeItem?factor-override=gt95&factor-override=lt99.5', [2]],
    ['RiskAssessment?probability=gt0.8', [14, 15]],
    ['RiskAssessment?probability=0.8', [13]],
    ['RiskAssessment?probability=0.1&probability=0.8', [13]],
    ['RiskAssessment?probability=lt0.5', [13]],
    // A range: gt where some of it is above, sa where all of it is, eq where all of it is within.
    ['RiskAssessment?probability=gt15', [15]],
    ['RiskAssessment?probability=sa15', []],
    ['RiskAssessment?probability=sa9', [15]],
    ['RiskAssessment?probability=15', []],
    ['RiskAssessment?probability=2e1', []],
    ['RiskAssessment?probability=ap21', [15]],
    ['RiskAssessment?probability:missing=true', [16]],
    ['RiskAssessment?probability:missing=false', [13, 14, 15]],
  ],
}
