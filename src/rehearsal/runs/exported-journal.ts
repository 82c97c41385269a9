/** Exchanges that were exported from a journal as NDJSON (docs/journal.md), as a run reads a journal. */
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { FoundEntry, JournalPage, JournalScan } from '../../record/journal/journal-reader.ts'
import type { WatchedJournal } from './run-watch.ts'

/** Lines of an export, gaps included. */
const MOST = 2_000

/**
 * @param lines the JSON of each line
 * @throws FhirError 400 that names the first line that is no exchange
 */
export function exportedJournal(lines: readonly unknown[]): WatchedJournal {
  if (lines.length > MOST) throw badRequest(`The body has ${lines.length} lines; an export has ${MOST} at most`)
  const entries = lines.map(entryOf).toSorted((one, other) => one.number - other.number)
  const last = entries.at(-1)?.number ?? 0
  return {
    flush: async () => {},
    store: {
      bounds: async () => ({ first: entries[0]?.number ?? 0, last }),
      scan: async ({ after = 0, limit }: JournalScan): Promise<JournalPage> => {
        const begin = entries.findIndex(({ number }) => number > after)
        const found = begin === -1 ? [] : entries.slice(begin, begin + limit)
        const next = found.at(-1)?.number
        return { entries: found, ...(next === undefined || next === last ? {} : { next }) }
      },
      // A run counts its exchanges itself.
      measure: async () => ({ measures: [] }),
      read: async (_clinic, ids) => entries.filter(({ id }) => ids.includes(id)),
    },
  }
}

const AUDIENCE = 'staff'

function entryOf(line: unknown, index: number): FoundEntry {
  if (!isObject(line) || !Number.isSafeInteger(line.number) || !(isGap(line) || isExchange(line)))
    throw badRequest(
      `Line ${index + 1} is no exchange: the body must be what GET /clinics/{id}/exchanges/export?format=ndjson has given`,
    )
  const { number, request, response, ...summary } = line
  const detail = request === undefined ? '' : JSON.stringify({ request, response, tools: line.tools })
  return { number: Number(number), id: String(line.id), audience: AUDIENCE, summary: JSON.stringify(summary), detail }
}

type Line = Readonly<Record<string, unknown>>

const isGap = ({ gap }: Line): boolean => isObject(gap)

/** Whether it has the members that a run looks at, in the types that they have. */
const isExchange = (line: Line): boolean =>
  TEXTS.every((name) => typeof line[name] === 'string') &&
  OPTIONAL.every((name) => line[name] === undefined || typeof line[name] === 'string') &&
  NUMBERS.every((name) => typeof line[name] === 'number') &&
  !Number.isNaN(Date.parse(String(line.time))) &&
  MESSAGES.every((name) => isMessage(line[name])) &&
  (line.tools === undefined || (Array.isArray(line.tools) && line.tools.every(isTool)))

const TEXTS = ['id', 'time', 'direction', 'method', 'address']
const OPTIONAL = ['call', 'run', 'namedRun', 'replayOf', 'interaction', 'type', 'operation', 'fault']
const NUMBERS = ['duration', 'status']
const MESSAGES = ['request', 'response']

const isTool = (tool: unknown): boolean => isObject(tool) && typeof tool.tool === 'string'

const isMessage = (message: unknown): boolean =>
  isObject(message) &&
  isObject(message.headers) &&
  Object.values(message.headers).every((value) => typeof value === 'string') &&
  (message.body === undefined ||
    (isObject(message.body) && (message.body.text === undefined || typeof message.body.text === 'string')))
