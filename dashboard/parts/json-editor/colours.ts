/** Colours of names and values in the editor; styles.css has them, for light and dark. */
import { syntaxTree } from '@codemirror/language'
import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

const CLASSES: Readonly<Record<string, Decoration>> = {
  PropertyName: Decoration.mark({ class: 'json-name' }),
  String: Decoration.mark({ class: 'json-string' }),
  Number: Decoration.mark({ class: 'json-number' }),
  True: Decoration.mark({ class: 'json-word' }),
  False: Decoration.mark({ class: 'json-word' }),
  Null: Decoration.mark({ class: 'json-word' }),
}

export const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor(view: EditorView) {
      this.decorations = decorate(view)
    }

    update({ docChanged, viewportChanged, startState, state, view }: ViewUpdate): void {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = decorate(view)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

/** The decorations of the visible text. */
function decorate({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        const decoration = CLASSES[node.name]
        if (decoration !== undefined) builder.add(node.from, node.to, decoration)
      },
    })
  }
  return builder.finish()
}
