/** The exports to a collector of OpenTelemetry: bounded, and sent as far as the stop of the server has time. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { traceOf } from '../../src/isolation/trace-context.ts'
import { Telemetry } from '../../src/main/telemetry.ts'
import type { SeenExchange } from '../../src/record/journal/exchange.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { until } from '../support/server-process.ts'

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
/** Milliseconds: it ends what the test has left. */
const TIMEOUT = 'OTEL_EXPORTER_OTLP_TIMEOUT'
const MOST_WAITING = 2_048
/** The batch that is on its way. */
const BATCH = 512

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
  process.env[ENDPOINT] = collector.url
  process.env[TIMEOUT] = '2000'
})
afterEach(async () => {
  delete process.env[ENDPOINT]
  delete process.env[TIMEOUT]
  await collector.close()
})

function sent(traces: NonNullable<Telemetry['traces']>): SeenExchange {
  const id = randomUUID()
  return {
    ...{
      id,
      trace: traceOf(id, traces.sampling),
      direction: 'out',
      at: 1_780_000_000_000,
      duration: 12.5,
      clinic: 'a',
    },
    ...{ method: 'POST', address: 'http://127.0.0.1/', system: 'crm', status: 204, outcome: 'ok' },
    ...{ requestHeaders: {}, responseHeaders: {} },
  }
}

function tracesOf({ traces }: Telemetry): NonNullable<Telemetry['traces']> {
  if (traces === undefined) throw new Error('Traces are exported')
  return traces
}

test('more spans and lines than are sent meanwhile are dropped', async () => {
  const telemetry = new Telemetry({ traces: { ratio: 1, delayMs: 60_000 }, logs: true })
  const traces = tracesOf(telemetry)
  const logger = pino({}, telemetry.logs)
  for (let one = 0; one < 10_000; one += 1) {
    traces.observeSent(sent(traces))
    logger.info('a line')
  }
  await telemetry.close()
  for (const arrived of [collector.spans().length, collector.lines().length]) {
    expect(arrived).toBeGreaterThan(0)
    expect(arrived).toBeLessThanOrEqual(MOST_WAITING + BATCH)
  }
})

test('a span has the ids that the exchange was given, its time and its length', async () => {
  const telemetry = new Telemetry({ traces: { ratio: 1, delayMs: 60_000 }, logs: false })
  const traces = tracesOf(telemetry)
  const exchange = sent(traces)
  traces.observeSent(exchange)
  await telemetry.close()
  const { trace: traceId, span: spanId } = exchange.trace ?? {}
  const times = { startTimeUnixNano: '1780000000000000000', endTimeUnixNano: '1780000000012500000' }
  expect(collector.spans()).toMatchObject([{ traceId, spanId, name: 'POST crm', ...times }])
})

test('a part of new traces is recorded where only a part is wanted', () => {
  const telemetry = new Telemetry({ traces: { ratio: 0.25, delayMs: 60_000 }, logs: false })
  const { sampling } = tracesOf(telemetry)
  const contexts = Array.from({ length: 2_000 }, () => traceOf(randomUUID(), sampling))
  expect(contexts.filter(({ isRecorded }) => isRecorded).length / 2_000).toBeCloseTo(0.25, 1)
})

test('a collector that is away is reported once, with the code of the failure', async () => {
  process.env[ENDPOINT] = 'http://127.0.0.1:9'
  const lines: Record<string, unknown>[] = []
  const telemetry = new Telemetry({ traces: { ratio: 1, delayMs: 60_000 }, logs: false })
  telemetry.reportTo(pino({}, { write: (line) => void lines.push(JSON.parse(line)) }))
  tracesOf(telemetry).observeSent(sent(tracesOf(telemetry)))
  // The exporter tries again for as long as the timeout.
  await telemetry.close()
  await until(() => lines.length > 0)
  expect(lines).toMatchObject([{ what: 'traces', code: 'ECONNREFUSED' }])
})

test('a collector that never responds does not keep it from closing', async () => {
  process.env[TIMEOUT] = '200'
  collector.fallSilent()
  const telemetry = new Telemetry({ traces: { ratio: 1, delayMs: 60_000 }, logs: false })
  tracesOf(telemetry).observeSent(sent(tracesOf(telemetry)))
  await telemetry.close()
  expect(collector.texts()).not.toBe('')
})
