/**
 * The code system versions that a request specifies: https://hl7.org/fhir/R4/valueset-operation-expand.html
 * (system-version and the like).
 */
import { FhirError } from '../fhir/outcome.ts'
import { canonicalOf } from './canonical.ts'
import type { Concepts } from './concepts.ts'
import type { Terminology } from './terminology.ts'

export interface SystemVersions {
  /** Versions to use when none is specified (system-version). */
  readonly assumed?: readonly string[]
  /** Versions that are required: another one is an error (check-system-version). */
  readonly checked?: readonly string[]
  /** Versions that override any other (force-system-version). */
  readonly forced?: readonly string[]
}

/**
 * The terminology with these code system versions, canonicals as `url|version`. Looking up a code system of another
 * version than is required throws a FhirError 422.
 */
export function withVersions(terminology: Terminology, versions: SystemVersions): Terminology {
  const [assumed, checked, forced] = [versions.assumed, versions.checked, versions.forced].map(byUrl)
  if (assumed?.size === 0 && checked?.size === 0 && forced?.size === 0) return terminology
  const codeSystem = (canonical: string): Concepts | undefined => {
    const { url, version } = canonicalOf(canonical)
    const chosen = forced?.get(url) ?? version ?? assumed?.get(url)
    const found = terminology.codeSystem(chosen === undefined ? url : `${url}|${chosen}`)
    check(url, chosen ?? found?.system.version, checked?.get(url))
    return found
  }
  return { ...terminology, codeSystem }
}

function byUrl(canonicals: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    canonicals.map(canonicalOf).flatMap(({ url, version }) => (version === undefined ? [] : [[url, version]])),
  )
}

function check(url: string, used: string | undefined, expected: string | undefined): void {
  if (expected === undefined || used === expected) return
  throw new FhirError(422, {
    code: 'business-rule',
    diagnostics: `check-system-version requires version ${expected} of ${url}, but the value set uses ${used ?? 'one without a version'}`,
  })
}
