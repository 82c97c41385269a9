/** The log of the server: lines of JSON on standard output, each with the ids of the span in which it was written. */
import { type DestinationStream, destination, type Logger, multistream, pino } from 'pino'
import type { Config } from '../config.ts'
import { currentBudget } from '../isolation/budget.ts'
import { logFieldsOf } from '../isolation/trace-context.ts'
import type { Telemetry } from './telemetry.ts'

/** Loaded only where something is exported. */
export async function startTelemetry(wanted: Config['telemetry']): Promise<Telemetry | undefined> {
  if (wanted === undefined) return undefined
  const { Telemetry } = await import('./telemetry.ts')
  return new Telemetry(wanted)
}

/** The log of a process or a thread, which is exported too where that is wanted. */
export function openLogger({ logLevel }: Pick<Config, 'logLevel'>, telemetry?: Telemetry): Logger {
  const logger = newLogger(logLevel, telemetry?.logs)
  telemetry?.reportTo(logger)
  return logger
}

/** @param also receives the same lines */
function newLogger(level: Config['logLevel'], also?: DestinationStream): Logger {
  const options = { level, mixin: idsOfSpan }
  if (also === undefined || level === 'silent') return pino(options)
  return pino(options, multistream([destination(1), also].map((stream) => ({ stream, level }))))
}

function idsOfSpan(): object {
  const trace = currentBudget()?.trace
  return trace === undefined ? {} : logFieldsOf(trace)
}
