/**
 * The work of an export: each step writes one file, with resources of one type as they were at the time T, so that it goes on after a
 * restart with the next file. https://hl7.org/fhir/uv/bulkdata/STU2/export.html
 */
import type { Group } from 'fhir/r4'
import type { Contents } from '../../content/contents.ts'
import type { AccessOf } from '../../core/clinic-access.ts'
import type { Context } from '../../core/context.ts'
import { membersOf } from '../../core/group-members.ts'
import { mayHaveMarkers } from '../../fhir/content/marker.ts'
import { conflict, toOutcome, unprocessable } from '../../fhir/outcome.ts'
import { searchWithTrail } from '../../record/audit/combined-search.ts'
import { isTrailId } from '../../record/audit/trail-reader.ts'
import type { Repository, StoredResource } from '../../repository/repository.ts'
import { type Condition, plainPage } from '../../search/plan.ts'
import { subsetText } from '../../search/query/subset-text.ts'
import type { JobFile, JobStep, JobWork, NamedJob } from '../job.ts'
import { type ExportState, TRAIL } from './export-state.ts'
import { lastVersions, versionsBefore } from './last-versions.ts'
import { Selection } from './selection.ts'

export interface ExportServices {
  readonly repository: Repository
  readonly access: AccessOf
  readonly contents: Contents
  /** The text of a resource with its contents in place of their markers. */
  readonly filledIn: (clinic: string, text: string) => Promise<AsyncIterable<Uint8Array>>
}

/** Milliseconds between T and the beginning of the scan: changes that have begun before T are mostly committed then. */
const SETTLED = 1_000
/** Milliseconds that a change may take from its beginning to its commit: one that is later shows as one version more before T. */
const LONGEST_CHANGE = 660_000
/** A file ends with the page that reaches one of these: resources, bytes, milliseconds of work. */
const FULL = { count: 50_000, bytes: 64 * 1024 * 1024, milliseconds: 1_500 }
/** Members of a Group: their ids are in memory. */
const MOST_MEMBERS = 100_000
const ALL = 'export all patients, with _typeFilter'
/** Bytes of a file, whatever contents are in it. */
const MOST_BYTES = 4 * 1024 ** 3
/** Attachment.url in an export is absolute, as nobody knows the base of a file: https://hl7.org/fhir/uv/bulkdata/STU2/export.html#attachments */
const RELATIVE_ATTACHMENT = '"url":"Binary/'

export const exportWork = (services: ExportServices): JobWork => ({
  step: async (job, { id, name, role }) => {
    const state = job.work as ExportState
    const { repository, access } = services
    if (state.transactionTime === undefined) {
      const work: ExportState = { ...state, transactionTime: repository.machineTime }
      return { work, progress: 'begins', share: 0, rest: SETTLED }
    }
    const generation = await repository.generation(job.clinic)
    if (generation.number !== job.generation) throw conflict('The clinic was reset, so the data of the export are gone')
    const ctx = await access(job.clinic, { kind: 'user', id, name, role }, generation).reader()
    return await new ExportStep(services, ctx, job, state, state.transactionTime).run()
  },
})

class ExportStep {
  readonly #services: ExportServices
  readonly #ctx: Context
  readonly #job: NamedJob
  readonly #at: number
  readonly #end = Date.now() + FULL.milliseconds
  readonly #deleted: string[] = []
  #state: ExportState
  #count = 0
  #bytes = 0

  constructor(services: ExportServices, ctx: Context, job: NamedJob, state: ExportState, at: number) {
    this.#services = services
    this.#ctx = ctx
    this.#job = job
    this.#state = state
    this.#at = at
  }

