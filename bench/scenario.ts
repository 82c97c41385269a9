/** A scenario: its requests and their targets. */
import type { Traffic } from './load.ts'

export type Ceiling = 'koa' | 'koa point read' | 'http point read' | 'koa durable write'

export const CEILINGS: readonly Ceiling[] = ['koa', 'koa point read', 'http point read', 'koa durable write']

/** Targets at 16 connections. */
export type Target =
  /** Requests per second, as a share of those of a ceiling in the same run. */
  | { readonly kind: 'ratio'; readonly ceiling: Ceiling; readonly atLeast: number }
  | { readonly kind: 'p99'; readonly below: number }

export interface Scenario {
  readonly name: string
  readonly traffic: Traffic
  /** Requests per second over all connections, sent in bursts by all of them; absent: closed loop. */
  readonly rate?: number
  readonly target?: Target
  /** The most processor time of a request on one connection, in milliseconds. */
  readonly cpuAlone?: number
  /** The problem with the text of a 2xx response, or undefined; so that a broken scenario does not look fast. */
  readonly problemOf?: (text: string) => string | undefined
}
