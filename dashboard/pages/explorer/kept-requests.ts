/**
 * Requests that the console keeps in this browser: the latest of a user in a clinic, and those that are saved for the
 * clinic. Responses, tokens and the bodies of routes beside FHIR's, which have passwords in them, are not kept.
 */
import { isRecord } from '../../api/problem.ts'
import type { TypedRequest } from './request-text.ts'

export interface KeptRequest extends TypedRequest {
  /** Under which it is saved. */
  readonly name?: string
  /** Instant at which it was sent. */
  readonly at?: string
  /** HTTP status of its response; 0 where there was none. */
  readonly status?: number
}

const MOST_SENT = 50
const MOST_SAVED = 100
/** Characters of a body; a longer one is left out. */
const MOST_BODY = 20_000

const SECRET_HEADER =
  /^\s*(authorization|proxy-authorization|cookie|x-voice-secret|.*(?:token|secret|key|password).*?)\s*:/i

/** A request without what must not be kept. */
export const keepable = <Request extends TypedRequest>(request: Request): Request => ({
  ...request,
  path: request.path.replace(/([?&](?:access_token|token|secret|password)=)[^&]*/gi, '$1'),
  headers: request.headers
    .split('\n')
    .filter((line) => !SECRET_HEADER.test(line))
    .join('\n'),
  body: isOfFhir(request.path) && request.body.length <= MOST_BODY ? request.body : '',
})

/** Whether it is about a resource type, or the base. */
const isOfFhir = (path: string): boolean => /^\/*(?:[A-Z]|$|\?|\$)/.test(path)

const MEMBERS = ['method', 'path', 'headers', 'body', 'format'] as const

const isSame = (one: TypedRequest, other: TypedRequest): boolean =>
  MEMBERS.every((member) => one[member] === other[member])

/** The newest first; a request that is repeated stands once. */
export const withSent = (list: readonly KeptRequest[], sent: KeptRequest): readonly KeptRequest[] => {
  const kept = keepable(sent)
  return [kept, ...list.filter((one) => !isSame(one, kept))].slice(0, MOST_SENT)
}

/** By name; one of the same name is replaced. */
export const withSaved = (list: readonly KeptRequest[], saved: KeptRequest): readonly KeptRequest[] =>
  [keepable(saved), ...list.filter(({ name }) => name !== saved.name)].slice(0, MOST_SAVED)

export const isKept = (value: unknown): value is KeptRequest =>
  isRecord(value) && MEMBERS.every((member) => typeof value[member] === 'string')
