/** An editor for JSON, with findings at the element that they are about. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, type ViewUpdate } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import type { ProblemIssue } from '../../api/problem.ts'
import { nonce } from '../nonce.ts'
import { colours } from './colours.ts'
import { completionAttributes, type Suggest, SuggestionList, type TextSurface, useCompletion } from './completion.tsx'
import { rangeOf } from './range-of.ts'

interface JsonEditorProps {
  readonly label: string
  readonly value: string
  readonly findings: readonly ProblemIssue[]
  readonly onChange: (text: string) => void
  /** The texts that may stand at the cursor; none where it is absent. */
  readonly suggest?: Suggest
}

const NOTHING: Suggest = () => []

export function JsonEditor({ label, value, findings, onChange, suggest = NOTHING }: JsonEditorProps) {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const completion = useCompletion(() => surfaceOf(view.current, box.current), suggest)
  const current = useRef({ onChange, completion })
  current.current = { onChange, completion }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once, and follows the value below
  useEffect(() => {
    if (box.current === null) return
    const listener = EditorView.updateListener.of((update) => follow(update, current.current))
    const keys = EditorView.domEventHandlers({
      keydown: (event) => current.current.completion.onKey(event),
      blur: () => current.current.completion.close(),
    })
    const extensions = [Prec.highest(keys), ...EXTENSIONS, listener, labelled(label)]
    const state = EditorState.create({ doc: value, extensions })
    const made = new EditorView({ state, parent: box.current })
    view.current = made
    return () => made.destroy()
  }, [])
  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    editor.dispatch(
      setDiagnostics(
        editor.state,
        findings.map((finding) => diagnosticOf(editor.state, finding)),
      ),
    )
  }, [findings])
  useEffect(() => {
    const content = view.current?.contentDOM
    for (const [name, text] of Object.entries(completionAttributes(completion))) {
      if (text === undefined) content?.removeAttribute(name)
      else content?.setAttribute(name, text)
    }
  })
  return (
    <div ref={box} className="json-editor">
      <SuggestionList completion={completion} />
    </div>
  )
}

interface Followed {
  readonly onChange: (text: string) => void
  readonly completion: ReturnType<typeof useCompletion>
}

/** Tells of changes, and offers what may stand where the user writes. */
function follow(
  { docChanged, selectionSet, state, transactions }: ViewUpdate,
  { onChange, completion }: Followed,
): void {
  if (docChanged) onChange(state.doc.toString())
  const isWritten = transactions.some((one) => one.isUserEvent('input.type') || one.isUserEvent('delete'))
  if (docChanged && isWritten) void completion.offer(false)
  else if (docChanged || selectionSet) completion.close()
}

function surfaceOf(view: EditorView | null, box: HTMLElement | null): TextSurface | undefined {
  if (view === null || box === null) return undefined
  return {
    text: view.state.doc.toString(),
    cursor: view.state.selection.main.head,
    replace: ({ from, to, insert }) => {
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length },
        userEvent: 'input.complete',
      })
      view.focus()
    },
    placeOf: (cursor) => {
      const place = view.coordsAtPos(cursor)
      const { left, top, width } = box.getBoundingClientRect()
      if (place === null) return {}
      return { top: place.bottom - top, left: Math.max(0, Math.min(place.left - left, width - 280)) }
    },
  }
}

function diagnosticOf(state: EditorState, { text, expression, severity }: ProblemIssue): Diagnostic {
  const range = rangeOf(state, expression ?? '')
  return {
    ...range,
    message: text,
    severity: severity === 'warning' ? 'warning' : severity === 'information' ? 'info' : 'error',
  }
}

// The text takes the focus as it is; said in words, it is also known to be what scrolls by keyboard.
const labelled = (label: string): Extension => EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })

const EXTENSIONS: readonly Extension[] = [
  EditorView.cspNonce.of(nonce()),
  lineNumbers(),
  history(),
  drawSelection(),
  bracketMatching(),
  indentUnit.of('  '),
  json(),
  EditorView.lineWrapping,
  // Tab leaves the editor, as it leaves any field; Ctrl Enter belongs to the form around the editor.
  keymap.of([{ key: 'Mod-Enter', run: () => true }, ...defaultKeymap, ...historyKeymap]),
  colours,
  EditorView.theme({
    '&': { fontSize: '13px', backgroundColor: 'transparent' },
    '.cm-scroller': { fontFamily: 'ui-monospace, Menlo, Consolas, monospace', maxHeight: '50vh', minHeight: '160px' },
    '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
    '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'light-dark(#c5f6fa, #084c58) !important',
    },
    '.cm-tooltip': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  }),
]
