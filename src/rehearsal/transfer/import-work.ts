/**
 * The work of an import: each step reads some lines of a file, and writes them in changes that also say how far the import is.
 * So it goes on after a restart behind the last line that is stored. See docs/bulk-import.md.
 */
import type { Contents } from '../../content/contents.ts'
import type { AccessOf } from '../../core/clinic-access.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { ensureShipped } from '../../core/shipped.ts'
import { badRequest, FhirError, toOutcome } from '../../fhir/outcome.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { Budget, BudgetError, withBudget } from '../../isolation/budget.ts'
import { type ImportInput, type ImportState, type LaterLine, withInput } from '../../jobs/import/import-state.ts'
import { JOB, type JobFile, type JobOwner, type JobStep, type JobWork, type NamedJob } from '../../jobs/job.ts'
import { StoreUnavailable } from '../../repository/repository.ts'
import { type Done, type ItemReading, importItems, itemTooLong, type Refusal, readItems } from './import.ts'
import { batchesOf, type Item, linesOf } from './items.ts'

export interface ImportServices {
  readonly access: AccessOf
  readonly contents: Contents
  /** Bytes of a line. */
  readonly lineBytes: number
  /** Milliseconds that a change may take. */
  readonly workMilliseconds: number
  /** The JSON of a line. @throws FhirError */
  readonly parse: (bytes: Buffer) => unknown
  readonly failureOf: (error: unknown) => FhirError
}

/** Milliseconds of a step. */
const STEP = 1_500
/** Milliseconds after which the next turn of a job that is lost finds out why. */
const LOST = 100
/** Characters of OperationOutcomes that are kept until they become a file. */
const MOST_PENDING = 64 * 1024
/** Lines of an input that are described; others are counted. */
const MOST_DESCRIBED = 20_000
/** Lines that are tried again, as what they refer to may come later. */
const MOST_LATER = 500
const NOT_HERE_YET = 'reference-not-found'

export const importWork = (services: ImportServices): JobWork => ({
  step: async (job, owner, signal) => await new ImportStep(services, job, owner, signal).run(),
})

/** The job was deleted, or another process works on it. */
class JobLost extends Error {}

/** A line with its place. */
type Line = Item & Pick<LaterLine, 'from' | 'to'>

class ImportStep {
  readonly #services: ImportServices
  readonly #job: NamedJob
  readonly #access: ClinicAccess
  readonly #signal: AbortSignal
  readonly #end = Date.now() + STEP
  #state: ImportState
  /** The input whose lines are read. */
  #input: number
  /** Set once two changes have met, as those of one calendar do: from then on each is prepared after the one before. */
  #hasMet = false

  constructor(services: ImportServices, job: NamedJob, { id, name, role }: JobOwner, signal: AbortSignal) {
    this.#services = services
    this.#job = job
    this.#signal = signal
    this.#state = job.work as ImportState
    this.#input = this.#state.at
    this.#access = bounded(services.access(job.clinic, { kind: 'user', id, name, role }), services.workMilliseconds)
  }

