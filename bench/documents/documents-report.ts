/** Documents: as a table, and compared with targets. */
import { median } from '../median.ts'
import { table, type Verdict } from '../report.ts'
import { type DocumentsResults, mebibytes } from './documents-bench.ts'

/** MiB of memory beyond that between requests, while one document of 20 MiB is written or read. */
const MAX_EXTRA = { write: 200, read: 80 } as const
/** Small notes, relative to Patients. */
const MIN_NOTES = 0.5

const ratioOf = ({ rounds }: DocumentsResults, of: (one: DocumentsResults['rounds'][number]) => number): number =>
  median(rounds.map(of))

export const documentsTables = ({ rounds }: DocumentsResults): string =>
  table(
    ['', 'notes/s', 'CPU ms', 'Patients/s', 'CPU ms', 'errors'],
    rounds.map(({ notes, patients }, index) => [
      `round ${index + 1}`,
      notes.requestsPerSecond.toFixed(0),
      notes.cpuPerRequest?.toFixed(3) ?? '-',
      patients.requestsPerSecond.toFixed(0),
      patients.cpuPerRequest?.toFixed(3) ?? '-',
      String(notes.errors + patients.errors),
    ]),
  )

export function documentsVerdicts(results: DocumentsResults): readonly Verdict[] {
  const { memory, rounds } = results
  const ratio = ratioOf(results, ({ notes, patients }) => notes.requestsPerSecond / patients.requestsPerSecond)
  const byCpu = ratioOf(results, ({ notes, patients }) => (patients.cpuPerRequest ?? 0) / (notes.cpuPerRequest ?? 1))
  const errors = rounds.reduce((sum, { notes, patients }) => sum + notes.errors + patients.errors, 0)
  const extra = (what: keyof typeof MAX_EXTRA, bytes: number): Verdict => ({
    what: `memory to ${what} a document of 20 MiB`,
    value: `${mebibytes(bytes)} MiB`,
    target: `below ${MAX_EXTRA[what]} MiB`,
    pass: bytes < MAX_EXTRA[what] * 1024 * 1024,
  })
  return [
    ...(memory === undefined ? [] : [extra('write', memory.written), extra('read', memory.read)]),
    {
      what: 'small notes, beside Patients',
      value: ratio.toFixed(2),
      byCpu: byCpu.toFixed(2),
      target: `at least ${MIN_NOTES}`,
      pass: ratio >= MIN_NOTES,
    },
    { what: 'errors', value: String(errors), target: '0', pass: errors === 0 },
  ]
}
