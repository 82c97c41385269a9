/**
 * Measures Patient/$match: how accurate it is on records with true links (`--data DIR`), and how fast among many patients.
 */
import type { Verdict } from '../report.ts'
import { measureAccuracy, type SetResults } from './accuracy.ts'
import { type AccuracyResults, accuracyFigures, accuracyTables, accuracyVerdicts } from './accuracy-report.ts'
import { type CreateCost, measureCreateCost } from './create-cost.ts'
import { type LinkedRecord, type LinkedSet, readLinkedSets } from './linked-records.ts'
import { type Engine, measureSpeed, type SpeedResults } from './speed.ts'
import { createCostText, createCostVerdict, speedTable, speedVerdicts } from './speed-report.ts'

/** The name of the command, and for `--only`. */
export const MATCHING = 'matching'

/** On MongoDB there are fewer patients than on SQLite. */
const PART_ON_MONGODB = 0.1

export interface MatchingOptions {
  /** The folder of records with true links: accuracy is measured. */
  readonly data: string | undefined
  /** The number of patients among which speed is measured. */
  readonly patients: number | undefined
  readonly engines: readonly Engine[]
  readonly seconds: number
  /** Folder in which the filled SQLite store is kept for later runs. */
  readonly kept?: string
}

export interface MatchingResults {
  readonly accuracy?: AccuracyResults
  readonly speed?: { readonly engines: readonly SpeedResults[]; readonly create: CreateCost }
}

/** @throws Error where the folder of data has no records */
export async function benchMatching(options: MatchingOptions, folder: string): Promise<MatchingResults> {
  const { data, patients } = options
  return {
    ...(data === undefined ? {} : { accuracy: await benchAccuracy(data, folder) }),
    ...(patients === undefined ? {} : { speed: await benchSpeed({ ...options, patients }, folder) }),
  }
}

async function benchAccuracy(data: string, folder: string): Promise<AccuracyResults> {
  const [sets, halves]: [SetResults[], SetResults[]] = [[], []]
  for (const set of readLinkedSets(data)) {
    sets.push(...(await measureAccuracy(set, folder)))
    halves.push(...(await measureAccuracy(set, folder, everySecond(set))))
  }
  return { sets, halves }
}

function everySecond({ stored }: LinkedSet): (record: LinkedRecord) => boolean {
  const some = new Set(stored.filter((_record, index) => index % 2 === 0))
  return (record) => some.has(record)
}

async function benchSpeed(
  options: MatchingOptions & { readonly patients: number },
  folder: string,
): Promise<NonNullable<MatchingResults['speed']>> {
  const results: SpeedResults[] = []
  for (const engine of options.engines) {
    const patients = engine === 'mongodb' ? Math.round(options.patients * PART_ON_MONGODB) : options.patients
    results.push(await measureSpeed(engine, { ...options, patients }, folder))
  }
  return { engines: results, create: await measureCreateCost(folder) }
}

export const matchingVerdicts = ({ accuracy, speed }: MatchingResults): readonly Verdict[] => [
  ...(accuracy === undefined ? [] : accuracyVerdicts(accuracy)),
  ...(speed === undefined ? [] : [...speedVerdicts(speed.engines), createCostVerdict(speed.create)]),
]

/** The figures that are written to a file. */
export const matchingFigures = ({ accuracy, speed }: MatchingResults) => ({
  ...(accuracy === undefined ? {} : { accuracy: accuracyFigures(accuracy) }),
  ...(speed === undefined ? {} : { speed }),
})

export const matchingTables = ({ accuracy, speed }: MatchingResults): string =>
  [
    ...(accuracy === undefined ? [] : [accuracyTables(accuracy)]),
    ...(speed === undefined ? [] : [speedTable(speed.engines), createCostText(speed.create)]),
  ].join('\n\n')
