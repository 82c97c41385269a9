/** An editor for JSON, with findings at the element that they are about. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { nonce } from '../nonce.ts'
import { colours } from './colours.ts'
import { rangeOf } from './range-of.ts'

export interface Finding {
  readonly text: string
  /** FHIRPath of the element. */
  readonly expression?: string | undefined
  readonly severity: string | undefined
}

interface JsonEditorProps {
  readonly label: string
  readonly value: string
  readonly findings: readonly Finding[]
  readonly onChange: (text: string) => void
}

export function JsonEditor({ label, value, findings, onChange }: JsonEditorProps) {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const change = useRef(onChange)
  change.current = onChange
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once, and follows the value below
  useEffect(() => {
    if (box.current === null) return
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) change.current(update.state.doc.toString())
    })
    const state = EditorState.create({ doc: value, extensions: [...EXTENSIONS, listener, labelled(label)] })
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
  return <div ref={box} className="json-editor" />
}

function diagnosticOf(state: EditorState, { text, expression, severity }: Finding): Diagnostic {
  const range = rangeOf(state, expression ?? '')
  return {
    ...range,
    message: text,
    severity: severity === 'warning' ? 'warning' : severity === 'information' ? 'info' : 'error',
  }
}

const labelled = (label: string): Extension => EditorView.contentAttributes.of({ 'aria-label': label })

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
