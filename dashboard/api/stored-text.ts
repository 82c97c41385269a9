/** A resource as the text that is stored, so that its numbers stay as they were written. */
import { queryOptions } from '@tanstack/react-query'
import { READS, send } from './client.ts'
import { ifMatch } from './operations.ts'
import { isRecord } from './problem.ts'

export interface StoredText {
  /** JSON. */
  readonly text: string
  readonly version: string | undefined
  /** Instant. */
  readonly lastUpdated: string | undefined
}

/** @param path `Patient/p1` */
export const storedTextOf = (path: string) =>
  queryOptions({
    queryKey: [path.split('/')[0] ?? path, path, 'text'],
    queryFn: () => readText(path),
    // A refetch must not replace what the user edits.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export async function readText(path: string): Promise<StoredText> {
  const { text, body } = await send({ path, headers: { 'x-run-id': READS } })
  return storedIn(text, body)
}

/**
 * @param version that must be the current one; undefined: there is none, as the resource is new
 * @throws Problem 412 where there is another one
 */
export async function writeText(path: string, text: string, version: string | undefined): Promise<StoredText> {
  const condition = version === undefined ? { 'if-none-match': '*' } : ifMatch(version)
  const headers = { 'content-type': 'application/fhir+json', ...condition }
  const written = await send({ method: 'PUT', path, body: text, headers })
  return storedIn(written.text, written.body)
}

function storedIn(text: string, body: unknown): StoredText {
  const { versionId, lastUpdated } = (isRecord(body) && isRecord(body.meta) ? body.meta : {}) as Record<string, unknown>
  return {
    text,
    version: typeof versionId === 'string' ? versionId : undefined,
    lastUpdated: typeof lastUpdated === 'string' ? lastUpdated : undefined,
  }
}
