/** The course of a person's care: what is found and done at each visit of the last three years. */
import { DAYS_OF_YEAR, daysSince } from './calendar.ts'
import type { Diary } from './diary.ts'
import {
  type BloodPressure,
  Body,
  bodyMassIndex,
  type Measured,
  measured,
  type Report,
  reportOf,
} from './measurements.ts'
import type { Person } from './people.ts'
import { allergiesOf, type Problem, problemsOf } from './problems.ts'
import { Random } from './random.ts'
import {
  ACUTE,
  type AcuteCondition,
  type Allergy,
  type CheckupProcedure,
  type Code,
  INFLUENZA,
  MEDICATIONS,
  type Measure,
  PROCEDURES,
  VACCINES,
} from './tables/medicine.ts'
import { PANELS, type Panel, VITAL_SIGNS, type VitalSign } from './tables/tests.ts'
import { allowed, type Moment, type Prescription, TreatedProblem } from './treatment.ts'
import { type Visit, visitsOf } from './visits.ts'

/** The findings of a visit that has taken place, and the treatment. */
export interface Findings {
  readonly visit: Visit
  readonly illness?: AcuteCondition
  readonly pressure?: BloodPressure
  readonly vitalSigns: readonly Measured<VitalSign>[]
  readonly reports: readonly Report[]
  readonly vaccines: readonly Code[]
  readonly procedures: readonly CheckupProcedure[]
}

/** A problem, and when it was found. */
export interface KnownProblem extends Problem {
  /** The visit at which it was found; absent: before the first one of the record. */
  readonly found?: Visit
}

export interface Course {
  readonly person: Person
  readonly problems: readonly KnownProblem[]
  readonly allergies: readonly Allergy[]
  readonly visits: readonly Visit[]
  readonly findings: readonly Findings[]
  readonly prescriptions: readonly Prescription[]
}

/** Days: more than the three years of visits. */
const BEFORE_RECORD = 3.2 * DAYS_OF_YEAR

/** @param seed of the whole town; the courses of others do not change this one, but for the hours that they have taken */
export function courseOf(person: Person, diary: Diary, seed: string): Course {
  const random = new Random(`${seed}/${person.id}`)
  const problems = problemsOf(person, random)
  const allergies = allergiesOf(random)
  const visits = visitsOf(person, problems, diary, random)
  const kept = visits.filter(({ status }) => status === 'fulfilled')
  const known = problems.flatMap((problem) => knownOf(problem, kept))
  const care = new Care(person, known, allergies, random)
  const findings = kept.map((visit) => care.at(visit))
  return { person, problems: known, allergies, visits, findings, prescriptions: care.prescriptions }
}

/** A problem is known from the first visit after it began; one that no visit has followed is not known. */
function knownOf(problem: Problem, kept: readonly Visit[]): readonly KnownProblem[] {
  if (problem.days > BEFORE_RECORD) return [problem]
  const found = kept.find(({ workday }) => daysSince(workday) < problem.days - MARGIN)
  return found === undefined ? [] : [{ ...problem, found }]
}

/** Days by which the date of a working day may differ from `daysSince`. */
const MARGIN = 16

/** The care that the clinic gives to a person, from visit to visit. */
class Care {
  readonly #person: Person
  readonly #allergies: readonly Allergy[]
  readonly #random: Random
  readonly #body: Body
  readonly #problems: readonly KnownProblem[]
  readonly #treated: readonly { readonly known: KnownProblem; readonly care: TreatedProblem }[]
  readonly #others: Prescription[] = []
  readonly #given = new Set<string>()
  #lastInfluenza = Number.NEGATIVE_INFINITY
  #isHeightKnown = false
  #followUps = 0

