/** The results: as data, compared with their targets, and as a table. */
import { cpus } from 'node:os'
import type { Import } from './import-data.ts'
import type { Measurement } from './load.ts'
import type { PairedCost } from './paired-cost.ts'
import type { Ceiling, Target } from './scenario.ts'
import { RUN_TARGETS } from './scenarios.ts'
import type { Door } from './tool-doors.ts'

export interface ScenarioResult {
  readonly name: string
  readonly measurements: readonly Measurement[]
  readonly target?: Target
  readonly cpuAlone?: number
}

export interface Results {
  readonly ceilings: readonly (ScenarioResult & { readonly name: Ceiling })[]
  readonly scenarios: readonly ScenarioResult[]
  readonly import: Import
  /** Absent where other scenarios were chosen. */
  readonly largeRecords?: Import
  readonly readBesideWrites?: ReadBesideWrites
  readonly auditCost?: PairedCost
  readonly journalCost?: PairedCost
  /** Creates, without and with Subscriptions in the clinic. */
  readonly subscribersCost?: PairedCost
  readonly doorCosts: readonly DoorCost[]
  readonly start: {
    /** Milliseconds from starting the process until it prints its URL, on an empty store and on one with the data. */
    readonly empty: number
    readonly loaded: number
  }
  /** Resident set size in bytes; undefined when not available. */
  readonly memory: {
    readonly idle: number | undefined
    /** After starting on the loaded store. */
    readonly idleLoaded: number | undefined
    /** After the import, in the same process. */
    readonly loaded: number | undefined
    /** The maximum during the scenarios. */
    readonly peak: number | undefined
    /** After the scenarios, when the server has been idle for some seconds. */
    readonly afterRun: number | undefined
  }
}

/** A tool call in the envelope, and by another door. */
export interface DoorCost {
  readonly door: Door
  readonly cost: PairedCost
}

/** The p99 of a read every ten milliseconds, in milliseconds. */
export interface ReadBesideWrites {
  readonly alone: number
  /** While 16 clients write. */
  readonly beside: number
}

/** The number of connections to which the targets apply. */
const TARGET_CONNECTIONS = 16
const MEBIBYTE = 1024 * 1024

export interface Verdict {
  readonly what: string
  readonly value: string
  readonly target: string
  /** The same ratio by processor time, which depends less on other programs; for information only. */
  readonly byCpu?: string
  readonly pass: boolean
}

const atTarget = ({ measurements }: ScenarioResult): Measurement | undefined =>
  measurements.find(({ connections }) => connections === TARGET_CONNECTIONS)

/** The verdict on each target that was measured. */
export function verdicts(results: Results): readonly Verdict[] {
  const ceilingOf = (ceiling: Ceiling): Measurement | undefined => {
    const found = results.ceilings.find(({ name }) => name === ceiling)
    return found && atTarget(found)
  }
  return [
    ...results.scenarios.flatMap((scenario) => {
      const measured = atTarget(scenario)
      return measured === undefined || scenario.target === undefined
        ? []
        : scenarioVerdict(scenario.name, measured, scenario.target, ceilingOf)
    }),
    ...results.scenarios.flatMap(cpuVerdict),
    ...importVerdict(results.import, ceilingOf('koa')?.requestsPerSecond),
    ...largeRecordsVerdict(results.largeRecords),
    ...readBesideWritesVerdict(results.readBesideWrites),
    ...auditCostVerdict(results.auditCost),
    ...journalCostVerdict(results.journalCost),
    ...subscribersVerdict(results.subscribersCost),
    ...results.doorCosts.map(doorCostVerdict),
    ...memoryVerdict('idle memory', results.memory.idle, RUN_TARGETS.idleMemory),
    ...memoryVerdict('memory after the import', results.memory.loaded, RUN_TARGETS.loadedMemory),
    ...memoryVerdict('memory after the run', results.memory.afterRun, RUN_TARGETS.memoryAfterRun),
  ]
}

function cpuVerdict({ name, cpuAlone, measurements }: ScenarioResult): readonly Verdict[] {
  const cpu = measurements.find(({ connections }) => connections === 1)?.cpuPerRequest
  if (cpuAlone === undefined || cpu === undefined) return []
  return [
    {
      what: `${name}, 1 connection`,
      value: `${cpu.toFixed(2)} ms of CPU`,
      target: `below ${cpuAlone} ms`,
      pass: cpu < cpuAlone,
    },
  ]
}

