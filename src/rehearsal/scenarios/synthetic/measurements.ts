/** Vital signs and laboratory values, as they follow from age, problems and treatment. */
import { DAYS_OF_YEAR } from './calendar.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'
import type { Measure } from './tables/medicine.ts'
import {
  ADULT_HEIGHT,
  GROWTH,
  type LaboratoryTest,
  PANELS,
  type Panel,
  type Test,
  type VitalSign,
} from './tables/tests.ts'

export interface Measured<Of extends Test = Test> {
  readonly test: Of
  readonly value: number
}

export interface BloodPressure {
  readonly systolic: number
  readonly diastolic: number
}

/** The values of a panel, taken at a visit. */
export interface Report {
  readonly panel: Panel
  readonly values: readonly Measured<LaboratoryTest>[]
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

/** The body of a person: it stays what it is, but grows. */
export class Body {
  readonly #gender: Person['gender']
  /** How much taller and heavier somebody is than others. */
  readonly #taller: number
  readonly #heavier: number
  /** Body mass index as an adult. */
  readonly #index: number
  readonly #systolic: number

  constructor({ gender }: Person, isObese: boolean, random: Random) {
    this.#gender = gender
    this.#taller = random.between([0.93, 1.07])
    this.#heavier = random.between([0.88, 1.2])
    this.#index = random.between(isObese ? [30.5, 39] : [19.5, 29])
    this.#systolic = random.between([104, 124])
  }

  /** @param days of age @returns centimetres */
  heightAt(days: number): number {
    const age = days / DAYS_OF_YEAR
    return (age >= ADULT ? ADULT_HEIGHT[this.#gender] : grown(age, 1)) * this.#taller
  }

  /** @param days of age @returns kilograms */
  weightAt(days: number, random: Random): number {
    const age = days / DAYS_OF_YEAR
    const usual = age >= ADULT ? this.#index * (this.heightAt(days) / 100) ** 2 : grown(age, 2) * this.#heavier
    return usual * random.between([0.985, 1.015])
  }

  /** @param treated the systolic pressure of somebody with hypertension */
  pressureAt(days: number, treated: number | undefined, random: Random): BloodPressure {
    const age = days / DAYS_OF_YEAR
    const usual = age < ADULT ? 86 + age * 1.6 : this.#systolic + age / 8
    const systolic = Math.round(treated ?? usual + random.between([-5, 5]))
    return { systolic, diastolic: Math.round(systolic * random.between([0.58, 0.66])) }
  }
}

const ADULT = 18

/** A median of the growth chart. @param column 1: height, 2: weight */
function grown(age: number, column: 1 | 2): number {
  const next = GROWTH.findIndex(([from]) => from > age)
  const [after, before] = [GROWTH.at(next), GROWTH.at(Math.max(next - 1, 0))]
  if (after === undefined || before === undefined) return 0
  const part = after[0] === before[0] ? 0 : (age - before[0]) / (after[0] - before[0])
  return before[column] + part * (after[column] - before[column])
}

/** By its test; the body mass index follows from the weight and the height as they are written. */
export const measured = <Of extends Test>(test: Of, value: number): Measured<Of> => ({
  test,
  value: rounded(value, test.digits),
})

export const bodyMassIndex = (test: VitalSign, weight: number, height: number): Measured<VitalSign> =>
  measured(test, weight / (height / 100) ** 2)

/** Values that a treatment decides, as far as the person has a problem that is measured by them. */
export type Treated = ReadonlyMap<Measure, number>

export function reportOf(panel: Panel, treated: Treated, random: Random): Report {
  const values = panel.tests.map((test) => measured(test, levelOf(test, treated, random)))
  return { panel, values: panel.id === PANELS.lipids.id ? withTotal(values) : values }
}

function levelOf(test: LaboratoryTest, treated: Treated, random: Random): number {
  const usual = random.between(test.usual)
  return (test.measure && treated.get(test.measure)) ?? usual
}

/** Total cholesterol by the equation of Friedewald: LDL + HDL + triglyceride / 5. */
function withTotal(values: readonly Measured<LaboratoryTest>[]): readonly Measured<LaboratoryTest>[] {
  const [ldl, hdl, triglyceride, total] = values
  if (ldl === undefined || hdl === undefined || triglyceride === undefined || total === undefined) return values
  return [ldl, hdl, triglyceride, measured(total.test, ldl.value + hdl.value + triglyceride.value / 5)]
}