  async run(): Promise<JobStep> {
    if (this.#state.before === undefined) {
      const before = await versionsBefore(this.#ctx.unit, this.#at, LONGEST_CHANGE)
      if (before === undefined) return this.#progress([], SETTLED)
      this.#state = { ...this.#state, before }
      const files = await this.#firstFiles()
      if (files.length > 0) return this.#progress(files)
    }
    const selection = await Selection.of(this.#ctx, { ...this.#state, ...(await this.#members()) }, this.#at)
    const files = await this.#nextFiles(selection)
    if (this.#type !== undefined) return this.#progress(files)
    return await this.#checked(files)
  }

  get #isOfGroup(): boolean {
    return this.#state.group !== undefined && this.#state.patients === undefined
  }

  async #firstFiles(): Promise<readonly JobFile[]> {
    const members = this.#isOfGroup ? [await this.#membersFile()] : []
    const { notes = [] } = this.#state
    return notes.length === 0 ? members : [...members, await this.#notesFile(notes)]
  }

  /** An OperationOutcome for each parameter that was ignored: https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status */
  async #notesFile(notes: readonly string[]): Promise<JobFile> {
    const lines = notes.map((diagnostics) => toOutcome([{ severity: 'warning', code: 'not-supported', diagnostics }]))
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    return await this.#fileOf(text, { use: 'error', type: 'OperationOutcome', count: notes.length })
  }

  /** The members of the Group as they are now: in a file, as there may be many. @throws FhirError 404, 422 */
  async #membersFile(): Promise<JobFile> {
    const { resource } = await this.#ctx.read<Group>('Group', this.#state.group ?? '')
    const ids: string[] = []
    for await (const page of membersOf(this.#ctx, resource)) {
      ids.push(...page)
      if (ids.length > MOST_MEMBERS) throw unprocessable(`The Group has more than ${MOST_MEMBERS} members; ${ALL}`)
    }
    return await this.#fileOf(JSON.stringify(ids), { use: 'state', type: 'Group', count: ids.length })
  }

  async #members(): Promise<Pick<ExportState, 'patients'>> {
    const file = this.#isOfGroup ? this.#job.files.find(({ use }) => use === 'state') : undefined
    if (file === undefined) return {}
    const bytes = Buffer.concat(await Array.fromAsync(this.#services.contents.read(this.#job.clinic, file.sha256)))
    return { patients: JSON.parse(bytes.toString()) as readonly string[] }
  }

  get #type(): string | undefined {
    return this.#state.types[this.#state.at]
  }

  #progress(files: readonly JobFile[], rest = 0): JobStep {
    const { written, at, types } = this.#state
    const progress = `${written} ${written === 1 ? 'resource' : 'resources'}, ${this.#type ?? 'all types'}`
    return { work: this.#state, progress, share: types.length === 0 ? 1 : at / types.length, files, rest }
  }

  /** The end, unless a change that began before T was committed after the scan had begun: then it is done again, with the same T. */
  async #checked(files: readonly JobFile[]): Promise<JobStep> {
    const now = await versionsBefore(this.#ctx.unit, this.#at, LONGEST_CHANGE)
    if (now === undefined) return this.#progress(files, SETTLED)
    if (now === this.#state.before) return { ...this.#progress(files), share: 1, end: 'done' }
    const { before: _before, after: _after, ...asked } = this.#state
    const work: ExportState = { ...asked, at: 0, written: 0 }
    return { work, progress: 'begins again', share: 0, files: [], replacesFiles: true }
  }

  async #nextFiles(selection: Selection): Promise<readonly JobFile[]> {
    const pieces = this.#pieces(selection)
    const first = await pieces.next()
    const { clinic } = this.#job
    const output: JobFile[] = []
    if (first.done !== true) {
      const type = (this.#type ?? '').replace(TRAIL, 'AuditEvent')
      const { sha256, size } = await this.#services.contents.receive(clinic, together(first.value, pieces), MOST_BYTES)
      output.push({ use: 'output', type, sha256, count: this.#count, size })
    }
    if (this.#deleted.length > 0) output.push(await this.#deletedFile())
    // A type ends with its file, so that no file has resources of two types.
    if (this.#state.after === undefined && this.#type !== undefined) this.#nextType()
    this.#state = { ...this.#state, written: this.#state.written + this.#count }
    return output
  }

  async #deletedFile(): Promise<JobFile> {
    return await this.#fileOf(this.#deleted.join(''), { use: 'deleted', type: 'Bundle', count: this.#deleted.length })
  }

  async #fileOf(text: string, file: Omit<JobFile, 'sha256' | 'size'>): Promise<JobFile> {
    const { contents } = this.#services
    const { sha256, size } = await contents.receive(this.#job.clinic, [Buffer.from(text)], MOST_BYTES)
    return { ...file, sha256, size }
  }

  #nextType(): void {
    const { after: _after, ...state } = this.#state
    this.#state = { ...state, at: state.at + 1 }
  }

  /** The lines of the next file: of the first type from here that has some. */
  async *#pieces(selection: Selection): AsyncGenerator<Uint8Array> {
    for (let type = this.#type; type !== undefined && Date.now() < this.#end; type = this.#type) {
      yield* this.#piecesOf(type, selection)
      if (this.#state.after !== undefined || this.#count > 0) return
      this.#nextType()
    }
  }

  async *#piecesOf(type: string, selection: Selection): AsyncGenerator<Uint8Array> {
    for (;;) {
      const page = await this.#page(type)
      yield* this.#linesOf(page.items, selection)
      const { after: _after, ...state } = this.#state
      this.#state = page.next === undefined ? state : { ...state, after: page.next }
      if (page.next === undefined || this.#isFull) return
    }
  }

  #page(type: string): Promise<{ readonly items: readonly StoredResource[]; readonly next?: string }> {
    const { after, since } = this.#state
    if (type !== TRAIL) return lastVersions(this.#ctx.unit, type, this.#at, { after, since })
    return trailPage(this.#ctx, this.#at, after)
  }

  get #isFull(): boolean {
    return this.#count >= FULL.count || this.#bytes >= FULL.bytes || Date.now() >= this.#end
  }

  /** One piece of many lines, but for resources with contents, which are written as they are read. */
  async *#linesOf(versions: readonly StoredResource[], selection: Selection): AsyncGenerator<Uint8Array> {
    const lines: string[] = []
    for (const version of versions) {
      if (!selection.isInTime(version)) continue
      if (version.method === 'DELETE') await this.#delete(version, selection)
      else if (await selection.has(version)) {
        this.#count += 1
        const text = this.#textOf(version)
        if (mayHaveMarkers(text)) yield* this.#filledIn(text)
        else lines.push(`${text}\n`)
      }
    }
    if (lines.length > 0) yield* this.#counted([Buffer.from(lines.join(''))])
  }

  async *#filledIn(text: string): AsyncGenerator<Uint8Array> {
    yield* this.#counted(await this.#services.filledIn(this.#job.clinic, text))
    yield* this.#counted([Buffer.from('\n')])
  }

  async *#counted(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.#bytes += piece.length
      yield piece
    }
  }