function largeRecordsVerdict(imported: Import | undefined): readonly Verdict[] {
  if (imported === undefined) return []
  const { resourcesPerSecond } = imported
  return [
    {
      what: 'import of large records',
      value: `${round(resourcesPerSecond)} entries/s`,
      target: `at least ${round(RUN_TARGETS.largeRecords)}`,
      pass: resourcesPerSecond >= RUN_TARGETS.largeRecords,
    },
  ]
}

function readBesideWritesVerdict(measured: ReadBesideWrites | undefined): readonly Verdict[] {
  if (measured === undefined) return []
  const ratio = measured.beside / measured.alone
  return [
    {
      what: 'p99 of a read beside 16 writers',
      value: `${ratio.toFixed(1)} times that without`,
      target: `below ${RUN_TARGETS.readBesideWrites}`,
      pass: ratio < RUN_TARGETS.readBesideWrites,
    },
  ]
}

function journalCostVerdict(measured: PairedCost | undefined): readonly Verdict[] {
  if (measured === undefined) return []
  const { without, beside } = measured.requestsPerSecond
  const ratio = beside / without
  return [
    {
      what: 'reads a second with the journal',
      value: `${ratio.toFixed(2)} times those without`,
      target: `at least ${RUN_TARGETS.journalThroughput}`,
      pass: ratio >= RUN_TARGETS.journalThroughput,
    },
  ]
}

function subscribersVerdict(measured: PairedCost | undefined): readonly Verdict[] {
  if (measured === undefined) return []
  const { without, beside } = measured.requestsPerSecond
  return [
    {
      what: 'creates a second with 100 Subscriptions',
      value: `${(beside / without).toFixed(2)} times those without`,
      target: `at least ${RUN_TARGETS.subscribersThroughput}`,
      pass: beside / without >= RUN_TARGETS.subscribersThroughput,
    },
  ]
}

function doorCostVerdict({ door, cost: { cpu } }: DoorCost): Verdict {
  const added = cpu.beside - cpu.without
  return {
    what: `CPU of a tool call by ${door}`,
    value: `${added.toFixed(3)} ms more than in the envelope`,
    target: `at most ${RUN_TARGETS.doorCost}`,
    pass: added <= RUN_TARGETS.doorCost,
  }
}

function auditCostVerdict(measured: PairedCost | undefined): readonly Verdict[] {
  if (measured === undefined) return []
  const ratio = measured.cpu.beside / measured.cpu.without
  return [
    {
      what: 'CPU of a read with the audit trail',
      value: `${ratio.toFixed(2)} times that without`,
      target: `at most ${RUN_TARGETS.auditCost}`,
      pass: ratio <= RUN_TARGETS.auditCost,
    },
  ]
}

function scenarioVerdict(
  name: string,
  measured: Measurement,
  target: Target,
  ceilingOf: (ceiling: Ceiling) => Measurement | undefined,
): readonly Verdict[] {
  switch (target.kind) {
    case 'p99':
      return [
        {
          what: name,
          value: `p99 ${measured.p99.toFixed(1)} ms`,
          target: `below ${target.below} ms`,
          pass: measured.p99 < target.below,
        },
      ]
    case 'ratio': {
      const ceiling = ceilingOf(target.ceiling)
      if (ceiling === undefined) return []
      const verdict = ratioVerdict(
        name,
        measured.requestsPerSecond / ceiling.requestsPerSecond,
        target.atLeast,
        target.ceiling,
      )
      return [{ ...verdict, ...byCpu(measured, ceiling) }]
    }
  }
}

const byCpu = (measured: Measurement, ceiling: Measurement): Pick<Verdict, 'byCpu'> =>
  measured.cpuPerRequest === undefined || ceiling.cpuPerRequest === undefined
    ? {}
    : { byCpu: (ceiling.cpuPerRequest / measured.cpuPerRequest).toFixed(3) }

const ratioVerdict = (what: string, ratio: number, atLeast: number, ceiling: Ceiling): Verdict => ({
  what,
  value: `${ratio.toFixed(3)} of ${ceiling}`,
  target: `at least ${atLeast.toFixed(3)}`,
  pass: ratio >= atLeast,
})

