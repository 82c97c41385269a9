/**
 * $export of all data, of the records of patients, and of those of a Group: checks what is asked for, and starts a job.
 * https://hl7.org/fhir/uv/bulkdata/STU2/export.html#bulk-data-kick-off-request
 */
import type { Group, Reference } from 'fhir/r4'
import type { ClinicAccess, Context, UserAgent } from '../core/context.ts'
import { membersOf } from '../core/group-members.ts'
import { Accepted, defineOperation, type OperationHandler, type OperationRequest } from '../core/operation.ts'
import { noResourceType } from '../fhir/closest-name.ts'
import { patientRecord } from '../fhir/compartments.ts'
import { isResourceType, resourceTypes } from '../fhir/definitions.ts'
import { badRequest, FhirError, information, toOutcome } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { present } from '../fhir/resource.ts'
import { type ExportRequest, type ExportState, TRAIL } from '../jobs/export/export-state.ts'
import { filtersOf } from '../jobs/export/selection.ts'
import { jobAddress, stageJob } from '../jobs/jobs.ts'
import { elementsFrom } from '../search/query/subset.ts'

const FORMATS = ['application/fhir+ndjson', 'application/ndjson', 'ndjson']
const ASSOCIATED = { LatestProvenanceResources: 'latest', RelevantProvenanceResources: 'relevant' } as const
/** Patients that one request may name, queries of _typeFilter, characters of a query, values of any other list, notes, and characters of one. */
const MOST = { patients: 1_000, filters: 100, query: 4_000, values: 1_000, notes: 100, note: 300 }
const RETRY_AFTER_SECONDS = 1

/** Beside types that records have, it is no error: https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters */
const OUTSIDE = 'is not in the records of patients; $export of all data has it'

const FOR_ADMINS = 'Only admins export AuditEvents'

type Level = ExportRequest['level']

const exportOf =
  (level: Level): OperationHandler =>
  async (request) => {
    const { access, base = access.baseUrl, url = '' } = request
    if (request.prefersAsync !== true)
      throw badRequest('An export is made in the background; send Prefer: respond-async')
    const user = userOf(access)
    const { id, notes } = await access.change(async (ctx) => {
      const asked = new Asked(ctx, request, level, user)
      const work: ExportState = { ...(await asked.read()), at: 0, written: 0 }
      const id = await stageJob(ctx.unit, { kind: 'export', user, request: base + url, base, work })
      return { id, notes: work.notes ?? [] }
    })
    const state = { address: jobAddress(base, id), progress: 'waiting', retryAfterSeconds: RETRY_AFTER_SECONDS }
    const told = [`The export is made in the background, as job ${id}`, ...notes]
    return new Accepted(toOutcome(told.map((text) => information(text))), state)
  }

export const systemExport = defineOperation('export', exportOf('system'), { isInBackground: true })
export const patientExport = defineOperation('patient-export', exportOf('patient'), { isInBackground: true })
export const groupExport = defineOperation('group-export', exportOf('patient'), { isInBackground: true })

function userOf({ agent }: ClinicAccess): UserAgent {
  if (agent.kind === 'user') return agent
  throw new FhirError(403, { code: 'forbidden', diagnostics: 'Only users may export data' })
}

/** The parameters of one request, checked one after the other. */
class Asked {
  readonly #ctx: Context
  readonly #request: OperationRequest
  readonly #level: Level
  readonly #user: UserAgent
  /** Sentences about what is left out of the request. */
  readonly #notes = new Set<string>()

  constructor(ctx: Context, request: OperationRequest, level: Level, user: UserAgent) {
    this.#ctx = ctx
    this.#request = request
    this.#level = level
    this.#user = user
  }

