/**
 * ImplementationGuide/$install: installs a FHIR package, or a Bundle, whose profiles and terminology then take effect
 * in the clinic.
 */

import { randomUUID } from 'node:crypto'
import type { Binary, Bundle } from 'fhir/r4'
import type { ClinicAccess, Context } from '../core/context.ts'
import { defineOperation, type OperationInput } from '../core/operation.ts'
import { isShipped } from '../core/shipped.ts'
import { uriQuery } from '../core/terminology.ts'
import { type PackageFile, readPackage } from '../fhir/fhir-package.ts'
import { countJson, MAX_JSON_VALUES, parseJson } from '../fhir/json.ts'
import { badRequest, FhirError, type Issue, information, toOutcome, unprocessable } from '../fhir/outcome.ts'
import { type AnyResource, isObject, itemsOf } from '../fhir/resource.ts'
import { PRIMITIVES } from '../fhir/validate/primitives.ts'
import { BudgetError, requireWorkThread, rethrowBudgetError } from '../isolation/budget.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'

/** Types that take effect once stored. Not SearchParameter: guides repeat those of R4 under their own names. */
const TAKEN: ReadonlySet<string> = new Set([
  'StructureDefinition',
  'ValueSet',
  'CodeSystem',
  'ConceptMap',
  'NamingSystem',
  'ImplementationGuide',
])
const MAX_RESOURCES = 5_000
/** Limits of resources, and of their characters, stored in one change. */
const AT_ONCE = 25
const CHARACTERS_AT_ONCE = 2_000_000
/** Most problems that are reported individually. */
const MAX_TOLD = 50
/** Deepest nesting of a JSON file. */
const MAX_DEPTH = 100

export const implementationGuideInstall = defineOperation('implementation-guide-install', async ({ access, input }) => {
  const content = await contentOf(input)
  if (content.count > MAX_RESOURCES) throw tooMany(content.count)
  const tally = new Tally()
  await installAll(access, content, tally)
  return toOutcome([tally.summary(content.what), ...content.notes, ...tally.problems])
})

/** @throws FhirError 422 that says how much is installed, if the work exceeds the budget of a request */
async function installAll(access: ClinicAccess, { candidates, count }: Content, tally: Tally): Promise<void> {
  let done = 0
  try {
    for await (const part of parts(candidates())) {
      // Lets other requests run between the parts of a large package.
      await yieldToEventLoop()
      await storeAll(
        access,
        part.flatMap((one) => resourceOf(one, tally)),
        tally,
      )
      done += part.length
    }
  } catch (error) {
    throw error instanceof BudgetError && COSTLY.has(error.reason) && done > 0 ? partlyInstalled(done, count) : error
  }
}

const COSTLY: ReadonlySet<BudgetError['reason']> = new Set(['too costly', 'too late'])

