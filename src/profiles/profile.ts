/**
 * A profile, a StructureDefinition that constrains a type of R4, compiled for validation:
 * https://hl7.org/fhir/R4/profiling.html.
 */
import type { StructureDefinition, StructureDefinitionContext } from 'fhir/r4'
import type { Draft, Shape } from './shape.ts'
import { snapshotOf } from './snapshot.ts'

export interface Profile {
  /** For messages, `http://example.org/my-patient|1.0`. */
  readonly canonical: string
  readonly url: string
  /** The R4 type. */
  readonly type: string
  readonly root: Shape
  /** For an extension: whether it is a modifier extension. */
  readonly isModifier: boolean
  /** For an extension: where it may be used. */
  readonly context: readonly StructureDefinitionContext[]
  /** The parts of the StructureDefinition that could not be used, in words. */
  readonly problems: readonly string[]
}

/** The draft of each profile, from which derived profiles are built. */
const drafts = new WeakMap<Profile, Draft>()

/**
 * Compiles a profile.
 * @param base the profile it is derived from; required without a snapshot, unless its baseDefinition is a type of R4
 * @param problems the problems found when loading the base
 */
export function profileOf(
  definition: StructureDefinition,
  base: Profile | undefined,
  problems: readonly string[] = [],
): Profile {
  const { url = '', version, type = '', context = [] } = definition
  const tree = snapshotOf(definition, base && drafts.get(base))
  const profile: Profile = {
    canonical: version === undefined ? url : `${url}|${version}`,
    url,
    type,
    root: tree.root,
    isModifier: isModifier(definition, base),
    context,
    problems: [...problems, ...tree.problems],
  }
  drafts.set(profile, tree.root)
  return profile
}

const isModifier = ({ snapshot, differential }: StructureDefinition, base: Profile | undefined): boolean => {
  const [root] = snapshot?.element ?? differential?.element ?? []
  return (root?.path?.includes('.') === false ? root.isModifier : undefined) ?? base?.isModifier ?? false
}
