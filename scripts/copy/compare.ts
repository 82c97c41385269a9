/** Compares the contents of two stores, by counts and checksums of everything stored. */
import { hash } from 'node:crypto'
import { contentHashes, type WholeStore } from './contents.ts'
import { isMark } from './marks.ts'
import { recordsOf, versionPages } from './pages.ts'

interface Sum {
  count: number
  /** Sum of the hashes, so that the order does not matter. */
  total: bigint
}

/** By kind of content. */
type Sums = Map<string, Sum>

/** The differences found, in words; none when the stores are equal. */
export async function differences(
  clinics: readonly string[],
  stores: readonly [source: WholeStore, target: WholeStore],
  onRead: (count: number) => void,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const clinic of clinics) {
    const [here, there] = [await sumsOf(stores[0], clinic, onRead), await sumsOf(stores[1], clinic, onRead)]
    const name = clinic === '' ? 'the whole service' : `clinic ${clinic}`
    for (const what of [...new Set([...here.keys(), ...there.keys()])].sort()) {
      const difference = differing(here.get(what), there.get(what))
      if (difference !== undefined) found.push(`${name}, ${what}: ${difference}`)
    }
  }
  return found
}

function differing(here: Sum | undefined, there: Sum | undefined): string | undefined {
  const [source, target] = [here?.count ?? 0, there?.count ?? 0]
  if (source !== target) return `${source} at the source, ${target} at the target`
  return here?.total === there?.total ? undefined : `${source} on both sides, but with different content`
}

async function sumsOf(whole: WholeStore, clinic: string, onRead: (count: number) => void): Promise<Sums> {
  const sums: Sums = new Map()
  const { store } = whole
  for await (const { items } of versionPages(store, { clinic })) {
    for (const { type, id, version, lastUpdated, method, text } of items) {
      add(sums, `versions of ${type}`, [type, id, version, lastUpdated, method, text])
    }
    onRead(items.length)
  }
  for await (const record of recordsOf(store, clinic)) {
    const { kind, key, version, value, due } = record
    if (!isMark(record)) add(sums, `records of kind ${kind}`, [kind, key, version, value, due])
  }
  for await (const content of contentHashes(whole, clinic)) add(sums, 'contents', content)
  return sums
}

function add(sums: Sums, what: string, stored: readonly unknown[]): void {
  const sum = sums.get(what) ?? { count: 0, total: 0n }
  sum.count += 1
  sum.total += BigInt(`0x${hash('sha256', JSON.stringify(stored))}`)
  sums.set(what, sum)
}