  async run(): Promise<JobStep> {
    try {
      await ensureShipped(this.#services.access(this.#job.clinic, { kind: 'server' }))
      const { at, inputs } = this.#state
      if (at < inputs.length) await this.#readInput()
      else await this.#tryAgain()
      return await this.#result()
    } catch (error) {
      if (error instanceof JobLost) return { work: this.#state, progress: 'ends', rest: LOST }
      throw error
    }
  }

  /** Much that is to be told ends a step, which makes a file of it. */
  get #isOver(): boolean {
    return this.#signal.aborted || Date.now() > this.#end || this.#state.pending.length > MOST_PENDING
  }

  async #readInput(): Promise<void> {
    const { at, inputs, offset, line } = this.#state
    const { sha256 = '', size = 0, type } = inputs[at] as ImportInput
    const { contents, lineBytes } = this.#services
    const pieces = offset < size ? contents.read(this.#job.clinic, sha256, { start: offset, end: size }) : []
    const lines = linesOf(buffers(pieces), lineBytes, { number: line + 1, at: offset })
    let before: Promise<void> = Promise.resolve()
    try {
      for await (const batch of batchesOf(lines)) {
        const earlier = before
        if (this.#hasMet) await earlier
        before = this.#carryOut(batch as readonly Line[], at, type, earlier)
        // A failure is met where it is awaited, perhaps only after more lines have been read.
        before.catch(() => {})
        await earlier
        if (this.#isOver) break
      }
    } finally {
      await before
    }
    if (this.#isOver) return
    this.#state = { ...this.#state, at: at + 1, offset: 0, line: 0 }
  }

  /**
   * Imports lines, and moves on behind them.
   * @param earlier the lines before, which are perhaps still being written: meanwhile the change of these is prepared
   */
  async #carryOut(
    lines: readonly Line[],
    input: number,
    type: string | undefined,
    earlier?: Promise<void>,
  ): Promise<void> {
    const { parsed, refused } = readItems(lines, this.#reading(type), this.#refusalOf)
    const after = ({ items, ...done }: Done): ImportState => {
      const last = parsed[items - 1]?.number ?? 0
      const isDone = ({ number }: { readonly number: number }) => items === parsed.length || number <= last
      const passed = lines.filter(isDone)
      const all = [...refused.filter(isDone), ...done.refused]
      return moved(this.#state, { input, passed, imported: done.imported, updated: done.updated, refused: all, lines })
    }
    const staged = new Set<number>()
    const note = async (ctx: Context, done: Done) => {
      await earlier
      // A change that has been prepared before is made again where the store has changed meanwhile.
      if (staged.has(done.items)) this.#hasMet = true
      staged.add(done.items)
      await this.#note(ctx, after(done))
    }
    const { onlyNew } = this.#state
    const done = await importItems(this.#access, parsed, this.#refusalOf, { note, onlyNew, ...present({ earlier }) })
    await earlier
    this.#state = after({ ...done, items: parsed.length })
  }

  /** Stages how far the import is. @throws JobLost */
  async #note({ unit }: Context, state: ImportState): Promise<void> {
    const record = await unit.records.read(JOB, this.#job.id)
    if (record === undefined || record.value.turn !== this.#job.turn || unit.generation !== this.#job.generation)
      throw new JobLost()
    unit.records.put(JOB, this.#job.id, { ...record.value, work: state }, { due: record.due })
  }

  #refusalOf = (error: unknown): FhirError => {
    if (error instanceof JobLost || error instanceof StoreUnavailable) throw error
    if (error instanceof BudgetError) return tooCostly(error)
    const failure = this.#services.failureOf(error)
    if (failure.status >= 500) throw error
    return failure
  }

  #reading = (type: string | undefined): ItemReading<Line> => ({
    parse: ({ bytes }) => {
      if (bytes === undefined) throw itemTooLong('line', this.#services.lineBytes)
      return inBudget(this.#services.workMilliseconds, () => this.#services.parse(bytes))
    },
    resourceIn: (resource) => {
      checkType(resource, type)
      return withSource(resource, this.#state.source)
    },
  })

  /** Tries lines again that referred to what was not there yet. */
  async #tryAgain(): Promise<void> {
    while (this.#state.later.length > 0 && !this.#isOver) {
      const [{ input, number, from, to }] = this.#state.later as [LaterLine]
      if (input !== this.#input && this.#state.pendingCount > 0) return
      this.#input = input
      const { sha256 = '', type } = this.#state.inputs[input] as ImportInput
      const pieces = this.#services.contents.read(this.#job.clinic, sha256, { start: from, end: to })
      const bytes = Buffer.concat(await Array.fromAsync(pieces))
      await this.#carryOut([{ number, bytes, from, to }], input, type)
    }
  }

  /** Makes a file of the OperationOutcomes so far; the change that saves the step is the first to name it. */
  async #flushed(): Promise<readonly JobFile[]> {
    const { pending, pendingCount } = this.#state
    if (pendingCount === 0) return []
    const { sha256, size } = await this.#keep([Buffer.from(pending)])
    const errors = (one: ImportInput) => ({ ...one, errors: [...one.errors, [sha256, pendingCount] as const] })
    this.#state = { ...withInput(this.#state, this.#input, errors), pending: '', pendingCount: 0 }
    return [{ ...ERRORS, sha256, count: pendingCount, size }]
  }

  #keep(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
    return this.#services.contents.receive(this.#job.clinic, pieces, Number.POSITIVE_INFINITY)
  }

  async #result(): Promise<JobStep> {
    const added = await this.#flushed()
    const { at, inputs, later } = this.#state
    const isDone = at === inputs.length && later.length === 0
    const share = shareOf(this.#state)
    if (!isDone) return { work: this.#state, progress: progressOf(this.#state), share, files: added }
    const files = await this.#errorFiles()
    return { work: this.#state, progress: 'done', share: 1, files, replacesFiles: true, end: 'done' }
  }

  /** One file for each input that has refused lines, in place of several, and of what was fetched. */
  async #errorFiles(): Promise<readonly JobFile[]> {
    const files: JobFile[] = []
    for (const [index, { errors }] of this.#state.inputs.entries()) {
      if (errors.length === 0) continue
      const { contents } = this.#services
      const { clinic } = this.#job
      async function* all(): AsyncGenerator<Uint8Array> {
        for (const [sha256] of errors) yield* contents.read(clinic, sha256)
      }
      const { sha256, size } = await this.#keep(all())
      const count = errors.reduce((sum, [, more]) => sum + more, 0)
      this.#state = withInput(this.#state, index, (input) => ({ ...input, errors: [[sha256, count]] }))
      files.push({ ...ERRORS, sha256, count, size })
    }
    return files
  }
}

const ERRORS = { use: 'error', type: 'OperationOutcome' } as const

/** The outcome of some lines of an input. */
interface Outcome extends Pick<Done, 'imported' | 'updated' | 'refused'> {
  readonly input: number
  readonly passed: readonly Line[]
  readonly lines: readonly Line[]
}

/** The state behind the lines that are passed. */
function moved(before: ImportState, { input, passed, lines, imported, updated, refused }: Outcome): ImportState {
  const last = passed.at(-1)
  if (last === undefined) return before
  const isAgain = before.at === before.inputs.length
  const room = isAgain ? 0 : MOST_LATER - before.later.length
  const waiting = refused.filter(({ error }) => error.code === NOT_HERE_YET).slice(0, Math.max(0, room))
  const final = refused.filter((one) => !waiting.includes(one))
  const counted = withInput(before, input, (one) => ({
    ...one,
    imported: one.imported + imported,
    updated: one.updated + updated,
    refused: one.refused + final.length,
  }))
  const described = final.slice(0, Math.max(0, MOST_DESCRIBED - (before.inputs[input]?.refused ?? 0)))
  const text = described.map((one) => `${JSON.stringify(outcomeOf(one, before.inputs[input]?.url ?? ''))}\n`).join('')
  const later = isAgain ? before.later.slice(1) : [...before.later, ...placesOf(waiting, lines, input)]
  return {
    ...counted,
    ...(isAgain ? {} : { offset: last.to, line: last.number }),
    later,
    pending: before.pending + text,
    pendingCount: before.pendingCount + described.length,
  }
}

const placesOf = (waiting: readonly Refusal[], lines: readonly Line[], input: number): readonly LaterLine[] =>
  lines.flatMap(({ number, from, to }) =>
    waiting.some((one) => one.number === number) ? [{ input, number, from, to }] : [],
  )

/** The extension of an issue with the number of its line: https://hl7.org/fhir/R4/extension-operationoutcome-issue-line.html */
const LINE = 'http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-line'

function outcomeOf({ number, resource, error }: Refusal, url: string): object {
  const where = `Line ${number} of ${url}${resource === undefined ? '' : ` (${resource})`}`
  const { issue, ...outcome } = toOutcome(error.issues)
  return {
    ...outcome,
    issue: issue.map((one) => ({
      extension: [{ url: LINE, valueInteger: number }],
      ...one,
      diagnostics: `${where}: ${one.diagnostics}`,
    })),
  }
}

const tooCostly = ({ what }: BudgetError): FhirError =>
  new FhirError(422, { code: 'too-costly', diagnostics: `The line takes more work than one may, at ${what}` })

function checkType(resource: unknown, type: string | undefined): void {
  if (type === undefined || !isObject(resource) || typeof resource.resourceType !== 'string') return
  if (resource.resourceType === type) return
  const found = resource.resourceType.slice(0, 64)
  throw badRequest(`The line has a resource of the type '${found}', in a file of the type ${type}`)
}

function withSource(resource: unknown, source: string | undefined): unknown {
  if (source === undefined || !isObject(resource)) return resource
  const { meta } = resource
  if (meta !== undefined && (!isObject(meta) || meta.source !== undefined)) return resource
  return { ...resource, meta: { ...meta, source } }
}

const shareOf = ({ at, inputs, offset }: ImportState): number => {
  const size = inputs[at]?.size ?? 0
  return (at + (size === 0 ? 0 : offset / size)) / (inputs.length + 1)
}

function progressOf({ at, inputs }: ImportState): string {
  const sum = inputs.reduce((all, { imported, updated }) => all + imported + updated, 0)
  return `file ${Math.min(at + 1, inputs.length)} of ${inputs.length}, ${sum} resources`
}

/** Each change has a budget of its own, as a request has. */
const bounded = (access: ClinicAccess, milliseconds: number): ClinicAccess => ({
  ...access,
  change: (work, options) => inBudget(milliseconds, () => access.change(work, options)),
})

const inBudget = <T>(milliseconds: number, work: () => T): T =>
  withBudget(new Budget({ canMove: false, endsAt: Date.now() + milliseconds, readingMs: milliseconds }), work)

async function* buffers(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of pieces) yield Buffer.from(buffer, byteOffset, byteLength)
}

/** A file at an address. */
interface Source {
  /** Its bytes. @throws UnreadableSource, and any other error where it broke off */
  readonly pieces: AsyncIterable<Uint8Array>
  readonly leave: () => void
}

/** Opens a file at an address: its bytes, or why there are none. */
export type OpenSource = (
  url: string,
  signal: AbortSignal,
) => Promise<Source | { readonly retry: boolean; readonly reason: string }>

/** The bytes of a file are at fault, so that it is not fetched again. Its message goes on after a colon. */
export class UnreadableSource extends Error {}

/** Whether the next file is still to be fetched. */
export function isToBeFetched({ work }: Pick<NamedJob, 'work'>): boolean {
  const { at, inputs } = work as ImportState
  const input = inputs[at]
  return input !== undefined && input.sha256 === undefined
}

/** Tries to fetch a file, and milliseconds between them. */
const TRIES = 3
const BETWEEN = 2_000

/** A step of an import that fetches the next file. */
export async function fetchStep(
  { contents, open, most }: { readonly contents: Contents; readonly open: OpenSource; readonly most: number },
  { clinic, work }: NamedJob,
  signal: AbortSignal,
): Promise<JobStep> {
  const state = work as ImportState
  const url = state.inputs[state.at]?.url ?? ''
  const fetched = await received(contents, clinic, () => open(url, signal), most)
  if ('sha256' in fetched) {
    const { sha256, size } = fetched
    const next = withInput({ ...state, tries: 0 }, state.at, (input) => ({ ...input, sha256, size }))
    const file: JobFile = { use: 'state', type: '', sha256, count: 0, size }
    return { work: next, progress: progressOf(next), share: shareOf(next), files: [file] }
  }
  const tries = state.tries + 1
  if (fetched.retry && tries < TRIES) {
    return { work: { ...state, tries }, progress: progressOf(state), rest: BETWEEN }
  }
  return await withoutInput(contents, clinic, state, `The file cannot be imported: ${fetched.reason}`)
}

/** Goes on with the next file, and tells why. */
async function withoutInput(
  contents: Contents,
  clinic: string,
  state: ImportState,
  diagnostics: string,
): Promise<JobStep> {
  const url = state.inputs[state.at]?.url ?? ''
  const text = `${JSON.stringify(toOutcome([{ code: 'not-found', diagnostics: `${url}: ${diagnostics}` }]))}\n`
  const { sha256, size } = await contents.receive(clinic, [Buffer.from(text)], Number.POSITIVE_INFINITY)
  const told = withInput(state, state.at, (input) => ({ ...input, errors: [[sha256, 1]] }))
  const next = { ...told, at: state.at + 1, tries: 0 }
  return {
    work: next,
    progress: progressOf(next),
    share: shareOf(next),
    files: [{ ...ERRORS, sha256, count: 1, size }],
  }
}

async function received(contents: Contents, clinic: string, open: () => ReturnType<OpenSource>, most: number) {
  const source = await open()
  if ('reason' in source) return source
  try {
    return await contents.receive(clinic, source.pieces, most)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    const isTooLong = error instanceof FhirError && error.status === 413
    if (isTooLong) return { retry: false, reason: `it has more than ${most} bytes` }
    return error instanceof UnreadableSource
      ? { retry: false, reason: error.message }
      : { retry: true, reason: 'it broke off' }
  } finally {
    source.leave()
  }
}
