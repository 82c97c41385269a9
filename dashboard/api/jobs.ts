/** Work that the server does in the background: docs/async-requests.md, docs/bulk-data.md. */
import { queryOptions } from '@tanstack/react-query'
import { get, getBytes, send } from './client.ts'
import { startOperation } from './operations.ts'

export interface Job {
  readonly id: string
  readonly kind: 'request' | 'export' | 'import'
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** For people. */
  readonly progress: string
  /** From 0 to 1, where it is known. */
  readonly share?: number
  /** Its address, and that of the request that started it. */
  readonly url: string
  readonly request: string
  readonly owner: { readonly id: string; readonly name: string }
  /** FHIR instants. */
  readonly createdAt: string
  readonly doneAt?: string
  readonly expiresAt?: string
  /** Why it failed. */
  readonly error?: string
}

const SIZE = 'https://sandbox-emr.example/fhir/file-size'

interface ManifestFile {
  readonly type?: string
  /** Absent where an import says how much it has stored of a file. */
  readonly url?: string
  /** The file that an import has read. */
  readonly inputUrl?: string
  readonly count: number
  readonly extension?: { readonly [SIZE]?: number }
}

interface Manifest {
  readonly transactionTime: string
  readonly output: readonly ManifestFile[]
  readonly deleted: readonly ManifestFile[]
  readonly error: readonly ManifestFile[]
}

export interface JobFile extends Omit<ManifestFile, 'extension'> {
  /** Bytes. */
  readonly size: number | undefined
  readonly holds: 'output' | 'deleted' | 'error'
}

export interface JobResult {
  readonly transactionTime: string
  readonly files: readonly JobFile[]
}

export const isUnderWay = ({ state }: Pick<Job, 'state'>): boolean => state === 'waiting' || state === 'running'

/** Milliseconds between two looks at jobs: while one is under way, and else, as other users start jobs too. */
const WHILE_RUNNING = 1_000
const EVERY = 15_000

/** Begins the keys of all queries about jobs. */
export const JOBS = 'jobs'

/** The jobs of the clinic, the newest first; for staff, their own. */
export const jobsOf = (clinic: string) =>
  queryOptions({
    queryKey: [JOBS, clinic],
    queryFn: async ({ signal }) => (await get<{ readonly jobs: readonly Job[] }>(JOBS, signal)).jobs,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? WHILE_RUNNING : EVERY),
  })

const pathOf = (id: string): string => `${JOBS}/${encodeURIComponent(id)}`

/** The result of an export or an import that is done. */
export const resultOfJob = (id: string) =>
  queryOptions({
    queryKey: ['result of a job', id],
    queryFn: async ({ signal }): Promise<JobResult> => {
      const { transactionTime, ...lists } = await get<Manifest>(pathOf(id), signal)
      const files = (['output', 'deleted', 'error'] as const).flatMap((holds) =>
        lists[holds].map(({ extension, ...file }) => ({ ...file, size: extension?.[SIZE], holds })),
      )
      return { transactionTime, files }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** A file of a result, or the response to a request. @param path its address. @throws Problem 404 where it has expired */
export const fileOfJob = (path: string): Promise<Blob> => getBytes({ path })

/** Cancels a job that is under way, and removes the result of one that is done. */
export const removeJob = (id: string) => send({ method: 'DELETE', path: pathOf(id) })

export interface NewExport {
  /** `$export`, `Patient/$export`, `Group/g1/$export` */
  readonly operation: string
  /** Names with commas; '' for all. */
  readonly types: string
  readonly elements: string
  /** FHIR's instant; '' for none. */
  readonly since: string
}

/** @returns the id of its job. @throws Problem 429 where an export of the clinic is under way */
export async function startExport({ operation, types, elements, since }: NewExport): Promise<string> {
  const address = await startOperation(operation, [
    ...(types === '' ? [] : [['_type', { valueString: types }] as const]),
    ...(elements === '' ? [] : [['_elements', { valueString: elements }] as const]),
    ...(since === '' ? [] : [['_since', { valueInstant: since }] as const]),
  ])
  return new URL(address).pathname.split('/').at(-1) ?? ''
}