const importVerdict = ({ resourcesPerSecond }: Import, koa: number | undefined): readonly Verdict[] =>
  koa === undefined ? [] : [ratioVerdict('import, resources', resourcesPerSecond / koa, RUN_TARGETS.importRatio, 'koa')]

const memoryVerdict = (what: string, bytes: number | undefined, below: number): readonly Verdict[] =>
  bytes === undefined
    ? []
    : [{ what, value: mebibytes(bytes), target: `below ${mebibytes(below)}`, pass: bytes < below }]

const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? '-' : `${Math.round(bytes / MEBIBYTE)} MiB`
const round = (value: number): string => Math.round(value).toLocaleString('en')

export const machine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
})

export function tables(results: Results): string {
  const {
    start,
    memory,
    import: imported,
    largeRecords,
    readBesideWrites,
    auditCost,
    journalCost,
    subscribersCost,
  } = results
  return [
    table(
      ['', 'connections', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms', 'memory', 'errors'],
      [...results.ceilings.map((each) => ({ ...each, name: `[${each.name}]` })), ...results.scenarios].flatMap(rows),
    ),
    `Import: ${round(imported.resources)} resources, ${round(imported.resourcesPerSecond)} a second.`,
    ...(largeRecords === undefined
      ? []
      : [
          `Large records: ${round(largeRecords.resources)} resources, ${round(largeRecords.resourcesPerSecond)} a second.`,
        ]),
    ...(readBesideWrites === undefined
      ? []
      : [
          `Reads beside writes: p99 ${readBesideWrites.alone.toFixed(2)} ms without writers, ${readBesideWrites.beside.toFixed(2)} ms beside 16.`,
        ]),
    ...(auditCost === undefined
      ? []
      : [
          `Audit trail: ${auditCost.cpu.without.toFixed(4)} ms of CPU for a read without it, ${auditCost.cpu.beside.toFixed(4)} ms with it.`,
        ]),
    ...(journalCost === undefined
      ? []
      : [
          `Journal: ${round(journalCost.requestsPerSecond.without)} reads a second without it, ${round(journalCost.requestsPerSecond.beside)} with it; ` +
            `${journalCost.cpu.without.toFixed(4)} ms of CPU for a read without it, ${journalCost.cpu.beside.toFixed(4)} ms with it.`,
        ]),
    ...(subscribersCost === undefined
      ? []
      : [
          `Subscriptions: ${round(subscribersCost.requestsPerSecond.without)} creates a second without any, ${round(subscribersCost.requestsPerSecond.beside)} with a hundred of their type.`,
        ]),
    ...results.doorCosts.map(
      ({ door, cost: { cpu } }) =>
        `A tool call: ${cpu.without.toFixed(4)} ms of CPU in the envelope, ${cpu.beside.toFixed(4)} ms by ${door}.`,
    ),
    `Start: ${round(start.empty)} ms on an empty store, ${round(start.loaded)} ms with the data.`,
    `Memory: idle ${mebibytes(memory.idle)}, idle with the data ${mebibytes(memory.idleLoaded)}, ` +
      `after the import ${mebibytes(memory.loaded)}, highest ${mebibytes(memory.peak)}, ` +
      `after the run ${mebibytes(memory.afterRun)}.`,
  ].join('\n\n')
}

export const verdictTable = (judged: readonly Verdict[]): string =>
  table(
    ['', 'measured', 'by CPU', 'target', ''],
    judged.map(({ what, value, byCpu, target, pass }) => [what, value, byCpu ?? '', target, pass ? 'pass' : 'MISS']),
  )

const rows = ({ name, measurements }: ScenarioResult): readonly (readonly string[])[] =>
  measurements.map((measured) => [
    name,
    String(measured.connections),
    round(measured.requestsPerSecond),
    measured.p50.toFixed(2),
    measured.p95.toFixed(2),
    measured.p99.toFixed(2),
    measured.cpuPerRequest?.toFixed(3) ?? '-',
    mebibytes(measured.memory),
    String(measured.errors),
  ])

/** A table whose first column is left-aligned and the others right-aligned. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...body.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join('\n')
}
