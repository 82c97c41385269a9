/** The result of an export or an import: https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status. */
import { instantOf } from '../fhir/dates.ts'
import type { JobFile, NamedJob } from './job.ts'

interface ManifestFile {
  readonly type: string
  readonly url: string
  readonly count: number
  /** Bytes, in the place that the specification keeps for servers. */
  readonly extension: { readonly [SIZE]: number }
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
