/**
 * Exchanges as a file: HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), CSV (RFC 4180) or NDJSON. It is
 * sent as it is read, and bounded. Secrets are in none of them, as the journal keeps none.
 */
import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import { badRequest } from '../fhir/outcome.ts'
import { currentBudget } from '../isolation/budget.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'
import { type ExchangeSummary, isGap, patientOf, type ShownMessage } from '../record/journal/exchange.ts'
import type { FoundExchange, JournalFilter, JournalReader, NumberedExchange } from '../record/journal/journal-reader.ts'

export interface Exported {
  /** The ids of the patients whom the exchanges are about. */
  readonly patients: readonly string[]
  readonly type: string
  /** Ending of the name of the file. */
  readonly ending: string
  /** @param base the address of this server */
  readonly bodyFor: (base: string) => Readable
}

interface Format {
  readonly type: string
  /** Exchanges, the newest; with bodies there are fewer. */
  readonly most: number
  readonly hasBodies: boolean
  readonly write: (exchanges: AsyncIterable<FoundExchange>, base: string) => AsyncGenerator<string>
}

const FORMATS = {
  har: { type: 'application/json', most: 1_000, hasBodies: true, write: harOf },
  csv: { type: 'text/csv; charset=utf-8', most: 10_000, hasBodies: false, write: csvOf },
  ndjson: { type: 'application/x-ndjson', most: 1_000, hasBodies: true, write: ndjsonOf },
} as const satisfies Readonly<Record<string, Format>>

/** Patients that are recorded of one export in the audit trail. */
const MOST_PATIENTS = 1_000

/** @throws FhirError 400 for an unknown format */
export async function exportOf(reader: JournalReader, filter: JournalFilter, name: unknown = 'har'): Promise<Exported> {
  const format: Format | undefined = Object.entries(FORMATS).find(([ending]) => ending === name)?.[1]
  if (format === undefined) throw badRequest(`'format' must be one of ${Object.keys(FORMATS).join(', ')}`)
  // Patients are recorded before their data are sent; entries that are written from now on are not among them.
  const { last } = await reader.bounds()
  const exchanges = () => exchangesOf(reader, filter, format, last + 1)
  const patients = new Set<string>()
  for await (const { summary, detail } of exchanges()) {
    for (const patient of detail?.patients ?? patientOf(summary)) {
      if (patients.size < MOST_PATIENTS) patients.add(patient)
    }
  }
  return {
    patients: [...patients],
    type: format.type,
    ending: String(name),
    bodyFor: (base) => Readable.from(format.write(exchanges(), base), { objectMode: false }),
  }
}

const PAGE = 100

/** The newest first, gaps included. One that is not kept any more is left out. */
async function* exchangesOf(
  reader: JournalReader,
  filter: JournalFilter,
  { most, hasBodies }: Format,
  before: number,
): AsyncGenerator<FoundExchange> {
  let left = most
  for await (const { number, exchange: summary } of summariesOf(reader, filter, before)) {
    const found = hasBodies && !isGap(summary) ? await reader.find(summary.id) : { number, summary }
    if (found !== undefined) yield found
    if (hasBodies) await yieldToEventLoop()
    left -= 1
    if (left === 0) return
  }
}

async function* summariesOf(
  reader: JournalReader,
  filter: JournalFilter,
  before: number,
): AsyncGenerator<NumberedExchange> {
  for (let next: number | undefined = before; next !== undefined; ) {
    currentBudget()?.check('reading exchanges')
    const page = await reader.page(filter, PAGE, next)
    yield* page.exchanges
    next = page.next
    await yieldToEventLoop()
  }
}

async function* ndjsonOf(exchanges: AsyncIterable<FoundExchange>): AsyncGenerator<string> {
  for await (const { number, summary, detail } of exchanges) {
    const { patients: _patients, addressChanged: _changed, ...messages } = detail ?? {}
    yield `${JSON.stringify({ number, ...summary, ...messages })}\n`
  }
}

const CELLS: Readonly<Record<string, (exchange: ExchangeSummary) => string | number | undefined>> = {
  time: ({ time }) => time,
  direction: ({ direction }) => direction,
  method: ({ method }) => method,
  address: ({ address }) => address,
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  'duration (ms)': ({ duration }) => duration,
  interaction: ({ interaction }) => interaction,
  type: ({ type }) => type,
  operation: ({ operation }) => operation,
  user: ({ user }) => user?.id,
  call: ({ call }) => call,
  run: ({ run }) => run,
  system: ({ system }) => system,
  'reason code': ({ reason }) => reason?.code,
  reason: ({ reason }) => reason?.text,
  id: ({ id }) => id,
}

async function* csvOf(exchanges: AsyncIterable<FoundExchange>): AsyncGenerator<string> {
  yield lineOf(Object.keys(CELLS))
  for await (const { summary } of exchanges) {
    if (!isGap(summary)) yield lineOf(Object.values(CELLS).map((cell) => cell(summary)))
  }
}

const lineOf = (cells: readonly (string | number | undefined)[]): string => `${cells.map(cellOf).join(',')}\r\n`

/** A text that a spreadsheet would take for a formula gets an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection). */
export function cellOf(value: string | number | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const text = /^[\s]*[=+\-@]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function* harOf(exchanges: AsyncIterable<FoundExchange>, base: string): AsyncGenerator<string> {
  yield `{"log":{"version":"1.2","creator":{"name":"sandbox-emr","version":"1"},"entries":[`
  let separator = '\n'
  for await (const found of exchanges) {
    if (isGap(found.summary) || found.detail === undefined) continue
    yield separator + JSON.stringify(harEntry(found.summary, found.detail, base))
    separator = ',\n'
  }
  yield '\n]}}\n'
}

interface Messages {
  readonly request: ShownMessage
  readonly response: ShownMessage
}

const UNKNOWN_SIZES = { headersSize: -1, httpVersion: 'HTTP/1.1', cookies: [] }

function harEntry(exchange: ExchangeSummary, { request, response }: Messages, base: string): object {
  const { time: startedDateTime, duration: time, method, address, status, reason, id } = exchange
  const url = exchange.direction === 'out' ? address : `${base}${address}`
  const { waiting = 0, work = time, sending = 0 } = exchange.timing ?? {}
  return {
    startedDateTime,
    time,
    request: {
      ...{ method, url, headers: harHeaders(request), queryString: queryOf(url), ...UNKNOWN_SIZES },
      bodySize: request.body?.size ?? 0,
      ...(request.body && { postData: { mimeType: request.body.type ?? '', text: request.body.text ?? '' } }),
    },
    response: {
      ...{ status, statusText: STATUS_CODES[status] ?? '', headers: harHeaders(response), ...UNKNOWN_SIZES },
      redirectURL: response.headers.location ?? '',
      bodySize: response.body?.size ?? -1,
      content: {
        size: response.body?.size ?? 0,
        mimeType: response.body?.type ?? '',
        ...(response.body?.text === undefined ? {} : { text: response.body.text }),
      },
    },
    cache: {},
    timings: { blocked: waiting, send: 0, wait: work, receive: sending },
    comment: [id, reason?.text].filter((text) => text !== undefined).join(': '),
  }
}

const harHeaders = ({ headers }: ShownMessage) => Object.entries(headers).map(([name, value]) => ({ name, value }))

function queryOf(url: string) {
  const at = url.indexOf('?')
  const parameters = at < 0 ? [] : [...new URLSearchParams(url.slice(at + 1))]
  return parameters.map(([name, value]) => ({ name, value }))
}
