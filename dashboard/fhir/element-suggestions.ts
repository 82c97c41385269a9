/** The elements and codes that may stand at a place of a resource in JSON, by the definitions of its type. */
import { elementsIn, type Scope, scopeOf, scopeWithin, type TypedElement } from './definitions.ts'
import type { Known } from './template.ts'

interface Wanted {
  /** The members that lead there, without the numbers of lists. */
  readonly path: readonly string[]
  /** Whether the name of a member is written; otherwise a value. */
  readonly isName: boolean
  readonly word: string
}

interface Found {
  readonly text: string
  readonly hint?: string
}

/** @param before the text up to the cursor */
export async function elementSuggestions(wanted: Wanted, before: string, known: Known): Promise<readonly Found[]> {
  const { path, isName, word } = wanted
  if (!isName && path.at(-1) === 'resourceType') return known.types.map((text) => ({ text }))
  const place = await placeAt(isName ? path : path.slice(0, -1), before, known)
  if (place === undefined) return isName ? [{ text: 'resourceType' }] : []
  const elements = elementsIn(place.scope)
  if (isName) return elements.map((element) => ({ text: element.name, hint: hintOf(element) }))
  const element = elements.find(({ name }) => name === path.at(-1))
  return element === undefined ? [] : valuesOf(element, place, { word, known })
}

interface Reached {
  readonly scope: Scope
  /** The element that was gone into last, whose binding holds for the codes in it. */
  readonly bound?: TypedElement
}

const RESOURCE_TYPE = /"resourceType"\s*:\s*"(\w+)"/g

async function placeAt(path: readonly string[], before: string, known: Known): Promise<Reached | undefined> {
  const types = [...before.matchAll(RESOURCE_TYPE)].map(([, type = '']) => type)
  const root = await known.define(types[0] ?? '')
  let reached: Reached | undefined = root && { scope: scopeOf(root) }
  for (const step of path) {
    if (reached === undefined) return undefined
    reached = await inside(reached, step, { known, inner: types.at(-1) ?? '' })
  }
  return reached
}

interface Way {
  readonly known: Known
  /** The type of the resource that a resource within another is, as far as it is written. */
  readonly inner: string
}

async function inside({ scope, bound }: Reached, step: string, { known, inner }: Way): Promise<Reached | undefined> {
  const element = elementsIn(scope).find(({ name }) => name === step)
  if (element === undefined) return undefined
  const within =
    element.type.code === 'Resource'
      ? await known.define(inner).then((found) => found && scopeOf(found))
      : await scopeWithin(scope, element, known.define)
  const binding = element.binding === undefined ? bound : element
  return within && { scope: within, ...(binding === undefined ? {} : { bound: binding }) }
}

function hintOf({ type, isMany, min, binding }: TypedElement): string {
  const target = type.targets.length === 0 ? '' : ` to ${type.targets.slice(0, 3).join(', ')}`
  const what = `${type.code}${target}${isMany ? ', a list' : ''}`
  return [what, min > 0 ? 'required' : '', binding === undefined ? '' : 'codes'].filter(Boolean).join(' · ')
}

/** Codes that the server gives at once; where there are more, those that match what is written are asked for. */
const MANY = 200

async function valuesOf(
  { name, type, binding }: TypedElement,
  { bound }: Reached,
  { word, known }: { readonly word: string; readonly known: Known },
): Promise<readonly Found[]> {
  if (name === 'reference') return known.types.map((text) => ({ text: `${text}/` }))
  const valueSet = binding?.valueSet ?? (CODED.has(name) ? bound?.binding?.valueSet : undefined)
  if (valueSet === undefined || !(type.code === 'code' || CODED.has(name))) return []
  const all = await known.codes(valueSet)
  const codes = all.length < MANY || word === '' ? all : await known.codes(valueSet, word)
  if (name === 'system') return [...new Set(codes.flatMap(({ system }) => system ?? []))].map((text) => ({ text }))
  if (name === 'display') return codes.flatMap(({ code, display }) => (display ? [{ text: display, hint: code }] : []))
  return codes.map(({ code, display }) => (display === undefined ? { text: code } : { text: code, hint: display }))
}

/** The parts of a Coding, whose value set is that of the element around it. */
const CODED: ReadonlySet<string> = new Set(['code', 'system', 'display'])