  #textOf({ type, text }: StoredResource): string {
    const { elements } = this.#state
    const told = elements === undefined ? text : subsetText(text, type, { summary: undefined, elements })
    return type === 'Bundle' ? told : told.replaceAll(RELATIVE_ATTACHMENT, `"url":"${this.#job.base}/Binary/`)
  }

  /** Deletions are told to those who ask for changes since a time. */
  async #delete(version: StoredResource, selection: Selection): Promise<void> {
    const { type, id } = version
    if (this.#state.since === undefined) return
    const before = selection.isWhole(type) ? undefined : await this.#ctx.unit.readVersion(type, id, version.version - 1)
    if (before !== undefined && (before.deleted || !(await selection.has(before)))) return
    const entry = [{ request: { method: 'DELETE', url: `${type}/${id}` } }]
    this.#deleted.push(`${JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry })}\n`)
  }
}

/** Events of the audit trail, in pages; those that clinics have stored are resources like others. */
async function trailPage(ctx: Context, at: number, after: string | undefined) {
  if (ctx.trail === undefined) return { items: [] }
  const where: Condition[] = [{ kind: 'lastUpdated', bounds: { highMax: at } }]
  const plan = plainPage({ clinic: ctx.clinic, types: ['AuditEvent'], where, count: EVENTS, after })
  const { matches, next } = await searchWithTrail(ctx.trail, ctx.unit, plan)
  const items = matches.filter(({ id }) => isTrailId(id))
  return next === undefined ? { items } : { items, next }
}

/** Events of a page. */
const EVENTS = 500

async function* together(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
