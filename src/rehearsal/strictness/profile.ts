/**
 * A strictness profile: what one EHR is documented to refuse, and how its answers differ, as data. It is a file of
 * resources/strictness, or comes with an extension. docs/strictness.md
 */
import type { IssueCode } from '../../fhir/outcome.ts'

export interface Profile {
  /** Lower-case words joined by hyphens: the segment behind `/as/`. */
  readonly name: string
  readonly title: string
  /** Semantic version: a major one adds or tightens a rule. */
  readonly version: string
  /** Names those whose behaviour it mimics, and says that they have no part in it. */
  readonly disclaimer: string
  /** The handling of unknown search parameters, whatever Prefer says; absent: as Prefer says. */
  readonly handling?: 'strict'
  readonly rules: readonly Rule[]
  readonly changes?: readonly Change[]
}

/** A rule or a change: the requests that it is for, and who says so. */
interface Cited {
  /** Lower-case words joined by hyphens; unique in its profile. */
  readonly id: string
  /** A sentence that says what is right. */
  readonly title: string
  /** Absent: all requests. */
  readonly on?: Requests
  readonly citation: Citation
}

export interface Citation {
  /** As it stands at the address, word for word. */
  readonly quote: string
  /** A web address. */
  readonly address: string
  /** `2026-11-28`: the day on which it was read or measured. */
  readonly date: string
  /** The vendor's or the standard's own text; that of somebody else about it; or a probe of a running system. */
  readonly kind: CitationKind
}

export const CITATION_KINDS = ['primary', 'secondary', 'measured'] as const
export type CitationKind = (typeof CITATION_KINDS)[number]

/** All conditions must hold; each is one of a list. */
export interface Requests {
  /** See `INTERACTIONS`. */
  readonly interactions?: readonly string[]
  readonly types?: readonly string[]
  /** All types but these; requests of the whole system have no type, and are not meant. */
  readonly otherThan?: readonly string[]
  /** Names of operations, without $. */
  readonly operations?: readonly string[]
  /** All operations but these; other interactions are not meant. */
  readonly otherOperations?: readonly string[]
}

/** A request that a rule is for is refused unless its check holds. */
export interface Rule extends Cited {
  readonly check: Check
  readonly answer: { readonly status: number; readonly code: IssueCode; readonly text?: string }
}

/** Exactly one member. */
export interface Check {
  /** Never holds: the EHR has no such interaction. */
  readonly offered?: false
  /** The only search parameters, apart from those of every request (`_format`, `_pretty`). */
  readonly parameters?: readonly string[]
  /** FHIRPath over `{parameter: [{name, modifier, value}]}`, the search parameters in their order. */
  readonly query?: string
  /** FHIRPath over the body; over `{operation: […]}` of a JSON Patch. */
  readonly body?: string
  /** A header that must be there. */
  readonly header?: 'If-Match'
  /** The only formats of bodies and answers. */
  readonly formats?: readonly ('json' | 'xml')[]
  /** The only media types of a body. */
  readonly contentTypes?: readonly string[]
  /** The server's own refusals of this status, or with one of these reasons, are answered as the rule says. */
  readonly unless?: { readonly status?: number; readonly reasons?: readonly string[] }
}

/** A difference of answers to requests that are not refused. */
export interface Change extends Cited {
  readonly answer: {
    /** A write is answered as by Prefer: return=minimal, whatever Prefer says. */
    readonly body?: 'minimal'
    /** Location has no version, or is relative too. */
    readonly location?: 'unversioned' | 'relative'
    readonly etag?: 'none'
    /** A searchset without matches has this issue, as an entry of mode outcome. */
    readonly outcomeWhenEmpty?: {
      readonly severity: 'information' | 'warning'
      readonly code: IssueCode
      readonly text: string
    }
  }
}

/** A request as rules see it. */
export interface JudgedRequest {
  /** For people: `GET Appointment`. */
  readonly title: string
  /** Its code, and a second one where it is conditional. */
  readonly interactions: readonly string[]
  /** '' at system level. */
  readonly type: string
  /** Without $; '' where it is none. */
  readonly operation: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly ifMatch: string | undefined
  readonly media: Media
}

/** The media type of a body, in lower case and without parameters, and the format of the answer, where they are known. */
export interface Media {
  readonly sent?: string
  readonly answered?: string
}

/** The strictness that a request asks for by its address. */
export interface Strictness {
  readonly profile: Profile
  readonly media: Media
}
