/** Asks the server itself, where it runs on this machine. */
import type { Config } from '../../src/config.ts'
import { addressAt } from '../../src/http/host-address.ts'
import { about, type Finding, unless } from './finding.ts'

const server = about('server')
/** Milliseconds. */
const PATIENCE = 3_000

export async function serverFindings({ host, port }: Config): Promise<readonly Finding[]> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const url = `${addressAt(name, port)}/health/ready`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) })
    const { parts = [] } = (await response.json()) as { readonly parts?: readonly Part[] }
    return unless(parts.flatMap(partFinding), server.ok('it is ready, and no part of it is behind'))
  } catch {
    return [server.note(`none runs at ${host}:${port}; start it, or look for its address`)]
  }
}

interface Part {
  readonly name: string
  readonly state: string
}

function partFinding({ name, state }: Part): readonly Finding[] {
  if (state === 'ok') return []
  if (state === 'behind') return [server.note(`${name}: it is behind; look at the load`)]
  return [server.toDo(`${name}: it is ${state}; look at /health/ready and the log`)]
}
