/** The parts that reference clients share. */
import type { Bundle, FhirResource } from 'fhir/r4'
import { type Answer, Connection, type OpenedRun } from './connection.ts'

/** A client that passes its plan; each way to fail a step is a client of its own that does one thing otherwise. */
export abstract class Client {
  protected readonly at: Connection

  constructor(run: OpenedRun) {
    this.at = new Connection(run)
  }

  abstract run(): Promise<void>
}

export type ClientClass = new (run: OpenedRun) => Client

/** A client that fails one step, or a person who says no to its sentence. */
export type Mistake = ClientClass | 'attested-no'

/** By the ids of steps. */
export type Mistakes = Readonly<Record<string, Mistake>>

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The resources that a search has found. */
export const matchesIn = <R extends FhirResource>({ body }: Answer): readonly R[] =>
  ((body as Bundle<R> | undefined)?.entry ?? []).flatMap(({ resource, search }) =>
    resource === undefined || search?.mode === 'outcome' ? [] : [resource],
  )

/** The address of the next page. */
export const nextOf = ({ body }: Answer): string | undefined =>
  (body as Bundle | undefined)?.link?.find(({ relation }) => relation === 'next')?.url

/** Milliseconds until a request may be sent again, by the seconds or the date in Retry-After. */
export function retryAfter({ headers }: Answer): number {
  const text = headers.get('retry-after') ?? '0'
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Math.max(0, ms) + A_LITTLE
}

/** Timers may fire a millisecond early. */
const A_LITTLE = 50

/** An instant so many days from now. */
export const daysAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()
