/**
 * Jobs: how far they are, their results and files, and their end: /jobs. Errors are OperationOutcomes, as clients of FHIR read them.
 * https://hl7.org/fhir/R4/async.html, https://hl7.org/fhir/uv/bulkdata/STU2/export.html#bulk-data-status-request
 */
import { STATUS_CODES } from 'node:http'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Contents } from '../content/contents.ts'
import { instantOf } from '../fhir/dates.ts'
import { FhirError, information, notFound, toOutcome } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import type { LaterRequest } from '../fhir-api/respond-async.ts'
import { startedStream } from '../http/content-answer.ts'
import { prefixOf, tellUserAccess, userOf } from '../http/exchange.ts'
import { encodingsIn } from '../http/headers.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { type Rate, TokenBuckets } from '../isolation/token-bucket.ts'
import { isOver, type JobFile, type NamedJob } from '../jobs/job.ts'
import { jobAddress, listJobs, readJob, removeJob } from '../jobs/jobs.ts'
import { fileOf, manifestOf } from '../jobs/manifest.ts'
import type { Repository } from '../repository/repository.ts'

interface JobDependencies {
  readonly repository: Repository
  readonly contents: Contents
  readonly baseOf: (koa: KoaContext) => string
}

const FHIR = 'application/fhir+json; charset=utf-8'
const NDJSON = 'application/fhir+ndjson'
/** Seconds before the next look at a job, of one that is young, and of one older than `YOUNG` (milliseconds). */
const RETRY = { young: 1, old: 5 }
const YOUNG = 15_000
/** Looks at one job by one user: a client that looks without a pause is refused, as Bulk Data Access has it. */
const LOOKS: Rate = { rate: 5, burst: 100 }

/** Run after authentication. */
export function jobRoutes({ repository, contents, baseOf: plainBaseOf }: JobDependencies): SideRouter {
  const router = new Router({ prefix: '/jobs' })
  const baseOf = (koa: KoaContext) => plainBaseOf(koa) + prefixOf(koa)
  const looks = new TokenBuckets(() => LOOKS)
  const jobOf = (koa: KoaContext) => readJob(repository, userOf(koa).clinic, idIn(koa), viewerOf(koa))

  router.get('/', async (koa) => {
    tellUserAccess(koa, 'list jobs')
    const jobs = await listJobs(repository, userOf(koa).clinic, viewerOf(koa))
    koa.body = { jobs: jobs.map((job) => shown(job, baseOf(koa))) }
  })

  router.get('/:id', async (koa) => {
    tellUserAccess(koa, 'read job')
    if (!looks.of(`${userOf(koa).sub} ${idIn(koa)}`).take(Date.now())) throw tooManyLooks()
    await sendState(koa, await jobOf(koa), contents, baseOf(koa))
  })

  router.delete('/:id', async (koa) => {
    tellUserAccess(koa, 'delete job')
    const job = await removeJob(repository, userOf(koa).clinic, idIn(koa), viewerOf(koa))
    const what = isOver(job) ? 'The job is deleted, with its result' : 'The job is cancelled'
    sendOutcome(koa, 202, information(what))
  })

  router.get('/:id/files/:number', async (koa) => {
    tellUserAccess(koa, 'read file of job')
    const job = await jobOf(koa)
    const file = fileOf(job, koa.params.number ?? '')
    if (file === undefined) throw notFound('The job has no such file; its result names them')
    await sendFile(koa, contents, job.clinic, file)
  })

  return { ...sideRouter(['jobs'], router), isFhir: true }
}

const idIn = (koa: KoaContext): string => koa.params.id ?? ''

function tooManyLooks(): FhirError {
  const diagnostics = `The state of this job was asked for more than ${LOOKS.rate} times a second; ask again after the seconds of Retry-After`
  return new FhirError(429, { code: 'throttled', diagnostics }, { 'retry-after': String(RETRY.old) })
}

