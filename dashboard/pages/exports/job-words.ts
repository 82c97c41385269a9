/** Jobs in words. */
import type { Job, JobFile } from '../../api/jobs.ts'

/** The address that started a job, below that of the server: `Patient/$export?_type=Patient`. */
export function pathIn({ request, url, id }: Pick<Job, 'request' | 'url' | 'id'>): string {
  const base = url.slice(0, -`jobs/${id}`.length)
  return request.startsWith(base) ? request.slice(base.length) : request
}

export function titleOf(job: Job): string {
  if (job.kind === 'request') return 'Asynchronous request'
  if (job.kind === 'import') return 'Import'
  const path = pathIn(job)
  if (path.startsWith('Patient/')) return 'Export of patients'
  return path.startsWith('Group/') ? 'Export of a group' : 'Export of all data'
}

export const HOLDS: Readonly<Record<JobFile['holds'], string>> = {
  output: 'resources',
  deleted: 'deletions',
  error: 'errors',
}

/** `Patient-3.ndjson`, after the number in its address. */
export function nameOfFile(url: string, { type, holds }: JobFile): string {
  const number = url.split('/').at(-1) ?? ''
  return `${holds === 'output' ? (type ?? HOLDS[holds]) : HOLDS[holds]}-${number}.ndjson`
}

const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const

/** `812 bytes`, `1.2 MB` */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1_000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
