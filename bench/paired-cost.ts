/** The cost of a part of the server for a read: two servers on one store, with and without it, measured in turns. */
import { logIn, startServer } from './emr.ts'
import { median } from './growth/growth-bench.ts'
import { type Measurement, measure, type Traffic } from './load.ts'

const CONNECTIONS = 16
/** Many, as the difference is small. */
const ROUNDS = 15

type Environment = Readonly<Record<string, string>>

/** Medians, without and with the part. */
export interface PairedCost {
  /** Milliseconds of processor time for a read. */
  readonly cpu: Pair
  readonly requestsPerSecond: Pair
}

export interface Pair {
  readonly without: number
  readonly beside: number
}

interface Paired {
  readonly databaseUrl: string
  readonly without: Environment
  readonly beside: Environment
  /** The reads, with the `Authorization` of a session. */
  readonly readsBy: (authorization: string) => Traffic
  readonly seconds: number
}

/** In turns, so that other load on the machine affects both. @returns undefined where processor time is not known */
export async function measurePair(paired: Paired): Promise<PairedCost | undefined> {
  const { databaseUrl, readsBy, seconds } = paired
  const servers = [await startServer(databaseUrl, paired.without), await startServer(databaseUrl, paired.beside)]
  const rounds: (readonly [without: Measurement, beside: Measurement])[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [without, beside] = await Promise.all(
        servers.map(async (server) => ({ server, traffic: readsBy(await logIn(server.url)) })),
      )
      if (without === undefined || beside === undefined) return undefined
      const load = { connections: CONNECTIONS, seconds }
      const measured = ({ server, traffic }: typeof without) => measure(server, traffic, load)
      const isTurned = round % 2 === 1
      const [first, second] = isTurned ? [beside, without] : [without, beside]
      const [one, other] = [await measured(first), await measured(second)]
      rounds.push(isTurned ? [other, one] : [one, other])
    }
  } finally {
    for (const server of servers) await server.stop()
  }
  const cpu = pairOf(rounds, ({ cpuPerRequest }) => cpuPerRequest)
  const requestsPerSecond = pairOf(rounds, (measurement) => measurement.requestsPerSecond)
  return cpu && requestsPerSecond && { cpu, requestsPerSecond }
}

function pairOf(
  rounds: readonly (readonly [Measurement, Measurement])[],
  figureOf: (measurement: Measurement) => number | undefined,
): Pair | undefined {
  const [without, beside] = [rounds.map(([one]) => figureOf(one)), rounds.map(([, other]) => figureOf(other))]
  const isKnown = (figure: number | undefined): figure is number => figure !== undefined
  if (!without.every(isKnown) || !beside.every(isKnown)) return undefined
  return { without: median(without), beside: median(beside) }
}