const viewerOf = (koa: KoaContext) => {
  const { sub: id, role } = userOf(koa)
  return { id, role }
}

function shown(job: NamedJob, base: string): object {
  const { id, kind, state, owner, request, progress, share, createdAt, doneAt, expires, failure } = job
  return {
    ...{ id, kind, state, progress, url: jobAddress(base, id), request, createdAt: instantOf(createdAt) },
    owner: { id: owner.id, name: owner.name },
    ...present({
      share,
      doneAt: doneAt && instantOf(doneAt),
      expiresAt: expires && instantOf(expires),
      error: failure?.issues[0]?.diagnostics,
    }),
  }
}

async function sendState(koa: KoaContext, job: NamedJob, contents: Contents, base: string): Promise<void> {
  const { id, kind, state, progress, failure, expires, createdAt } = job
  if (failure !== undefined) throw new FhirError(failure.status, failure.issues)
  if (state !== 'done') {
    // Some clients look for the address in each 202.
    koa.set('Content-Location', jobAddress(base, id))
    koa.set('X-Progress', progress.slice(0, 99))
    koa.set('Retry-After', String(Date.now() - createdAt < YOUNG ? RETRY.young : RETRY.old))
    return sendOutcome(koa, 202, information(`The job is under way: ${progress}`))
  }
  koa.set('Expires', new Date(expires ?? 0).toUTCString())
  if (kind === 'request') return await sendResponse(koa, job, contents)
  koa.type = 'application/json'
  koa.body = JSON.stringify(manifestOf(job, (number) => `${jobAddress(base, id)}/files/${number}`))
}

function sendOutcome(koa: KoaContext, status: number, issue: ReturnType<typeof information>): void {
  koa.status = status
  koa.set('Content-Type', FHIR)
  koa.body = JSON.stringify(toOutcome([issue]))
}

/** A batch-response whose one entry has the response to the request: https://hl7.org/fhir/R5/async-bundle.html. */
async function sendResponse(koa: KoaContext, { clinic, work, files: [file] }: NamedJob, contents: Contents) {
  const { status, headers } = (work as LaterRequest).response ?? { status: 500, headers: {} }
  const response = { status: `${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...headers }
  const isFailure = status >= 400
  const before = `{"resourceType":"Bundle","type":"batch-response","entry":[{`
  const told = JSON.stringify(response)
  koa.set('Content-Type', FHIR)
  if (file === undefined) {
    koa.body = `${before}"response":${told}}]}`
    return
  }
  const [begin, end] = isFailure
    ? [`${before}"response":${told.slice(0, -1)},"outcome":`, '}}]}']
    : [`${before}"resource":`, `,"response":${told}}]}`]
  async function* pieces(this: void, { sha256 }: JobFile): AsyncGenerator<Uint8Array> {
    yield Buffer.from(begin)
    yield* contents.read(clinic, sha256)
    yield Buffer.from(end)
  }
  await sendStream(koa, pieces(file))
}

async function sendFile(koa: KoaContext, contents: Contents, clinic: string, { sha256, size }: JobFile) {
  koa.set('Content-Type', NDJSON)
  if (koa.method === 'HEAD') koa.length = size
  await sendStream(koa, contents.read(clinic, sha256))
}

/** Sends bytes as they are read, compressed where the client accepts that. */
async function sendStream(koa: KoaContext, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const type = koa.response.get('Content-Type')
  if (koa.method === 'HEAD') {
    koa.status = 200
    return
  }
  const bytes = await startedStream(pieces, 2)
  // A response that breaks off must not look complete.
  bytes.once('error', () => koa.res.destroy())
  koa.set('Vary', 'Accept-Encoding')
  if (encodingsIn(koa.get('accept-encoding')).includes('gzip')) {
    koa.set('Content-Encoding', 'gzip')
    koa.body = pipeline(bytes, createGzip({ level: 1 }), () => {})
  } else {
    koa.body = bytes
  }
  koa.set('Content-Type', type)
}
