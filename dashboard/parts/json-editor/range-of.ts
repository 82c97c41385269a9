/** The position of an element of a resource in the text of an editor. */
import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import { pathOf } from '../../fhir/json-text.ts'

interface Node {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly firstChild: Node | null
  readonly nextSibling: Node | null
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Most milliseconds for parsing the text. */
const PATIENCE = 200

/** The range of the element, or of its nearest ancestor that exists. */
export function rangeOf(state: EditorState, expression: string): Range {
  let node = valueIn(ensureSyntaxTree(state, state.doc.length, PATIENCE)?.topNode ?? null)
  let range: Range = { from: 0, to: Math.min(1, state.doc.length) }
  for (const step of pathOf(expression)) {
    const next = typeof step === 'number' ? itemOf(node, step) : propertyOf(state, node, step)
    if (next === undefined) break
    range = { from: next.from, to: next.to }
    node = valueIn(next)
  }
  return range
}

const VALUES: ReadonlySet<string> = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'])

const children = (node: Node | null): readonly Node[] => {
  const found: Node[] = []
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) found.push(child)
  return found
}

/** The value of a property or of the whole text; a value as it is. */
function valueIn(node: Node | null): Node | null {
  if (node === null || VALUES.has(node.name)) return node
  return children(node).find(({ name }) => VALUES.has(name)) ?? null
}

const itemOf = (node: Node | null, index: number): Node | undefined =>
  node?.name === 'Array' ? children(node).filter(({ name }) => VALUES.has(name))[index] : undefined

/** `value` is also `valueQuantity`. */
function propertyOf(state: EditorState, node: Node | null, wanted: string): Node | undefined {
  const named = children(node).map((property) => ({ property, name: nameIn(state, property) }))
  return (named.find(({ name }) => name === wanted) ?? named.find(({ name }) => isChoice(name, wanted)))?.property
}

const isChoice = (name: string, wanted: string): boolean =>
  name.startsWith(wanted) && /^[A-Z]/.test(name.slice(wanted.length))

function nameIn(state: EditorState, property: Node): string {
  const name = property.name === 'Property' ? property.firstChild : null
  return name === null ? '' : state.sliceDoc(name.from + 1, name.to - 1)
}
