/** The result of an export or an import: https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status. */
import { instantOf } from '../fhir/dates.ts'
import { present } from '../fhir/resource.ts'
import type { ImportState } from './import/import-state.ts'
import type { JobFile, NamedJob } from './job.ts'

interface ManifestFile {
  readonly type?: string
  readonly url?: string
  /** The file that an import has read. */
  readonly inputUrl?: string
  readonly count: number
  /** Bytes, in the place that the specification keeps for servers. */
  readonly extension?: { readonly [SIZE]: number }
}

const SIZE = 'https://sandbox-emr.example/fhir/file-size'

export interface Manifest {
  readonly transactionTime: string
  readonly request: string
  readonly requiresAccessToken: true
  readonly output: readonly ManifestFile[]
  readonly deleted: readonly ManifestFile[]
  readonly error: readonly ManifestFile[]
}

/** The time of an export; an import has that of its beginning. */
interface Timed {
  readonly transactionTime?: number
}

/** A file by its number; undefined where clients have no such file. */
export function fileOf({ files }: Pick<NamedJob, 'files'>, number: string): JobFile | undefined {
  const file = /^[1-9]\d{0,5}$/.test(number) ? files[Number(number) - 1] : undefined
  return file === undefined || file.use === 'body' || file.use === 'state' ? undefined : file
}

/** @param addressOf the address of a file, by its number */
export function manifestOf(job: NamedJob, addressOf: (number: number) => string): Manifest {
  if (job.kind === 'import') return importManifest(job, addressOf)
  const { transactionTime = job.createdAt } = job.work as Timed
  const listed = (use: JobFile['use']) =>
    job.files.flatMap((file, index) => (file.use === use ? [shown(file, addressOf(index + 1))] : []))
  return {
    transactionTime: instantOf(transactionTime),
    request: job.request,
    requiresAccessToken: true,
    output: listed('output'),
    deleted: listed('deleted'),
    error: listed('error'),
  }
}

const shown = ({ type, count, size }: JobFile, url: string): ManifestFile => ({
  ...{ type, url, count },
  extension: { [SIZE]: size },
})

/**
 * An import has a row for each file that it read, and one for each that had lines which were refused.
 * https://github.com/smart-on-fhir/bulk-import/blob/master/import-manifest.md#response---complete-status
 */
function importManifest(job: NamedJob, addressOf: (number: number) => string): Manifest {
  const { inputs } = job.work as ImportState
  const output = inputs.map(({ type, url, imported, updated }) => ({
    ...present({ type }),
    inputUrl: url,
    ...{ count: imported + updated, created: imported, updated },
  }))
  const error = inputs.flatMap(({ url, refused, errors: [file] }) => {
    const index = job.files.findIndex(({ sha256 }) => sha256 === file?.[0])
    const found = job.files[index]
    if (found === undefined) return []
    return [{ ...shown(found, addressOf(index + 1)), inputUrl: url, count: Math.max(1, refused) }]
  })
  const { createdAt, request } = job
  const transactionTime = instantOf(createdAt)
  return { transactionTime, request, requiresAccessToken: true, output, deleted: [], error }
}
