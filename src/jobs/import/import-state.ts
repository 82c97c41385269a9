/** The work of a job of the kind `import`: the files to read, and how far it is. */

export interface ImportInput {
  /** The type of all resources in it; absent: any. */
  readonly type?: string
  /** The address, as the client has sent it. */
  readonly url: string
  /** The content with its bytes, and their number; absent: it is still to be fetched. */
  readonly sha256?: string
  readonly size?: number
  /** Resources that were new, those that had been there, and those refused. */
  readonly imported: number
  readonly updated: number
  readonly refused: number
  /** The SHA-256 of each file of OperationOutcomes, with the number of these. */
  readonly errors: readonly (readonly [sha256: string, count: number])[]
}

/** A line that refers to what was not there when it was read. */
export interface LaterLine {
  readonly input: number
  readonly number: number
  readonly from: number
  readonly to: number
}

export interface ImportState {
  readonly inputs: readonly ImportInput[]
  /** Set as `Resource.meta.source` where a resource has none. */
  readonly source?: string
  readonly onlyNew: boolean
  /** The input that is read; at the end of all those lines are tried again that come later. */
  readonly at: number
  /** Bytes and lines of it that are done. */
  readonly offset: number
  readonly line: number
  readonly later: readonly LaterLine[]
  /** OperationOutcomes of the input that are in no file yet: NDJSON, and their number. */
  readonly pending: string
  readonly pendingCount: number
  /** Tries to fetch the input that have failed. */
  readonly tries: number
}

export const newImport = (
  inputs: readonly Pick<ImportInput, 'type' | 'url' | 'sha256' | 'size'>[],
  more: Pick<ImportState, 'onlyNew' | 'source'>,
): ImportState => ({
  ...more,
  inputs: inputs.map((input) => ({ ...input, imported: 0, updated: 0, refused: 0, errors: [] })),
  ...{ at: 0, offset: 0, line: 0, later: [], pending: '', pendingCount: 0, tries: 0 },
})

/** The state with changes of one input. */
export const withInput = (
  state: ImportState,
  index: number,
  change: (input: ImportInput) => ImportInput,
): ImportState => ({
  ...state,
  inputs: state.inputs.map((input, at) => (at === index ? change(input) : input)),
})
