/** Preconditions of a write: https://hl7.org/fhir/R4/http.html#concurrency. */
import { preconditionFailed } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'

export interface Precondition {
  /** If-Match: the version, or the versions one of which must be current, or * for any. */
  readonly ifMatch?: number | readonly number[] | '*'
  /** If-None-Match: * : the resource must not exist. */
  readonly ifNoneMatch?: '*'
}

/**
 * @param what `Type/id`, for the message
 * @throws FhirError 412 when the current version is not the one that the client has seen
 */
export function checkPrecondition(
  current: Versioned | undefined,
  { ifMatch, ifNoneMatch }: Precondition,
  what: string,
): void {
  if (ifNoneMatch === '*' && current !== undefined && !current.deleted) {
    throw preconditionFailed(
      `${what} exists already (version ${current.version}), and If-None-Match: * asks that it does not`,
    )
  }
  if (ifMatch === undefined) return
  if (ifMatch === '*') {
    if (current !== undefined && !current.deleted) return
    throw preconditionFailed(`If-Match: * asks for any version, but ${what} does not exist`)
  }
  const versions = [ifMatch].flat()
  if (current !== undefined && versions.includes(current.version)) return
  const asked = versions.length === 0 ? 'a version that this server never gave' : `version ${versions.join(' or ')}`
  const state = current === undefined ? 'does not exist' : `has version ${current.version}`
  throw preconditionFailed(
    `If-Match asks for ${asked}, but ${what} ${state}; read it again and repeat the change on that`,
  )
}
