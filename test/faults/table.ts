/** The fault table: one line for each fault, on standard error where FAULT_TABLE is set. */

export interface FaultRow {
  readonly fault: string
  /** Writes that the server acknowledged; of those, found afterwards, not found, found more than once. */
  readonly acknowledged: number
  readonly found: number
  readonly lost: number
  readonly doubled: number
  /** Found, though their response was lost or said that the outcome is unknown. */
  readonly unacknowledged: number
  /** Responses that said "not now". */
  readonly refused: number
  /** Milliseconds of the slowest response, and until service was back. */
  readonly slowest: number
  readonly back: number | undefined
}

const HEAD = [
  'fault',
  'acknowledged',
  'found',
  'lost',
  'doubled',
  'found unacknowledged',
  'refused',
  'slowest',
  'back after',
]

/** Once for each test file, which are processes of their own. */
let isBegun = false

export function report(row: FaultRow): void {
  if (process.env['FAULT_TABLE'] === undefined) return
  const { fault, acknowledged, found, lost, doubled, unacknowledged, refused, slowest, back } = row
  const cells = [fault, acknowledged, found, lost, doubled, unacknowledged, refused, seconds(slowest), seconds(back)]
  const head = isBegun ? '' : line(HEAD) + line(HEAD.map(() => '---'))
  isBegun = true
  process.stderr.write(head + line(cells))
}

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`

const seconds = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '-' : `${(milliseconds / 1000).toFixed(1)} s`
