/** A StructureDefinition that narrows a type of R4, made ready for checks: https://hl7.org/fhir/R4/profiling.html. */
import type { StructureDefinition, StructureDefinitionContext } from 'fhir/r4'
import type { Draft, Shape } from './shape.ts'
import { snapshotOf } from './snapshot.ts'

export interface Profile {
  /** As messages name it, `http://example.org/my-patient|1.0`. */
  readonly canonical: string
  readonly url: string
  /** Of R4. */
  readonly type: string
  readonly root: Shape
  /** Of an extension: whether it changes the meaning of what it stands in. */
  readonly isModifier: boolean
  /** Of an extension: where it may stand. */
  readonly context: readonly StructureDefinitionContext[]
  /** What of the StructureDefinition could not be used, in words. */
  readonly problems: readonly string[]
}

/** The tree of a base is kept in its profile, so that what is derived from it can be made of it. */
const drafts = new WeakMap<Profile, Draft>()

/**
 * @param base the profile that it narrows; needed where it has no snapshot and its baseDefinition is no type of R4
 * @param problems what was wrong on the way to the base
 */
export function profileOf(
  definition: StructureDefinition,
  base: Profile | undefined,
  problems: readonly string[] = [],
): Profile {
  const { url, version, type, context = [] } = definition
  const made = snapshotOf(definition, base && drafts.get(base))
  const profile: Profile = {
    canonical: version === undefined ? url : `${url}|${version}`,
    url,
    type,
    root: made.root,
    isModifier: isModifier(definition, base),
    context,
    problems: [...problems, ...made.problems],
  }
  drafts.set(profile, made.root)
  return profile
}

const isModifier = ({ snapshot, differential }: StructureDefinition, base: Profile | undefined): boolean => {
  const [root] = snapshot?.element ?? differential?.element ?? []
  return (root?.path.includes('.') === false ? root.isModifier : undefined) ?? base?.isModifier ?? false
}
