/** The cost of a part of the server: two servers on one store, with and without it, measured in turns. */
import { logIn, startServer } from './emr.ts'
import { type Measurement, measure, type Traffic } from './load.ts'
import { median } from './median.ts'

const CONNECTIONS = 16

type Environment = Readonly<Record<string, string>>

/** Medians, without and with the part. */
export interface PairedCost {
  /** Milliseconds of processor time for a request. */
  readonly cpu: Pair
  readonly requestsPerSecond: Pair
}

export interface Pair {
  readonly without: number
  readonly beside: number
}

/** A server, and the requests to it. */
interface Side {
  readonly environment: Environment
  /** @param authorization of a session */
  readonly traffic: (authorization: string) => Traffic
  /** Called once the server runs. */
  readonly prepare?: (url: string, authorization: string) => Promise<void>
}

interface Paired {
  readonly databaseUrl: string
  readonly without: Side
  readonly beside: Side
  readonly seconds: number
  /** The smaller the difference, the more. */
  readonly rounds: number
}

/** In turns, so that other load on the machine affects both. @returns undefined where processor time is not known */
export async function measurePair(paired: Paired): Promise<PairedCost | undefined> {
  const { databaseUrl, without: one, beside: other, seconds } = paired
  const servers = [
    await startServer(databaseUrl, one.environment),
    await startServer(databaseUrl, other.environment),
  ] as const
  const rounds: (readonly [without: Measurement, beside: Measurement])[] = []
  try {
    await one.prepare?.(servers[0].url, await logIn(servers[0].url))
    await other.prepare?.(servers[1].url, await logIn(servers[1].url))
    for (let round = 0; round < paired.rounds; round++) {
      const [without, beside] = [
        { server: servers[0], traffic: one.traffic(await logIn(servers[0].url)) },
        { server: servers[1], traffic: other.traffic(await logIn(servers[1].url)) },
      ]
      const load = { connections: CONNECTIONS, seconds }
      const measured = ({ server, traffic }: typeof without) => measure(server, traffic, load)
      const isTurned = round % 2 === 1
      const [first, second] = isTurned ? [beside, without] : [without, beside]
      const [earlier, later] = [await measured(first), await measured(second)]
      rounds.push(isTurned ? [later, earlier] : [earlier, later])
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
