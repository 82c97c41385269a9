/**
 * $import of files of NDJSON, from Binaries of the clinic and from addresses that operators allow: checks what is asked for, and
 * starts a job. https://github.com/smart-on-fhir/bulk-import/blob/master/import-manifest.md
 */
import type { Binary } from 'fhir/r4'
import type { ClinicAccess, Context, UserAgent } from '../core/context.ts'
import { Accepted, defineOperation, type OperationRequest } from '../core/operation.ts'
import { noResourceType } from '../fhir/closest-name.ts'
import { contentOf } from '../fhir/content/marker.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { badRequest, FhirError, information, toOutcome } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { present } from '../fhir/resource.ts'
import { typesInOrder } from '../fhir/type-order.ts'
import { type ImportInput, newImport } from '../jobs/import/import-state.ts'
import { jobAddress, stageJob } from '../jobs/jobs.ts'

const FORMATS = ['application/fhir+ndjson', 'application/ndjson', 'ndjson']
const MODES = { IncrementalLoad: false, InitialLoad: true } as const
const MOST_INPUTS = 1_000
/** Characters of an address: it is repeated for each line that is refused. */
const MOST_OF_ADDRESS = 2_000
const RETRY_AFTER_SECONDS = 1

/** The parts of a parameter, as lists by name. */
type Parts = Readonly<Record<string, readonly string[] | undefined>>

type Source = Pick<ImportInput, 'type' | 'url' | 'sha256' | 'size'>

export const bulkImport = defineOperation('import', importFiles, { isInBackground: true })

async function importFiles(request: OperationRequest): Promise<Accepted> {
  const { access, base = access.baseUrl, url = '' } = request
  const user = adminOf(access)
  if (request.prefersAsync !== true) throw badRequest('An import is made in the background; send Prefer: respond-async')
  const more = checked(request)
  const inputs = (await inputsOf(request)).toSorted(inOrder)
  const used = new Set(inputs.flatMap(({ sha256 }) => sha256 ?? []))
  const work = newImport(inputs, more)
  const job = { kind: 'import' as const, user, request: base + url, base, work, input: [...used] }
  const id = await access.change((ctx) => stageJob(ctx.unit, job))
  const state = { address: jobAddress(base, id), progress: 'waiting', retryAfterSeconds: RETRY_AFTER_SECONDS }
  return new Accepted(toOutcome([information(`The import is made in the background, as job ${id}`)]), state)
}

const inOrder = (one: Source, other: Source): number => placeOf(one) - placeOf(other)

/** Files of any type come last. */
const placeOf = ({ type }: Source): number => (type === undefined ? typesInOrder.length : typesInOrder.indexOf(type))

/** @throws FhirError 403 */
function adminOf({ agent }: ClinicAccess): UserAgent {
  if (agent.kind === 'user' && agent.role !== 'staff') return agent
  throw new FhirError(403, { code: 'forbidden', diagnostics: 'Only an admin or an operator may import' })
}

/** @throws FhirError 400 */
function checked({ input }: OperationRequest): { readonly onlyNew: boolean; readonly source?: string } {
  const { inputFormat, mode = 'IncrementalLoad', inputSource, storageDetail } = input
  if (!FORMATS.includes(String(inputFormat))) throw wrong('inputFormat', `the files are NDJSON: ${FORMATS[0]}`)
  if (!Object.hasOwn(MODES, String(mode))) throw wrong('mode', `it is one of ${Object.keys(MODES).join(', ')}`)
  const { type: [type = 'https'] = [] } = (storageDetail ?? {}) as Parts
  if (type !== 'https') throw wrong('storageDetail.type', `files are read by https, not from '${type.slice(0, 60)}'`)
  const source = typeof inputSource === 'string' ? inputSource : undefined
  if (source !== undefined && source.length > MOST_OF_ADDRESS) throw tooLong('inputSource')
  return { onlyNew: MODES[mode as keyof typeof MODES], ...present({ source }) }
}

const wrong = (name: string, why: string): FhirError => badRequest(`${name}: ${why}`, { expression: name })

const tooLong = (name: string): FhirError => wrong(name, `an address has ${MOST_OF_ADDRESS} characters at most`)

async function inputsOf(request: OperationRequest): Promise<readonly Source[]> {
  const asked = request.input.input as readonly Parts[]
  if (asked.length > MOST_INPUTS) throw wrong('input', `it names ${asked.length} files, and may name ${MOST_INPUTS}`)
  const { importSources = [] } = request.integrations
  const ctx = await request.access.reader()
  const inputs: Source[] = []
  for (const { type: [type] = [], url: [url = ''] = [] } of asked) {
    if (type !== undefined && !isResourceType(type)) throw wrong('input.type', noResourceType(type))
    if (url.length > MOST_OF_ADDRESS) throw tooLong('input.url')
    inputs.push({ ...present({ type }), url, ...(await sourceOf(ctx, url, request.base, importSources)) })
  }
  return inputs
}

/** The content of a Binary of the clinic; nothing for an address that operators allow. @throws FhirError 400 */
async function sourceOf(
  ctx: Context,
  url: string,
  base: string | undefined,
  sources: readonly string[],
): Promise<Pick<Source, 'sha256' | 'size'>> {
  const local = localReference(url, base ?? ctx.baseUrl)
  if (local?.type === 'Binary' && local.version === undefined) return await contentIn(ctx, local.id)
  if (sources.some((source) => isBelow(url, source))) return {}
  const allowed = sources.length === 0 ? 'and operators allow no other addresses' : 'or an address that operators allow'
  throw wrong('input.url', `'${url.slice(0, 200)}' is neither a Binary of this clinic (Binary/[id]), ${allowed}`)
}

/** Whether an address is below another one, as both are requested. */
function isBelow(url: string, source: string): boolean {
  if (!URL.canParse(url)) return false
  const [asked, allowed] = [new URL(url), new URL(source)]
  const isPlain = asked.username === '' && asked.password === '' && !leadsUp(asked.pathname)
  return isPlain && asked.origin === allowed.origin && asked.pathname.startsWith(allowed.pathname)
}

/** Whether a path leads up once a server has decoded it: `..` behind an encoded slash stays as it is in a URL. */
function leadsUp(path: string): boolean {
  try {
    return decodeURIComponent(path).split(/[/\\]/).includes('..')
  } catch {
    return true
  }
}

async function contentIn(ctx: Context, id: string): Promise<Pick<Source, 'sha256' | 'size'>> {
  const binary = (await ctx.find<Binary>('Binary', id))?.resource
  if (binary === undefined) throw wrong('input.url', `there is no Binary/${id}`)
  const { clinic, contents } = ctx
  const sha256 = contentOf(binary._data)
  const facts = sha256 === undefined ? undefined : await contents.facts(clinic, sha256)
  if (facts !== undefined) return { sha256: facts.sha256, size: facts.size }
  const bytes = Buffer.from(binary.data ?? '', 'base64')
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const received = await contents.receive(clinic, pieces(), bytes.length)
  return { sha256: received.sha256, size: received.size }
}
