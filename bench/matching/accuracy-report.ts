/** The accuracy of Patient/$match: as tables, and compared with targets. */
import { PROBABLE } from '../../src/matching/score.ts'
import { table, type Verdict } from '../report.ts'
import type { Answered, SetResults } from './accuracy.ts'
import { type Accuracy, accuracyOf, calibrationErrorOf, reliabilityOf, underconfidenceOf } from './accuracy-figures.ts'

export interface AccuracyResults {
  readonly sets: readonly SetResults[]
  /** The same sets, of which the clinic has every second person only. */
  readonly halves: readonly SetResults[]
}

/** At least; by name of the field set. */
interface Target {
  readonly f1: number
  readonly first?: number
  readonly certainPrecision?: number
  readonly certain?: 0
}

const TARGETS: Readonly<Record<string, Target>> = {
  'all fields': { f1: 0.995, certainPrecision: 0.999 },
  'name and address': { f1: 0.985, first: 0.99 },
  'name and identifier': { f1: 0.965, first: 0.985 },
  name: { f1: 0.785, first: 0.72, certain: 0 },
}

const FIELDS = Object.keys(TARGETS)

/** The most that the calibration error may be: a score is true to the tenth to which it is read, nine in ten for 0.9. */
const CALIBRATION_ERROR = 0.05

/** F1, first and certain on all sets together; F1 is that of the grades from probable on. */
export const accuracyVerdicts = (results: AccuracyResults): readonly Verdict[] => [
  ...foundVerdicts(results),
  ...FIELDS.map((fields): Verdict => {
    const error = calibrationErrorOf(answersOf(heldOutOf(results).both, fields))
    return {
      what: `${fields}: calibration error`,
      value: error.toFixed(4),
      target: `at most ${CALIBRATION_ERROR}`,
      pass: error <= CALIBRATION_ERROR,
    }
  }),
]

/** The set by which no prior was chosen: the last one. Where all persons are stored, where every second one is, and both. */
function heldOutOf({ sets, halves }: AccuracyResults) {
  const name = sets.at(-1)?.set
  const [all, half] = [sets, halves].map((some) => some.filter(({ set }) => set === name))
  return { name, all: all ?? [], half: half ?? [], both: [...(all ?? []), ...(half ?? [])] }
}

const foundVerdicts = ({ sets }: AccuracyResults): readonly Verdict[] =>
  Object.entries(TARGETS).flatMap(([fields, target]) => {
    const { probable, first, certain, certainPrecision } = accuracyOf(answersOf(sets, fields))
    const atLeast = (what: string, value: number, least: number | undefined): readonly Verdict[] =>
      least === undefined
        ? []
        : [
            {
              what: `${fields}: ${what}`,
              value: value.toFixed(4),
              target: `at least ${least}`,
              pass: value >= least,
            },
          ]
    return [
      ...atLeast('F1', probable.f1, target.f1),
      ...atLeast('right person first', first, target.first),
      ...atLeast('precision at grade certain', certainPrecision, target.certainPrecision),
      ...(target.certain === undefined
        ? []
        : [{ what: `${fields}: certain`, value: String(certain), target: 'none', pass: certain === 0 }]),
    ]
  })

/** The figures, written in place of all responses. */
export const accuracyFigures = ({ sets, halves }: AccuracyResults) => ({
  sets: sets.map(figuresOfSet),
  halves: halves.map(figuresOfSet),
})

const figuresOfSet = ({ answers, ...set }: SetResults) => ({
  ...set,
  asked: answers.length,
  ...accuracyOf(answers),
  calibrationError: calibrationErrorOf(answers),
  underconfidence: underconfidenceOf(answers),
  reliability: reliabilityOf(answers),
})

const answersOf = (sets: readonly SetResults[], fields: string): readonly Answered[] =>
  sets.filter((set) => set.fields === fields).flatMap(({ answers }) => answers)

export function accuracyTables(results: AccuracyResults): string {
  const { sets, halves } = results
  const heldOut = heldOutOf(results)
  return [
    ['Accuracy', accuracyTable(sets)],
    ['Accuracy where every second person is not stored', accuracyTable(halves)],
    [`Reliability of search.score on ${heldOut.name}, both together`, reliabilityTable(heldOut.both)],
    [
      'Calibration error of search.score',
      calibrationTable([
        [`${heldOut.name}, all stored`, heldOut.all],
        [`${heldOut.name}, every second stored`, heldOut.half],
        [`${heldOut.name}, both together`, heldOut.both],
        ['all sets, both together', [...sets, ...halves]],
      ]),
    ],
  ]
    .flat()
    .join('\n\n')
}

const HEAD = ['P', 'R', 'F1']

const accuracyTable = (sets: readonly SetResults[]): string =>
  table(
    ['', 'stored', 'asked', ...HEAD, 'best F1', 'from', 'first', 'certain', 'of them right', 'compared'],
    sets.map(({ set, fields, stored, answers, compared }) => {
      const { probable, best, first, certain, certainPrecision } = accuracyOf(answers)
      return [
        `${set}, ${fields}`,
        String(stored),
        String(answers.length),
        ...figures(probable),
        best.f1.toFixed(4),
        best.threshold.toFixed(3),
        first.toFixed(4),
        String(certain),
        certain === 0 ? '-' : certainPrecision.toFixed(4),
        compared.toFixed(1),
      ]
    }),
  )

const figures = ({ precision, recall, f1 }: Accuracy): readonly string[] =>
  [precision, recall, f1].map((value) => value.toFixed(4))

const reliabilityTable = (results: readonly SetResults[]): string =>
  table(
    ['', 'scores', 'entries', 'mean score', 'right'],
    FIELDS.flatMap((fields) =>
      reliabilityOf(answersOf(results, fields)).map(({ from, to, entries, meanScore, right }) => [
        fields,
        `${from} - ${to}`,
        String(entries),
        meanScore.toFixed(3),
        right.toFixed(3),
      ]),
    ),
  )

const calibrationTable = (rows: readonly (readonly [what: string, results: readonly SetResults[]])[]): string =>
  table(
    ['', 'fields', 'error', `error from ${PROBABLE}`, 'right less score'],
    rows.flatMap(([what, results]) =>
      FIELDS.map((fields) => {
        const answers = answersOf(results, fields)
        const errors = [calibrationErrorOf(answers), calibrationErrorOf(answers, PROBABLE), underconfidenceOf(answers)]
        return [what, fields, ...errors.map((error) => error.toFixed(4))]
      }),
    ),
  )
