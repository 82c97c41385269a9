/** Committed changes as they are matched with Subscriptions. */
import type { AnyResource } from '../fhir/resource.ts'
import type { StoredResource } from '../repository/repository.ts'
import type { Candidate } from '../search/matches.ts'

/** A version of a resource, with the values that it is searched by. */
export interface MatchableVersion extends Candidate {
  readonly version: number
  readonly resource: AnyResource
}

/** A committed change of one resource. */
export interface ResourceEvent extends Pick<StoredResource, 'type' | 'id' | 'version' | 'lastUpdated' | 'method'> {
  /** The version that it made; undefined for a deletion. */
  readonly current: MatchableVersion | undefined
  /** The version before it; undefined where there was none, it was a deletion, or no matcher asks for it. */
  readonly previous: MatchableVersion | undefined
}

/** Facts that are logged of an event besides the change itself. */
export interface Match {
  /** The canonical url of the topic. */
  readonly topic?: string
}

export interface CompiledMatcher {
  /** The types of resources whose changes it matches. */
  readonly types: readonly string[]
  /** Whether it compares with the version before. */
  readonly asksPrevious: boolean
  /** Undefined: the change is not an event of the Subscription. Not asynchronous, as a change may be matched with a thousand. */
  readonly match: (event: ResourceEvent) => Match | undefined
}
