/** The version of a code system that a request asks for: https://hl7.org/fhir/R4/valueset-operation-expand.html (system-version and the like). */
import { FhirError } from '../fhir/outcome.ts'
import { canonicalOf } from './canonical.ts'
import type { Concepts } from './concepts.ts'
import type { Terminology } from './terminology.ts'

export interface SystemVersions {
  /** For what names no version. */
  readonly assumed?: readonly string[]
  /** Any other version is an error. */
  readonly checked?: readonly string[]
  /** Whatever else is named. */
  readonly forced?: readonly string[]
}

/** Canonicals as `url|version`. @throws FhirError 422, when a code system is looked up, that is of another version */
export function withVersions(terminology: Terminology, versions: SystemVersions): Terminology {
  const [assumed, checked, forced] = [versions.assumed, versions.checked, versions.forced].map(byUrl)
  if (assumed?.size === 0 && checked?.size === 0 && forced?.size === 0) return terminology
  const codeSystem = (canonical: string): Concepts | undefined => {
    const { url, version } = canonicalOf(canonical)
    const wanted = forced?.get(url) ?? version ?? assumed?.get(url)
    const found = terminology.codeSystem(wanted === undefined ? url : `${url}|${wanted}`)
    check(url, wanted ?? found?.system.version, checked?.get(url))
    return found
  }
  return { ...terminology, codeSystem }
}

function byUrl(canonicals: readonly string[] = []): ReadonlyMap<string, string> {
  const named = canonicals.map(canonicalOf)
  return new Map(named.flatMap(({ url, version }) => (version === undefined ? [] : [[url, version]])))
}

function check(url: string, used: string | undefined, expected: string | undefined): void {
  if (expected === undefined || used === expected) return
  throw new FhirError(422, {
    code: 'business-rule',
    diagnostics: `check-system-version asks for version ${expected} of ${url}, but the value set draws on ${used ?? 'one without a version'}`,
  })
}
