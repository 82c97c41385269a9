/** Figures of accuracy, from the responses to records with true links. */
import { PROBABLE } from '../../src/matching/score.ts'
import type { Answered, Found } from './accuracy.ts'

export interface Accuracy {
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

export interface AccuracyFigures {
  /** The accuracy of the entries with a score of PROBABLE or more. */
  readonly probable: Accuracy
  /** The accuracy of the entries above the threshold for which F1 is best. */
  readonly best: Accuracy & { readonly threshold: number }
  /** The share of the stored persons that are the first entry. */
  readonly first: number
  readonly certain: number
  /** The share of the certain entries that are right; 1 where there are none. */
  readonly certainPrecision: number
}

export function accuracyOf(answers: readonly Answered[]): AccuracyFigures {
  const persons = answers.filter(({ isStored }) => isStored)
  const found = entriesOf(answers)
  const certain = found.filter(({ isCertain }) => isCertain)
  const right = (entries: readonly Found[]): number => entries.filter(({ isRight }) => isRight).length
  return {
    probable: figuresOf(
      right(found.filter(({ score }) => score >= PROBABLE)),
      found.filter(({ score }) => score >= PROBABLE).length,
      persons.length,
    ),
    best: bestOf(found, persons.length),
    first: persons.filter(({ found: [first] }) => first?.isRight).length / persons.length,
    certain: certain.length,
    certainPrecision: certain.length === 0 ? 1 : right(certain) / certain.length,
  }
}

const entriesOf = (answers: readonly Answered[]): readonly Found[] => answers.flatMap(({ found }) => found)

/** @param right entries that are right, of all that are `found` @param all that should be found */
function figuresOf(right: number, found: number, all: number): Accuracy {
  const [precision, recall] = [found === 0 ? 1 : right / found, all === 0 ? 1 : right / all]
  return { precision, recall, f1: found + all === 0 ? 1 : (2 * right) / (found + all) }
}

function bestOf(found: readonly Found[], all: number): AccuracyFigures['best'] {
  const byScore = found.toSorted((one, other) => other.score - one.score)
  let best = { ...figuresOf(0, 0, all), threshold: 1 }
  let right = 0
  for (const [index, { score, isRight }] of byScore.entries()) {
    if (isRight) right += 1
    // Entries of one score are on the same side of a threshold.
    if (byScore[index + 1]?.score === score) continue
    const figures = figuresOf(right, index + 1, all)
    if (figures.f1 > best.f1) best = { ...figures, threshold: score }
  }
  return best
}

/** Entries whose scores are near each other. */
export interface ReliabilityBin {
  readonly from: number
  readonly to: number
  readonly entries: number
  readonly meanScore: number
  /** The part of them that is right: for calibrated scores their mean. */
  readonly right: number
}

const BOUNDS = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]

/** Bins without entries are left out. */
export function reliabilityOf(answers: readonly Answered[]): readonly ReliabilityBin[] {
  const found = entriesOf(answers)
  return BOUNDS.slice(0, -1).flatMap((from, index) => {
    const to = BOUNDS[index + 1] ?? 1
    const inBin = found.filter(({ score }) => score >= from && (score < to || (to === 1 && score === 1)))
    if (inBin.length === 0) return []
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / inBin.length
    return [
      {
        from,
        to,
        entries: inBin.length,
        meanScore: mean(inBin.map(({ score }) => score)),
        right: mean(inBin.map(({ isRight }) => Number(isRight))),
      },
    ]
  })
}

/**
 * The expected calibration error: how far the mean score of a bin is from the part that is right, on average of the entries.
 * @param least score of the bins that count
 */
export function calibrationErrorOf(answers: readonly Answered[], least = 0): number {
  const bins = reliabilityOf(answers).filter(({ from }) => from >= least)
  const entries = bins.reduce((sum, bin) => sum + bin.entries, 0)
  const error = bins.reduce((sum, bin) => sum + bin.entries * Math.abs(bin.meanScore - bin.right), 0)
  return entries === 0 ? 0 : error / entries
}

/** The part of the entries that is right less their mean score: above 0 where scores are too low, below 0 where too high. */
export function underconfidenceOf(answers: readonly Answered[]): number {
  const found = entriesOf(answers)
  return found.reduce((sum, { score, isRight }) => sum + Number(isRight) - score, 0) / Math.max(1, found.length)
}
