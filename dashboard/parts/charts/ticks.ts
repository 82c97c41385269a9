/** Labels of the axes of charts. */
import { dateText } from '../../fhir/time.ts'

/** The label of a tick, empty for fractions. */
export const whole = (value: { valueOf(): number }): string => (Number.isInteger(value.valueOf()) ? String(value) : '')

/** Without its year. @param day `2026-11-24` */
export const shortDay = (day: string): string => dateText(day).replace(/,? \d{4}$/, '')

/** One of so many bars has a label. @param width of all bars, and `label` of one label: pixels */
export const labelledOf = (bars: number, width: number, label: number): number =>
  Math.ceil(bars / Math.max(1, Math.floor(width / label)))
