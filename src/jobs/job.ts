/**
 * A job: work that is longer than a request. A record holds what was asked for, how far it is, and its result, so that another
 * process goes on where one has died (docs/adr/034-jobs.md). https://hl7.org/fhir/R4/async.html
 */
import type { Role } from '../clinics/accounts.ts'
import type { Issue } from '../fhir/outcome.ts'
import { recordKind } from '../repository/record-kinds.ts'

export const JOB_KINDS = ['request', 'export', 'import'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** The user who has started a job, for whom it works. */
export interface JobOwner {
  /** The user name. */
  readonly id: string
  readonly name: string
  /** The role with which the job was started; what the job may do is decided by that of the account, where it is lower. */
  readonly role: Role
  /** False where the token is of a foreign issuer, so that there is no account to look at. */
  readonly hasAccount: boolean
  /** The token of a program that has started the job, which ends when that is revoked. */
  readonly program?: { readonly clinic: string; readonly token: string }
}

/** A file of the result: a content of the clinic (content/contents.ts). */
export interface JobFile {
  /** `body`: of the response to a request; `state`: what the job itself has to remember. Only the others are files for clients. */
  readonly use: 'output' | 'deleted' | 'error' | 'body' | 'state'
  /** The type of the resources in it. */
  readonly type: string
  readonly sha256: string
  /** Resources, one in a line. */
  readonly count: number
  /** Bytes. */
  readonly size: number
}

export interface JobFailure {
  readonly status: number
  readonly issues: readonly Issue[]
}

/** @template Work what the kind needs to begin and to go on: JSON */
export interface Job<Work = unknown> {
  readonly kind: JobKind
  /** `running` while a process works on it, `waiting` between its turns. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly owner: JobOwner
  /** The number of the generation of the clinic's data that it was started in. */
  readonly generation: number
  /** The address that started it, without the parameters of a form. */
  readonly request: string
  /** The address of this server as the client sees it. */
  readonly base: string
  /** For people: `2 of 9 types`. */
  readonly progress: string
  /** From 0 to 1, where it is known. */
  readonly share?: number
  readonly work: Work
  /** Contents that the job needs until it ends. */
  readonly input: readonly string[]
  readonly files: readonly JobFile[]
  readonly failure?: JobFailure
  /** Milliseconds since 1970 UTC, of the machine. */
  readonly createdAt: number
  readonly doneAt?: number
  /** The result is removed then. */
  readonly expires?: number
  /** The turn of the process that works on it: random. */
  readonly turn?: string
  /** Turns that ended with the process, or because the store could not serve. */
  readonly broken?: number
}

export const JOB = recordKind<Job>('job')

/** A job with its id. */
export interface NamedJob<Work = unknown> extends Job<Work> {
  readonly id: string
  readonly clinic: string
}

export const isOver = ({ state }: Pick<Job, 'state'>): boolean => state === 'done' || state === 'failed'

/** The result of one step of a job. */
export interface JobStep {
  readonly work: unknown
  readonly progress: string
  readonly share?: number
  /** Files that are added to the result; with `replacesFiles` in place of all there are. */
  readonly files?: readonly JobFile[]
  readonly replacesFiles?: boolean
  /** The job has ended. */
  readonly end?: 'done' | JobFailure
  /** Milliseconds before the next step. */
  readonly rest?: number
}

/** How the jobs of a kind are worked on. */
export interface JobWork {
  /**
   * Does a part of the job, of a few seconds at most where it can be divided, and returns how far it is. A step whose process
   * dies is done again, so it must have no effect that may not happen twice, unless `mayRepeat` says so.
   * @param owner the user as the account is now
   * @throws FhirError, with which the job fails; 429: the step is done again later; StoreUnavailable: the same, a few times
   */
  step(job: NamedJob, owner: JobOwner, signal: AbortSignal): Promise<JobStep>
  /** Whether the first step may be done again when its process has died. Absent: it may. */
  readonly mayRepeat?: (job: NamedJob) => boolean
}
