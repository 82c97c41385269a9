/** How a problem is treated, step by step, and what the treatment does to the value that it is measured by. */
import type { Problem } from './problems.ts'
import type { Random } from './random.ts'
import type { Allergy, Measure, MedicationId, Treatment } from './tables/medicine.ts'
import { MEDICATIONS, type Medication } from './tables/medicine.ts'
import type { Visit } from './visits.ts'

export interface Prescription {
  readonly medication: Medication
  /** ICD-10-CM. */
  readonly reason: { readonly code: string; readonly display: string }
  readonly began: Moment
  /** When another took its place. */
  readonly ended?: Moment
}

/** A visit, or days before the clinic's day where it was before the visits of the record. */
export type Moment = Visit | number

/** How far two measurements of one level differ by chance, as a part of it. */
const NOISE = 0.015

/** A problem under treatment; it changes from visit to visit. */
export class TreatedProblem {
  readonly problem: Problem
  readonly treatment: Treatment
  readonly prescriptions: Prescription[] = []
  readonly #random: Random
  readonly #untreated: number
  /** How much better or worse than others somebody responds. */
  readonly #response: number

  /** @param earlier whether treatment began before the first visit; the problem is then found under its first steps */
  constructor(problem: Problem, treatment: Treatment, earlier: boolean, random: Random) {
    this.problem = problem
    this.treatment = treatment
    this.#random = random
    this.#untreated = random.between(treatment.untreated)
    this.#response = random.between([0.85, 1.15])
    const steps = earlier ? random.integer([1, Math.min(2, treatment.steps.length)]) : 0
    for (let step = 0; step < steps; step++) this.#prescribe(Math.round(problem.days * (1 - step * 0.02)))
  }

  get measure(): Measure {
    return this.treatment.measure
  }

  /** A measurement under the present treatment; where it is above the goal, the next step follows at this visit. */
  measuredAt(visit: Visit): number {
    const lowered = this.treatment.steps
      .slice(0, this.prescriptions.length)
      .reduce((sum, { lowers }) => sum + lowers * this.#response, 0)
    const level = (this.#untreated - lowered) * (1 + this.#random.between([-NOISE, NOISE]))
    if (level > this.treatment.goal && this.prescriptions.length < this.treatment.steps.length) this.#prescribe(visit)
    return level
  }

  #prescribe(began: Moment): void {
    const step = this.treatment.steps[this.prescriptions.length]
    if (step === undefined) return
    const before = this.prescriptions.at(-1)
    if (step.replaces && before) this.prescriptions[this.prescriptions.length - 1] = { ...before, ended: began }
    const { code, display } = this.problem.condition
    this.prescriptions.push({ medication: MEDICATIONS[step.medication], reason: { code, display }, began })
  }
}

/** The first of the medications that no allergy forbids. */
export const allowed = (medications: readonly MedicationId[], allergies: readonly Allergy[]): Medication | undefined =>
  medications
    .map((id): Medication => MEDICATIONS[id])
    .find(({ allergies: forbidden = [] }) => !allergies.some(({ id }) => forbidden.includes(id)))
