/** The paths of discriminators, a small subset of FHIRPath: https://hl7.org/fhir/R4/profiling.html#discriminator. */
import { memoize } from '../fhir/memoize.ts'
import { canonicalOf } from '../terminology/canonical.ts'
import type { KnownDefinitions } from './known-definitions.ts'
import type { Shape, TypeRule } from './shape.ts'
import { targetOf } from './targets.ts'
import { childElements, coreType, isA, type TypedElement } from './typed-element.ts'

/** The parts of the check that discriminators use. */
export interface CheckContext {
  readonly definitions: KnownDefinitions
  /** Whether the item conforms to any of the profiles; reports no issues. */
  readonly conforms: (item: TypedElement, profiles: readonly string[]) => boolean
  /** Counts the work. @throws WorkLimitExceeded */
  readonly step: () => void
}

export type DiscriminatorStep =
  | { readonly kind: 'element'; readonly name: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'resolve' }

/** In characters. */
const MAX_PATH_LENGTH = 500
/** Cached paths: each would be parsed again for every item of a sliced element. */
const MAX_PATHS_KEPT = 1_000
const STEP = /^(?:resolve\(\)|extension\(['"]([^'"]+)['"]\)|(?:ofType|as)\((\w+)\)|([A-Za-z]\w*)(?:\[x\])?)$/

/**
 * Parses `$this`, `code.coding`, `value.ofType(Quantity).unit`, `extension('http://…').value`, `resolve()`; undefined
 * when not supported.
 */
export const parseDiscriminatorPath = memoize(MAX_PATHS_KEPT, parsed)

function parsed(path: string): readonly DiscriminatorStep[] | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined
  const parts = path.match(/(?:[^.('"]|\([^)]*\))+/g) ?? []
  const steps = parts.filter((part) => part !== '$this').map(stepOf)
  return steps.every((step) => step !== undefined) ? steps : undefined
}

function stepOf(part: string): DiscriminatorStep | undefined {
  const found = STEP.exec(part)
  if (found === null) return undefined
  const [, url, type, name] = found
  if (url !== undefined) return { kind: 'extension', url }
  if (type !== undefined) return { kind: 'type', type }
  return name === undefined ? { kind: 'resolve' } : { kind: 'element', name }
}

/** The elements that a path selects. */
export function select(from: readonly TypedElement[], steps: readonly DiscriminatorStep[]): readonly TypedElement[] {
  return steps.reduce<readonly TypedElement[]>((items, step) => items.flatMap((item) => follow(item, step)), from)
}

function follow(item: TypedElement, step: DiscriminatorStep): readonly TypedElement[] {
  switch (step.kind) {
    case 'element':
      return childElements(item, step.name)
    case 'extension':
      return childElements(item, 'extension').filter((one) => childElements(one, 'url')[0]?.value === step.url)
    case 'type':
      return isA(item.type, step.type) ? [item] : []
    case 'resolve': {
      const resource = targetOf(item)?.item
      return resource === undefined ? [] : [resource]
    }
  }
}

/** The shapes that apply at the end of a path, following the profiles named along the way. */
export function shapesAt(
  from: readonly Shape[],
  steps: readonly DiscriminatorStep[],
  context: CheckContext,
): readonly Shape[] {
  return steps.reduce<readonly Shape[]>(
    // Without duplicates: profiles that refer to each other would double the list at every step.
    (shapes, step) => [...new Set(shapes.flatMap((shape) => shapesIn(shape, step, context)))],
    from,
  )
}

function shapesIn(shape: Shape, step: DiscriminatorStep, context: CheckContext): readonly Shape[] {
  context.step()
  switch (step.kind) {
    case 'element':
      return (
        withSlices(shape.children.get(step.name)) ?? followed(shape, ({ profiles }) => profiles, step.name, context)
      )
    case 'extension':
      return [...(shape.children.get('extension')?.slices.values() ?? [])].filter((slice) => isOfUrl(slice, step.url))
    case 'type':
      return [...shape.slices.values()]
        .filter(({ types = [] }) => types.some(({ code }) => code === step.type))
        .concat(shape)
    case 'resolve':
      return rootsOf(shape, ({ targets }) => targets, context)
  }
}

const withSlices = (shape: Shape | undefined): readonly Shape[] | undefined =>
  shape && [shape, ...shape.slices.values()]

const followed = (shape: Shape, by: (rule: TypeRule) => readonly string[], name: string, context: CheckContext) =>
  rootsOf(shape, by, context).flatMap((root) => withSlices(root.children.get(name)) ?? [])

const rootsOf = ({ types = [] }: Shape, by: (rule: TypeRule) => readonly string[], context: CheckContext) =>
  types.flatMap(by).flatMap((canonical) => {
    const found = coreType(canonical) === undefined ? context.definitions.find(canonical) : undefined
    return found?.kind === 'profile' ? [found.profile.root] : []
  })

const isOfUrl = ({ types = [], children }: Shape, url: string): boolean =>
  children.get('url')?.fixed === url ||
  types.some(({ profiles }) => profiles.some((profile) => canonicalOf(profile).url === url))
