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
import { benchEvents, EVENTS, eventsTable, eventsVerdicts } from './events/events-bench.ts'
import { benchGrowth, GROWTH } from './growth/growth-bench.ts'
import { growthTables, growthVerdicts } from './growth/growth-report.ts'
import { HOSTILE_CASES } from './isolation/cases.ts'
import { benchIsolation, ISOLATION, type IsolationResults } from './isolation/isolation-bench.ts'
import { isolationTables, isolationVerdicts } from './isolation/isolation-report.ts'
import { benchExport, EXPORT, exportTable, exportVerdicts } from './jobs/export-bench.ts'
import { benchImport, IMPORT, importTable, importVerdicts } from './jobs/import-bench.ts'
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
import { machine, type Results, tables, type Verdict, verdicts, verdictTable } from './report.ts'
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
  export       an export of 100,000 resources, times --scale
  import       an import of 100,000 resources, times --scale
  events       from an event to the request to a receiver, and 10,000 events in a minute
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
    IMPORT,
    EVENTS,
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

/** Writes and shows the results of one benchmark, under its name. */
function conclude<Result>(
  chosen: Options,
  name: string,
  results: Result,
  show: (results: Result) => string,
  judge: (results: Result) => readonly Verdict[],
): void {
  const judged = judge(results)
  const file = write({ options: chosen, [name]: results, verdicts: judged })
  console.log([show(results), verdictTable(judged), file].join('\n\n'))
  if (judged.some(({ pass }) => !pass)) process.exitCode = 1
}

const ofEach =
  <Result>(judge: (result: Result) => readonly Verdict[]) =>
  (results: readonly Result[]): readonly Verdict[] =>
    results.flatMap(judge)

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
const { engines } = chosen
mkdirSync(DATA, { recursive: true })
const folder = mkdtempSync(join(DATA, 'bench-'))
try {
  if (chosen.only.includes(MONGO_SIZES)) console.log(sizeTables(await measureSizes(folder)))
  else if (chosen.only.includes(GROWTH)) await growth(chosen, folder)
  else if (chosen.only.includes(ISOLATION)) await isolation(chosen, folder)
  else if (chosen.only.includes(MATCHING)) await matching(chosen, folder)
  else if (chosen.only.includes(CALLS))
    conclude(chosen, CALLS, await benchCalls(folder, chosen.seconds), callsTables, callsVerdicts)
  else if (chosen.only.includes(DOCUMENTS))
    conclude(chosen, DOCUMENTS, await benchDocuments(folder, chosen.seconds), documentsTables, documentsVerdicts)
  else if (chosen.only.includes(CONTENTS))
    conclude(chosen, CONTENTS, await benchContents(engines, folder), contentsTable, ofEach(contentsVerdicts))
  else if (chosen.only.includes(REHEARSAL))
    conclude(chosen, REHEARSAL, await benchRehearsal(chosen, folder), rehearsalTable, ofEach(rehearsalVerdicts))
  else if (chosen.only.includes(EXPORT))
    conclude(chosen, EXPORT, await benchExport(engines, chosen.scale, folder), exportTable, ofEach(exportVerdicts))
  else if (chosen.only.includes(IMPORT))
    conclude(chosen, IMPORT, await benchImport(engines, chosen.scale, folder), importTable, ofEach(importVerdicts))
  else if (chosen.only.includes(EVENTS))
    conclude(chosen, EVENTS, await benchEvents(engines, folder), eventsTable, ofEach(eventsVerdicts))
  else if (chosen.only.includes(SOAK))
    conclude(chosen, SOAK, await benchSoak(chosen.minutes, chosen.scale, folder), soakTable, soakVerdicts)
  else await bench(chosen, folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
