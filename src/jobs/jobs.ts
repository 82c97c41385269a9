/** Jobs of a clinic: how they are started, found, listed and removed. */
import { randomUUID } from 'node:crypto'
import { accountIn, findAccount, isHigher, roleNow } from '../clinics/accounts.ts'
import { isProgramTokenKept } from '../clinics/program-tokens.ts'
import type { UserAgent } from '../core/context.ts'
import { FhirError, notFound } from '../fhir/outcome.ts'
import { listForAddition } from '../repository/additions.ts'
import type { KindRecord, Repository, UnitOfWork } from '../repository/repository.ts'
import { releaseContent, useContent } from '../repository/used-content.ts'
import { isOver, JOB, type Job, type JobKind, type JobOwner, type NamedJob } from './job.ts'

/** Jobs of a clinic that have not ended. */
const MOST_WAITING = 20
/** Results of a clinic; where there are more, the oldest are removed before their time. */
const MOST_KEPT = 200
/** Milliseconds for which a result is kept. */
export const KEPT = 24 * 3_600_000
/** Seconds before the next try of one who was refused. */
const RETRY = 10

/** A job that is started. */
export interface NewJob<Work = unknown> extends Pick<Job<Work>, 'kind' | 'request' | 'base' | 'work'> {
  readonly user: UserAgent
  /** SHA-256 of contents that the job needs; they are kept until it ends. */
  readonly input?: readonly string[]
}

/** Jobs of these kinds are done one after the other. */
const ONE_AT_A_TIME: ReadonlySet<JobKind> = new Set(['export', 'import'])

/**
 * Stages a new job of the unit's clinic.
 * @returns its id
 * @throws FhirError 429 where too many wait, or where there is an export or an import already
 */
export async function stageJob(unit: UnitOfWork, { user, input = [], ...rest }: NewJob): Promise<string> {
  const { generation, writtenAt, records } = unit
  const hasAccount = (await accountIn(unit, user.id)) !== undefined
  const owner = { id: user.id, name: user.name, role: user.role, hasAccount, ...programOf(user) }
  const id = randomUUID()
  await makeRoom(unit, rest.kind)
  for (const sha256 of input) await useContent(records, sha256, id)
  const begun = { state: 'waiting', progress: 'waiting', files: [], ...rest, owner, input } as const
  records.put(JOB, id, { ...begun, generation, createdAt: writtenAt }, { due: writtenAt })
  return id
}

function programOf({ session }: UserAgent): Pick<JobOwner, 'program'> {
  const { id: token = '', program: clinic } = session?.login ?? {}
  return clinic === undefined ? {} : { program: { clinic, token } }
}

export const jobAddress = (base: string, id: string): string => `${base}/jobs/${id}`

/** @throws FhirError 429 */
async function makeRoom(unit: UnitOfWork, kind: JobKind): Promise<void> {
  const jobs = await listForAddition(unit, JOB, MOST_KEPT + MOST_WAITING)
  const waiting = jobs.filter(({ value }) => !isOver(value))
  if (waiting.length >= MOST_WAITING) throw tooMany(`${MOST_WAITING} jobs of this clinic wait already; ${LATER}`)
  if (ONE_AT_A_TIME.has(kind) && waiting.some(({ value }) => value.kind === kind)) {
    throw tooMany(`This clinic has an ${kind} under way, and one is done at a time; wait for it, or DELETE it`)
  }
  const over = jobs.filter(({ value }) => isOver(value))
  if (over.length < MOST_KEPT) return
  const [oldest] = over.toSorted((one, other) => (one.value.doneAt ?? 0) - (other.value.doneAt ?? 0))
  if (oldest !== undefined) await stageRemoval(unit, oldest.key)
}

const LATER = 'wait for some to end, or DELETE them'

const tooMany = (diagnostics: string): FhirError =>
  new FhirError(429, { code: 'throttled', diagnostics }, { 'retry-after': String(RETRY) })

/** Stages that a job is gone, with its files; one that is worked on ends with its step. */
export async function stageRemoval(unit: UnitOfWork, id: string): Promise<void> {
  const job = (await unit.records.read(JOB, id))?.value
  if (job === undefined) return
  await releaseFiles(unit, id, job)
  unit.records.delete(JOB, id)
}

/** Stages that the contents of a job are no longer needed by it. */
export async function releaseFiles(unit: UnitOfWork, id: string, { files, input }: Pick<Job, 'files' | 'input'>) {
  const contents = new Set([...input, ...files.map(({ sha256 }) => sha256)])
  for (const sha256 of contents) await releaseContent(unit, sha256, id)
}

/** @throws FhirError 404 for a job that there is not, or that the user may not see, as if there were none */
export async function readJob(repository: Repository, clinic: string, id: string, user: Viewer): Promise<NamedJob> {
  const record = await repository.readRecord(clinic, JOB, id)
  if (record === undefined || !maySee(user, record.value)) throw noJob()
  return named(clinic, record)
}

/** Ends a job that has not ended, and removes the result of one that has. @throws as readJob */
export async function removeJob(repository: Repository, clinic: string, id: string, user: Viewer): Promise<NamedJob> {
  const job = await readJob(repository, clinic, id, user)
  await repository.change(clinic, (unit) => stageRemoval(unit, id))
  return job
}

/** The jobs that a user may see, the newest first. */
export async function listJobs(repository: Repository, clinic: string, user: Viewer): Promise<readonly NamedJob[]> {
  const records = await repository.records(JOB, { clinic, limit: MOST_KEPT + MOST_WAITING })
  return records
    .filter(({ value }) => maySee(user, value))
    .map((record) => named(clinic, record))
    .toSorted((one, other) => other.createdAt - one.createdAt)
}

type Viewer = Pick<UserAgent, 'id' | 'role'>

/** Admins and operators see those of others too. The result of a job holds what the role of its owner may read, so no lower role sees it. */
const maySee = ({ id, role }: Viewer, { owner }: Pick<Job, 'owner'>): boolean =>
  (owner.id === id || role !== 'staff') && !isHigher(owner.role, role)

export const named = (clinic: string, { key, value }: Pick<KindRecord<Job>, 'key' | 'value'>): NamedJob => ({
  ...value,
  id: key,
  clinic,
})

const noJob = (): FhirError =>
  notFound('There is no such job: its id is wrong, it was deleted, its result has expired, or it is of somebody else')

/**
 * The owner as the account is now.
 * @throws FhirError 403 when there is none any more, it may do nothing in the clinic, or the program's token was revoked
 */
export async function ownerNow(repository: Repository, { clinic, owner }: NamedJob): Promise<JobOwner> {
  const { program } = owner
  if (program !== undefined && !(await isProgramTokenKept(repository, program.clinic, program.token))) {
    const diagnostics = 'The token of the program that has started the job was revoked, so that nothing is done for it'
    throw new FhirError(403, { code: 'forbidden', diagnostics })
  }
  if (!owner.hasAccount) return owner
  const role = roleNow(await findAccount(repository, owner.id), { clinic, role: owner.role })
  if (role === undefined) {
    const diagnostics = 'The account that has started the job is disabled or gone, so that nothing is done for it'
    throw new FhirError(403, { code: 'forbidden', diagnostics })
  }
  return { ...owner, role }
}