  /** @throws FhirError 400, unless the client prefers handling=lenient: then what cannot be done is left out; 403, 404 */
  async read(): Promise<ExportRequest> {
    this.#checkFormat()
    const provenance = this.#provenance()
    const named = this.#types(provenance !== 'all')
    const types = named ?? this.#allTypes()
    const filters = await this.#filters(types)
    const patients = await this.#patients()
    for (const { name } of this.#request.ignored ?? []) this.#note(name, 'is no parameter of $export')
    const { _since: since, _until: until } = this.#request.input
    return {
      level: this.#level,
      types: types.includes('AuditEvent') && this.#user.role !== 'staff' ? [...types, TRAIL] : types,
      filters,
      provenance,
      ...patients,
      ...present({ elements: this.#elements(types), since: timeIn(since), until: timeIn(until) }),
      ...(this.#notes.size === 0 ? {} : { notes: [...this.#notes] }),
    }
  }

  /** Refuses a value, unless the client is content with less. */
  #refuse(name: string, why: string | (() => string)): void {
    if (this.#request.isLenient === true) this.#note(name, why)
    else throw badRequest(`${name}: ${typeof why === 'string' ? why : why()}`, { expression: name })
  }

  #note(name: string, why: string | (() => string)): void {
    if (this.#notes.size < MOST.notes)
      this.#notes.add(`${name}: ${typeof why === 'string' ? why : why()}`.slice(0, MOST.note))
  }

  /**
   * The values of a parameter, which may be repeated, and lists.
   * @param most values
   * @param separator of the values in a list
   */
  #listOf(name: string, most = MOST.values, separator: RegExp = /,/): readonly string[] {
    const { [name]: given } = this.#request.input
    const texts = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string')
    const values = texts
      .flatMap((one) => one.split(separator))
      .map((one) => one.trim())
      .filter((one) => one !== '')
    if (values.length <= most) return values
    throw badRequest(`${name} has ${values.length} values, and may have ${most}`, { expression: name })
  }

  #checkFormat(): void {
    const { _outputFormat: format } = this.#request.input
    // A plus sign that was not percent-encoded arrives as a space.
    if (format === undefined || FORMATS.includes(String(format).trim().toLowerCase().replace('fhir ', 'fhir+'))) return
    this.#refuse('_outputFormat', `the files are NDJSON: ${FORMATS.join(', ')}`)
  }

  #provenance(): ExportRequest['provenance'] {
    const known = this.#listOf('includeAssociatedData').flatMap((value) => {
      if (Object.hasOwn(ASSOCIATED, value)) return [ASSOCIATED[value as keyof typeof ASSOCIATED]]
      this.#refuse('includeAssociatedData', `'${value.slice(0, 60)}' is none of ${Object.keys(ASSOCIATED).join(', ')}`)
      return []
    })
    // The least restrictive value counts.
    if (known.includes('relevant')) return 'relevant'
    return known.includes('latest') ? 'latest' : 'all'
  }

  /** The types that the client has named; undefined where it has named none. */
  #types(withProvenance: boolean): readonly string[] | undefined {
    const named = this.#listOf('_type')
    if (named.length === 0) return undefined
    const types = new Set(named.filter((type) => this.#isOffered(type)))
    if (types.size === 0) this.#refuse('_type', `${named.join(', ').slice(0, 200)} ${OUTSIDE}`)
    if (withProvenance) types.add('Provenance')
    return [...types]
  }

  #isOffered(type: string): boolean {
    if (!isResourceType(type)) this.#refuse('_type', () => noResourceType(type))
    else if (this.#level === 'patient' && !patientRecord.has(type)) this.#note('_type', `${type} ${OUTSIDE}`)
    else if (type === 'AuditEvent' && this.#user.role === 'staff') {
      if (this.#request.isLenient !== true) throw new FhirError(403, { code: 'forbidden', diagnostics: FOR_ADMINS })
      this.#note('_type', FOR_ADMINS)
    } else return true
    return false
  }

  /** All that the user may have. */
  #allTypes(): readonly string[] {
    const types = this.#level === 'patient' ? [...patientRecord.keys()] : resourceTypes
    return types.filter((type) => type !== 'AuditEvent' || this.#user.role !== 'staff')
  }

  async #filters(types: readonly string[]): Promise<ExportRequest['filters']> {
    // A comma separates queries where a type follows; others belong to the values of one.
    const queries = this.#listOf('_typeFilter', MOST.filters, /,(?=\s*[A-Z][A-Za-z]+\?)/)
    if (queries.some(({ length }) => length > MOST.query))
      throw badRequest(`_typeFilter: a query has ${MOST.query} characters at most`, { expression: '_typeFilter' })
    const filters: Record<string, string[]> = {}
    for (const query of queries) {
      const [type = '', criteria = ''] = splitAt(query, query.indexOf('?'))
      if (!types.includes(type))
        this.#refuse('_typeFilter', `'${type.slice(0, 60)}' is not among the types of the export`)
      else if (await this.#isUsable(type, criteria)) filters[type] = [...(filters[type] ?? []), criteria]
    }
    return filters
  }

  async #isUsable(type: string, criteria: string): Promise<boolean> {
    try {
      await filtersOf(this.#ctx, { [type]: [criteria] })
      return true
    } catch (error) {
      if (!(error instanceof FhirError && error.status === 400 && this.#request.isLenient === true)) throw error
      this.#note('_typeFilter', error.message)
      return false
    }
  }

  #elements(types: readonly string[]): readonly string[] | undefined {
    const names = this.#listOf('_elements').filter((name) => {
      if (ROOT_ELEMENT.test(name)) return true
      this.#refuse(
        '_elements',
        `'${name.slice(0, 60)}' must be an element at the root of a resource: name, or Patient.name`,
      )
      return false
    })
    return names.length === 0 ? undefined : elementsFrom(names.join(), types)
  }

  /** The patients whose records are wanted. */
  async #patients(): Promise<Pick<ExportRequest, 'patients' | 'group'>> {
    const { id: group } = this.#request
    if (group === undefined) return present({ patients: await this.#namedPatients() })
    const { resource } = await this.#ctx.read<Group>('Group', group)
    // A Group whose members cannot be found is refused at once.
    await membersOf(this.#ctx, resource).next()
    return present({ group, patients: await this.#namedPatients(resource) })
  }

  async #namedPatients(group?: Group): Promise<readonly string[] | undefined> {
    const { patient } = this.#request.input
    if (!Array.isArray(patient)) return undefined
    if (/[?&]patient=/.test(this.#request.url ?? ''))
      this.#refuse('patient', 'send it by POST, in a Parameters resource')
    if (patient.length > MOST.patients) {
      throw badRequest(`patient is given ${patient.length} times, and may be ${MOST.patients} times`)
    }
    const among = group && new Set((await Array.fromAsync(membersOf(this.#ctx, group))).flat())
    const ids: string[] = []
    for (const reference of patient as readonly Reference[]) {
      const id = await this.#patientIn(reference)
      if (id === undefined) this.#refuse('patient', `there is no patient ${String(reference.reference).slice(0, 100)}`)
      else if (among?.has(id) === false) this.#refuse('patient', `Patient/${id} is no member of the group`)
      else ids.push(id)
    }
    return ids
  }

  async #patientIn({ reference = '' }: Reference): Promise<string | undefined> {
    const local = localReference(reference, this.#request.base ?? this.#ctx.baseUrl)
    if (local?.type !== 'Patient') return undefined
    return (await this.#ctx.find('Patient', local.id))?.id
  }
}

/** `name`, or `Patient.name`. */
const ROOT_ELEMENT = /^(?:[A-Z][A-Za-z]+\.)?[a-z][A-Za-z0-9]*(?:\[x\])?$/

const timeIn = (value: unknown): number | undefined => (typeof value === 'string' ? Date.parse(value) : undefined)

const splitAt = (text: string, at: number): readonly [string, string] =>
  at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
