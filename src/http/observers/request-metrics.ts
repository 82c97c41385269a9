/** Counts and latencies of exchanges, for Prometheus. No label is a text that a client, a patient or a clinic has chosen. */
import type { Context as KoaContext } from 'koa'
import type { Counter, Histogram } from 'prom-client'
import { parseJson } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import type { SeenExchange, ToolExchange } from '../../record/journal/exchange.ts'
import type { Exchange, Observer } from '../exchange.ts'

export interface RequestInstruments {
  /** Seconds until the response was ready. */
  readonly requests: Histogram<'interaction' | 'status'>
  readonly toolCalls: Counter<'tool' | 'outcome'>
  /** Seconds of a request with tool calls; of several in one request, each counts with all of it. */
  readonly toolSeconds: Histogram<'tool'>
  /** Seconds until a system of a clinic had responded. */
  readonly sent: Histogram<'system' | 'outcome'>
}

/** An exchange that names no interaction: a page of the dashboard, a health check, a path that there is not. */
const NO_INTERACTION = 'other'

export class RequestMetrics implements Observer {
  readonly #instruments: RequestInstruments

  constructor(instruments: RequestInstruments) {
    this.#instruments = instruments
  }

  observe({ since, accesses: [access], tools = [] }: Exchange, koa: KoaContext): void {
    const { requests, toolCalls, toolSeconds } = this.#instruments
    const seconds = (performance.now() - since) / 1_000
    requests.observe({ interaction: access?.interaction ?? NO_INTERACTION, status: String(koa.status) }, seconds)
    for (const call of tools) {
      const { tool, outcome } = outcomeOf(call)
      toolCalls.inc({ tool, outcome })
      toolSeconds.observe({ tool }, seconds)
    }
  }

  /** An exchange with a system of a clinic. */
  observeSent({ system, outcome, duration }: SeenExchange): void {
    this.#instruments.sent.observe({ system: system ?? NO_INTERACTION, outcome }, duration / 1_000)
  }
}

/** The name of an unknown tool is a text of the client. */
function outcomeOf({ tool, result }: ToolExchange): { readonly tool: string; readonly outcome: string } {
  const { success, valid, code } = objectIn(result)
  if (code === UNKNOWN_TOOL) return { tool: 'unknown', outcome: UNKNOWN_TOOL }
  if (success !== false && valid !== false) return { tool, outcome: 'ok' }
  return { tool, outcome: typeof code === 'string' ? code : 'failed' }
}

const UNKNOWN_TOOL = 'unknown-tool'

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}