  constructor(person: Person, problems: readonly KnownProblem[], allergies: readonly Allergy[], random: Random) {
    this.#person = person
    this.#allergies = allergies
    this.#random = random
    this.#problems = problems
    this.#body = new Body(person, hasProblem(problems, 'obesity'), random)
    this.#treated = problems.flatMap((known) => {
      const { treatment } = known.condition
      return treatment === undefined
        ? []
        : [{ known, care: new TreatedProblem(known, treatment, known.found === undefined, random) }]
    })
    for (const problem of problems) if (problem.found === undefined) this.#prescribeFor(problem, problem.days)
  }

  get prescriptions(): readonly Prescription[] {
    return [...this.#treated.flatMap(({ care }) => care.prescriptions), ...this.#others]
  }

  at(visit: Visit): Findings {
    const age = this.#person.days - daysSince(visit.workday)
    if (visit.kind === 'followUp') this.#followUps += 1
    for (const problem of this.#problems) if (problem.found === visit) this.#prescribeFor(problem, visit)
    const illness = visit.kind === 'acute' ? this.#fallIll(visit, age) : undefined
    const pressure = this.#pressure(visit, age)
    return {
      visit,
      ...(illness === undefined ? {} : { illness }),
      ...(pressure === undefined ? {} : { pressure }),
      vitalSigns: this.#vitalSigns(visit, age, illness),
      reports: this.#panels(visit, age).map((panel) => this.#report(panel, visit)),
      vaccines: visit.kind === 'acute' ? [] : this.#vaccinate(age),
      procedures: visit.kind === 'checkup' ? this.#procedures(age) : [],
    }
  }

  #prescribeFor({ condition }: KnownProblem, began: Moment): void {
    if (condition.medication === undefined) return
    const { code, display } = condition
    this.#others.push({ medication: MEDICATIONS[condition.medication], reason: { code, display }, began })
  }

  #fallIll(visit: Visit, age: number): AcuteCondition {
    const years = age / DAYS_OF_YEAR
    const illness = this.#random.byShare(ACUTE.filter(({ ages: [from, to] }) => years >= from && years <= to))
    // Doses of tablets and capsules are those of adults.
    const medication = years < ADULT ? undefined : allowed(illness.medications, this.#allergies)
    const { code, display } = illness
    if (medication) this.#others.push({ medication, reason: { code, display }, began: visit })
    return illness
  }

  /** Taken from 3 years on at check-ups, and at follow-ups of those with hypertension. */
  #pressure(visit: Visit, age: number): BloodPressure | undefined {
    const isFollowed = visit.kind !== 'followUp' || hasProblem(this.#problems, 'hypertension')
    if (!isFollowed || visit.kind === 'acute' || age < 3 * DAYS_OF_YEAR) return undefined
    return this.#body.pressureAt(age, this.#measure('systolic', visit), this.#random)
  }

  #vitalSigns(visit: Visit, age: number, illness: AcuteCondition | undefined): readonly Measured<VitalSign>[] {
    const { weight, height, bmi, temperature } = VITAL_SIGNS
    if (visit.kind === 'acute') {
      return [measured(temperature, this.#random.between(illness?.fever ? [37.8, 39.2] : [36.4, 37.2]))]
    }
    if (visit.kind === 'followUp' && !hasProblem(this.#problems, 'diabetes')) return []
    const kilograms = measured(weight, this.#body.weightAt(age, this.#random))
    if (visit.kind === 'followUp') return [kilograms]
    if (age >= ADULT * DAYS_OF_YEAR && this.#isHeightKnown) return [kilograms]
    this.#isHeightKnown = true
    const centimetres = measured(height, this.#body.heightAt(age))
    if (age < ADULT * DAYS_OF_YEAR) return [kilograms, centimetres]
    return [kilograms, centimetres, bodyMassIndex(bmi, kilograms.value, centimetres.value)]
  }

  /** The panels that are due at the visit. */
  #panels(visit: Visit, age: number): readonly Panel[] {
    const years = age / DAYS_OF_YEAR
    if (visit.kind === 'acute' || visit.kind === 'wellChild') return []
    if (visit.kind === 'checkup') return this.#screening(years)
    const has = (id: string) => hasProblem(this.#problems, id)
    const isYearly = this.#followUps % 4 === 1
    return [
      ...(has('diabetes') ? [PANELS.hba1c] : []),
      ...(has('hyperlipidemia') && isYearly ? [PANELS.lipids] : []),
      ...(has('hypothyroidism') && isYearly ? [PANELS.thyroid] : []),
      ...((has('hypertension') || has('diabetes')) && this.#followUps % 6 === 4 ? [PANELS.metabolic] : []),
    ]
  }

  #screening(years: number): readonly Panel[] {
    const isDue = this.#random.chance(0.25)
    return [
      ...(isDue && years >= 40 ? [PANELS.lipids] : []),
      ...(isDue && years >= 35 ? [PANELS.hba1c] : []),
      ...(this.#random.chance(0.12) ? [PANELS.count] : []),
    ]
  }

  #report(panel: Panel, visit: Visit): Report {
    const values = new Map<Measure, number>()
    for (const { measure } of panel.tests) {
      const value = measure && this.#measure(measure, visit)
      if (measure && value !== undefined) values.set(measure, value)
    }
    return reportOf(panel, values, this.#random)
  }

  /** The measurement of a problem that is known; undefined where the person has none that is measured so. */
  #measure(measure: Measure, visit: Visit): number | undefined {
    return this.#treated
      .find(({ known, care }) => care.measure === measure && (known.found?.workday ?? visit.workday) <= visit.workday)
      ?.care.measuredAt(visit)
  }

  #vaccinate(age: number): readonly Code[] {
    const years = age / DAYS_OF_YEAR
    const due = VACCINES.filter((vaccine) => {
      const dose = vaccine.due.findIndex((from, index) => {
        const key = `${vaccine.code}/${index}`
        return !this.#given.has(key) && years >= from && years < from + vaccine.late
      })
      if (dose < 0) return false
      this.#given.add(`${vaccine.code}/${dose}`)
      return this.#random.chance(vaccine.share)
    })
    return [...due, ...(this.#isInfluenzaDue(age) ? [INFLUENZA] : [])]
  }

  #isInfluenzaDue(age: number): boolean {
    if (age < DAYS_OF_YEAR / 2 || age - this.#lastInfluenza < DAYS_OF_YEAR || !this.#random.chance(INFLUENZA.share))
      return false
    this.#lastInfluenza = age
    return true
  }

  #procedures(age: number): readonly CheckupProcedure[] {
    const years = age / DAYS_OF_YEAR
    return PROCEDURES.filter(
      ({ ages: [from, to], gender = this.#person.gender, share }) =>
        this.#random.chance(share) && gender === this.#person.gender && years >= from && years <= to,
    )
  }
}

/** Age from which doses are those of adults, years. */
const ADULT = 18

const hasProblem = (problems: readonly KnownProblem[], id: string): boolean =>
  problems.some(({ condition }) => condition.id === id)
