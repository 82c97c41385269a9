/** `npm run bench`: measures speed and memory of the server on both engines, compared with ceilings in the same run. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchCalls, CALLS } from './calls/calls-bench.ts'
import { callsTables, callsVerdicts } from './calls/calls-report.ts'
import { benchContents, CONTENTS } from './contents/contents-bench.ts'
import { contentsTable, contentsVerdicts } from './contents/contents-report.ts'
import { sizesAt } from './data-set.ts'
import { benchDocuments, DOCUMENTS } from './documents/documents-bench.ts'
import { documentsTables, documentsVerdicts } from './documents/documents-report.ts'
import { AUDIT, benchEmbedded, JOURNAL, LARGE_RECORDS, READ_BESIDE_WRITES, SUBSCRIBERS } from './embedded-bench.ts'
import { benchGrowth, GROWTH } from './growth/growth-bench.ts'
import { growthTables, growthVerdicts } from './growth/growth-report.ts'
import { HOSTILE_CASES } from './isolation/cases.ts'
import { benchIsolation, ISOLATION, type IsolationResults } from './isolation/isolation-bench.ts'
import { isolationTables, isolationVerdicts } from './isolation/isolation-report.ts'
import { benchExport, EXPORT, exportTable, exportVerdicts } from './jobs/export-bench.ts'
import {
  benchMatching,
  MATCHING,
  matchingFigures,
  matchingTables,
  matchingVerdicts,
} from './matching/matching-bench.ts'
import { benchMongo, MONGO_SCENARIOS, type MongoOptions, type MongoResults } from './mongo/mongo-bench.ts'
import { mongoTables, mongoVerdicts } from './mongo/mongo-report.ts'
import { MONGO_SIZES, measureSizes, sizeTables } from './mongo/mongo-sizes.ts'
import { benchRehearsal, REHEARSAL } from './rehearsal/rehearsal-bench.ts'
import { rehearsalTable, rehearsalVerdicts } from './rehearsal/rehearsal-report.ts'
import { machine, type Results, tables, verdicts, verdictTable } from './report.ts'
import { scenarios } from './scenarios.ts'
import { schedulingScenarios } from './scheduling/scheduling-scenarios.ts'
import { benchSoak, SOAK } from './soak/soak-bench.ts'
import { soakTable, soakVerdicts } from './soak/soak-report.ts'

const ROOT = join(import.meta.dirname, '..')
/** The folder of the server's data, so that everything is on the same disk. */
const DATA = join(ROOT, 'data')
const ENGINES = ['sqlite', 'mongodb'] as const
type Engine = (typeof ENGINES)[number]

interface Options extends MongoOptions {
  readonly engines: readonly Engine[]
  /** Names of hostile cases; all when empty. */
  readonly cases: readonly string[]
  readonly keep: boolean
  /** The folder of records with true links. */
  readonly data: string | undefined
  /** How many patients a match is searched among. */
  readonly patients: number | undefined
  /** Length of the soak. */
  readonly minutes: number
}

/** The number of patients for Patient/$match, where the options give neither patients nor data. */
const PATIENTS = 1_000_000

const HELP = `npm run bench [-- NAME… [options]]

Measures speed and memory of the server, compared with ceilings in the same run. NAME is one of the scenarios in docs/bench.md, or
  growth       the server compared with itself on fifty times the data
  isolation    what a clinic notices of another one; --case NAME: of some requests of that one
  matching     how fast Patient/$match is, or with --data DIR how accurate
  calls        whole phone calls
  documents    documents within their resources
  contents     large files
  export       an export of 100,000 resources
  rehearsal    resets, snapshots and clones, runs that are judged
  soak         what grows under mixed load at half the capacity
  mongo-sizes  the bytes that resources take in MongoDB
Without a NAME, all scenarios.

  --engine sqlite|mongodb  one engine; absent: both
  --scale N                N times the data
  --seconds N              the length of a measurement (5)
  --rounds N               how often each is repeated on MongoDB (5)
  --only NAME              as NAME
  --case NAME              of isolation, may be repeated
  --data DIR, --patients N of matching: records with true links; how many patients
  --minutes N              of soak (30)
  --keep                   keeps the stores of growth, isolation and matching under data/
  --help
`