const partlyInstalled = (done: number, count: number): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The first ${done} of ${count} files or entries are installed; the others are more work than one request may take. Send the same again to go on with them`,
  })

async function* parts(candidates: AsyncIterable<Candidate>): AsyncGenerator<readonly Candidate[]> {
  let part: Candidate[] = []
  let characters = 0
  for await (const one of candidates) {
    part.push(one)
    characters += one.characters
    if (part.length < AT_ONCE && characters < CHARACTERS_AT_ONCE) continue
    yield part
    part = []
    characters = 0
  }
  if (part.length > 0) yield part
}

const tooMany = (count: number): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `There are ${count} files or entries; this server takes ${MAX_RESOURCES} at most`,
  })

interface Content {
  readonly what: string
  readonly notes: readonly Issue[]
  /** Number of `candidates`. */
  readonly count: number
  readonly candidates: () => AsyncIterable<Candidate>
}

interface Candidate {
  /** Its file in the package, or its position in the Bundle, for messages. */
  readonly at: string
  /** Length in characters; 0 if it is in memory already. */
  readonly characters: number
  /** @throws SyntaxError */
  readonly read: () => unknown
}

/** @throws FhirError 400 unless there is either a package or a Bundle; 422 for a package of another FHIR version */
async function contentOf({ package: file, bundle }: OperationInput): Promise<Content> {
  if ((file === undefined) === (bundle === undefined)) {
    throw badRequest(
      'Send a FHIR package (.tgz, as application/gzip or in parameter package) or a Bundle, one of the two',
      {
        expression: 'package',
      },
    )
  }
  return file === undefined ? contentOfBundle(bundle as Bundle) : contentOfPackage(file as Binary)
}

async function contentOfPackage({ data }: Binary): Promise<Content> {
  requireWorkThread('its package')
  if (PRIMITIVES.get('base64Binary')?.accepts(data) !== true)
    throw badRequest('Parameter package is a Binary without data; its data is the .tgz file in base64', {
      expression: 'package',
    })
  const { name, version, fhirVersions, dependencies, fileCount, files } = await readPackage(
    Buffer.from(String(data), 'base64'),
  )
  if (fhirVersions.length > 0 && !fhirVersions.some((one) => one.startsWith('4.0')))
    throw unprocessable(`The package ${name} is for FHIR ${fhirVersions.join(', ')}; this server has R4, 4.0.1`)
  const others = dependencies.filter((one) => !/^hl7\.fhir\.r4\.(core|expansions)#/.test(one))
  const diagnostics = `${name} builds on ${others.slice(0, 20).join(', ')}; what it needs of them is installed the same way`
  return {
    what: `${name} ${version}`,
    notes: others.length === 0 ? [] : [information(diagnostics)],
    count: fileCount,
    candidates: async function* () {
      for await (const file of files()) yield candidateOf(file)
    },
  }
}

const candidateOf = ({ path, text }: PackageFile): Candidate => ({
  at: path,
  characters: text.length,
  read: () => {
    const { values } = countJson(text, MAX_DEPTH) ?? { values: Number.POSITIVE_INFINITY }
    return values > MAX_JSON_VALUES ? undefined : parseJson(text)
  },
})

function contentOfBundle({ entry }: Bundle): Content {
  const entries = itemsOf(entry)
  return {
    what: 'The Bundle',
    notes: [],
    count: entries.length,
    candidates: async function* () {
      for (const [index, one] of entries.entries()) {
        const read = () => (isObject(one) ? one['resource'] : undefined)
        yield { at: `Bundle.entry[${index}].resource`, characters: 0, read }
      }
    },
  }
}

function resourceOf({ at, read }: Candidate, tally: Tally): readonly Found[] {
  const resource = readable(read)
  if (!isObject(resource) || typeof resource['resourceType'] !== 'string') {
    tally.problem(at, 'is no resource')
    return []
  }
  const type = resource['resourceType']
  if (TAKEN.has(type)) return [{ at, resource: resource as unknown as Canonical }]
  tally.leftOut(type)
  return []
}

function readable(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    rethrowBudgetError(error)
    return undefined
  }
}

/** A resource identified by its canonical URL. */
interface Canonical extends AnyResource {
  readonly url?: string
  readonly version?: string
}

interface Found {
  readonly at: string
  readonly resource: Canonical
}

async function storeAll(access: ClinicAccess, found: readonly Found[], tally: Tally): Promise<void> {
  const results = await access.change(async (ctx) => {
    const done: Result[] = []
    for (const one of found) done.push(await storeOne(ctx, one))
    return done
  })
  for (const result of results) {
    if (result.problem === undefined) tally.stored(result.type, result.isNew)
    else tally.problem(result.at, result.problem)
  }
}

interface Result {
  readonly at: string
  readonly type: string
  /** True if created or updated; false if unchanged. */
  readonly isNew: boolean
  readonly problem?: string
}

/** An invalid resource does not stop the others. */
async function storeOne(ctx: Context, { at, resource }: Found): Promise<Result> {
  const type = resource.resourceType
  try {
    const { id, current } = await placeOf(ctx, resource)
    const isNew = current === undefined || textOf(current) !== textOf(resource)
    // Bypasses the rules of the providers: a guide may violate its own profiles.
    if (isNew) await ctx.unit.put({ ...resource, id }, 'PUT')
    return { at, type, isNew }
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error
    return { at, type, isNew: false, problem: `is not valid: ${error.issues[0]?.diagnostics ?? ''}` }
  }
}

/** The id of the clinic's resource with this url and version; else the resource's own id, unless that is taken. */
async function placeOf(ctx: Context, resource: Canonical): Promise<{ id: string; current?: AnyResource }> {
  const { resourceType: type, id, url, version } = resource
  const held = typeof url === 'string' ? await ctx.search<Canonical>(type, uriQuery('url', [url])) : []
  const same = held.find((one) => one.resource.version === version)
  if (same !== undefined) return { id: same.id, current: same.resource }
  if (typeof id !== 'string' || PRIMITIVES.get('id')?.accepts(id) !== true || isShipped(type, id))
    return { id: randomUUID() }
  const taken = await ctx.find<Canonical>(type, id)
  return { id: taken === undefined || taken.resource.url === url ? id : randomUUID() }
}

/** The content without elements added by the store. */
const textOf = ({ id: _id, meta, ...content }: AnyResource): string => {
  const { versionId: _versionId, lastUpdated: _lastUpdated, ...kept } = meta ?? {}
  return JSON.stringify([kept, content])
}

/** Counts the outcomes, for the response. */
class Tally {
  readonly #stored = new Map<string, number>()
  readonly #leftOut = new Map<string, number>()
  readonly #problems: Issue[] = []
  #unchanged = 0
  #untold = 0

  stored(type: string, isNew: boolean): void {
    this.#stored.set(type, (this.#stored.get(type) ?? 0) + 1)
    if (!isNew) this.#unchanged++
  }

  leftOut(type: string): void {
    const name = type.slice(0, 64)
    if (this.#leftOut.size < 200) this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1)
  }

  problem(at: string, said: string): void {
    if (this.#problems.length >= MAX_TOLD) this.#untold++
    else this.#problems.push({ severity: 'warning', code: 'invalid', diagnostics: `${at.slice(0, 200)} ${said}` })
  }

  summary(what: string): Issue {
    const stored =
      this.#stored.size === 0 ? 'holds nothing that takes effect here' : `is installed: ${listed(this.#stored)}`
    const unchanged = this.#unchanged === 0 ? '' : `, of which ${this.#unchanged} were there as they are`
    const leftOut = this.#leftOut.size === 0 ? '' : `. Left out, as it takes no effect here: ${listed(this.#leftOut)}`
    return information(`${what} ${stored}${unchanged}${leftOut}`)
  }

  get problems(): readonly Issue[] {
    if (this.#untold === 0) return this.#problems
    const diagnostics = `${this.#untold} more could not be stored`
    return [...this.#problems, { severity: 'warning', code: 'invalid', diagnostics }]
  }
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  Array.from(counts, ([type, count]) => `${count} ${type}`).join(', ')
