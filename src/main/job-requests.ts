/** Requests of jobs: each goes through the whole server for its user, as if it had come over a socket. */
import type { IncomingMessage, Server } from 'node:http'
import inject, { type DispatchFunc, type InjectOptions } from 'light-my-request'
import type { SendFor } from '../fhir-api/respond-async.ts'
import { actFor } from '../http/authenticate.ts'

export const sendFor =
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