function options(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      scale: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      engine: { type: 'string', multiple: true, default: [...ENGINES] },
      only: { type: 'string', multiple: true, default: [] },
      case: { type: 'string', multiple: true, default: [] },
      keep: { type: 'boolean', default: false },
      data: { type: 'string' },
      patients: { type: 'string' },
      minutes: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  const atLeastOne = (name: 'scale' | 'seconds' | 'rounds' | 'patients' | 'minutes'): number => {
    if (Number(values[name]) >= 1) return Number(values[name])
    throw new Error(`--${name} is '${values[name]}'; use a number from 1 on`)
  }
  const { engine, case: cases, keep, data } = values
  const only = [...values.only, ...positionals]
  refuseUnknown('engine', engine, ENGINES)
  refuseUnknown(
    'hostile case',
    cases,
    HOSTILE_CASES.map(({ name }) => name),
  )
  const names = scenarios(sizesAt(1), { authorization: '', voiceSecret: '' }).map(({ name }) => name)
  const ofScheduling = schedulingScenarios({ authorization: '', voiceSecret: '' }).map(({ name }) => name)
  const others = [
    ...ofScheduling,
    LARGE_RECORDS,
    READ_BESIDE_WRITES,
    AUDIT,
    JOURNAL,
    SUBSCRIBERS,
    MONGO_SIZES,
    GROWTH,
    ISOLATION,
    MATCHING,
    CALLS,
    DOCUMENTS,
    CONTENTS,
    EXPORT,
    REHEARSAL,
    SOAK,
  ]
  refuseUnknown('scenario', only, [...names, ...others])
  const [scale, seconds, rounds] = [atLeastOne('scale'), atLeastOne('seconds'), atLeastOne('rounds')]
  const engines = ENGINES.filter((one) => engine.includes(one))
  const patients = values.patients !== undefined ? atLeastOne('patients') : data === undefined ? PATIENTS : undefined
  return { scale, seconds, rounds, engines, only, cases, keep, data, patients, minutes: atLeastOne('minutes') }
}

