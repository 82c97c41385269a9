/** The paths of discriminators, which are a small part of FHIRPath: https://hl7.org/fhir/R4/profiling.html#discriminator. */
import { canonicalOf } from '../terminology/canonical.ts'
import { childrenOf, coreType, type Item, isA } from './item.ts'
import type { Shape, TypeRule } from './shape.ts'
import type { Teller } from './slices.ts'
import { targetOf } from './targets.ts'

export type Step =
  | { readonly kind: 'element'; readonly name: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'resolve' }

/** Characters. */
const MAX_PATH_LENGTH = 500
const STEP = /^(?:resolve\(\)|extension\(['"]([^'"]+)['"]\)|(?:ofType|as)\((\w+)\)|([A-Za-z]\w*)(?:\[x\])?)$/

/** `$this`, `code.coding`, `value.ofType(Quantity).unit`, `extension('http://…').value`, `resolve()`. */
export function stepsOf(path: string): readonly Step[] | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined
  const parts = path.match(/(?:[^.('"]|\([^)]*\))+/g) ?? []
  const steps = parts.filter((part) => part !== '$this').map(stepOf)
  return steps.every((step) => step !== undefined) ? steps : undefined
}

function stepOf(part: string): Step | undefined {
  const found = STEP.exec(part)
  if (found === null) return undefined
  const [, url, type, name] = found
  if (url !== undefined) return { kind: 'extension', url }
  if (type !== undefined) return { kind: 'type', type }
  return name === undefined ? { kind: 'resolve' } : { kind: 'element', name }
}

/** The items that a path leads to. */
export function selected(from: readonly Item[], steps: readonly Step[]): readonly Item[] {
  return steps.reduce<readonly Item[]>((items, step) => items.flatMap((item) => taken(item, step)), from)
}

function taken(item: Item, step: Step): readonly Item[] {
  switch (step.kind) {
    case 'element':
      return childrenOf(item, step.name)
    case 'extension':
      return childrenOf(item, 'extension').filter((one) => childrenOf(one, 'url')[0]?.value === step.url)
    case 'type':
      return isA(item.type, step.type) ? [item] : []
    case 'resolve': {
      const resource = targetOf(item)?.item
      return resource === undefined ? [] : [resource]
    }
  }
}

/** What the slice says at the end of a path; profiles that it names on the way are followed. */
export function shapesAt(from: readonly Shape[], steps: readonly Step[], teller: Teller): readonly Shape[] {
  return steps.reduce<readonly Shape[]>(
    // Each once: profiles that name each other would double at every step.
    (shapes, step) => [...new Set(shapes.flatMap((shape) => shapesIn(shape, step, teller)))],
    from,
  )
}

function shapesIn(shape: Shape, step: Step, teller: Teller): readonly Shape[] {
  teller.step()
  switch (step.kind) {
    case 'element':
      return withSlices(shape.children.get(step.name)) ?? followed(shape, ({ profiles }) => profiles, step.name, teller)
    case 'extension':
      return [...(shape.children.get('extension')?.slices.values() ?? [])].filter((slice) => isOfUrl(slice, step.url))
    case 'type':
      return [...shape.slices.values()]
        .filter(({ types = [] }) => types.some(({ code }) => code === step.type))
        .concat(shape)
    case 'resolve':
      return rootsOf(shape, ({ targets }) => targets, teller)
  }
}

const withSlices = (shape: Shape | undefined): readonly Shape[] | undefined =>
  shape && [shape, ...shape.slices.values()]

const followed = (shape: Shape, by: (rule: TypeRule) => readonly string[], name: string, teller: Teller) =>
  rootsOf(shape, by, teller).flatMap((root) => withSlices(root.children.get(name)) ?? [])

const rootsOf = ({ types = [] }: Shape, by: (rule: TypeRule) => readonly string[], teller: Teller) =>
  types.flatMap(by).flatMap((canonical) => {
    const found = coreType(canonical) === undefined ? teller.knowledge.find(canonical) : undefined
    return found?.is === 'profile' ? [found.profile.root] : []
  })

const isOfUrl = ({ types = [], children }: Shape, url: string): boolean =>
  children.get('url')?.fixed === url ||
  types.some(({ profiles }) => profiles.some((profile) => canonicalOf(profile).url === url))
