/** Checks the writes of a load afterwards: none may be lost or doubled. */
import { expect } from '@jest/globals'
import type { Basic, Patient } from 'fhir/r4'
import { emailOf, fhir, type Load, SYSTEM, type Target } from './load.ts'
import { report } from './table.ts'

const PAGE = 1_000

interface Found {
  /** The number of stored copies of each create, conditional create, transaction and tool call, by name. */
  readonly times: ReadonlyMap<string, number>
  readonly halfTransactions: readonly string[]
  readonly disorderedHistories: readonly string[]
}

export interface Outage {
  readonly fault: string
  /** Milliseconds until service was back. */
  readonly back?: number
}

/** Every acknowledged write is there exactly once, and every response was a success or a proper "not now". */
export async function expectKept(load: Load, target: Target, { fault, back }: Outage): Promise<void> {
  const { times, halfTransactions, disorderedHistories } = await findWrites(load, target)
  const acknowledged = new Set(load.acknowledged.map(({ name }) => name))
  const lost = [...acknowledged].filter((name) => !times.has(name))
  const doubled = [...times].flatMap(([name, count]) => (count > 1 ? [name] : []))
  report({
    fault,
    acknowledged: acknowledged.size,
    found: acknowledged.size - lost.length,
    lost: lost.length,
    doubled: doubled.length,
    unacknowledged: times.size - (acknowledged.size - lost.length),
    refused: load.refused + load.unanswered,
    slowest: load.slowest,
    back,
  })
  const { wrong } = load
  expect({ lost, doubled, halfTransactions, disorderedHistories, wrong }).toEqual({
    lost: [],
    doubled: [],
    halfTransactions: [],
    disorderedHistories: [],
    wrong: [],
  })
}

async function findWrites(load: Load, target: Target): Promise<Found> {
  const basics = await all<Basic>(target, `/Basic?identifier=${SYSTEM}|`)
  const patients = await all<Patient>(target, '/Patient')
  const isOurs = (name: string) => load.clients.some((client) => name.startsWith(`${client}-`))
  const namesOf = (resources: readonly (Basic | Patient)[]) =>
    resources.flatMap(({ identifier = [] }) =>
      identifier.flatMap(({ system, value = '' }) => (system === SYSTEM ? value : [])),
    )
  const created = namesOf(basics.filter(({ id = '' }) => !load.clients.includes(id))).filter(isOurs)
  // One after the other, as many long histories at once exceed one token's share.
  const histories: (readonly Basic[])[] = []
  for (const client of load.clients) histories.push(await historyOf(target, client))
  const times = Map.groupBy(
    [...created, ...histories.flatMap(namesOf), ...toolCalls(patients).filter(isOurs)],
    (name) => name,
  )
  const paired = new Set(namesOf(patients))
  const parts = basics.filter(({ subject }) => subject !== undefined)
  return {
    times: new Map([...times].map(([name, found]) => [name, found.length])),
    halfTransactions: [...paired]
      .filter(isOurs)
      .filter((name) => namesOf(parts).filter((one) => one === name).length !== 1),
    disorderedHistories: load.clients.filter((_, index) => isDisordered(histories[index] ?? [])),
  }
}

/** A tool call that ran twice has made a second Patient, or a second version of it. */
const toolCalls = (patients: readonly Patient[]): readonly string[] =>
  patients.flatMap(({ telecom = [], meta }) => {
    const names = telecom.flatMap(({ value = '' }) =>
      value.endsWith(emailOf('')) ? value.slice(0, -emailOf('').length) : [],
    )
    return names.flatMap((name) => Array<string>(Number(meta?.versionId)).fill(name))
  })

const isDisordered = (versions: readonly Basic[]): boolean =>
  versions.some(({ meta }, index) => meta?.versionId !== String(versions.length - index))

const historyOf = (target: Target, id: string): Promise<readonly Basic[]> => all<Basic>(target, `/Basic/${id}/_history`)

/** All pages. */
async function all<R>(target: Target, path: string): Promise<readonly R[]> {
  const found: R[] = []
  let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}_count=${PAGE}`
  while (next !== undefined) {
    const { status, body } = await fhir(target, 'GET', next)
    if (status === 404) return []
    expect({ next, status, issue: body.issue }).toEqual({ next, status: 200 })
    found.push(...(body.entry ?? []).flatMap(({ resource }: { resource?: R }) => resource ?? []))
    const link = body.link?.find(({ relation }: { relation: string }) => relation === 'next')
    next = link?.url.slice(target.url.length)
  }
  return found
}