function refuseUnknown(what: string, asked: readonly string[], known: readonly string[]): void {
  const unknown = asked.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no ${what} '${unknown}'; there are: ${known.join(', ')}`)
}

async function bench(chosen: Options, folder: string): Promise<void> {
  const { engines, only } = chosen
  const embedded = engines.includes('sqlite') ? await benchEmbedded(chosen, folder) : undefined
  const hasMongo =
    engines.includes('mongodb') && (only.length === 0 || only.some((name) => MONGO_SCENARIOS.includes(name)))
  const mongo = hasMongo ? await benchMongo(chosen, folder) : undefined
  report(chosen, embedded, mongo)
}

async function growth(chosen: Options, folder: string): Promise<void> {
  const { rounds, seconds, keep } = chosen
  const results = await benchGrowth({ rounds, seconds, ...(keep ? { kept: DATA } : {}) }, folder)
  const judged = growthVerdicts(results)
  const file = write({ options: chosen, growth: results, verdicts: judged })
  console.log([growthTables(results), verdictTable(judged), file].join('\n\n'))
  if (results.creates.some(({ errors }) => errors > 0)) process.exitCode = 1
}

async function isolation(chosen: Options, folder: string): Promise<void> {
  const { engines, cases, keep } = chosen
  const hostile = HOSTILE_CASES.filter(({ name }) => cases.length === 0 || cases.includes(name))
  const results: IsolationResults[] = []
  for (const engine of engines) {
    results.push(await benchIsolation({ engine, cases: hostile, ...(keep ? { kept: DATA } : {}) }, folder))
  }
  const judged = results.flatMap(isolationVerdicts)
  const file = write({ options: chosen, isolation: results, verdicts: judged })
  console.log([...results.map(isolationTables), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function matching(chosen: Options, folder: string): Promise<void> {
  const results = await benchMatching({ ...chosen, ...(chosen.keep ? { kept: DATA } : {}) }, folder)
  const judged = matchingVerdicts(results)
  const file = write({ options: chosen, matching: matchingFigures(results), verdicts: judged })
  console.log([matchingTables(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function calls({ seconds, ...chosen }: Options, folder: string): Promise<void> {
  const results = await benchCalls(folder, seconds)
  const judged = callsVerdicts(results)
  const file = write({ options: { seconds, ...chosen }, calls: results, verdicts: judged })
  console.log([callsTables(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function documents({ seconds, ...chosen }: Options, folder: string): Promise<void> {
  const results = await benchDocuments(folder, seconds)
  const judged = documentsVerdicts(results)
  const file = write({ options: { seconds, ...chosen }, documents: results, verdicts: judged })
  console.log([documentsTables(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function contents(chosen: Options, folder: string): Promise<void> {
  const results = await benchContents(chosen.engines, folder)
  const judged = results.flatMap(contentsVerdicts)
  const file = write({ options: chosen, contents: results, verdicts: judged })
  console.log([contentsTable(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function rehearsal(chosen: Options, folder: string): Promise<void> {
  const results = await benchRehearsal(chosen, folder)
  const judged = results.flatMap(rehearsalVerdicts)
  const file = write({ options: chosen, rehearsal: results, verdicts: judged })
  console.log([rehearsalTable(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function exports(chosen: Options, folder: string): Promise<void> {
  const results = await benchExport(chosen.engines, folder)
  const judged = results.flatMap(exportVerdicts)
  const file = write({ options: chosen, export: results, verdicts: judged })
  console.log([exportTable(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

async function soak(chosen: Options, folder: string): Promise<void> {
  const results = await benchSoak(chosen.minutes, chosen.scale, folder)
  const judged = soakVerdicts(results)
  const file = write({ options: chosen, soak: results, verdicts: judged })
  console.log([soakTable(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

/** Writes the results and returns the path of their file. */
function write(results: object): string {
  const folder = join(ROOT, 'bench', 'results')
  mkdirSync(folder, { recursive: true })
  const date = new Date().toISOString()
  const file = join(folder, `${date.replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify({ date, machine: machine(), ...results }, null, 2)}\n`)
  return file
}

function report(chosen: Options, embedded: Results | undefined, mongo: MongoResults | undefined): void {
  const judged = [
    ...(embedded === undefined ? [] : verdicts(embedded)),
    ...(mongo === undefined ? [] : mongoVerdicts(mongo)),
  ]
  const file = write({ options: chosen, embedded, mongo, verdicts: judged })
  const parts = [
    ...(embedded === undefined ? [] : [tables(embedded)]),
    ...(mongo === undefined ? [] : [mongoTables(mongo)]),
    verdictTable(judged),
    file,
  ]
  console.log(parts.join('\n\n'))
  const failed = [
    ...(embedded?.scenarios.flatMap(({ measurements }) => measurements) ?? []),
    ...(mongo?.rows.flatMap(({ rounds }) => rounds.map(({ server }) => server)) ?? []),
  ].some(({ errors }) => errors > 0)
  if (failed) process.exitCode = 1
}

/** Exits by process.exit, so that the server processes are killed too. */
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const chosen = options()
mkdirSync(DATA, { recursive: true })
const folder = mkdtempSync(join(DATA, 'bench-'))
try {
  if (chosen.only.includes(MONGO_SIZES)) console.log(sizeTables(await measureSizes(folder)))
  else if (chosen.only.includes(GROWTH)) await growth(chosen, folder)
  else if (chosen.only.includes(ISOLATION)) await isolation(chosen, folder)
  else if (chosen.only.includes(MATCHING)) await matching(chosen, folder)
  else if (chosen.only.includes(CALLS)) await calls(chosen, folder)
  else if (chosen.only.includes(DOCUMENTS)) await documents(chosen, folder)
  else if (chosen.only.includes(CONTENTS)) await contents(chosen, folder)
  else if (chosen.only.includes(REHEARSAL)) await rehearsal(chosen, folder)
  else if (chosen.only.includes(EXPORT)) await exports(chosen, folder)
  else if (chosen.only.includes(SOAK)) await soak(chosen, folder)
  else await bench(chosen, folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
