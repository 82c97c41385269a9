/** Jobs, as a client waits for them and reads their files. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FhirResponse, TestServer } from './server.ts'

type Fhir = TestServer['fhir']

export const ASYNC = { prefer: 'respond-async' }

/** The path of a job, from the response that has accepted it. */
export function startedJob({ status, headers, text }: FhirResponse): string {
  if (status !== 202) throw new Error(`Not accepted: ${status} ${text}`)
  return new URL(headers.get('content-location') ?? '').pathname
}

/** The state of a job once it has ended; a client that has asked too often waits. */
export async function ended(fhir: Fhir, path: string): Promise<FhirResponse> {
  for (;;) {
    const state = await fhir('GET', path)
    if (state.status !== 202 && state.status !== 429) return state
    await sleep(state.status === 429 ? 1_000 : 50)
  }
}

interface ManifestFile {
  readonly type: string
  readonly url: string
  readonly count: number
}

export interface Exported {
  readonly manifest: {
    readonly transactionTime: string
    readonly request: string
    readonly output: readonly ManifestFile[]
    readonly deleted: readonly ManifestFile[]
  }
  /** The resources of all files. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every type
  readonly resources: readonly any[]
  /** `DELETE` addresses. */
  readonly deleted: readonly string[]
  /** `Type/id` of each resource, sorted. */
  readonly addresses: readonly string[]
}

/** The result of a job that exports. */
export async function exported(fhir: Fhir, path: string): Promise<Exported> {
  const { status, body, text } = await ended(fhir, path)
  if (status !== 200) throw new Error(`The export failed: ${status} ${text}`)
  const resources = await linesOf(fhir, body.output)
  const bundles = await linesOf(fhir, body.deleted)
  return {
    manifest: body,
    resources,
    deleted: bundles.map(({ entry: [one] }) => one.request.url),
    addresses: resources.map(({ resourceType, id }) => `${resourceType}/${id}`).sort(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function linesOf(fhir: Fhir, files: readonly ManifestFile[]): Promise<any[]> {
  const all = []
  for (const { url, count, type } of files) {
    const { text, headers } = await fhir('GET', new URL(url).pathname)
    const lines = text.split('\n')
    const resources = lines.slice(0, -1).map((line) => JSON.parse(line))
    const isRight = lines.at(-1) === '' && resources.length === count && headers.get('content-type')?.includes('ndjson')
    if (!isRight || resources.some(({ resourceType }) => resourceType !== type)) throw new Error(`${url} is broken`)
    all.push(...resources)
  }
  return all
}
