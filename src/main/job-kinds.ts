/** How the jobs of each kind are worked on: requests go through the whole server, other work is done in work threads. */
import type { IncomingMessage, Server } from 'node:http'
import { Readable } from 'node:stream'
import inject, { type DispatchFunc, type InjectOptions } from 'light-my-request'
import type { StoredContents } from '../content/contents.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import { requestWork, type SendFor } from '../fhir-api/respond-async.ts'
import { actFor } from '../http/authenticate.ts'
import { withContents } from '../http/content-answer.ts'
import { exportWork } from '../jobs/export/export-work.ts'
import type { JobKind, JobOwner, JobStep, JobWork, NamedJob } from '../jobs/job.ts'
import type { Repository } from '../repository/repository.ts'
import type { WorkThreadPool } from './work-threads.ts'

interface JobServices {
  readonly repository: Repository
  readonly access: AccessOf
  readonly contents: StoredContents
}

type Kinds = Partial<Readonly<Record<JobKind, JobWork>>>

/** The kinds whose steps are done in a work thread, where there is one. */
const threadKinds = ({ repository, access, contents }: JobServices): Kinds => {
  const filledIn = async (clinic: string, text: string): Promise<AsyncIterable<Uint8Array>> => {
    const answer = await withContents(text, contents, { clinic, format: 'json', beyond: 'left out' })
    return answer === undefined ? Readable.from([Buffer.from(text)]) : await answer.stream()
  }
  return { export: exportWork({ repository, access, contents, filledIn }) }
}

/** @param threads absent: all is done on this thread */
export function jobKinds(services: JobServices, server: () => Server, threads: WorkThreadPool | undefined): Kinds {
  const request = requestWork(services.contents, sendFor(server))
  const others = threadKinds(services)
  if (threads === undefined) return { request, ...others }
  const step: JobWork['step'] = (job, owner, signal) => threads.workOn(job, owner, signal)
  return { request, ...Object.fromEntries(Object.entries(others).map(([kind, work]) => [kind, { ...work, step }])) }
}

/** Does a step of a job in this thread. */
export function stepInThread(services: JobServices): (job: NamedJob, owner: JobOwner) => Promise<JobStep> {
  const kinds = threadKinds(services)
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
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.stream() }
  }
