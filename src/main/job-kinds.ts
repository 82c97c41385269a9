/** How the jobs of each kind are worked on: requests go through the whole server, other work is done in work threads. */
import type { IncomingMessage, Server } from 'node:http'
import { Readable } from 'node:stream'
import inject, { type DispatchFunc, type InjectOptions } from 'light-my-request'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { StoredContents } from '../content/contents.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import { requestWork, type SendFor } from '../fhir-api/respond-async.ts'
import { actFor } from '../http/authenticate.ts'
import { withContents } from '../http/content-answer.ts'
import { failureOf } from '../http/errors.ts'
import { parseBody, textOf } from '../http/message/body.ts'
import { INFLATES_TOO_MUCH, type InflationErrors, inflated } from '../http/message/gzip.ts'
import { openSource, type ZippedSource } from '../integrations/import-source.ts'
import type { Outbound } from '../integrations/outbound-request.ts'
import { exportWork } from '../jobs/export/export-work.ts'
import type { JobKind, JobOwner, JobStep, JobWork, NamedJob } from '../jobs/job.ts'
import {
  fetchStep,
  importWork,
  isToBeFetched,
  type OpenSource,
  UnreadableSource,
} from '../rehearsal/transfer/import-work.ts'
import { type Repository, StoreUnavailable } from '../repository/repository.ts'
import type { WorkThreadPool } from './work-threads.ts'

interface JobServices {
  readonly repository: Repository
  readonly access: AccessOf
  readonly contents: StoredContents
  readonly config: Pick<Config, 'limits'>
  readonly logger: Logger
}

type Kinds = Partial<Readonly<Record<JobKind, JobWork>>>

/** The kinds whose steps are done in a work thread, where there is one. */
const threadKinds = ({ repository, access, contents, config: { limits }, logger }: JobServices) => {
  const filledIn = async (clinic: string, text: string): Promise<AsyncIterable<Uint8Array>> => {
    const answer = await withContents(text, contents, { clinic, format: 'json', beyond: 'left out' })
    return answer === undefined ? Readable.from([Buffer.from(text)]) : await answer.stream()
  }
  const parse = (bytes: Buffer) => parseBody(textOf(bytes, LINE), limits.jsonDepth, LINE)
  const importing = {
    ...{ access, contents, parse, lineBytes: limits.bodyBytes, workMilliseconds: limits.workMilliseconds },
    failureOf: (error: unknown) => failureOf(error, logger, IMPORT),
  }
  return { export: exportWork({ repository, access, contents, filledIn }), import: importWork(importing) }
}

const LINE = 'The line'
/** The place of a fault in the log. */
const IMPORT = { method: 'POST', route: '$import' }

interface MainServices extends JobServices {
  readonly server: () => Server
  readonly outbound: Outbound
  /** Absent: all is done on this thread. */
  readonly threads: WorkThreadPool | undefined
}

export function jobKinds(services: MainServices): Kinds {
  const { contents, server, threads } = services
  const here = threadKinds(services)
  const step: JobWork['step'] | undefined = threads && ((job, owner, signal) => threads.workOn(job, owner, signal))
  const inThread = (work: JobWork): JobWork => (step === undefined ? work : { ...work, step })
  return {
    request: requestWork(contents, sendFor(server)),
    export: inThread(here.export),
    import: fetching(inThread(here.import), services),
  }
}

/** Files are fetched on this thread, as that is waiting. */
const fetching = (work: JobWork, { contents, outbound, config: { limits } }: MainServices): JobWork => ({
  ...work,
  step: async (job, owner, signal) => {
    if (!isToBeFetched(job)) return await work.step(job, owner, signal)
    const open: OpenSource = async (url, ended) => {
      const source = await openSource(url, job.clinic, outbound, ended)
      return 'isGzip' in source ? { ...source, pieces: unzipped(source) } : source
    }
    return await fetchStep({ contents, open, most: limits.importBytes }, job, signal)
  },
})

const unzipped = ({ pieces, isGzip }: ZippedSource): AsyncIterable<Uint8Array> =>
  isGzip ? inflated(Readable.from(pieces), OF_FILE) : pieces

const OF_FILE: InflationErrors = {
  notGzip: () => new UnreadableSource('it is not gzip, or ends too early'),
  tooMuch: () => new UnreadableSource(`it ${INFLATES_TOO_MUCH}`),
}

/** Does a step of a job in this thread. */
export function stepInThread(services: JobServices): (job: NamedJob, owner: JobOwner) => Promise<JobStep> {
  const kinds: Kinds = threadKinds(services)
  return async (job, owner) => {
    const work = kinds[job.kind]
    if (work === undefined) throw new Error(`There is no work for jobs of the kind ${job.kind}`)
    return await work.step(job, owner, new AbortController().signal)
  }
}

/** Sends a request for a user through the whole server, as if it had come over a socket. */
const sendFor =
  (server: () => Server): SendFor =>
  async (user, { method, url, headers, remoteAddress, body }) => {
    const receive: DispatchFunc = (request, response) => {
      // A fault breaks the connection: the response then never comes.
      Object.assign(request.socket, { destroy: () => response.destroy() })
      actFor(request as unknown as IncomingMessage, user)
      server().emit('request', request, response)
    }
    const answer = await inject(receive, {
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers: { ...headers },
      remoteAddress,
      payloadAsStream: true,
      ...(body === undefined ? {} : { payload: body }),
    }).catch(lost)
    return { status: answer.statusCode, headers: answer.headers, body: complete(answer.stream()) }
  }

/** @throws StoreUnavailable where it breaks off */
async function* complete(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch {
    lost()
  }
}

/** As when the store cannot serve, nobody knows what was done. */
function lost(): never {
  throw new StoreUnavailable('The response to the request of a job was lost')
}
